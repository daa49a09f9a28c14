// Generated from specs/activations/snake_beta.yaml by `fusewise generate`. Do not edit.
// The formulas stand in snake_beta.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::snake_beta {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& alpha = reads[1];
  const Value& beta = reads[2];
  const Value sin0 = aten::sin(alpha * x);
  const Value square0 = aten::square(sin0);
  writes[0] = x + square0 / beta;
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& alpha = reads[2];
  const Value& beta = reads[3];
  const Value mul0 = alpha * x;
  const Value sin0 = aten::sin(mul0);
  const Value square0 = aten::square(sin0);
  const Value sin1 = aten::sin(2 * mul0);
  const Value mul1 = grad_out / beta * sin1;
  writes[0] = grad_out + mul1 * alpha;
  writes[1] = mul1 * x;
  writes[2] = -(square0 / beta / beta * grad_out);
}

void double_backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_alpha = reads[1];
  const Value& grad_grad_beta = reads[2];
  const Value& grad_out = reads[3];
  const Value& x = reads[4];
  const Value& alpha = reads[5];
  const Value& beta = reads[6];
  const Value mul0 = alpha * x;
  const Value sin0 = aten::sin(mul0);
  const Value square0 = aten::square(sin0);
  const Value div0 = grad_out / beta;
  const Value add0 = grad_grad_x * alpha + grad_grad_alpha * x;
  const Value mul1 = grad_grad_beta * grad_out;
  const Value div1 = mul1 / beta;
  const Value div2 = square0 / beta / beta;
  const Value sin1 = aten::sin(2 * mul0);
  const Value mul2 = div0 * sin1;
  const Value mul3 = add0 * sin1;
  const Value mul4 = add0 * div0 * (2 - 4 * square0);
  const Value sub0 = div2 / beta * mul1 - div0 / beta * mul3;
  const Value sub1 = mul4 - div1 / beta * sin1;
  writes[0] = grad_grad_x - grad_grad_beta * div2 + mul3 / beta;
  writes[1] = grad_grad_alpha * mul2 + sub1 * alpha;
  writes[2] = grad_grad_x * mul2 + sub1 * x;
  writes[3] = sub0 + div2 * div1;
}

const Pass kDoubleBackward = {
    .schema = "snake_beta_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_alpha, Tensor? "
              "grad_grad_beta, Tensor? grad_out, Tensor? x, Tensor? alpha, Tensor? beta, bool[4] "
              "needs) -> (Tensor, Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_alpha", .optional = true},
               {.name = "grad_grad_beta", .optional = true},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "alpha"},
               {.name = "beta"}},
    .outputs = {{.name = "grad_grad_out", .like = 3, .reads = {0, 1, 2, 4, 5, 6}},
                {.name = "grad_x", .like = 4, .reads = {0, 1, 2, 3, 4, 5, 6}},
                {.name = "grad_alpha", .like = 5, .reads = {0, 1, 2, 3, 4, 5, 6}},
                {.name = "grad_beta", .like = 6, .reads = {0, 1, 2, 3, 4, 5, 6}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "snake_beta_backward(Tensor grad_out, Tensor? x, Tensor? alpha, Tensor? beta, "
              "bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_out"}, {.name = "x"}, {.name = "alpha"}, {.name = "beta"}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2, 3}},
                {.name = "grad_alpha", .like = 2, .reads = {0, 1, 2, 3}},
                {.name = "grad_beta", .like = 3, .reads = {0, 1, 2, 3}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1, 2, 3},
};

const Pass kForward = {
    .schema = "snake_beta(Tensor x, Tensor alpha, Tensor beta) -> Tensor",
    .inputs = {{.name = "x"}, {.name = "alpha"}, {.name = "beta"}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::snake_beta
