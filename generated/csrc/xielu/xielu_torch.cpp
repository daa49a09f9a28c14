// Generated from specs/activations/xielu.yaml by `fusewise generate`. Do not edit.
// The formulas stand in xielu.math.h.
#include <ATen/ops/detach.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/expm1.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/square.h>
#include <ATen/ops/where.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::xielu {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& x = reads[0];
  const Tensor& alpha_p = reads[1];
  const Tensor& alpha_n = reads[2];
  const double beta = params[0].as<double>();
  const Tensor gt0 = x > 0;
  const Tensor stop_grad0 = at::detach(x);
  const Tensor where0 = at::where(gt0, x, stop_grad0);
  const Tensor stop_grad1 = at::detach(alpha_p);
  const Tensor where1 = at::where(gt0, alpha_p, stop_grad1);
  const Tensor square0 = at::square(where0);
  const Tensor where2 = at::where(gt0, stop_grad0, x);
  const Tensor stop_grad2 = at::detach(alpha_n);
  const Tensor where3 = at::where(gt0, stop_grad2, alpha_n);
  const Tensor logsigmoid0 = at::log_sigmoid(-where1);
  const Tensor logsigmoid1 = at::log_sigmoid(-where3);
  const Tensor expm1_0 = at::expm1(where2);
  const Tensor add0 = (beta - logsigmoid1) * (expm1_0 - where2) + beta * where2;
  writes[0] = at::where(gt0, beta * where0 - logsigmoid0 * square0, add0);
}

void backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_out = reads[0];
  const Tensor& x = reads[1];
  const Tensor& alpha_p = reads[2];
  const Tensor& alpha_n = reads[3];
  const double beta = params[0].as<double>();
  const Tensor gt0 = x > 0;
  const Tensor stop_grad0 = at::detach(x);
  const Tensor where0 = at::where(gt0, x, stop_grad0);
  const Tensor stop_grad1 = at::detach(alpha_p);
  const Tensor where1 = at::where(gt0, alpha_p, stop_grad1);
  const Tensor square0 = at::square(where0);
  const Tensor where2 = at::where(gt0, stop_grad0, x);
  const Tensor stop_grad2 = at::detach(alpha_n);
  const Tensor where3 = at::where(gt0, stop_grad2, alpha_n);
  const Tensor logsigmoid0 = at::log_sigmoid(-where1);
  const Tensor logsigmoid1 = at::log_sigmoid(-where3);
  const Tensor expm1_0 = at::expm1(where2);
  const Tensor stop_grad3 = at::detach(grad_out);
  const Tensor where4 = at::where(gt0, stop_grad3, grad_out);
  const Tensor where5 = at::where(gt0, grad_out, stop_grad3);
  const Tensor sigmoid0 = at::sigmoid(where1);
  const Tensor sigmoid1 = at::sigmoid(where3);
  const Tensor where6 = at::where(gt0, 0, where4 * (beta - logsigmoid1) * expm1_0);
  const Tensor where7 = at::where(gt0, -(logsigmoid0 * where5 * (2 * where0)), 0);
  writes[0] = where6 + grad_out * beta + where7;
  writes[1] = at::where(gt0, where5 * square0 * sigmoid0, 0);
  writes[2] = at::where(gt0, 0, where4 * (expm1_0 - where2) * sigmoid1);
}

void double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_x = reads[0];
  const Tensor& grad_grad_alpha_p = reads[1];
  const Tensor& grad_grad_alpha_n = reads[2];
  const Tensor& grad_out = reads[3];
  const Tensor& x = reads[4];
  const Tensor& alpha_p = reads[5];
  const Tensor& alpha_n = reads[6];
  const double beta = params[0].as<double>();
  const Tensor gt0 = x > 0;
  const Tensor stop_grad0 = at::detach(x);
  const Tensor where0 = at::where(gt0, x, stop_grad0);
  const Tensor stop_grad1 = at::detach(alpha_p);
  const Tensor where1 = at::where(gt0, alpha_p, stop_grad1);
  const Tensor square0 = at::square(where0);
  const Tensor where2 = at::where(gt0, stop_grad0, x);
  const Tensor stop_grad2 = at::detach(alpha_n);
  const Tensor where3 = at::where(gt0, stop_grad2, alpha_n);
  const Tensor neg0 = -where1;
  const Tensor logsigmoid0 = at::log_sigmoid(neg0);
  const Tensor neg1 = -where3;
  const Tensor logsigmoid1 = at::log_sigmoid(neg1);
  const Tensor sub0 = beta - logsigmoid1;
  const Tensor expm1_0 = at::expm1(where2);
  const Tensor sub1 = expm1_0 - where2;
  const Tensor stop_grad3 = at::detach(grad_out);
  const Tensor where4 = at::where(gt0, stop_grad3, grad_out);
  const Tensor where5 = at::where(gt0, grad_out, stop_grad3);
  const Tensor mul0 = 2 * where0;
  const Tensor sigmoid0 = at::sigmoid(where1);
  const Tensor sigmoid1 = at::sigmoid(where3);
  const Tensor stop_grad4 = at::detach(grad_grad_x);
  const Tensor where6 = at::where(gt0, grad_grad_x, stop_grad4);
  const Tensor stop_grad5 = at::detach(grad_grad_alpha_p);
  const Tensor where7 = at::where(gt0, grad_grad_alpha_p, stop_grad5);
  const Tensor mul1 = where7 * sigmoid0;
  const Tensor mul2 = where6 * mul0;
  const Tensor where8 = at::where(gt0, stop_grad4, grad_grad_x);
  const Tensor mul3 = where8 * expm1_0;
  const Tensor stop_grad6 = at::detach(grad_grad_alpha_n);
  const Tensor where9 = at::where(gt0, stop_grad6, grad_grad_alpha_n);
  const Tensor mul4 = where9 * sigmoid1;
  const Tensor exp0 = at::exp(where2);
  const Tensor where10 = at::where(gt0, mul1 * square0 - logsigmoid0 * mul2, 0);
  const Tensor where11 = at::where(gt0, 0, mul3 * sub0);
  const Tensor where12 = at::where(gt0, 0, mul4 * sub1);
  const Tensor mul5 = logsigmoid0 * where5 * where6 * 2;
  const Tensor sub2 = mul1 * where5 * mul0 - mul5;
  const Tensor mul6 = where8 * (where4 * sub0) * exp0;
  const Tensor sigmoid2 = at::sigmoid(neg0);
  const Tensor mul7 = where7 * (where5 * square0) * (sigmoid0 * sigmoid2);
  const Tensor sigmoid3 = at::sigmoid(neg1);
  const Tensor mul8 = where9 * (where4 * sub1) * (sigmoid1 * sigmoid3);
  writes[0] = where10 + grad_grad_x * beta + where11 + where12;
  writes[1] = at::where(gt0, sub2, mul4 * where4 * expm1_0 + mul6);
  writes[2] = at::where(gt0, mul7 + mul2 * where5 * sigmoid0, 0);
  writes[3] = at::where(gt0, 0, mul8 + mul3 * where4 * sigmoid1);
}

const Pass kDoubleBackward = {
    .schema = "xielu_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_alpha_p, Tensor? "
              "grad_grad_alpha_n, Tensor? grad_out, Tensor? x, Tensor? alpha_p, Tensor? alpha_n, "
              "*, float beta, bool[4] needs) -> (Tensor, Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_alpha_p", .optional = true},
               {.name = "grad_grad_alpha_n", .optional = true},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "alpha_p"},
               {.name = "alpha_n"}},
    .outputs = {{.name = "grad_grad_out", .like = 3, .reads = {0, 1, 2, 4, 5, 6}},
                {.name = "grad_x", .like = 4, .reads = {0, 1, 2, 3, 4, 5, 6}},
                {.name = "grad_alpha_p", .like = 5, .reads = {0, 1, 3, 4, 5}},
                {.name = "grad_alpha_n", .like = 6, .reads = {0, 2, 3, 4, 6}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "xielu_backward(Tensor grad_out, Tensor? x, Tensor? alpha_p, Tensor? alpha_n, *, "
              "float beta, bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_out"}, {.name = "x"}, {.name = "alpha_p"}, {.name = "alpha_n"}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2, 3}},
                {.name = "grad_alpha_p", .like = 2, .reads = {0, 1, 2}},
                {.name = "grad_alpha_n", .like = 3, .reads = {0, 1, 3}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1, 2, 3},
};

const Pass kForward = {
    .schema = "xielu(Tensor x, Tensor alpha_p, Tensor alpha_n, *, float beta=0.5) -> Tensor",
    .inputs = {{.name = "x"}, {.name = "alpha_p"}, {.name = "alpha_n"}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::xielu
