// Generated from specs/activations/dyt.yaml by `fusewise generate`. Do not edit.
// The formulas stand in dyt.math.h.
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::dyt {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& x = reads[0];
  const Tensor& alpha = reads[1];
  const Tensor& gamma = reads[2];
  const Tensor& beta = reads[3];
  const Tensor t = at::tanh(alpha * x);
  writes[0] = gamma * t + beta;
}

void backward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_out = reads[0];
  const Tensor& x = reads[1];
  const Tensor& alpha = reads[2];
  const Tensor& gamma = reads[3];
  const Tensor mul0 = alpha * x;
  const Tensor t = at::tanh(mul0);
  const Tensor mul1 = grad_out * gamma;
  const Tensor mul2 = 2 * mul0;
  const Tensor sigmoid0 = at::sigmoid(mul2);
  const Tensor sigmoid1 = at::sigmoid(-mul2);
  const Tensor mul3 = 4 * (sigmoid0 * sigmoid1);
  writes[0] = mul3 * alpha * mul1;
  writes[1] = mul3 * x * mul1;
  writes[2] = grad_out * t;
  writes[3] = grad_out;
}

void double_backward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_x = reads[0];
  const Tensor& grad_grad_alpha = reads[1];
  const Tensor& grad_grad_gamma = reads[2];
  const Tensor& grad_grad_beta = reads[3];
  const Tensor& grad_out = reads[4];
  const Tensor& x = reads[5];
  const Tensor& alpha = reads[6];
  const Tensor& gamma = reads[7];
  const Tensor mul0 = alpha * x;
  const Tensor t = at::tanh(mul0);
  const Tensor mul1 = grad_out * gamma;
  const Tensor mul2 = 2 * mul0;
  const Tensor mul3 = grad_grad_x * mul1;
  const Tensor mul4 = grad_grad_alpha * mul1;
  const Tensor sigmoid0 = at::sigmoid(mul2);
  const Tensor sigmoid1 = at::sigmoid(-mul2);
  const Tensor mul5 = 4 * (sigmoid0 * sigmoid1);
  const Tensor add0 = grad_grad_x * (mul5 * alpha) + grad_grad_alpha * (mul5 * x);
  const Tensor mul6 = mul5 * (mul3 * alpha + mul4 * x);
  const Tensor add1 = mul6 * (-2 * t) + grad_grad_gamma * grad_out * mul5;
  writes[0] = grad_grad_beta + add0 * gamma + grad_grad_gamma * t;
  writes[1] = mul4 * mul5 + add1 * alpha;
  writes[2] = mul3 * mul5 + add1 * x;
  writes[3] = add0 * grad_out;
}

const Pass kDoubleBackward = {
    .schema = "dyt_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_alpha, Tensor? "
              "grad_grad_gamma, Tensor? grad_grad_beta, Tensor? grad_out, Tensor? x, Tensor? "
              "alpha, Tensor? gamma, bool[4] needs) -> (Tensor, Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_alpha", .optional = true},
               {.name = "grad_grad_gamma", .optional = true},
               {.name = "grad_grad_beta", .optional = true},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "alpha"},
               {.name = "gamma"}},
    .outputs = {{.name = "grad_grad_out", .like = 4, .reads = {0, 1, 2, 3, 5, 6, 7}},
                {.name = "grad_x", .like = 5, .reads = {0, 1, 2, 4, 5, 6, 7}},
                {.name = "grad_alpha", .like = 6, .reads = {0, 1, 2, 4, 5, 6, 7}},
                {.name = "grad_gamma", .like = 7, .reads = {0, 1, 4, 5, 6}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "dyt_backward(Tensor grad_out, Tensor? x, Tensor? alpha, Tensor? gamma, Tensor? "
              "beta, bool[4] needs) -> (Tensor, Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_out"},
               {.name = "x"},
               {.name = "alpha"},
               {.name = "gamma"},
               {.name = "beta", .shape_only = true}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2, 3}},
                {.name = "grad_alpha", .like = 2, .reads = {0, 1, 2, 3}},
                {.name = "grad_gamma", .like = 3, .reads = {0, 1, 2}},
                {.name = "grad_beta", .like = 4, .reads = {0}, .equal_input = 0}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1, 2, 3},
};

const Pass kForward = {
    .schema = "dyt(Tensor x, Tensor alpha, Tensor gamma, Tensor? beta=None) -> Tensor",
    .inputs = {{.name = "x"},
               {.name = "alpha"},
               {.name = "gamma"},
               {.name = "beta", .optional = true}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1, 2},
    .saved_shapes = {3},
    .gradients = {0, 1, 2, 3},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::dyt
