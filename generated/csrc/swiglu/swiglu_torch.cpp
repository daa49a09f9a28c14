// Generated from specs/gated/swiglu.yaml by `fusewise generate`. Do not edit.
// The formulas stand in swiglu.math.h.
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::swiglu {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& x = reads[0];
  const Tensor& y = reads[1];
  const Tensor sigmoid0 = at::sigmoid(x);
  writes[0] = x * sigmoid0 * y;
}

void backward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_out = reads[0];
  const Tensor& x = reads[1];
  const Tensor& y = reads[2];
  const Tensor sigmoid0 = at::sigmoid(x);
  const Tensor sigmoid1 = at::sigmoid(-x);
  writes[0] = grad_out * y * (sigmoid0 + x * (sigmoid0 * sigmoid1));
  writes[1] = grad_out * (x * sigmoid0);
}

void double_backward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_x = reads[0];
  const Tensor& grad_grad_y = reads[1];
  const Tensor& grad_out = reads[2];
  const Tensor& x = reads[3];
  const Tensor& y = reads[4];
  const Tensor sigmoid0 = at::sigmoid(x);
  const Tensor tanh0 = at::tanh(0.5 * x);
  const Tensor sigmoid1 = at::sigmoid(-x);
  const Tensor mul0 = sigmoid0 * sigmoid1;
  const Tensor mul1 = x * mul0;
  const Tensor add0 = sigmoid0 + mul1;
  const Tensor mul2 = grad_grad_x * add0;
  const Tensor mul3 = grad_grad_x * (grad_out * y) * mul0;
  const Tensor sub0 = mul3 - mul1 * (tanh0 * grad_grad_x * grad_out * y);
  writes[0] = grad_grad_y * (x * sigmoid0) + mul2 * y;
  writes[1] = sub0 + grad_grad_y * grad_out * add0 + mul3;
  writes[2] = mul2 * grad_out;
}

const Pass kDoubleBackward = {
    .schema = "swiglu_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_y, Tensor? grad_out,"
              " Tensor? x, Tensor? y, bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_y", .optional = true},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "y"}},
    .outputs = {{.name = "grad_grad_out", .like = 2, .reads = {0, 1, 3, 4}},
                {.name = "grad_x", .like = 3, .reads = {0, 1, 2, 3, 4}},
                {.name = "grad_y", .like = 4, .reads = {0, 2, 3}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "swiglu_backward(Tensor grad_out, Tensor? x, Tensor? y, bool[2] needs) -> (Tensor, "
              "Tensor)",
    .inputs = {{.name = "grad_out"}, {.name = "x"}, {.name = "y"}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2}},
                {.name = "grad_y", .like = 2, .reads = {0, 1}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
};

const Pass kForward = {
    .schema = "swiglu(Tensor x, Tensor y) -> Tensor",
    .inputs = {{.name = "x"}, {.name = "y"}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::swiglu
