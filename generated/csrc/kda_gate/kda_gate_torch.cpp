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
  const Value rate = aten::exp(a_log);
  const Value add0 = g + dt_bias;
  const Value mul0 = rate * add0;
  const Value sigmoid0 = aten::sigmoid(mul0);
  const Value mul1 = grad_out * lower_bound;
  const Value add1 = grad_grad_g + grad_grad_dt_bias;
  const Value mul2 = add1 * rate;
  const Value tanh0 = aten::tanh(0.5 * mul0);
  const Value sigmoid1 = aten::sigmoid(-mul0);
  const Value mul3 = sigmoid0 * sigmoid1;
  const Value mul4 = mul3 * rate;
  const Value mul5 = mul4 * add0;
  const Value mul6 = mul3 * add0 * (grad_grad_a_log * grad_out * lower_bound);
  const Value mul7 = mul5 * (tanh0 * grad_grad_a_log * grad_out * lower_bound);
  const Value add2 = mul7 + mul3 * tanh0 * (mul2 * mul1);
  const Value sub0 = mul6 + add1 * (mul1 * mul3) - add2 * add0;
  const Value sub1 = grad_grad_a_log * mul1 * mul4 - add2 * rate;
  writes[0] = (grad_grad_a_log * mul5 + mul2 * mul3) * lower_bound;
  writes[1] = sub1;
  writes[2] = sub0 * rate;
  writes[3] = sub1;
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
