// Generated from specs/activations/mish_activation.yaml by `fusewise generate`. Do not edit.
// The formulas stand in mish_activation.math.h.
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::mish_activation {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& x = reads[0];
  const Tensor logsigmoid0 = at::log_sigmoid(-x);
  const Tensor tanh0 = at::tanh(-logsigmoid0);
  writes[0] = x * tanh0;
}

void backward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_out = reads[0];
  const Tensor& x = reads[1];
  const Tensor sigmoid0 = at::sigmoid(x);
  const Tensor logsigmoid0 = at::log_sigmoid(-x);
  const Tensor tanh0 = at::tanh(-logsigmoid0);
  const Tensor mul0 = 2 * logsigmoid0;
  const Tensor sigmoid1 = at::sigmoid(mul0);
  const Tensor sigmoid2 = at::sigmoid(-mul0);
  const Tensor add0 = tanh0 + x * (4 * (sigmoid1 * sigmoid2) * sigmoid0);
  writes[0] = grad_out * add0;
}

void double_backward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_x = reads[0];
  const Tensor& grad_out = reads[1];
  const Tensor& x = reads[2];
  const Tensor mul0 = grad_grad_x * grad_out;
  const Tensor neg0 = -x;
  const Tensor sigmoid0 = at::sigmoid(neg0);
  const Tensor sigmoid1 = at::sigmoid(x);
  const Tensor logsigmoid0 = at::log_sigmoid(neg0);
  const Tensor tanh0 = at::tanh(-logsigmoid0);
  const Tensor mul1 = 2 * logsigmoid0;
  const Tensor sigmoid2 = at::sigmoid(mul1);
  const Tensor sigmoid3 = at::sigmoid(-mul1);
  const Tensor mul2 = 4 * (sigmoid2 * sigmoid3) * sigmoid1;
  const Tensor mul3 = x * mul2;
  const Tensor mul4 = mul0 * mul2;
  const Tensor mul5 = mul3 * (mul0 * (sigmoid0 - 2 * tanh0 * sigmoid1));
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
