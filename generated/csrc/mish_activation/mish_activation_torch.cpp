// Generated from specs/activations/mish_activation.yaml by `fusewise generate`. Do not edit.
// The formulas stand in mish_activation.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::mish_activation {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value logsigmoid0 = aten::log_sigmoid(-x);
  const Value tanh0 = aten::tanh(-logsigmoid0);
  writes[0] = x * tanh0;
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value sigmoid0 = aten::sigmoid(x);
  const Value logsigmoid0 = aten::log_sigmoid(-x);
  const Value tanh0 = aten::tanh(-logsigmoid0);
  const Value mul0 = 2 * logsigmoid0;
  const Value sigmoid1 = aten::sigmoid(mul0);
  const Value sigmoid2 = aten::sigmoid(-mul0);
  const Value add0 = tanh0 + x * (4 * (sigmoid1 * sigmoid2) * sigmoid0);
  writes[0] = grad_out * add0;
}

void double_backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_out = reads[1];
  const Value& x = reads[2];
  const Value mul0 = grad_grad_x * grad_out;
  const Value neg0 = -x;
  const Value sigmoid0 = aten::sigmoid(neg0);
  const Value sigmoid1 = aten::sigmoid(x);
  const Value logsigmoid0 = aten::log_sigmoid(neg0);
  const Value tanh0 = aten::tanh(-logsigmoid0);
  const Value mul1 = 2 * logsigmoid0;
  const Value sigmoid2 = aten::sigmoid(mul1);
  const Value sigmoid3 = aten::sigmoid(-mul1);
  const Value mul2 = 4 * (sigmoid2 * sigmoid3) * sigmoid1;
  const Value mul3 = x * mul2;
  const Value mul4 = mul0 * mul2;
  const Value mul5 = mul3 * (mul0 * (sigmoid0 - 2 * tanh0 * sigmoid1));
  writes[0] = grad_grad_x * (tanh0 + mul3);
  writes[1] = mul4 + mul5 + mul4;
}

const Pass kDoubleBackward = {
    .schema = "mish_activation_double_backward(Tensor grad_grad_x, Tensor? grad_out, Tensor? x, "
              "bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x"}, {.name = "grad_out"}, {.name = "x"}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2}},
                {.name = "grad_x", .like = 2, .reads = {0, 1, 2}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "mish_activation_backward(Tensor grad_out, Tensor? x, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_out"}, {.name = "x"}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Pass kForward = {
    .schema = "mish_activation(Tensor x) -> Tensor",
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
}  // namespace fusewise::ops::mish_activation
