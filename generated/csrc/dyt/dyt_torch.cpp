// Generated from specs/activations/dyt.yaml by `fusewise generate`. Do not edit.
// The formulas stand in dyt.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::dyt {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& alpha = reads[1];
  const Value& gamma = reads[2];
  const Value& beta = reads[3];
  const Value t = aten::tanh(alpha * x);
  writes[0] = gamma * t + beta;
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& alpha = reads[2];
  const Value& gamma = reads[3];
  const Value mul0 = alpha * x;
  const Value t = aten::tanh(mul0);
  const Value mul1 = grad_out * gamma;
  const Value mul2 = 2 * mul0;
  const Value sigmoid0 = aten::sigmoid(mul2);
  const Value sigmoid1 = aten::sigmoid(-mul2);
  const Value mul3 = 4 * (sigmoid0 * sigmoid1);
  writes[0] = mul3 * alpha * mul1;
  writes[1] = mul3 * x * mul1;
  writes[2] = grad_out * t;
  writes[3] = grad_out;
}

void double_backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_alpha = reads[1];
  const Value& grad_grad_gamma = reads[2];
  const Value& grad_grad_beta = reads[3];
  const Value& grad_out = reads[4];
  const Value& x = reads[5];
  const Value& alpha = reads[6];
  const Value& gamma = reads[7];
  const Value mul0 = alpha * x;
  const Value t = aten::tanh(mul0);
  const Value mul1 = grad_out * gamma;
  const Value mul2 = 2 * mul0;
  const Value mul3 = grad_grad_x * mul1;
  const Value mul4 = grad_grad_alpha * mul1;
  const Value sigmoid0 = aten::sigmoid(mul2);
  const Value sigmoid1 = aten::sigmoid(-mul2);
  const Value mul5 = 4 * (sigmoid0 * sigmoid1);
  const Value add0 = grad_grad_x * (mul5 * alpha) + grad_grad_alpha * (mul5 * x);
  const Value mul6 = mul5 * (mul3 * alpha + mul4 * x);
  const Value add1 = mul6 * (-2 * t) + grad_grad_gamma * grad_out * mul5;
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
