// Generated from specs/losses/js_divergence.yaml by `fusewise generate`. Do not edit.
// The formulas stand in js_divergence.math.h.
#include <ATen/ops/detach.h>
#include <ATen/ops/log.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/where.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::js_divergence {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& student = reads[0];
  const Tensor& teacher = reads[1];
  const double beta = params[0].as<double>();
  const Tensor p = at::softmax(teacher, -1);
  const Tensor q = at::softmax(student, -1);
  const double sub0 = 1 - beta;
  const Tensor eq0 = p == 0;
  const Tensor log_softmax0 = at::log_softmax(teacher, -1);
  const Tensor eq1 = q == 0;
  const Tensor log_softmax1 = at::log_softmax(student, -1);
  const Tensor stop_grad0 = at::detach(p);
  const Tensor where0 = at::where(eq0, stop_grad0, p);
  const Tensor stop_grad1 = at::detach(q);
  const Tensor where1 = at::where(eq0, stop_grad1, q);
  const Tensor log0 = at::log(beta * where0 + sub0 * where1);
  const Tensor stop_grad2 = at::detach(log_softmax0);
  const Tensor where2 = at::where(eq0, stop_grad2, log_softmax0);
  const Tensor of_p = at::where(eq0, 0, where0 * (where2 - log0));
  const Tensor where3 = at::where(eq1, stop_grad0, p);
  const Tensor where4 = at::where(eq1, stop_grad1, q);
  const Tensor log1 = at::log(beta * where3 + sub0 * where4);
  const Tensor stop_grad3 = at::detach(log_softmax1);
  const Tensor where5 = at::where(eq1, stop_grad3, log_softmax1);
  const Tensor of_q = at::where(eq1, 0, where4 * (where5 - log1));
  writes[0] = at::sum(beta * of_p + sub0 * of_q, {-1}, true);
}

void backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_loss = reads[0];
  const Tensor& student = reads[1];
  const Tensor& teacher = reads[2];
  const double beta = params[0].as<double>();
  const Tensor p = at::softmax(teacher, -1);
  const Tensor q = at::softmax(student, -1);
  const double sub0 = 1 - beta;
  const Tensor eq0 = p == 0;
  const Tensor log_softmax0 = at::log_softmax(teacher, -1);
  const Tensor eq1 = q == 0;
  const Tensor log_softmax1 = at::log_softmax(student, -1);
  const Tensor where0 = at::where(eq1, 0, grad_loss * sub0 * q);
  const Tensor sum0 = at::sum(where0, {-1}, true);
  const Tensor where1 = at::where(eq0, 0, grad_loss * beta * p);
  const Tensor sum1 = at::sum(where1, {-1}, true);
  const Tensor logical_or0 = at::logical_or(at::logical_not(eq1), at::logical_not(eq0));
  const Tensor stop_grad0 = at::detach(p);
  const Tensor where2 = at::where(eq0, stop_grad0, p);
  const Tensor stop_grad1 = at::detach(q);
  const Tensor where3 = at::where(eq0, stop_grad1, q);
  const Tensor log0 = at::log(beta * where2 + sub0 * where3);
  const Tensor stop_grad2 = at::detach(log_softmax0);
  const Tensor where4 = at::where(eq0, stop_grad2, log_softmax0);
  const Tensor where5 = at::where(eq1, stop_grad0, p);
  const Tensor where6 = at::where(eq1, stop_grad1, q);
  const Tensor log1 = at::log(beta * where5 + sub0 * where6);
  const Tensor stop_grad3 = at::detach(log_softmax1);
  const Tensor where7 = at::where(eq1, stop_grad3, log_softmax1);
  const Tensor stop_grad4 = at::detach(grad_loss);
  const Tensor where8 = at::where(eq1, stop_grad4, grad_loss);
  const Tensor where9 = at::where(eq1, 0, where8 * sub0 * (where7 - log1));
  const Tensor where10 = at::where(logical_or0, p, stop_grad0);
  const Tensor where11 = at::where(logical_or0, q, stop_grad1);
  const Tensor where12 = at::where(logical_or0, grad_loss, stop_grad4);
  const Tensor where13 = at::where(where11 == 0, 0, -(where12 * sub0 * where11));
  const Tensor where14 = at::where(where10 == 0, 0, -(where12 * beta * where10));
  const Tensor div0 = (where13 + where14) / (beta * where10 + sub0 * where11);
  const Tensor where15 = at::where(logical_or0, div0 * sub0, 0);
  const Tensor add0 = where9 + where15;
  const Tensor sum2 = at::sum(add0 * q, {-1}, true);
  const Tensor where16 = at::where(eq0, stop_grad4, grad_loss);
  const Tensor where17 = at::where(eq0, 0, where16 * beta * (where4 - log0));
  const Tensor where18 = at::where(logical_or0, div0 * beta, 0);
  const Tensor add1 = where17 + where18;
  const Tensor sum3 = at::sum(add1 * p, {-1}, true);
  writes[0] = where0 - q * sum0 + q * (add0 - sum2);
  writes[1] = where1 - p * sum1 + p * (add1 - sum3);
}

void double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_student = reads[0];
  const Tensor& grad_grad_teacher = reads[1];
  const Tensor& grad_loss = reads[2];
  const Tensor& student = reads[3];
  const Tensor& teacher = reads[4];
  const double beta = params[0].as<double>();
  const Tensor p = at::softmax(teacher, -1);
  const Tensor q = at::softmax(student, -1);
  const double sub0 = 1 - beta;
  const Tensor eq0 = p == 0;
  const Tensor log_softmax0 = at::log_softmax(teacher, -1);
  const Tensor eq1 = q == 0;
  const Tensor log_softmax1 = at::log_softmax(student, -1);
  const Tensor mul0 = grad_loss * sub0;
  const Tensor mul1 = grad_loss * beta;
  const Tensor where0 = at::where(eq1, 0, mul0 * q);
  const Tensor sum0 = at::sum(where0, {-1}, true);
  const Tensor where1 = at::where(eq0, 0, mul1 * p);
  const Tensor sum1 = at::sum(where1, {-1}, true);
  const Tensor logical_or0 = at::logical_or(at::logical_not(eq1), at::logical_not(eq0));
  const Tensor mul2 = grad_grad_teacher * p;
  const Tensor sum2 = at::sum(mul2, {-1}, true);
  const Tensor mul3 = grad_grad_student * q;
  const Tensor sum3 = at::sum(mul3, {-1}, true);
  const Tensor where2 = at::where(eq0, 0, (mul2 - sum2 * p) * mul1);
  const Tensor where3 = at::where(eq1, 0, (mul3 - sum3 * q) * mul0);
  const Tensor sum4 = at::sum(where3, {-1}, true);
  const Tensor sum5 = at::sum(where2, {-1}, true);
  const Tensor stop_grad0 = at::detach(p);
  const Tensor where4 = at::where(eq0, stop_grad0, p);
  const Tensor stop_grad1 = at::detach(q);
  const Tensor where5 = at::where(eq0, stop_grad1, q);
  const Tensor log0 = at::log(beta * where4 + sub0 * where5);
  const Tensor stop_grad2 = at::detach(log_softmax0);
  const Tensor where6 = at::where(eq0, stop_grad2, log_softmax0);
  const Tensor sub1 = where6 - log0;
  const Tensor where7 = at::where(eq1, stop_grad0, p);
  const Tensor where8 = at::where(eq1, stop_grad1, q);
  const Tensor log1 = at::log(beta * where7 + sub0 * where8);
  const Tensor stop_grad3 = at::detach(log_softmax1);
  const Tensor where9 = at::where(eq1, stop_grad3, log_softmax1);
  const Tensor sub2 = where9 - log1;
  const Tensor stop_grad4 = at::detach(grad_loss);
  const Tensor where10 = at::where(eq1, stop_grad4, grad_loss);
  const Tensor mul4 = where10 * sub0;
  const Tensor where11 = at::where(eq1, 0, mul4 * sub2);
  const Tensor where12 = at::where(logical_or0, p, stop_grad0);
  const Tensor where13 = at::where(logical_or0, q, stop_grad1);
  const Tensor add0 = beta * where12 + sub0 * where13;
  const Tensor eq2 = where12 == 0;
  const Tensor eq3 = where13 == 0;
  const Tensor where14 = at::where(logical_or0, grad_loss, stop_grad4);
  const Tensor mul5 = where14 * sub0;
  const Tensor mul6 = where14 * beta;
  const Tensor where15 = at::where(eq3, 0, -(mul5 * where13));
  const Tensor where16 = at::where(eq2, 0, -(mul6 * where12));
  const Tensor div0 = (where15 + where16) / add0;
  const Tensor where17 = at::where(logical_or0, div0 * sub0, 0);
  const Tensor add1 = where11 + where17;
  const Tensor sum6 = at::sum(add1 * q, {-1}, true);
  const Tensor where18 = at::where(eq0, stop_grad4, grad_loss);
  const Tensor mul7 = where18 * beta;
  const Tensor where19 = at::where(eq0, 0, mul7 * sub1);
  const Tensor where20 = at::where(logical_or0, div0 * beta, 0);
  const Tensor add2 = where19 + where20;
  const Tensor sum7 = at::sum(add2 * p, {-1}, true);
  const Tensor stop_grad5 = at::detach(grad_grad_student);
  const Tensor where21 = at::where(logical_or0, grad_grad_student, stop_grad5);
  const Tensor stop_grad6 = at::detach(grad_grad_teacher);
  const Tensor where22 = at::where(logical_or0, grad_grad_teacher, stop_grad6);
  const Tensor sub3 = where22 * where12 - sum2 * where12;
  const Tensor sub4 = where21 * where13 - sum3 * where13;
  const Tensor where23 = at::where(eq0, stop_grad5, grad_grad_student);
  const Tensor where24 = at::where(eq0, stop_grad6, grad_grad_teacher);
  const Tensor stop_grad7 = at::detach(where4);
  const Tensor where25 = at::where(logical_or0, where4, stop_grad7);
  const Tensor stop_grad8 = at::detach(where5);
  const Tensor where26 = at::where(logical_or0, where5, stop_grad8);
  const Tensor stop_grad9 = at::detach(where23);
  const Tensor where27 = at::where(logical_or0, where23, stop_grad9);
  const Tensor stop_grad10 = at::detach(where24);
  const Tensor where28 = at::where(logical_or0, where24, stop_grad10);
  const Tensor mul8 = (where28 * where25 - sum2 * where25) * beta;
  const Tensor add3 = mul8 + (where27 * where26 - sum3 * where26) * sub0;
  const Tensor neg0 = -(add3 / (beta * where25 + sub0 * where26));
  const Tensor where29 = at::where(logical_or0, neg0, 0);
  const Tensor add4 = where29 + (where24 - sum2);
  const Tensor mul9 = (where24 * where4 - sum2 * where4) * sub1;
  const Tensor where30 = at::where(eq0, 0, add4 * where4 + mul9);
  const Tensor where31 = at::where(eq1, stop_grad5, grad_grad_student);
  const Tensor where32 = at::where(eq1, stop_grad6, grad_grad_teacher);
  const Tensor stop_grad11 = at::detach(where7);
  const Tensor where33 = at::where(logical_or0, where7, stop_grad11);
  const Tensor stop_grad12 = at::detach(where8);
  const Tensor where34 = at::where(logical_or0, where8, stop_grad12);
  const Tensor stop_grad13 = at::detach(where31);
  const Tensor where35 = at::where(logical_or0, where31, stop_grad13);
  const Tensor stop_grad14 = at::detach(where32);
  const Tensor where36 = at::where(logical_or0, where32, stop_grad14);
  const Tensor mul10 = (where36 * where33 - sum2 * where33) * beta;
  const Tensor add5 = mul10 + (where35 * where34 - sum3 * where34) * sub0;
  const Tensor neg1 = -(add5 / (beta * where33 + sub0 * where34));
  const Tensor where37 = at::where(logical_or0, neg1, 0);
  const Tensor add6 = where37 + (where31 - sum3);
  const Tensor mul11 = (where31 * where8 - sum3 * where8) * sub2;
  const Tensor where38 = at::where(eq1, 0, add6 * where8 + mul11);
  const Tensor sum8 = at::sum(where30, {-1}, true);
  const Tensor sum9 = at::sum(where38, {-1}, true);
  const Tensor sub5 = grad_grad_student * (add1 - sum6) - sum3 * add1;
  const Tensor where39 = at::where(eq1, 0, add6 * mul4);
  const Tensor mul12 = div0 / add0 * (sub3 * beta + sub4 * sub0);
  const Tensor where40 = at::where(eq3, 0, -(sub4 * mul5));
  const Tensor where41 = at::where(eq2, 0, -(sub3 * mul6));
  const Tensor sub6 = (where40 + where41) / add0 - mul12;
  const Tensor where42 = at::where(logical_or0, sub6 * sub0, 0);
  const Tensor add7 = sub5 - grad_grad_student * sum0 + where39 + where42;
  const Tensor sum10 = at::sum(add7 * q, {-1}, true);
  const Tensor sub7 = grad_grad_teacher * (add2 - sum7) - sum2 * add2;
  const Tensor where43 = at::where(eq0, 0, add4 * mul7);
  const Tensor where44 = at::where(logical_or0, sub6 * beta, 0);
  const Tensor add8 = sub7 - grad_grad_teacher * sum1 + where43 + where44;
  const Tensor sum11 = at::sum(add8 * p, {-1}, true);
  writes[0] = sum8 * beta + sum9 * sub0;
  writes[1] = where3 - q * sum4 + q * (add7 - sum10);
  writes[2] = where2 - p * sum5 + p * (add8 - sum11);
}

const Pass kDoubleBackward = {
    .schema = "js_divergence_double_backward(Tensor? grad_grad_student, Tensor? "
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
    .schema = "js_divergence_backward(Tensor grad_loss, Tensor? student, Tensor? teacher, Tensor?"
              " kept_total0, Tensor? kept_total1, Tensor? kept_total2, Tensor? kept_total3, *, "
              "float beta, bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_loss", .extent = Extent::kRow},
               {.name = "student"},
               {.name = "teacher"},
               {.name = "kept_total0", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total1", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total2", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total3", .kind = Kind::kTotal, .extent = Extent::kRow}},
    .outputs = {{.name = "grad_student", .like = 1, .reads = {0, 1, 2, 3, 4, 5, 6}},
                {.name = "grad_teacher", .like = 2, .reads = {0, 1, 2, 3, 4, 5, 6}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
    .reduces = true,
};

const Pass kForward = {
    .schema = "js_divergence(Tensor student, Tensor teacher, *, float beta=0.5) -> Tensor",
    .inputs = {{.name = "student"}, {.name = "teacher"}},
    .outputs = {{.name = "loss", .extent = Extent::kRow}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
    .kept_totals = 4,
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::js_divergence
