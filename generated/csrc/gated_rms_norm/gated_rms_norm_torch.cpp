// Generated from specs/norms/gated_rms_norm.yaml by `fusewise generate`. Do not edit.
// The formulas stand in gated_rms_norm.math.h.
#include <ATen/ops/mean.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/tanh.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::gated_rms_norm {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& x = reads[0];
  const Tensor& gate = reads[1];
  const Tensor& weight = reads[2];
  const double eps = params[0].as<double>();
  const Tensor mean0 = at::mean(x * x, {-1}, true);
  const Tensor rstd = at::rsqrt(mean0 + eps);
  const Tensor sigmoid0 = at::sigmoid(gate);
  writes[0] = x * rstd * weight * (gate * sigmoid0);
}

void backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_out = reads[0];
  const Tensor& x = reads[1];
  const Tensor& gate = reads[2];
  const Tensor& weight = reads[3];
  const Tensor length = row_length(reads[4]);
  const double eps = params[0].as<double>();
  const Tensor mean0 = at::mean(x * x, {-1}, true);
  const Tensor rstd = at::rsqrt(mean0 + eps);
  const Tensor mul0 = x * rstd;
  const Tensor sigmoid0 = at::sigmoid(gate);
  const Tensor mul1 = grad_out * (gate * sigmoid0);
  const Tensor sigmoid1 = at::sigmoid(-gate);
  const Tensor add0 = sigmoid0 + gate * (sigmoid0 * sigmoid1);
  const Tensor mul2 = mul1 * weight;
  const Tensor sum0 = at::sum(mul2 * x, {-1}, true);
  const Tensor div0 = sum0 * (-0.5 * rstd * (rstd * rstd)) / length;
  const Tensor mul3 = div0 * x;
  writes[0] = mul2 * rstd + mul3 + mul3;
  writes[1] = grad_out * (mul0 * weight) * add0;
  writes[2] = mul1 * mul0;
}

void double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_x = reads[0];
  const Tensor& grad_grad_gate = reads[1];
  const Tensor& grad_grad_weight = reads[2];
  const Tensor& grad_out = reads[3];
  const Tensor& x = reads[4];
  const Tensor& gate = reads[5];
  const Tensor& weight = reads[6];
  const Tensor length = row_length(reads[7]);
  const double eps = params[0].as<double>();
  const Tensor mean0 = at::mean(x * x, {-1}, true);
  const Tensor rstd = at::rsqrt(mean0 + eps);
  const Tensor mul0 = x * rstd;
  const Tensor mul1 = mul0 * weight;
  const Tensor sigmoid0 = at::sigmoid(gate);
  const Tensor mul2 = -0.5 * rstd;
  const Tensor mul3 = rstd * rstd;
  const Tensor mul4 = mul2 * mul3;
  const Tensor mul5 = gate * sigmoid0;
  const Tensor add0 = grad_grad_x + grad_grad_x;
  const Tensor sum0 = at::sum(add0 * x, {-1}, true);
  const Tensor div0 = sum0 / length;
  const Tensor mul6 = div0 * mul4;
  const Tensor add1 = mul6 * x + grad_grad_x * rstd;
  const Tensor add2 = grad_grad_weight * mul0 + add1 * weight;
  const Tensor tanh0 = at::tanh(0.5 * gate);
  const Tensor mul7 = tanh0 * grad_grad_gate * grad_out * x * rstd * weight;
  const Tensor mul8 = grad_out * mul5;
  const Tensor sigmoid1 = at::sigmoid(-gate);
  const Tensor mul9 = sigmoid0 * sigmoid1;
  const Tensor mul10 = gate * mul9;
  const Tensor add3 = sigmoid0 + mul10;
  const Tensor mul11 = mul8 * weight;
  const Tensor sum1 = at::sum(mul11 * x, {-1}, true);
  const Tensor mul12 = div0 * sum1;
  const Tensor mul13 = mul12 * mul2 * rstd;
  const Tensor add4 = add0 * (sum1 * mul4 / length) + mul6 * mul11;
  const Tensor mul14 = grad_grad_gate * add3;
  const Tensor mul15 = grad_grad_gate * (grad_out * mul1) * mul9;
  const Tensor mul16 = mul14 * grad_out;
  const Tensor add5 = grad_grad_weight * mul8 + mul16 * weight;
  const Tensor sum2 = at::sum(grad_grad_x * mul11 + add5 * x, {-1}, true);
  const Tensor add6 = mul13 + mul13 + mul12 * mul3 * -0.5 + sum2;
  const Tensor mul17 = add6 * mul4 / length * x;
  const Tensor add7 = mul15 - mul10 * mul7 + mul15;
  writes[0] = mul14 * mul1 + add2 * mul5;
  writes[1] = add4 + add5 * rstd + mul17 + mul17;
  writes[2] = add7 + add2 * grad_out * add3;
  writes[3] = add1 * mul8 + mul16 * mul0;
}

const Pass kDoubleBackward = {
    .schema = "gated_rms_norm_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_gate, "
              "Tensor? grad_grad_weight, Tensor? grad_out, Tensor? x, Tensor? gate, Tensor? "
              "weight, *, float eps, bool[4] needs) -> (Tensor, Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_gate", .optional = true},
               {.name = "grad_grad_weight", .optional = true},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "gate"},
               {.name = "weight"}},
    .outputs = {{.name = "grad_grad_out", .like = 3, .reads = {0, 1, 2, 4, 5, 6}},
                {.name = "grad_x", .like = 4, .reads = {0, 1, 2, 3, 4, 5, 6}},
                {.name = "grad_gate", .like = 5, .reads = {0, 1, 2, 3, 4, 5, 6}},
                {.name = "grad_weight", .like = 6, .reads = {0, 1, 3, 4, 5}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .reduces = true,
};

const Pass kBackward = {
    .schema = "gated_rms_norm_backward(Tensor grad_out, Tensor? x, Tensor? gate, Tensor? weight, "
              "*, float eps, bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_out"}, {.name = "x"}, {.name = "gate"}, {.name = "weight"}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2, 3}},
                {.name = "grad_gate", .like = 2, .reads = {0, 1, 2, 3}},
                {.name = "grad_weight", .like = 3, .reads = {0, 1, 2}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1, 2, 3},
    .reduces = true,
};

const Pass kForward = {
    .schema = "gated_rms_norm(Tensor x, Tensor gate, Tensor weight, *, float eps=1e-05) -> Tensor",
    .inputs = {{.name = "x"}, {.name = "gate"}, {.name = "weight"}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::gated_rms_norm
