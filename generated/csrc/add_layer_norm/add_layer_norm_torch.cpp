// Generated from specs/norms/add_layer_norm.yaml by `fusewise generate`. Do not edit.
// The formulas stand in add_layer_norm.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::add_layer_norm {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& residual = reads[1];
  const Value& weight = reads[2];
  const Value& bias = reads[3];
  const double eps = params[0].as<double>();
  const Value s = x + residual;
  const Value var0 = aten::var(s, 0);
  const Value rstd = aten::rsqrt(var0 + eps);
  const Value mean0 = aten::mean(s);
  writes[0] = (s - mean0) * rstd * weight + bias;
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
  const Value sum0 = aten::sum(mul0);
  const Value var0 = aten::var(added, 0);
  const Value rsqrt0 = aten::rsqrt(var0 + eps);
  const Value mean0 = aten::mean(added);
  const Value sub0 = added - mean0;
  const Value sub1 = grad_added + mul0 * rsqrt0 - rsqrt0 * sum0 / length;
  const Value sum1 = aten::sum(mul0 * sub0);
  const Value mul1 = sum1 * (-0.5 * rsqrt0 * (rsqrt0 * rsqrt0));
  const Value add0 = sub1 + mul1 * (2 / length) * sub0;
  writes[0] = add0;
  writes[1] = add0;
  writes[2] = grad_out * (sub0 * rsqrt0);
  writes[3] = grad_out;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_residual = reads[1];
  const Value& grad_grad_weight = reads[2];
  const Value& grad_grad_bias = reads[3];
  const Value& grad_out = reads[4];
  const Value& weight = reads[6];
  const Value& added = reads[7];
  const Value length = row_length(reads[8]);
  const double eps = params[0].as<double>();
  const Value mul0 = grad_out * weight;
  const Value sum0 = aten::sum(mul0);
  const Value div0 = 2 / length;
  const Value var0 = aten::var(added, 0);
  const Value rsqrt0 = aten::rsqrt(var0 + eps);
  const Value mean0 = aten::mean(added);
  const Value sub0 = added - mean0;
  const Value sum1 = aten::sum(mul0 * sub0);
  const Value mul1 = -0.5 * rsqrt0;
  const Value mul2 = rsqrt0 * rsqrt0;
  const Value mul3 = mul1 * mul2;
  const Value add0 = grad_grad_x + grad_grad_residual;
  const Value sum2 = aten::sum(add0 * sub0);
  const Value mul4 = sum2 * div0;
  const Value mul5 = mul4 * mul3;
  const Value mul6 = mul4 * sum1;
  const Value mul7 = mul6 * mul1 * rsqrt0;
  const Value add1 = mul7 + mul7 + mul6 * mul2 * -0.5;
  const Value sum3 = aten::sum(add0);
  const Value div1 = sum3 / length;
  const Value add2 = add0 * (sum1 * mul3 * div0) + mul5 * mul0;
  const Value mul8 = grad_grad_weight * grad_out;
  const Value mul9 = -0.5 * sum1 * rsqrt0 * rsqrt0 * rsqrt0 * div0;
  const Value mul10 = -0.5 * sum2 * div0 * rsqrt0 * rsqrt0 * rsqrt0;
  const Value sum4 = aten::sum(mul8);
  const Value add3 = mul9 * sum3 + mul10 * sum0 + rsqrt0 * sum4;
  const Value sub1 = add2 + mul8 * rsqrt0 - add3 / length;
  const Value sum5 = aten::sum(add0 * mul0 + mul8 * sub0);
  const Value mul11 = (add1 - div1 * sum0 + sum5) * mul3 * div0;
  const Value sub2 = mul5 * sub0 + add0 * rsqrt0 - div1 * rsqrt0;
  writes[0] = grad_grad_bias + grad_grad_weight * (sub0 * rsqrt0) + sub2 * weight;
  writes[1] = add0;
  writes[2] = sub2 * grad_out;
  writes[3] = sub1 + mul11 * sub0;
}

const Pass kDoubleBackward = {
    .schema = "add_layer_norm_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_residual, "
              "Tensor? grad_grad_weight, Tensor? grad_grad_bias, Tensor? grad_out, Tensor? "
              "grad_added, Tensor? weight, Tensor? added, *, float eps, bool[4] needs) -> "
              "(Tensor, Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_residual", .optional = true},
               {.name = "grad_grad_weight", .optional = true},
               {.name = "grad_grad_bias", .optional = true},
               {.name = "grad_out", .optional = true},
               {.name = "grad_added", .optional = true},
               {.name = "weight", .optional = true, .fill = 1},
               {.name = "added"}},
    .outputs = {{.name = "grad_grad_out", .like = 4, .reads = {0, 1, 2, 3, 6, 7}},
                {.name = "grad_grad_added", .like = 5, .reads = {0, 1}},
                {.name = "grad_weight", .like = 6, .reads = {0, 1, 4, 7}},
                {.name = "grad_added", .like = 7, .reads = {0, 1, 2, 4, 6, 7}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .reduces = true,
};

const Pass kBackward = {
    .schema = "add_layer_norm_backward(Tensor? grad_out, Tensor? grad_added, Tensor? weight, "
              "Tensor? added, Tensor? x, Tensor? residual, Tensor? bias, *, float eps, bool[4] "
              "needs) -> (Tensor, Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_out", .optional = true},
               {.name = "grad_added", .optional = true},
               {.name = "weight", .optional = true, .fill = 1},
               {.name = "added"},
               {.name = "x", .shape_only = true},
               {.name = "residual", .shape_only = true},
               {.name = "bias", .shape_only = true}},
    .outputs = {{.name = "grad_x", .like = 4, .reads = {0, 1, 2, 3}},
                {.name = "grad_residual", .like = 5, .reads = {0, 1, 2, 3}, .equal_output = 0},
                {.name = "grad_weight", .like = 2, .reads = {0, 3}},
                {.name = "grad_bias", .like = 6, .reads = {0}, .equal_input = 0}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1, 2, 3},
    .reduces = true,
};

const Pass kForward = {
    .schema = "add_layer_norm(Tensor x, Tensor residual, Tensor? weight=None, Tensor? bias=None, "
              "*, float eps=1e-05) -> (Tensor, Tensor)",
    .inputs = {{.name = "x"},
               {.name = "residual"},
               {.name = "weight", .optional = true, .fill = 1},
               {.name = "bias", .optional = true}},
    .outputs = {{.name = "out"}, {.name = "added"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {2},
    .saved_outputs = {1},
    .saved_shapes = {0, 1, 3},
    .gradients = {0, 1, 2, 3},
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::add_layer_norm
