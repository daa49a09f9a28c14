// Generated from specs/bias/bias_add_residual.yaml by `fusewise generate`. Do not edit.
// The formulas stand in bias_add_residual.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::bias_add_residual {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& bias = reads[1];
  const Value& other = reads[2];
  const Value& other_bias = reads[3];
  writes[0] = x + bias + (other + other_bias);
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  writes[0] = grad_out;
  writes[1] = grad_out;
  writes[2] = grad_out;
  writes[3] = grad_out;
}

void double_backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_bias = reads[1];
  const Value& grad_grad_other = reads[2];
  const Value& grad_grad_other_bias = reads[3];
  writes[0] = grad_grad_x + grad_grad_bias + grad_grad_other + grad_grad_other_bias;
}

const Pass kDoubleBackward = {
    .schema = "bias_add_residual_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_bias, "
              "Tensor? grad_grad_other, Tensor? grad_grad_other_bias, Tensor? grad_out, bool[1] "
              "needs) -> Tensor",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_bias", .optional = true},
               {.name = "grad_grad_other", .optional = true},
               {.name = "grad_grad_other_bias", .optional = true},
               {.name = "grad_out"}},
    .outputs = {{.name = "grad_grad_out", .like = 4, .reads = {0, 1, 2, 3}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "bias_add_residual_backward(Tensor grad_out, Tensor? x, Tensor? bias, Tensor? "
              "other, Tensor? other_bias, bool[4] needs) -> (Tensor, Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_out"},
               {.name = "x", .shape_only = true},
               {.name = "bias", .shape_only = true},
               {.name = "other", .shape_only = true},
               {.name = "other_bias", .shape_only = true}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0}, .equal_input = 0},
                {.name = "grad_bias", .like = 2, .reads = {0}, .equal_input = 0},
                {.name = "grad_other", .like = 3, .reads = {0}, .equal_input = 0},
                {.name = "grad_other_bias", .like = 4, .reads = {0}, .equal_input = 0}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0},
    .gradients = {0},
};

const Pass kForward = {
    .schema = "bias_add_residual(Tensor x, Tensor? bias=None, Tensor? other=None, Tensor? "
              "other_bias=None) -> Tensor",
    .inputs = {{.name = "x"},
               {.name = "bias", .optional = true},
               {.name = "other", .optional = true},
               {.name = "other_bias", .optional = true}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_shapes = {0, 1, 2, 3},
    .gradients = {0, 1, 2, 3},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::bias_add_residual
