// Generated from specs/losses/jsd_divergence.yaml by `fusewise generate`. Do not edit.
// The formulas stand in jsd_divergence.math.h.
#include <ATen/ops/detach.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/log.h>
#include <ATen/ops/log1p.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/logaddexp.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/where.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::jsd_divergence {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& student = reads[0];
  const Tensor& teacher = reads[1];
  const double beta = params[0].as<double>();
  const Tensor log_p = at::log_softmax(teacher, -1);
  const Tensor log_q = at::log_softmax(student, -1);
  const Tensor log0 = at::log(constant(beta, reads[0]));
  const Tensor exp0 = at::exp(log_p);
  const Tensor exp1 = at::exp(log_q);
  const Tensor log1p0 = at::log1p(constant(-beta, reads[0]));
  const Tensor log_m = at::logaddexp(log_p + log0, log_q + log1p0);
  const Tensor of_teacher = at::where(log_p > -INFINITY, exp0 * (log_p - log_m) * beta, 0);
  const Tensor mul0 = exp1 * (log_q - log_m) * (1 - beta);
  const Tensor of_student = at::where(log_q > -INFINITY, mul0, 0);
  writes[0] = at::sum(of_teacher + of_student, {-1}, true);
}

void backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_loss = reads[0];
  const Tensor& student = reads[1];
  const Tensor& teacher = reads[2];
  const double beta = params[0].as<double>();
  const Tensor log_p = at::log_softmax(teacher, -1);
  const Tensor log_q = at::log_softmax(student, -1);
  const Tensor log0 = at::log(constant(beta, reads[0]));
  const Tensor add0 = log_p + log0;
  const double sub0 = 1 - beta;
  const Tensor gt0 = log_p > -INFINITY;
  const Tensor exp0 = at::exp(log_p);
  const Tensor gt1 = log_q > -INFINITY;
  const Tensor exp1 = at::exp(log_q);
  const Tensor log1p0 = at::log1p(constant(-beta, reads[0]));
  const Tensor add1 = log_q + log1p0;
  const Tensor log_m = at::logaddexp(add0, add1);
  const Tensor sigmoid0 = at::sigmoid(add0 - add1);
  const Tensor logical_or0 = at::logical_or(gt1, gt0);
  const Tensor sigmoid1 = at::sigmoid(add1 - add0);
  const Tensor stop_grad0 = at::detach(grad_loss);
  const Tensor where0 = at::where(gt1, grad_loss, stop_grad0);
  const Tensor mul0 = where0 * sub0;
  const Tensor where1 = at::where(gt1, mul0 * exp1, 0);
  const Tensor where2 = at::where(gt0, grad_loss, stop_grad0);
  const Tensor mul1 = where2 * beta;
  const Tensor where3 = at::where(logical_or0, grad_loss, stop_grad0);
  const Tensor stop_grad1 = at::detach(where3);
  const Tensor where4 = at::where(gt1, where3, stop_grad1);
  const Tensor where5 = at::where(gt1, -(where4 * sub0 * exp1), 0);
  const Tensor where6 = at::where(gt0, where3, stop_grad1);
  const Tensor where7 = at::where(gt0, -(where6 * beta * exp0), 0);
  const Tensor add2 = where5 + where7;
  const Tensor where8 = at::where(logical_or0, add2 * sigmoid1, 0);
  const Tensor where9 = at::where(gt1, exp1 * (log_q - log_m) * mul0, 0);
  const Tensor add3 = where1 + where8 + where9;
  const Tensor sum0 = at::sum(add3, {-1}, true);
  const Tensor where10 = at::where(logical_or0, add2 * sigmoid0, 0);
  const Tensor add4 = mul1 * exp0 + exp0 * (log_p - log_m) * mul1;
  const Tensor where11 = at::where(gt0, add4, 0);
  const Tensor add5 = where11 + where10;
  const Tensor sum1 = at::sum(add5, {-1}, true);
  writes[0] = add3 - exp1 * sum0;
  writes[1] = add5 - exp0 * sum1;
}

void double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_student = reads[0];
  const Tensor& grad_grad_teacher = reads[1];
  const Tensor& grad_loss = reads[2];
  const Tensor& student = reads[3];
  const Tensor& teacher = reads[4];
  const double beta = params[0].as<double>();
  const Tensor log_p = at::log_softmax(teacher, -1);
  const Tensor log_q = at::log_softmax(student, -1);
  const Tensor log0 = at::log(constant(beta, reads[0]));
  const Tensor add0 = log_p + log0;
  const double sub0 = 1 - beta;
  const Tensor gt0 = log_p > -INFINITY;
  const Tensor exp0 = at::exp(log_p);
  const Tensor gt1 = log_q > -INFINITY;
  const Tensor exp1 = at::exp(log_q);
  const Tensor log1p0 = at::log1p(constant(-beta, reads[0]));
  const Tensor add1 = log_q + log1p0;
  const Tensor log_m = at::logaddexp(add0, add1);
  const Tensor sub1 = log_p - log_m;
  const Tensor sub2 = log_q - log_m;
  const Tensor sub3 = add0 - add1;
  const Tensor sigmoid0 = at::sigmoid(sub3);
  const Tensor logical_or0 = at::logical_or(gt1, gt0);
  const Tensor sub4 = add1 - add0;
  const Tensor sigmoid1 = at::sigmoid(sub4);
  const Tensor sum0 = at::sum(grad_grad_teacher * exp0, {-1}, true);
  const Tensor sum1 = at::sum(grad_grad_student * exp1, {-1}, true);
  const Tensor stop_grad0 = at::detach(grad_loss);
  const Tensor where0 = at::where(gt1, grad_loss, stop_grad0);
  const Tensor mul0 = where0 * sub0;
  const Tensor where1 = at::where(gt1, mul0 * exp1, 0);
  const Tensor where2 = at::where(gt0, grad_loss, stop_grad0);
  const Tensor mul1 = where2 * beta;
  const Tensor where3 = at::where(logical_or0, grad_loss, stop_grad0);
  const Tensor stop_grad1 = at::detach(where3);
  const Tensor where4 = at::where(gt1, where3, stop_grad1);
  const Tensor mul2 = where4 * sub0;
  const Tensor where5 = at::where(gt1, -(mul2 * exp1), 0);
  const Tensor where6 = at::where(gt0, where3, stop_grad1);
  const Tensor mul3 = where6 * beta;
  const Tensor where7 = at::where(gt0, -(mul3 * exp0), 0);
  const Tensor add2 = where5 + where7;
  const Tensor where8 = at::where(logical_or0, add2 * sigmoid1, 0);
  const Tensor where9 = at::where(gt1, exp1 * sub2 * mul0, 0);
  const Tensor sum2 = at::sum(where1 + where8 + where9, {-1}, true);
  const Tensor where10 = at::where(logical_or0, add2 * sigmoid0, 0);
  const Tensor where11 = at::where(gt0, mul1 * exp0 + exp0 * sub1 * mul1, 0);
  const Tensor sum3 = at::sum(where11 + where10, {-1}, true);
  const Tensor stop_grad2 = at::detach(grad_grad_student);
  const Tensor where12 = at::where(logical_or0, grad_grad_student, stop_grad2);
  const Tensor stop_grad3 = at::detach(grad_grad_teacher);
  const Tensor where13 = at::where(logical_or0, grad_grad_teacher, stop_grad3);
  const Tensor where14 = at::where(gt0, grad_grad_student, stop_grad2);
  const Tensor where15 = at::where(gt0, grad_grad_teacher, stop_grad3);
  const Tensor sub5 = where15 - sum0;
  const Tensor stop_grad4 = at::detach(where14);
  const Tensor where16 = at::where(logical_or0, where14, stop_grad4);
  const Tensor stop_grad5 = at::detach(where15);
  const Tensor where17 = at::where(logical_or0, where15, stop_grad5);
  const Tensor add3 = (where16 - sum1) * sigmoid1 + (where17 - sum0) * sigmoid0;
  const Tensor where18 = at::where(logical_or0, -add3, 0);
  const Tensor add4 = sub5 + where18;
  const Tensor mul4 = exp0 * sub5;
  const Tensor where19 = at::where(gt0, mul4 * sub1 + add4 * exp0, 0);
  const Tensor sum4 = at::sum(where19, {-1}, true);
  const Tensor where20 = at::where(gt1, grad_grad_student, stop_grad2);
  const Tensor where21 = at::where(gt1, grad_grad_teacher, stop_grad3);
  const Tensor sub6 = where20 - sum1;
  const Tensor stop_grad6 = at::detach(where20);
  const Tensor where22 = at::where(logical_or0, where20, stop_grad6);
  const Tensor stop_grad7 = at::detach(where21);
  const Tensor where23 = at::where(logical_or0, where21, stop_grad7);
  const Tensor add5 = (where22 - sum1) * sigmoid1 + (where23 - sum0) * sigmoid0;
  const Tensor where24 = at::where(logical_or0, -add5, 0);
  const Tensor add6 = where24 + sub6;
  const Tensor mul5 = exp1 * sub6;
  const Tensor where25 = at::where(gt1, mul5 * sub2 + add6 * exp1, 0);
  const Tensor sum5 = at::sum(where25, {-1}, true);
  const Tensor where26 = at::where(gt1, add6 * mul0, 0);
  const Tensor where27 = at::where(gt1, sub6 * mul0 * sub2, 0);
  const Tensor mul6 = (where26 - grad_grad_student * sum2 + where27) * exp1;
  const Tensor where28 = at::where(gt1, mul5 * mul0, 0);
  const Tensor stop_grad8 = at::detach(where12);
  const Tensor where29 = at::where(gt1, where12, stop_grad8);
  const Tensor where30 = at::where(gt1, -(exp1 * (where29 - sum1) * mul2), 0);
  const Tensor stop_grad9 = at::detach(where13);
  const Tensor where31 = at::where(gt0, where13, stop_grad9);
  const Tensor where32 = at::where(gt0, -(exp0 * (where31 - sum0) * mul3), 0);
  const Tensor add7 = where30 + where32;
  const Tensor where33 = at::where(gt0, add4 * mul1, 0);
  const Tensor where34 = at::where(gt0, sub5 * mul1 * sub1, 0);
  const Tensor where35 = at::where(gt0, mul4 * mul1, 0);
  const Tensor add8 = where35 + (where33 - grad_grad_teacher * sum3 + where34) * exp0;
  const Tensor sigmoid2 = at::sigmoid(-sub4);
  const Tensor sigmoid3 = at::sigmoid(-sub3);
  const Tensor mul7 = sigmoid1 * sigmoid2 * (where12 - sum1) * add2;
  const Tensor mul8 = sigmoid0 * sigmoid3 * (where13 - sum0) * add2;
  const Tensor where36 = at::where(logical_or0, mul7 - mul8 + add7 * sigmoid1, 0);
  const Tensor add9 = where28 + where36 + mul6;
  const Tensor sum6 = at::sum(add9, {-1}, true);
  const Tensor where37 = at::where(logical_or0, mul8 - mul7 + add7 * sigmoid0, 0);
  const Tensor add10 = add8 + where37;
  const Tensor sum7 = at::sum(add10, {-1}, true);
  writes[0] = sum4 * beta + sum5 * sub0;
  writes[1] = add9 - exp1 * sum6;
  writes[2] = add10 - exp0 * sum7;
}

const Pass kDoubleBackward = {
    .schema = "jsd_divergence_double_backward(Tensor? grad_grad_student, Tensor? "
              "grad_grad_teacher, Tensor? grad_loss, Tensor? student, Tensor? teacher, *, float "
              "beta, bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_student", .optional = true},
               {.name = "grad_grad_teacher", .optional = true},
               {.name = "grad_loss", .extent = Extent::kRow},
               {.name = "student"},
               {.name = "teacher"}},
    .outputs = {{.name = "grad_grad_loss", .like = 2, .reads = {0, 1, 3, 4},
                 .extent = Extent::kRow},
                {.name = "grad_student", .like = 3, .reads = {0, 1, 2, 3, 4}},
                {.name = "grad_teacher", .like = 4, .reads = {0, 1, 2, 3, 4}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .reduces = true,
};

const Pass kBackward = {
    .schema = "jsd_divergence_backward(Tensor grad_loss, Tensor? student, Tensor? teacher, *, "
              "float beta, bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_loss", .extent = Extent::kRow},
               {.name = "student"},
               {.name = "teacher"}},
    .outputs = {{.name = "grad_student", .like = 1, .reads = {0, 1, 2}},
                {.name = "grad_teacher", .like = 2, .reads = {0, 1, 2}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
    .reduces = true,
};

const Pass kForward = {
    .schema = "jsd_divergence(Tensor student, Tensor teacher, *, float beta=0.5) -> Tensor",
    .inputs = {{.name = "student"}, {.name = "teacher"}},
    .outputs = {{.name = "loss", .extent = Extent::kRow}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::jsd_divergence
