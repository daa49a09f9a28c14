// Generated from specs/norms/layer_norm.yaml by `fusewise generate`. Do not edit.
// The formulas stand in layer_norm.math.h.
#include <ATen/ops/mean.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/sum.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::layer_norm {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& x = reads[0];
  const Tensor& weight = reads[1];
  const Tensor& bias = reads[2];
  const double eps = params[0].as<double>();
  const Tensor mean0 = at::mean(x, {-1}, true);
  const Tensor centred = x - mean0;
  const Tensor mean1 = at::mean(centred * centred, {-1}, true);
  const Tensor rstd = at::rsqrt(mean1 + eps);
  writes[0] = centred * rstd * weight + bias;
}

void backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_out = reads[0];
  const Tensor& x = reads[1];
  const Tensor& weight = reads[2];
  const Tensor length = row_length(reads[3]);
  const double eps = params[0].as<double>();
  const Tensor mean0 = at::mean(x, {-1}, true);
  const Tensor centred = x - mean0;
  const Tensor mean1 = at::mean(centred * centred, {-1}, true);
  const Tensor rstd = at::rsqrt(mean1 + eps);
  const Tensor mul0 = grad_out * weight;
  const Tensor sum0 = at::sum(mul0 * centred, {-1}, true);
  const Tensor div0 = sum0 * (-0.5 * rstd * (rstd * rstd)) / length;
  const Tensor mul1 = div0 * centred;
  const Tensor sum1 = at::sum(mul0, {-1}, true);
  const Tensor sum2 = at::sum(centred, {-1}, true);
  const Tensor mul2 = div0 * sum2;
  const Tensor div1 = (rstd * sum1 + mul2 + mul2) / length;
  writes[0] = mul0 * rstd + mul1 + mul1 - div1;
  writes[1] = grad_out * (centred * rstd);
  writes[2] = grad_out;
}

void double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_x = reads[0];
  const Tensor& grad_grad_weight = reads[1];
  const Tensor& grad_grad_bias = reads[2];
  const Tensor& grad_out = reads[3];
  const Tensor& x = reads[4];
  const Tensor& weight = reads[5];
  const Tensor length = row_length(reads[6]);
  const double eps = params[0].as<double>();
  const Tensor mean0 = at::mean(x, {-1}, true);
  const Tensor centred = x - mean0;
  const Tensor mean1 = at::mean(centred * centred, {-1}, true);
  const Tensor rstd = at::rsqrt(mean1 + eps);
  const Tensor mul0 = grad_out * weight;
  const Tensor sum0 = at::sum(mul0 * centred, {-1}, true);
  const Tensor mul1 = -0.5 * rstd;
  const Tensor mul2 = rstd * rstd;
  const Tensor mul3 = mul1 * mul2;
  const Tensor div0 = sum0 * mul3 / length;
  const Tensor sum1 = at::sum(mul0, {-1}, true);
  const Tensor sum2 = at::sum(centred, {-1}, true);
  const Tensor sum3 = at::sum(grad_grad_x, {-1}, true);
  const Tensor div1 = sum3 / length;
  const Tensor sub0 = -div1 - div1;
  const Tensor mul4 = sub0 * div0;
  const Tensor add0 = grad_grad_x + grad_grad_x;
  const Tensor sum4 = at::sum(add0 * centred, {-1}, true);
  const Tensor div2 = (sub0 * sum2 + sum4) / length;
  const Tensor mul5 = div2 * mul3;
  const Tensor mul6 = div2 * sum0;
  const Tensor mul7 = mul6 * mul1 * rstd;
  const Tensor add1 = mul7 - div1 * sum1 + mul7;
  const Tensor add2 = mul4 + add0 * div0 + mul5 * mul0;
  const Tensor add3 = mul5 * centred - div1 * rstd + grad_grad_x * rstd;
  const Tensor mul8 = grad_grad_weight * grad_out;
  const Tensor sum5 = at::sum(grad_grad_x * mul0 + mul8 * centred, {-1}, true);
  const Tensor mul9 = (add1 + mul6 * mul2 * -0.5 + sum5) * mul3;
  const Tensor div3 = mul9 / length;
  const Tensor mul10 = div3 * centred;
  const Tensor sum6 = at::sum(add0, {-1}, true);
  const Tensor mul11 = -0.5 * div2 * rstd * rstd * rstd * sum1;
  const Tensor add4 = length * mul4 + div0 * sum6 + mul11;
  const Tensor sum7 = at::sum(mul8, {-1}, true);
  const Tensor mul12 = div3 * sum2;
  const Tensor div4 = (add4 + rstd * sum7 + mul12 + mul12) / length;
  writes[0] = grad_grad_bias + grad_grad_weight * (centred * rstd) + add3 * weight;
  writes[1] = add2 + mul8 * rstd + mul10 + mul10 - div4;
  writes[2] = add3 * grad_out;
}

const Pass kDoubleBackward = {
    .schema = "layer_norm_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_weight, Tensor? "
              "grad_grad_bias, Tensor? grad_out, Tensor? x, Tensor? weight, *, float eps, bool[3]"
              " needs) -> (Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_weight", .optional = true},
               {.name = "grad_grad_bias", .optional = true},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "weight", .optional = true, .fill = 1}},
    .outputs = {{.name = "grad_grad_out", .like = 3, .reads = {0, 1, 2, 4, 5}},
                {.name = "grad_x", .like = 4, .reads = {0, 1, 3, 4, 5}},
                {.name = "grad_weight", .like = 5, .reads = {0, 3, 4}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .reduces = true,
};

const Pass kBackward = {
    .schema = "layer_norm_backward(Tensor grad_out, Tensor? x, Tensor? weight, Tensor? bias, *, "
              "float eps, bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_out"},
               {.name = "x"},
               {.name = "weight", .optional = true, .fill = 1},
               {.name = "bias", .shape_only = true}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2}},
                {.name = "grad_weight", .like = 2, .reads = {0, 1}},
                {.name = "grad_bias", .like = 3, .reads = {0}, .equal_input = 0}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
    .reduces = true,
};

const Pass kForward = {
    .schema = "layer_norm(Tensor x, Tensor? weight=None, Tensor? bias=None, *, float eps=1e-05) "
              "-> Tensor",
    .inputs = {{.name = "x"},
               {.name = "weight", .optional = true, .fill = 1},
               {.name = "bias", .optional = true}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .saved_shapes = {2},
    .gradients = {0, 1, 2},
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::layer_norm
