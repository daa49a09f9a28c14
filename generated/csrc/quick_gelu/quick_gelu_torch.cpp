// Generated from specs/activations/quick_gelu.yaml by `fusewise generate`. Do not edit.
// The formulas stand in quick_gelu.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::quick_gelu {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value sigmoid0 = aten::sigmoid(1.702 * x);
  writes[0] = x * sigmoid0;
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value mul0 = 1.702 * x;
  const Value sigmoid0 = aten::sigmoid(mul0);
  const Value sigmoid1 = aten::sigmoid(-mul0);
  const Value mul1 = sigmoid0 * sigmoid1 * x * (1.702 * grad_out);
  writes[0] = grad_out * sigmoid0 + mul1;
}

void double_backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_out = reads[1];
  const Value& x = reads[2];
  const Value mul0 = 1.702 * x;
  const Value sigmoid0 = aten::sigmoid(mul0);
  const Value tanh0 = aten::tanh(0.851 * x);
  const Value sigmoid1 = aten::sigmoid(-mul0);
  const Value mul1 = sigmoid0 * sigmoid1;
  const Value mul2 = mul1 * x;
  const Value mul3 = mul2 * (1.702 * tanh0 * grad_grad_x * grad_out);
  const Value mul4 = (grad_grad_x * grad_out * mul1 - mul3) * 1.702;
  writes[0] = mul2 * (1.702 * grad_grad_x) + grad_grad_x * sigmoid0;
  writes[1] = grad_grad_x * (1.702 * grad_out) * mul1 + mul4;
}

const Pass kDoubleBackward = {
    .schema = "quick_gelu_double_backward(Tensor grad_grad_x, Tensor? grad_out, Tensor? x, "
              "bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x"}, {.name = "grad_out"}, {.name = "x"}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2}},
                {.name = "grad_x", .like = 2, .reads = {0, 1, 2}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "quick_gelu_backward(Tensor grad_out, Tensor? x, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_out"}, {.name = "x"}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Pass kForward = {
    .schema = "quick_gelu(Tensor x) -> Tensor",
    .inputs = {{.name = "x"}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0},
    .gradients = {0},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::quick_gelu
