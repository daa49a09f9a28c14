// Generated from specs/losses/kl_divergence.yaml by `fusewise generate`. Do not edit.
// The formulas stand in kl_divergence.math.h.
#include <ATen/ops/amax.h>
#include <ATen/ops/detach.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/log.h>
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
  const Tensor amax0 = at::amax(teacher, -1, true);
  const Tensor stop_grad0 = at::detach(amax0);
  const Tensor of_teacher = teacher - stop_grad0;
  const Tensor amax1 = at::amax(student, -1, true);
  const Tensor stop_grad1 = at::detach(amax1);
  const Tensor of_student = student - stop_grad1;
  const Tensor power = at::exp(of_teacher);
  const Tensor total = at::sum(power, {-1}, true);
  const Tensor eq0 = power == 0;
  const Tensor log0 = at::log(total);
  const Tensor exp0 = at::exp(of_student);
  const Tensor sum0 = at::sum(exp0, {-1}, true);
  const Tensor log1 = at::log(sum0);
  const Tensor stop_grad2 = at::detach(student);
  const Tensor where0 = at::where(eq0, stop_grad2, student);
  const Tensor stop_grad3 = at::detach(teacher);
  const Tensor where1 = at::where(eq0, stop_grad3, teacher);
  const Tensor sub0 = where1 - stop_grad0;
  const Tensor exp1 = at::exp(sub0);
  const Tensor where2 = at::where(eq0, 0, exp1 * (sub0 - (where0 - stop_grad1)));
  const Tensor sum1 = at::sum(where2, {-1}, true);
  const Tensor gap = sum1 / total;
  writes[0] = gap - log0 + log1;
}

void backward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_loss = reads[0];
  const Tensor& student = reads[1];
  const Tensor& teacher = reads[2];
  const Tensor amax0 = at::amax(teacher, -1, true);
  const Tensor stop_grad0 = at::detach(amax0);
  const Tensor of_teacher = teacher - stop_grad0;
  const Tensor amax1 = at::amax(student, -1, true);
  const Tensor stop_grad1 = at::detach(amax1);
  const Tensor of_student = student - stop_grad1;
  const Tensor power = at::exp(of_teacher);
  const Tensor total = at::sum(power, {-1}, true);
  const Tensor eq0 = power == 0;
  const Tensor exp0 = at::exp(of_student);
  const Tensor sum0 = at::sum(exp0, {-1}, true);
  const Tensor stop_grad2 = at::detach(student);
  const Tensor where0 = at::where(eq0, stop_grad2, student);
  const Tensor stop_grad3 = at::detach(teacher);
  const Tensor where1 = at::where(eq0, stop_grad3, teacher);
  const Tensor sub0 = where1 - stop_grad0;
  const Tensor exp1 = at::exp(sub0);
  const Tensor sub1 = sub0 - (where0 - stop_grad1);
  const Tensor where2 = at::where(eq0, 0, exp1 * sub1);
  const Tensor sum1 = at::sum(where2, {-1}, true);
  const Tensor gap = sum1 / total;
  const Tensor stop_grad4 = at::detach(grad_loss);
  const Tensor where3 = at::where(eq0, stop_grad4, grad_loss);
  const Tensor div0 = where3 / total;
  const Tensor mul0 = div0 * exp1;
  const Tensor where4 = at::where(eq0, 0, -mul0);
  const Tensor sub2 = -(grad_loss / total) - gap / total * grad_loss;
  const Tensor where5 = at::where(eq0, 0, div0 * sub1);
  const Tensor where6 = at::where(eq0, 0, mul0);
  writes[0] = grad_loss / sum0 * exp0 + where4;
  writes[1] = where6 + (where5 + sub2) * power;
}

void double_backward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_student = reads[0];
  const Tensor& grad_grad_teacher = reads[1];
  const Tensor& grad_loss = reads[2];
  const Tensor& student = reads[3];
  const Tensor& teacher = reads[4];
  const Tensor amax0 = at::amax(teacher, -1, true);
  const Tensor stop_grad0 = at::detach(amax0);
  const Tensor of_teacher = teacher - stop_grad0;
  const Tensor amax1 = at::amax(student, -1, true);
  const Tensor stop_grad1 = at::detach(amax1);
  const Tensor of_student = student - stop_grad1;
  const Tensor power = at::exp(of_teacher);
  const Tensor total = at::sum(power, {-1}, true);
  const Tensor eq0 = power == 0;
  const Tensor exp0 = at::exp(of_student);
  const Tensor sum0 = at::sum(exp0, {-1}, true);
  const Tensor div0 = grad_loss / sum0;
  const Tensor div1 = grad_loss / total;
  const Tensor sum1 = at::sum(grad_grad_teacher * power, {-1}, true);
  const Tensor mul0 = sum1 * grad_loss;
  const Tensor sum2 = at::sum(grad_grad_student * exp0, {-1}, true);
  const Tensor mul1 = (grad_grad_student * div0 - div0 / sum0 * sum2) * exp0;
  const Tensor stop_grad2 = at::detach(student);
  const Tensor where0 = at::where(eq0, stop_grad2, student);
  const Tensor stop_grad3 = at::detach(teacher);
  const Tensor where1 = at::where(eq0, stop_grad3, teacher);
  const Tensor sub0 = where1 - stop_grad0;
  const Tensor exp1 = at::exp(sub0);
  const Tensor sub1 = sub0 - (where0 - stop_grad1);
  const Tensor mul2 = exp1 * sub1;
  const Tensor where2 = at::where(eq0, 0, mul2);
  const Tensor sum3 = at::sum(where2, {-1}, true);
  const Tensor gap = sum3 / total;
  const Tensor stop_grad4 = at::detach(grad_loss);
  const Tensor where3 = at::where(eq0, stop_grad4, grad_loss);
  const Tensor div2 = where3 / total;
  const Tensor div3 = gap / total;
  const Tensor where4 = at::where(eq0, 0, div2 * sub1);
  const Tensor stop_grad5 = at::detach(grad_grad_student);
  const Tensor where5 = at::where(eq0, stop_grad5, grad_grad_student);
  const Tensor stop_grad6 = at::detach(grad_grad_teacher);
  const Tensor where6 = at::where(eq0, stop_grad6, grad_grad_teacher);
  const Tensor sub2 = where6 - where5;
  const Tensor where7 = at::where(eq0, 0, sub2 * exp1 + mul2 * where6);
  const Tensor sum4 = at::sum(where7, {-1}, true);
  const Tensor sub3 = sum4 - sum1;
  const Tensor div4 = sum1 * where3 / total / total;
  const Tensor sub4 = div2 * exp1 * where6 - div4 * exp1;
  const Tensor where8 = at::where(eq0, 0, -sub4);
  const Tensor mul3 = grad_grad_teacher * (where4 + (-div1 - div3 * grad_loss));
  const Tensor where9 = at::where(eq0, 0, sub2 * div2);
  const Tensor where10 = at::where(eq0, 0, -(div4 * sub1));
  const Tensor sub5 = div3 / total * mul0 - div1 / total * sub3;
  const Tensor add0 = sub5 + div3 * (mul0 / total);
  const Tensor where11 = at::where(eq0, 0, sub4);
  writes[0] = sub3 / total - sum1 * div3 + sum2 / sum0;
  writes[1] = mul1 + where8;
  writes[2] = where11 + (mul3 + where9 + where10 + add0) * power;
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
    .needs_elements = true,
};

const Pass kBackward = {
    .schema = "kl_divergence_backward(Tensor grad_loss, Tensor? student, Tensor? teacher, Tensor?"
              " kept_total0, Tensor? kept_total1, Tensor? kept_total2, Tensor? kept_total3, "
              "Tensor? kept_total4, bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_loss", .extent = Extent::kRow},
               {.name = "student"},
               {.name = "teacher"},
               {.name = "kept_total0", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total1", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total2", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total3", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total4", .kind = Kind::kTotal, .extent = Extent::kRow}},
    .outputs = {{.name = "grad_student", .like = 1, .reads = {0, 1, 2, 3, 4, 5, 6, 7}},
                {.name = "grad_teacher", .like = 2, .reads = {0, 1, 2, 3, 4, 5, 6, 7}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
    .reduces = true,
    .needs_elements = true,
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
    .kept_totals = 5,
    .reduces = true,
    .needs_elements = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::kl_divergence
