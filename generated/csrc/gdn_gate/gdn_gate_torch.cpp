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
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_grad_g = reads[0];
  const Value& grad_grad_a_log = reads[1];
  const Value& grad_grad_dt_bias = reads[2];
  const Value& grad_out = reads[3];
  const Value& g = reads[4];
  const Value& a_log = reads[5];
  const Value& dt_bias = reads[6];
  const Value exp0 = aten::exp(a_log);
  const Value add0 = g + dt_bias;
  const Value sigmoid0 = aten::sigmoid(add0);
  const Value add1 = grad_grad_g + grad_grad_dt_bias;
  const Value mul0 = grad_grad_a_log * exp0;
  const Value mul1 = add1 * sigmoid0;
  const Value neg0 = -add0;
  const Value logsigmoid0 = aten::log_sigmoid(neg0);
  const Value sigmoid1 = aten::sigmoid(neg0);
  const Value neg1 = -(add1 * (grad_out * exp0) * (sigmoid0 * sigmoid1));
  const Value sub0 = neg1 - mul0 * grad_out * sigmoid0;
  writes[0] = logsigmoid0 * mul0 - mul1 * exp0;
  writes[1] = sub0;
  writes[2] = (logsigmoid0 * grad_out * grad_grad_a_log - mul1 * grad_out) * exp0;
  writes[3] = sub0;
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
