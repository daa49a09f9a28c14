// Generated from specs/losses/kl_divergence.yaml by `fusewise generate`. Do not edit.
// The formulas stand in kl_divergence.math.h.
#include <ATen/ops/exp.h>
#include <ATen/ops/log_softmax.h>
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
  const Tensor exp0 = at::exp(log_p);
  writes[0] = at::sum(exp0 * (log_p - log_q), {-1}, true);
}

void backward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_loss = reads[0];
  const Tensor& student = reads[1];
  const Tensor& teacher = reads[2];
  const Tensor log_p = at::log_softmax(teacher, -1);
  const Tensor log_q = at::log_softmax(student, -1);
  const Tensor exp0 = at::exp(log_p);
  const Tensor mul0 = grad_loss * exp0;
  const Tensor neg0 = -mul0;
  const Tensor exp1 = at::exp(log_q);
  const Tensor sum0 = at::sum(neg0, {-1}, true);
  const Tensor add0 = mul0 + exp0 * (log_p - log_q) * grad_loss;
  const Tensor sum1 = at::sum(add0, {-1}, true);
  writes[0] = neg0 - exp1 * sum0;
  writes[1] = add0 - exp0 * sum1;
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
  const Tensor exp0 = at::exp(log_p);
  const Tensor sub0 = log_p - log_q;
  const Tensor mul0 = grad_loss * exp0;
  const Tensor exp1 = at::exp(log_q);
  const Tensor sum0 = at::sum(-mul0, {-1}, true);
  const Tensor sum1 = at::sum(mul0 + exp0 * sub0 * grad_loss, {-1}, true);
  const Tensor sum2 = at::sum(grad_grad_teacher * exp0, {-1}, true);
  const Tensor sub1 = grad_grad_teacher - sum2;
  const Tensor sum3 = at::sum(grad_grad_student * exp1, {-1}, true);
  const Tensor sub2 = sub1 - (grad_grad_student - sum3);
  const Tensor sub3 = sub2 * grad_loss - grad_grad_teacher * sum1;
  const Tensor mul1 = exp0 * sub1;
  const Tensor mul2 = mul1 * grad_loss;
  const Tensor sub4 = -(grad_grad_student * sum0 * exp1) - mul2;
  const Tensor add0 = mul2 + (sub3 + sub1 * grad_loss * sub0) * exp0;
  const Tensor sum4 = at::sum(sub4, {-1}, true);
  const Tensor sum5 = at::sum(add0, {-1}, true);
  writes[0] = at::sum(mul1 * sub0 + sub2 * exp0, {-1}, true);
  writes[1] = sub4 - exp1 * sum4;
  writes[2] = add0 - exp0 * sum5;
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
