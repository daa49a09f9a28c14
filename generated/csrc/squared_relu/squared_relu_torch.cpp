// Generated from specs/activations/squared_relu.yaml by `fusewise generate`. Do not edit.
// The formulas stand in squared_relu.math.h.
#include <ATen/ops/relu.h>
#include <ATen/ops/square.h>
#include <ATen/ops/where.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::squared_relu {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& x = reads[0];
  const Tensor relu0 = at::relu(x);
  writes[0] = at::square(relu0);
}

void backward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_out = reads[0];
  const Tensor& x = reads[1];
  const Tensor relu0 = at::relu(x);
  writes[0] = grad_out * (2 * relu0);
}

void double_backward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_x = reads[0];
  const Tensor& grad_out = reads[1];
  const Tensor& x = reads[2];
  const Tensor relu0 = at::relu(x);
  writes[0] = grad_grad_x * (2 * relu0);
  writes[1] = at::where(relu0 <= 0, 0, grad_grad_x * grad_out * 2);
}

const Pass kDoubleBackward = {
    .schema = "squared_relu_double_backward(Tensor grad_grad_x, Tensor? grad_out, Tensor? x, "
              "bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x"}, {.name = "grad_out"}, {.name = "x"}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2}},
                {.name = "grad_x", .like = 2, .reads = {0, 1, 2}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "squared_relu_backward(Tensor grad_out, Tensor? x, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_out"}, {.name = "x"}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Pass kForward = {
    .schema = "squared_relu(Tensor x) -> Tensor",
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
}  // namespace fusewise::ops::squared_relu
