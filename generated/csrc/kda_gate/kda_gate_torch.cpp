// Generated from specs/gates/kda_gate.yaml by `fusewise generate`. Do not edit.
// The formulas stand in kda_gate.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::kda_gate {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& g = reads[0];
  const Value& a_log = reads[1];
  const Value& dt_bias = reads[2];
  const double lower_bound = params[0].as<double>();
  const Value rate = aten::exp(a_log);
  const Value sigmoid0 = aten::sigmoid(rate * (g + dt_bias));
  writes[0] = lower_bound * sigmoid0;
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& g = reads[1];
  const Value& a_log = reads[2];
  const Value& dt_bias = reads[3];
  const double lower_bound = params[0].as<double>();
  const Value rate = aten::exp(a_log);
  const Value add0 = g + dt_bias;
  const Value mul0 = rate * add0;
  const Value sigmoid0 = aten::sigmoid(mul0);
  const Value mul1 = grad_out * lower_bound;
  const Value sigmoid1 = aten::sigmoid(-mul0);
  const Value mul2 = sigmoid0 * sigmoid1;
  const Value mul3 = mul1 * mul2 * rate;
  writes[0] = mul3;
  writes[1] = mul2 * rate * add0 * mul1;
  writes[2] = mul3;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_g = reads[0];
  const Value& grad_grad_a_log = reads[1];
  const Value& grad_grad_dt_bias = reads[2];
  const Value& grad_out = reads[3];
  const Value& g = reads[4];
  const Value& a_log = reads[5];
  const Value& dt_bias = reads[6];
  const double lower_bound = params[0].as<double>();
  const bool has_grad_grad_g = params[1].as<bool>();
  const bool has_grad_grad_a_log = params[2].as<bool>();
  const bool has_grad_grad_dt_bias = params[3].as<bool>();
  const Value rate = aten::exp(a_log);
  const Value add0 = g + dt_bias;
  const Value mul0 = rate * add0;
  const Value sigmoid0 = aten::sigmoid(mul0);
  const bool logical_or0 = has_grad_grad_g | has_grad_grad_dt_bias;
  const Value tanh0 = aten::tanh(0.5 * mul0);
  const Value sigmoid1 = aten::sigmoid(-mul0);
  const Value mul1 = sigmoid0 * sigmoid1;
  const Value stop_grad0 = aten::detach(g);
  const Value where0 = aten::where(condition(has_grad_grad_a_log, reads[0]), g, stop_grad0);
  const Value stop_grad1 = aten::detach(a_log);
  const Value where1 = aten::where(condition(has_grad_grad_a_log, reads[0]), a_log, stop_grad1);
  const Value stop_grad2 = aten::detach(dt_bias);
  const Value where2 = aten::where(condition(has_grad_grad_a_log, reads[0]), dt_bias, stop_grad2);
  const Value exp0 = aten::exp(where1);
  const Value add1 = where0 + where2;
  const Value mul2 = exp0 * add1;
  const Value stop_grad3 = aten::detach(grad_grad_a_log);
  const Value where3 = aten::where(condition(has_grad_grad_a_log, reads[0]), grad_grad_a_log,
      stop_grad3);
  const Value where4 = aten::where(condition(logical_or0, reads[0]), g, stop_grad0);
  const Value where5 = aten::where(condition(logical_or0, reads[0]), a_log, stop_grad1);
  const Value where6 = aten::where(condition(logical_or0, reads[0]), dt_bias, stop_grad2);
  const Value exp1 = aten::exp(where5);
  const Value mul3 = exp1 * (where4 + where6);
  const Value stop_grad4 = aten::detach(grad_grad_g);
  const Value where7 = aten::where(condition(logical_or0, reads[0]), grad_grad_g, stop_grad4);
  const Value stop_grad5 = aten::detach(grad_grad_dt_bias);
  const Value where8 = aten::where(condition(logical_or0, reads[0]), grad_grad_dt_bias, stop_grad5);
  const Value add2 = where7 + where8;
  const Value mul4 = add2 * exp1;
  const Value stop_grad6 = aten::detach(grad_out);
  const Value where9 = aten::where(condition(has_grad_grad_a_log, reads[0]), grad_out, stop_grad6);
  const Value mul5 = where3 * (where9 * lower_bound);
  const Value where10 = aten::where(condition(has_grad_grad_a_log, reads[0]), mul5 * add1 * exp0,
      0);
  const Value where11 = aten::where(condition(logical_or0, reads[0]), grad_out, stop_grad6);
  const Value mul6 = where11 * lower_bound;
  const Value where12 = aten::where(condition(logical_or0, reads[0]), mul4 * mul6, 0);
  const Value add3 = where10 + where12;
  const Value sigmoid2 = aten::sigmoid(mul2);
  const Value sigmoid3 = aten::sigmoid(-mul2);
  const Value mul7 = sigmoid2 * sigmoid3;
  const Value mul8 = mul7 * exp0;
  const Value where13 = aten::where(condition(has_grad_grad_a_log, reads[0]), where3 * (mul8 *
      add1), 0);
  const Value sigmoid4 = aten::sigmoid(mul3);
  const Value sigmoid5 = aten::sigmoid(-mul3);
  const Value mul9 = sigmoid4 * sigmoid5;
  const Value where14 = aten::where(condition(logical_or0, reads[0]), mul4 * mul9, 0);
  const Value where15 = aten::where(condition(has_grad_grad_a_log, reads[0]), mul5 * mul8, 0);
  const Value sub0 = where15 - mul1 * rate * add3 * tanh0;
  const Value where16 = aten::where(condition(logical_or0, reads[0]), add2 * (mul6 * mul9), 0);
  const Value where17 = aten::where(condition(has_grad_grad_a_log, reads[0]), mul7 * add1 * (where3
      * where9 * lower_bound), 0);
  const Value sub1 = where17 + where16 - mul1 * add3 * add0 * tanh0;
  writes[0] = (where13 + where14) * lower_bound;
  writes[1] = sub0;
  writes[2] = sub1 * rate;
  writes[3] = sub0;
}

const Pass kDoubleBackward = {
    .schema = "kda_gate_double_backward(Tensor? grad_grad_g, Tensor? grad_grad_a_log, Tensor? "
              "grad_grad_dt_bias, Tensor? grad_out, Tensor? g, Tensor? a_log, Tensor? dt_bias, *,"
              " float lower_bound, bool[4] needs) -> (Tensor, Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_g", .optional = true},
               {.name = "grad_grad_a_log", .optional = true},
               {.name = "grad_grad_dt_bias", .optional = true},
               {.name = "grad_out"},
               {.name = "g"},
               {.name = "a_log"},
               {.name = "dt_bias", .optional = true}},
    .outputs = {{.name = "grad_grad_out", .like = 3, .reads = {0, 1, 2, 4, 5, 6}},
                {.name = "grad_g", .like = 4, .reads = {0, 1, 2, 3, 4, 5, 6}},
                {.name = "grad_a_log", .like = 5, .reads = {0, 1, 2, 3, 4, 5, 6}},
                {.name = "grad_dt_bias", .like = 6, .reads = {0, 1, 2, 3, 4, 5, 6},
                 .equal_output = 1}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .arrivals = {0, 1, 2},
};

const Pass kBackward = {
    .schema = "kda_gate_backward(Tensor grad_out, Tensor? g, Tensor? a_log, Tensor? dt_bias, *, "
              "float lower_bound, bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_out"},
               {.name = "g"},
               {.name = "a_log"},
               {.name = "dt_bias", .optional = true}},
    .outputs = {{.name = "grad_g", .like = 1, .reads = {0, 1, 2, 3}},
                {.name = "grad_a_log", .like = 2, .reads = {0, 1, 2, 3}},
                {.name = "grad_dt_bias", .like = 3, .reads = {0, 1, 2, 3}, .equal_output = 0}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1, 2, 3},
};

const Pass kForward = {
    .schema = "kda_gate(Tensor g, Tensor a_log, Tensor? dt_bias=None, *, float lower_bound=-5) ->"
              " Tensor",
    .inputs = {{.name = "g"}, {.name = "a_log"}, {.name = "dt_bias", .optional = true}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::kda_gate
