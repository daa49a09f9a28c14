// Generated from specs/losses/sigmoid_focal_loss.yaml by `fusewise generate`. Do not edit.
// The formulas stand in sigmoid_focal_loss.math.h.
#include <ATen/ops/detach.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/where.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::sigmoid_focal_loss {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& x = reads[0];
  const Tensor& target = reads[1];
  const double gamma = params[0].as<double>();
  const double alpha = params[1].as<double>();
  const Tensor z = at::where(target, x, -x);
  const Tensor weight = at::where(target, constant(alpha, reads[0]), constant(1 - alpha, reads[0]));
  const Tensor logsigmoid0 = at::log_sigmoid(-z);
  const Tensor modulation = at::exp(gamma * logsigmoid0);
  const Tensor logsigmoid1 = at::log_sigmoid(z);
  writes[0] = -(weight * modulation * logsigmoid1);
}

void backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_out = reads[0];
  const Tensor& x = reads[1];
  const Tensor& target = reads[2];
  const double gamma = params[0].as<double>();
  const double alpha = params[1].as<double>();
  const Tensor weight = at::where(target, constant(alpha, reads[0]), constant(1 - alpha, reads[0]));
  const Tensor stop_grad0 = at::detach(x);
  const Tensor where0 = at::where(target, x, stop_grad0);
  const Tensor where1 = at::where(target, where0, -where0);
  const Tensor neg0 = -where1;
  const Tensor logsigmoid0 = at::log_sigmoid(neg0);
  const Tensor exp0 = at::exp(gamma * logsigmoid0);
  const Tensor logsigmoid1 = at::log_sigmoid(where1);
  const Tensor stop_grad1 = at::detach(grad_out);
  const Tensor where2 = at::where(target, grad_out, stop_grad1);
  const Tensor sigmoid0 = at::sigmoid(neg0);
  const Tensor sigmoid1 = at::sigmoid(where1);
  const Tensor mul0 = exp0 * sigmoid1 * logsigmoid1 * weight * (where2 * gamma);
  const Tensor where3 = at::where(target, stop_grad0, x);
  const Tensor where4 = at::where(target, where3, -where3);
  const Tensor neg1 = -where4;
  const Tensor logsigmoid2 = at::log_sigmoid(neg1);
  const Tensor exp1 = at::exp(gamma * logsigmoid2);
  const Tensor logsigmoid3 = at::log_sigmoid(where4);
  const Tensor where5 = at::where(target, stop_grad1, grad_out);
  const Tensor sigmoid2 = at::sigmoid(neg1);
  const Tensor sigmoid3 = at::sigmoid(where4);
  const Tensor mul1 = exp1 * sigmoid3 * logsigmoid3 * weight * (where5 * gamma);
  const Tensor neg2 = -(mul1 - exp1 * sigmoid2 * weight * where5);
  writes[0] = at::where(target, mul0 - exp0 * sigmoid0 * weight * where2, neg2);
}

void double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_x = reads[0];
  const Tensor& grad_out = reads[1];
  const Tensor& x = reads[2];
  const Tensor& target = reads[3];
  const double gamma = params[0].as<double>();
  const double alpha = params[1].as<double>();
  const Tensor z = at::where(target, x, -x);
  const Tensor weight = at::where(target, constant(alpha, reads[0]), constant(1 - alpha, reads[0]));
  const Tensor neg0 = -z;
  const Tensor logsigmoid0 = at::log_sigmoid(neg0);
  const Tensor modulation = at::exp(gamma * logsigmoid0);
  const Tensor logsigmoid1 = at::log_sigmoid(z);
  const Tensor sigmoid0 = at::sigmoid(neg0);
  const Tensor sigmoid1 = at::sigmoid(z);
  const Tensor where0 = at::where(target, grad_grad_x, -grad_grad_x);
  const Tensor mul0 = modulation * sigmoid1 * where0 * logsigmoid1 * weight * gamma;
  const Tensor stop_grad0 = at::detach(x);
  const Tensor where1 = at::where(target, x, stop_grad0);
  const Tensor where2 = at::where(target, where1, -where1);
  const Tensor neg1 = -where2;
  const Tensor logsigmoid2 = at::log_sigmoid(neg1);
  const Tensor exp0 = at::exp(gamma * logsigmoid2);
  const Tensor logsigmoid3 = at::log_sigmoid(where2);
  const Tensor stop_grad1 = at::detach(grad_out);
  const Tensor where3 = at::where(target, grad_out, stop_grad1);
  const Tensor sigmoid2 = at::sigmoid(neg1);
  const Tensor sigmoid3 = at::sigmoid(where2);
  const Tensor mul1 = where3 * gamma;
  const Tensor where4 = at::where(target, stop_grad0, x);
  const Tensor where5 = at::where(target, where4, -where4);
  const Tensor neg2 = -where5;
  const Tensor logsigmoid4 = at::log_sigmoid(neg2);
  const Tensor exp1 = at::exp(gamma * logsigmoid4);
  const Tensor logsigmoid5 = at::log_sigmoid(where5);
  const Tensor where6 = at::where(target, stop_grad1, grad_out);
  const Tensor sigmoid4 = at::sigmoid(neg2);
  const Tensor sigmoid5 = at::sigmoid(where5);
  const Tensor mul2 = where6 * gamma;
  const Tensor stop_grad2 = at::detach(grad_grad_x);
  const Tensor where7 = at::where(target, grad_grad_x, stop_grad2);
  const Tensor where8 = at::where(target, where7, -where7);
  const Tensor mul3 = exp0 * sigmoid3 * where8 * weight * logsigmoid3;
  const Tensor mul4 = exp0 * sigmoid2 * where8 * weight * mul1;
  const Tensor mul5 = (mul3 * (mul1 * gamma) - mul4) * sigmoid3;
  const Tensor where9 = at::where(target, stop_grad2, grad_grad_x);
  const Tensor where10 = at::where(target, where9, -where9);
  const Tensor mul6 = exp1 * sigmoid5 * where10 * weight * logsigmoid5;
  const Tensor mul7 = exp1 * sigmoid4 * where10 * weight * mul2;
  const Tensor mul8 = (mul6 * (mul2 * gamma) - mul7) * sigmoid5;
  const Tensor mul9 = exp0 * (sigmoid3 * sigmoid2) * where8 * weight;
  const Tensor add0 = mul9 * logsigmoid3 * mul1 + mul9 * mul1;
  const Tensor mul10 = exp1 * (sigmoid5 * sigmoid4) * where10 * weight;
  const Tensor add1 = mul10 * logsigmoid5 * mul2 + mul10 * mul2;
  const Tensor neg3 = -(add1 - (mul8 - mul10 * where6));
  writes[0] = mul0 - modulation * sigmoid0 * where0 * weight;
  writes[1] = at::where(target, add0 - (mul5 - mul9 * where3), neg3);
}

const Pass kDoubleBackward = {
    .schema = "sigmoid_focal_loss_double_backward(Tensor grad_grad_x, Tensor? grad_out, Tensor? "
              "x, Tensor? target, *, float gamma, float alpha, bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x"},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "target", .kind = Kind::kBool}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2, 3}},
                {.name = "grad_x", .like = 2, .reads = {0, 1, 2, 3}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "sigmoid_focal_loss_backward(Tensor grad_out, Tensor? x, Tensor? target, *, float "
              "gamma, float alpha, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_out"}, {.name = "x"}, {.name = "target", .kind = Kind::kBool}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1},
};

const Pass kForward = {
    .schema = "sigmoid_focal_loss(Tensor x, Tensor target, *, float gamma=2, float alpha=0.25) ->"
              " Tensor",
    .inputs = {{.name = "x"}, {.name = "target", .kind = Kind::kBool}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::sigmoid_focal_loss
