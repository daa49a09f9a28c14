// Generated from specs/gates/gdn_gate.yaml by `fusewise generate`. Do not edit.
// The formulas stand in gdn_gate.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::gdn_gate {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& g = reads[0];
  const Value& a_log = reads[1];
  const Value& dt_bias = reads[2];
  const Value exp0 = aten::exp(a_log);
  const Value logsigmoid0 = aten::log_sigmoid(-(g + dt_bias));
  writes[0] = logsigmoid0 * exp0;
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& g = reads[1];
  const Value& a_log = reads[2];
  const Value& dt_bias = reads[3];
  const Value exp0 = aten::exp(a_log);
  const Value add0 = g + dt_bias;
  const Value sigmoid0 = aten::sigmoid(add0);
  const Value neg0 = -(grad_out * exp0 * sigmoid0);
  const Value logsigmoid0 = aten::log_sigmoid(-add0);
  writes[0] = neg0;
  writes[1] = logsigmoid0 * grad_out * exp0;
  writes[2] = neg0;
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
  const bool has_grad_grad_g = params[0].as<bool>();
  const bool has_grad_grad_a_log = params[1].as<bool>();
  const bool has_grad_grad_dt_bias = params[2].as<bool>();
  const Value exp0 = aten::exp(a_log);
  const bool logical_or0 = has_grad_grad_g | has_grad_grad_dt_bias;
  const Value stop_grad0 = aten::detach(g);
  const Value where0 = aten::where(condition(logical_or0, reads[0]), g, stop_grad0);
  const Value stop_grad1 = aten::detach(a_log);
  const Value where1 = aten::where(condition(logical_or0, reads[0]), a_log, stop_grad1);
  const Value stop_grad2 = aten::detach(dt_bias);
  const Value where2 = aten::where(condition(logical_or0, reads[0]), dt_bias, stop_grad2);
  const Value exp1 = aten::exp(where1);
  const Value add0 = where0 + where2;
  const Value sigmoid0 = aten::sigmoid(add0);
  const Value stop_grad3 = aten::detach(grad_grad_g);
  const Value where3 = aten::where(condition(logical_or0, reads[0]), grad_grad_g, stop_grad3);
  const Value stop_grad4 = aten::detach(grad_grad_dt_bias);
  const Value where4 = aten::where(condition(logical_or0, reads[0]), grad_grad_dt_bias, stop_grad4);
  const Value add1 = where3 + where4;
  const Value mul0 = add1 * sigmoid0;
  const Value where5 = aten::where(condition(logical_or0, reads[0]), -(mul0 * exp1), 0);
  const Value where6 = aten::where(condition(has_grad_grad_a_log, reads[0]), g, stop_grad0);
  const Value where7 = aten::where(condition(has_grad_grad_a_log, reads[0]), a_log, stop_grad1);
  const Value where8 = aten::where(condition(has_grad_grad_a_log, reads[0]), dt_bias, stop_grad2);
  const Value exp2 = aten::exp(where7);
  const Value add2 = where6 + where8;
  const Value stop_grad5 = aten::detach(grad_grad_a_log);
  const Value where9 = aten::where(condition(has_grad_grad_a_log, reads[0]), grad_grad_a_log,
      stop_grad5);
  const Value mul1 = where9 * exp2;
  const Value stop_grad6 = aten::detach(grad_out);
  const Value where10 = aten::where(condition(logical_or0, reads[0]), grad_out, stop_grad6);
  const Value where11 = aten::where(condition(has_grad_grad_a_log, reads[0]), grad_out, stop_grad6);
  const Value sigmoid1 = aten::sigmoid(add2);
  const Value where12 = aten::where(condition(has_grad_grad_a_log, reads[0]), -(mul1 * where11 *
      sigmoid1), 0);
  const Value where13 = aten::where(condition(logical_or0, reads[0]), -(mul0 * where10), 0);
  const Value logsigmoid0 = aten::log_sigmoid(-add2);
  const Value where14 = aten::where(condition(has_grad_grad_a_log, reads[0]), logsigmoid0 * mul1,
      0);
  const Value sigmoid2 = aten::sigmoid(-add0);
  const Value neg0 = -(add1 * (where10 * exp1) * (sigmoid0 * sigmoid2));
  const Value where15 = aten::where(condition(logical_or0, reads[0]), neg0, 0);
  const Value add3 = where15 + where12;
  const Value where16 = aten::where(condition(has_grad_grad_a_log, reads[0]), logsigmoid0 * where11
      * where9, 0);
  writes[0] = where5 + where14;
  writes[1] = add3;
  writes[2] = (where16 + where13) * exp0;
  writes[3] = add3;
}

const Pass kDoubleBackward = {
    .schema = "gdn_gate_double_backward(Tensor? grad_grad_g, Tensor? grad_grad_a_log, Tensor? "
              "grad_grad_dt_bias, Tensor? grad_out, Tensor? g, Tensor? a_log, Tensor? dt_bias, "
              "bool[4] needs) -> (Tensor, Tensor, Tensor, Tensor)",
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
    .schema = "gdn_gate_backward(Tensor grad_out, Tensor? g, Tensor? a_log, Tensor? dt_bias, "
              "bool[3] needs) -> (Tensor, Tensor, Tensor)",
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
    .schema = "gdn_gate(Tensor g, Tensor a_log, Tensor? dt_bias=None) -> Tensor",
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
}  // namespace fusewise::ops::gdn_gate
