// Generated from specs/basics/d_sigmoid.yaml by `fusewise generate`. Do not edit.
// The formulas stand in d_sigmoid.math.h.
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::d_sigmoid {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& z = reads[0];
  const Tensor s = at::sigmoid(z);
  const Tensor sigmoid0 = at::sigmoid(-z);
  writes[0] = s * sigmoid0;
}

void backward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_out = reads[0];
  const Tensor& z = reads[1];
  const Tensor sigmoid0 = at::sigmoid(z);
  const Tensor sigmoid1 = at::sigmoid(-z);
  const Tensor tanh0 = at::tanh(0.5 * z);
  writes[0] = -(sigmoid0 * sigmoid1 * tanh0 * grad_out);
}

void double_backward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_z = reads[0];
  const Tensor& grad_out = reads[1];
  const Tensor& z = reads[2];
  const Tensor sigmoid0 = at::sigmoid(z);
  const Tensor sigmoid1 = at::sigmoid(-z);
  const Tensor mul0 = sigmoid0 * sigmoid1;
  const Tensor tanh0 = at::tanh(0.5 * z);
  const Tensor mul1 = grad_grad_z * grad_out;
  const Tensor mul2 = mul0 * tanh0;
  const Tensor mul3 = mul1 * mul0 * (4 * mul0) * 0.5;
  writes[0] = -(grad_grad_z * mul2);
  writes[1] = mul2 * (mul1 * tanh0) - mul3;
}

const Pass kDoubleBackward = {
    .schema = "d_sigmoid_double_backward(Tensor grad_grad_z, Tensor? grad_out, Tensor? z, bool[2]"
              " needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_z"}, {.name = "grad_out"}, {.name = "z"}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2}},
                {.name = "grad_z", .like = 2, .reads = {0, 1, 2}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "d_sigmoid_backward(Tensor grad_out, Tensor? z, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_out"}, {.name = "z"}},
    .outputs = {{.name = "grad_z", .like = 1, .reads = {0, 1}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Pass kForward = {
    .schema = "d_sigmoid(Tensor z) -> Tensor",
    .inputs = {{.name = "z"}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0},
    .gradients = {0},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::d_sigmoid
