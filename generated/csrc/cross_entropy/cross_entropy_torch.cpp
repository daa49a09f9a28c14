// Generated from specs/losses/cross_entropy.yaml by `fusewise generate`. Do not edit.
// The formulas stand in cross_entropy.math.h.
#include <ATen/ops/detach.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/where.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::cross_entropy {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& logits = reads[0];
  const Tensor& target = reads[1];
  const Tensor index = reads[2];
  const double ignore_index = params[0].as<double>();
  const double smoothing = params[1].as<double>();
  const Tensor lse = at::logsumexp(logits, -1, true);
  const Tensor where0 = at::where(index == target, logits, 0);
  const Tensor picked = at::sum(where0, {-1}, true);
  const Tensor smooth = at::mean(logits, {-1}, true);
  const Tensor sub0 = lse - (1 - smoothing) * picked - smoothing * smooth;
  writes[0] = at::where(target == ignore_index, 0, sub0);
}

void backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_loss = reads[0];
  const Tensor& logits = reads[1];
  const Tensor& target = reads[2];
  const Tensor length = row_length(reads[3]);
  const Tensor index = reads[3];
  const double ignore_index = params[0].as<double>();
  const double smoothing = params[1].as<double>();
  const Tensor lse = at::logsumexp(logits, -1, true);
  const Tensor eq0 = index == target;
  const Tensor eq1 = target == ignore_index;
  const Tensor where0 = at::where(eq1, 0, grad_loss);
  const Tensor where1 = at::where(eq1, 0, -(grad_loss * smoothing));
  const Tensor exp0 = at::exp(logits - lse);
  const Tensor stop_grad0 = at::detach(target);
  const Tensor where2 = at::where(eq0, target, stop_grad0);
  const Tensor stop_grad1 = at::detach(grad_loss);
  const Tensor where3 = at::where(eq0, grad_loss, stop_grad1);
  const Tensor where4 = at::where(where2 == ignore_index, 0, -(where3 * (1 - smoothing)));
  const Tensor where5 = at::where(eq0, where4, 0);
  writes[0] = where1 / length + where5 + where0 * exp0;
}

void double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_logits = reads[0];
  const Tensor& grad_loss = reads[1];
  const Tensor& logits = reads[2];
  const Tensor& target = reads[3];
  const Tensor length = row_length(reads[4]);
  const Tensor index = reads[4];
  const double ignore_index = params[0].as<double>();
  const double smoothing = params[1].as<double>();
  const Tensor lse = at::logsumexp(logits, -1, true);
  const Tensor eq0 = target == ignore_index;
  const Tensor exp0 = at::exp(logits - lse);
  const Tensor where0 = at::where(index == target, grad_grad_logits, 0);
  const Tensor sum0 = at::sum(grad_grad_logits, {-1}, true);
  const Tensor sum1 = at::sum(where0, {-1}, true);
  const Tensor neg0 = -(sum1 * (1 - smoothing));
  const Tensor sum2 = at::sum(grad_grad_logits * exp0, {-1}, true);
  const Tensor stop_grad0 = at::detach(logits);
  const Tensor where1 = at::where(eq0, stop_grad0, logits);
  const Tensor stop_grad1 = at::detach(grad_loss);
  const Tensor exp1 = at::exp(where1 - lse);
  const Tensor stop_grad2 = at::detach(grad_grad_logits);
  const Tensor where2 = at::where(eq0, stop_grad2, grad_grad_logits);
  const Tensor where3 = at::where(eq0, stop_grad1, grad_loss);
  const Tensor mul0 = where2 * where3 * exp1;
  const Tensor where4 = at::where(eq0, 0, mul0);
  const Tensor where5 = at::where(eq0, 0, -mul0);
  const Tensor sum3 = at::sum(where5, {-1}, true);
  writes[0] = at::where(eq0, 0, neg0 - sum0 / length * smoothing + sum2);
  writes[1] = where4 + sum3 * exp0;
}

const Pass kDoubleBackward = {
    .schema = "cross_entropy_double_backward(Tensor grad_grad_logits, Tensor? grad_loss, Tensor? "
              "logits, Tensor? target, *, int ignore_index, float smoothing, bool[2] needs) -> "
              "(Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_logits"},
               {.name = "grad_loss", .extent = Extent::kRow},
               {.name = "logits"},
               {.name = "target", .kind = Kind::kInt, .extent = Extent::kRow}},
    .outputs = {{.name = "grad_grad_loss", .like = 1, .reads = {0, 2, 3}, .extent = Extent::kRow},
                {.name = "grad_logits", .like = 2, .reads = {0, 1, 2, 3}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .reduces = true,
};

const Pass kBackward = {
    .schema = "cross_entropy_backward(Tensor grad_loss, Tensor? logits, Tensor? target, *, int "
              "ignore_index, float smoothing, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_loss", .extent = Extent::kRow},
               {.name = "logits"},
               {.name = "target", .kind = Kind::kInt, .extent = Extent::kRow}},
    .outputs = {{.name = "grad_logits", .like = 1, .reads = {0, 1, 2}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1},
    .reduces = true,
};

const Pass kForward = {
    .schema = "cross_entropy(Tensor logits, Tensor target, *, int ignore_index=-100, float "
              "smoothing=0) -> Tensor",
    .inputs = {{.name = "logits"}, {.name = "target", .kind = Kind::kInt, .extent = Extent::kRow}},
    .outputs = {{.name = "loss", .extent = Extent::kRow}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0},
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::cross_entropy
