// Generated from specs/losses/kl_divergence.yaml by `fusewise generate`. Do not edit.
// The formulas stand in kl_divergence.math.h.
#include <ATen/ops/exp.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/sum.h>
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
  const Tensor log_p = at::log_softmax(teacher, -1);
  const Tensor log_q = at::log_softmax(student, -1);
  const Tensor softmax0 = at::softmax(teacher, -1);
  writes[0] = at::sum(softmax0 * (log_p - log_q), {-1}, true);
}

void backward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_loss = reads[0];
  const Tensor& student = reads[1];
  const Tensor& teacher = reads[2];
  const Tensor log_p = at::log_softmax(teacher, -1);
  const Tensor log_q = at::log_softmax(student, -1);
  const Tensor softmax0 = at::softmax(teacher, -1);
  const Tensor mul0 = grad_loss * (log_p - log_q);
  const Tensor mul1 = grad_loss * softmax0;
  const Tensor neg0 = -mul1;
  const Tensor sum0 = at::sum(mul0 * softmax0, {-1}, true);
  const Tensor exp0 = at::exp(log_q);
  const Tensor sum1 = at::sum(neg0, {-1}, true);
  const Tensor exp1 = at::exp(log_p);
  const Tensor sum2 = at::sum(mul1, {-1}, true);
  writes[0] = neg0 - exp0 * sum1;
  writes[1] = softmax0 * (mul0 - sum0) + (mul1 - exp1 * sum2);
}

void double_backward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_student = reads[0];
  const Tensor& grad_grad_teacher = reads[1];
  const Tensor& grad_loss = reads[2];
  const Tensor& student = reads[3];
  const Tensor& teacher = reads[4];
  const Tensor log_p = at::log_softmax(teacher, -1);
  const Tensor log_q = at::log_softmax(student, -1);
  const Tensor softmax0 = at::softmax(teacher, -1);
  const Tensor sub0 = log_p - log_q;
  const Tensor mul0 = grad_loss * sub0;
  const Tensor mul1 = grad_loss * softmax0;
  const Tensor sum0 = at::sum(mul0 * softmax0, {-1}, true);
  const Tensor exp0 = at::exp(log_q);
  const Tensor sum1 = at::sum(-mul1, {-1}, true);
  const Tensor exp1 = at::exp(log_p);
  const Tensor sum2 = at::sum(mul1, {-1}, true);
  const Tensor sum3 = at::sum(grad_grad_teacher * exp1, {-1}, true);
  const Tensor sum4 = at::sum(grad_grad_student * exp0, {-1}, true);
  const Tensor mul2 = grad_grad_teacher * softmax0;
  const Tensor sum5 = at::sum(mul2, {-1}, true);
  const Tensor sub1 = mul2 - sum5 * softmax0;
  const Tensor sub2 = grad_grad_teacher * (mul0 - sum0) - sum5 * mul0;
  const Tensor sub3 = grad_grad_teacher - sum3 - (grad_grad_student - sum4);
  const Tensor add0 = sub2 + sub3 * grad_loss;
  const Tensor mul3 = sub1 * grad_loss;
  const Tensor sub4 = -(grad_grad_student * sum1 * exp0) - mul3;
  const Tensor sum6 = at::sum(add0 * softmax0, {-1}, true);
  const Tensor sum7 = at::sum(sub4, {-1}, true);
  const Tensor sub5 = mul3 - exp1 * sum2 * grad_grad_teacher;
  const Tensor sum8 = at::sum(sub5, {-1}, true);
  writes[0] = at::sum(sub3 * softmax0 + sub1 * sub0, {-1}, true);
  writes[1] = sub4 - exp0 * sum7;
  writes[2] = softmax0 * (add0 - sum6) + (sub5 - exp1 * sum8);
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
    .schema = "kl_divergence_backward(Tensor grad_loss, Tensor? student, Tensor? teacher, bool[2]"
              " needs) -> (Tensor, Tensor)",
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
    .schema = "kl_divergence(Tensor student, Tensor teacher) -> Tensor",
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
}  // namespace fusewise::ops::kl_divergence
