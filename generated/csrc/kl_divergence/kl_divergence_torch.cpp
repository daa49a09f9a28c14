// Generated from specs/losses/kl_divergence.yaml by `fusewise generate`. Do not edit.
// The formulas stand in kl_divergence.math.h.
#include <ATen/ops/detach.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/where.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::kl_divergence {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& student = reads[0];
  const Tensor& teacher = reads[1];
  const Tensor p = at::softmax(teacher, -1);
  const Tensor log_softmax0 = at::log_softmax(teacher, -1);
  const Tensor log_softmax1 = at::log_softmax(student, -1);
  const Tensor eq0 = p == 0;
  const Tensor stop_grad0 = at::detach(p);
  const Tensor where0 = at::where(eq0, stop_grad0, p);
  const Tensor stop_grad1 = at::detach(log_softmax0);
  const Tensor where1 = at::where(eq0, stop_grad1, log_softmax0);
  const Tensor stop_grad2 = at::detach(log_softmax1);
  const Tensor where2 = at::where(eq0, stop_grad2, log_softmax1);
  const Tensor where3 = at::where(eq0, 0, where0 * (where1 - where2));
  writes[0] = at::sum(where3, {-1}, true);
}

void backward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_loss = reads[0];
  const Tensor& student = reads[1];
  const Tensor& teacher = reads[2];
  const Tensor p = at::softmax(teacher, -1);
  const Tensor log_softmax0 = at::log_softmax(teacher, -1);
  const Tensor log_softmax1 = at::log_softmax(student, -1);
  const Tensor eq0 = p == 0;
  const Tensor mul0 = grad_loss * p;
  const Tensor where0 = at::where(eq0, 0, mul0);
  const Tensor where1 = at::where(eq0, 0, -mul0);
  const Tensor softmax0 = at::softmax(student, -1);
  const Tensor sum0 = at::sum(where1, {-1}, true);
  const Tensor sum1 = at::sum(where0, {-1}, true);
  const Tensor stop_grad0 = at::detach(log_softmax0);
  const Tensor where2 = at::where(eq0, stop_grad0, log_softmax0);
  const Tensor stop_grad1 = at::detach(log_softmax1);
  const Tensor where3 = at::where(eq0, stop_grad1, log_softmax1);
  const Tensor stop_grad2 = at::detach(grad_loss);
  const Tensor where4 = at::where(eq0, stop_grad2, grad_loss);
  const Tensor where5 = at::where(eq0, 0, where4 * (where2 - where3));
  const Tensor sum2 = at::sum(where5 * p, {-1}, true);
  writes[0] = where1 - softmax0 * sum0;
  writes[1] = where0 - p * sum1 + p * (where5 - sum2);
}

void double_backward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_student = reads[0];
  const Tensor& grad_grad_teacher = reads[1];
  const Tensor& grad_loss = reads[2];
  const Tensor& student = reads[3];
  const Tensor& teacher = reads[4];
  const Tensor p = at::softmax(teacher, -1);
  const Tensor log_softmax0 = at::log_softmax(teacher, -1);
  const Tensor log_softmax1 = at::log_softmax(student, -1);
  const Tensor eq0 = p == 0;
  const Tensor mul0 = grad_loss * p;
  const Tensor where0 = at::where(eq0, 0, mul0);
  const Tensor where1 = at::where(eq0, 0, -mul0);
  const Tensor softmax0 = at::softmax(student, -1);
  const Tensor sum0 = at::sum(where1, {-1}, true);
  const Tensor sum1 = at::sum(where0, {-1}, true);
  const Tensor mul1 = grad_grad_teacher * p;
  const Tensor sum2 = at::sum(mul1, {-1}, true);
  const Tensor mul2 = grad_grad_student * sum0;
  const Tensor sum3 = at::sum(grad_grad_student * softmax0, {-1}, true);
  const Tensor sum4 = at::sum(-(mul2 * softmax0), {-1}, true);
  const Tensor mul3 = softmax0 * (-mul2 - sum4);
  const Tensor where2 = at::where(eq0, 0, (grad_grad_teacher - sum2 - (grad_grad_student - sum3)) *
      grad_loss);
  const Tensor mul4 = (mul1 - sum2 * p) * grad_loss;
  const Tensor where3 = at::where(eq0, 0, mul4);
  const Tensor where4 = at::where(eq0, 0, -mul4);
  const Tensor sum5 = at::sum(where4, {-1}, true);
  const Tensor sum6 = at::sum(where3, {-1}, true);
  const Tensor stop_grad0 = at::detach(p);
  const Tensor where5 = at::where(eq0, stop_grad0, p);
  const Tensor stop_grad1 = at::detach(log_softmax0);
  const Tensor where6 = at::where(eq0, stop_grad1, log_softmax0);
  const Tensor stop_grad2 = at::detach(log_softmax1);
  const Tensor where7 = at::where(eq0, stop_grad2, log_softmax1);
  const Tensor sub0 = where6 - where7;
  const Tensor stop_grad3 = at::detach(grad_loss);
  const Tensor where8 = at::where(eq0, stop_grad3, grad_loss);
  const Tensor mul5 = where8 * sub0;
  const Tensor where9 = at::where(eq0, 0, mul5);
  const Tensor sum7 = at::sum(where9 * p, {-1}, true);
  const Tensor stop_grad4 = at::detach(grad_grad_student);
  const Tensor where10 = at::where(eq0, stop_grad4, grad_grad_student);
  const Tensor stop_grad5 = at::detach(grad_grad_teacher);
  const Tensor where11 = at::where(eq0, stop_grad5, grad_grad_teacher);
  const Tensor mul6 = (where11 - sum2 - (where10 - sum3)) * where5;
  const Tensor add0 = mul6 + (where11 * where5 - sum2 * where5) * sub0;
  const Tensor where12 = at::where(eq0, 0, add0);
  const Tensor where13 = at::where(eq0, 0, -(sum2 * mul5));
  const Tensor sub1 = grad_grad_teacher * (where9 - sum7) + where13 - grad_grad_teacher * sum1;
  const Tensor add1 = sub1 + where2;
  const Tensor sum8 = at::sum(add1 * p, {-1}, true);
  writes[0] = at::sum(where12, {-1}, true);
  writes[1] = mul3 + (where4 - softmax0 * sum5);
  writes[2] = where3 - p * sum6 + p * (add1 - sum8);
}

const Pass kDoubleBackward = {
    .schema = "kl_divergence_double_backward(Tensor? grad_grad_student, Tensor? "
              "grad_grad_teacher, Tensor? grad_loss, Tensor? student, Tensor? teacher, bool[3] "
              "needs) -> (Tensor, Tensor, Tensor)",
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
    .schema = "kl_divergence_backward(Tensor grad_loss, Tensor? student, Tensor? teacher, Tensor?"
              " kept_total0, Tensor? kept_total1, Tensor? kept_total2, Tensor? kept_total3, "
              "bool[2] needs) -> (Tensor, Tensor)",
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
    .schema = "kl_divergence(Tensor student, Tensor teacher) -> Tensor",
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
}  // namespace fusewise::ops::kl_divergence
