// Generated from specs/norms/add_rms_norm.yaml by `fusewise generate`. Do not edit.
// The formulas stand in add_rms_norm.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::add_rms_norm {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& residual = reads[1];
  const Value& weight = reads[2];
  const double eps = params[0].as<double>();
  const Value s = x + residual;
  const Value mean0 = aten::mean(s * s);
  const Value rstd = aten::rsqrt(mean0 + eps);
  writes[0] = s * rstd * weight;
  writes[1] = s;
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& grad_added = reads[1];
  const Value& weight = reads[2];
  const Value& added = reads[3];
  const Value length = row_length(reads[4]);
  const double eps = params[0].as<double>();
  const Value mul0 = grad_out * weight;
  const Value mean0 = aten::mean(added * added);
  const Value rsqrt0 = aten::rsqrt(mean0 + eps);
  const Value sum0 = aten::sum(mul0 * added);
  const Value div0 = sum0 * (-0.5 * rsqrt0 * (rsqrt0 * rsqrt0)) / length;
  const Value mul1 = div0 * added;
  const Value add0 = grad_added + mul0 * rsqrt0 + mul1 + mul1;
  writes[0] = add0;
  writes[1] = add0;
  writes[2] = grad_out * (added * rsqrt0);
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_residual = reads[1];
  const Value& grad_grad_weight = reads[2];
  const Value& grad_out = reads[3];
  const Value& weight = reads[5];
  const Value& added = reads[6];
  const Value length = row_length(reads[7]);
  const double eps = params[0].as<double>();
  const Value mul0 = grad_out * weight;
  const Value mean0 = aten::mean(added * added);
  const Value rsqrt0 = aten::rsqrt(mean0 + eps);
  const Value sum0 = aten::sum(mul0 * added);
  const Value mul1 = -0.5 * rsqrt0;
  const Value mul2 = rsqrt0 * rsqrt0;
  const Value mul3 = mul1 * mul2;
  const Value add0 = grad_grad_x + grad_grad_residual;
  const Value add1 = add0 + add0;
  const Value sum1 = aten::sum(add1 * added);
  const Value div0 = sum1 / length;
  const Value mul4 = div0 * mul3;
  const Value mul5 = div0 * sum0;
  const Value mul6 = mul5 * mul1 * rsqrt0;
  const Value add2 = add1 * (sum0 * mul3 / length) + mul4 * mul0;
  const Value add3 = mul4 * added + add0 * rsqrt0;
  const Value mul7 = grad_grad_weight * grad_out;
  const Value sum2 = aten::sum(add0 * mul0 + mul7 * added);
  const Value add4 = mul6 + mul6 + mul5 * mul2 * -0.5 + sum2;
  const Value mul8 = add4 * mul3 / length * added;
  writes[0] = grad_grad_weight * (added * rsqrt0) + add3 * weight;
  writes[1] = add0;
  writes[2] = add3 * grad_out;
  writes[3] = add2 + mul7 * rsqrt0 + mul8 + mul8;
}

const Pass kDoubleBackward = {
    .schema = "add_rms_norm_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_residual, "
              "Tensor? grad_grad_weight, Tensor? grad_out, Tensor? grad_added, Tensor? weight, "
              "Tensor? added, *, float eps, bool[4] needs) -> (Tensor, Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_residual", .optional = true},
               {.name = "grad_grad_weight", .optional = true},
               {.name = "grad_out", .optional = true},
               {.name = "grad_added", .optional = true},
               {.name = "weight"},
               {.name = "added"}},
    .outputs = {{.name = "grad_grad_out", .like = 3, .reads = {0, 1, 2, 5, 6}},
                {.name = "grad_grad_added", .like = 4, .reads = {0, 1}},
                {.name = "grad_weight", .like = 5, .reads = {0, 1, 3, 6}},
                {.name = "grad_added", .like = 6, .reads = {0, 1, 2, 3, 5, 6}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .reduces = true,
};

const Pass kBackward = {
    .schema = "add_rms_norm_backward(Tensor? grad_out, Tensor? grad_added, Tensor? weight, "
              "Tensor? added, Tensor? x, Tensor? residual, *, float eps, bool[3] needs) -> "
              "(Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_out", .optional = true},
               {.name = "grad_added", .optional = true},
               {.name = "weight"},
               {.name = "added"},
               {.name = "x", .shape_only = true},
               {.name = "residual", .shape_only = true}},
    .outputs = {{.name = "grad_x", .like = 4, .reads = {0, 1, 2, 3}},
                {.name = "grad_residual", .like = 5, .reads = {0, 1, 2, 3}, .equal_output = 0},
                {.name = "grad_weight", .like = 2, .reads = {0, 3}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1, 2, 3},
    .reduces = true,
};

const Pass kForward = {
    .schema = "add_rms_norm(Tensor x, Tensor residual, Tensor weight, *, float eps=1e-06) -> "
              "(Tensor, Tensor)",
    .inputs = {{.name = "x"}, {.name = "residual"}, {.name = "weight"}},
    .outputs = {{.name = "out"}, {.name = "added"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {2},
    .saved_outputs = {1},
    .saved_shapes = {0, 1},
    .gradients = {0, 1, 2},
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::add_rms_norm
