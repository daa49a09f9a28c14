// Generated from specs/gated/glu.yaml by `fusewise generate`. Do not edit.
// The formulas stand in glu.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::glu {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& value = reads[0];
  const Value& gate = reads[1];
  const Value sigmoid0 = aten::sigmoid(gate);
  writes[0] = value * sigmoid0;
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& value = reads[1];
  const Value& gate = reads[2];
  const Value sigmoid0 = aten::sigmoid(gate);
  const Value sigmoid1 = aten::sigmoid(-gate);
  writes[0] = grad_out * sigmoid0;
  writes[1] = grad_out * value * (sigmoid0 * sigmoid1);
}

void double_backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_grad_value = reads[0];
  const Value& grad_grad_gate = reads[1];
  const Value& grad_out = reads[2];
  const Value& value = reads[3];
  const Value& gate = reads[4];
  const Value sigmoid0 = aten::sigmoid(gate);
  const Value tanh0 = aten::tanh(0.5 * gate);
  const Value sigmoid1 = aten::sigmoid(-gate);
  const Value mul0 = sigmoid0 * sigmoid1;
  const Value mul1 = grad_grad_gate * mul0;
  const Value mul2 = mul0 * tanh0 * (grad_grad_gate * (grad_out * value));
  writes[0] = mul1 * value + grad_grad_value * sigmoid0;
  writes[1] = mul1 * grad_out;
  writes[2] = grad_grad_value * grad_out * mul0 - mul2;
}

const Pass kDoubleBackward = {
    .schema = "glu_double_backward(Tensor grad_grad_x, Tensor? grad_out, Tensor? x, bool[2] "
              "needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .parts = 2},
               {.name = "grad_out"},
               {.name = "x", .parts = 2}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2}},
                {.name = "grad_x", .like = 2, .reads = {0, 1, 2}, .parts = 2}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "glu_backward(Tensor grad_out, Tensor? x, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_out"}, {.name = "x", .parts = 2}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1}, .parts = 2}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Pass kForward = {
    .schema = "glu(Tensor x) -> Tensor",
    .inputs = {{.name = "x", .parts = 2}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0},
    .gradients = {0},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::glu
