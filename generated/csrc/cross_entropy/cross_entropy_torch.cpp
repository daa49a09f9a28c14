// Generated from specs/losses/cross_entropy.yaml by `fusewise generate`. Do not edit.
// The formulas stand in cross_entropy.math.h.
#include <ATen/ops/detach.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/softmax.h>
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
  const Tensor log_p = at::log_softmax(logits, -1);
  const Tensor eq0 = index == target;
  const Tensor mean0 = at::mean(log_p, {-1}, true);
  const Tensor smooth = at::where(condition(smoothing > 0, reads[0]), smoothing * mean0, 0);
  const Tensor stop_grad0 = at::detach(log_p);
  const Tensor where0 = at::where(eq0, log_p, stop_grad0);
  const Tensor where1 = at::where(eq0, where0, 0);
  const Tensor picked = at::sum(where1, {-1}, true);
  const Tensor sub0 = -((1 - smoothing) * picked) - smooth;
  writes[0] = at::where(target == ignore_index, 0, sub0);
}

void backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_loss = reads[0];
  const Tensor& logits = reads[1];
  const Tensor& target = reads[2];
  const Tensor length = row_length(reads[5]);
  const Tensor index = reads[5];
  const double ignore_index = params[0].as<double>();
  const double smoothing = params[1].as<double>();
  const Tensor eq0 = index == target;
  const bool gt0 = smoothing > 0;
  const Tensor softmax0 = at::softmax(logits, -1);
  const Tensor stop_grad0 = at::detach(target);
  const Tensor where0 = at::where(condition(gt0, reads[0]), target, stop_grad0);
  const Tensor stop_grad1 = at::detach(grad_loss);
  const Tensor where1 = at::where(condition(gt0, reads[0]), grad_loss, stop_grad1);
  const Tensor where2 = at::where(where0 == ignore_index, 0, -(where1 * smoothing));
  const Tensor where3 = at::where(condition(gt0, reads[0]), where2, 0);
  const Tensor where4 = at::where(eq0, target, stop_grad0);
  const Tensor where5 = at::where(eq0, grad_loss, stop_grad1);
  const Tensor where6 = at::where(where4 == ignore_index, 0, -(where5 * (1 - smoothing)));
  const Tensor where7 = at::where(eq0, where6, 0);
  const Tensor add0 = where3 / length + where7;
  const Tensor sum0 = at::sum(add0, {-1}, true);
  writes[0] = add0 - softmax0 * sum0;
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
  const Tensor eq0 = index == target;
  const bool gt0 = smoothing > 0;
  const double sub0 = 1 - smoothing;
  const Tensor softmax0 = at::softmax(logits, -1);
  const Tensor sum0 = at::sum(grad_grad_logits * softmax0, {-1}, true);
  const Tensor where0 = at::where(eq0, grad_grad_logits - sum0, 0);
  const Tensor sum1 = at::sum(grad_grad_logits, {-1}, true);
  const Tensor neg0 = -((sum1 - length * sum0) / length * smoothing);
  const Tensor where1 = at::where(condition(gt0, reads[0]), neg0, 0);
  const Tensor sum2 = at::sum(where0, {-1}, true);
  const Tensor stop_grad0 = at::detach(target);
  const Tensor where2 = at::where(condition(gt0, reads[0]), target, stop_grad0);
  const Tensor stop_grad1 = at::detach(grad_loss);
  const Tensor where3 = at::where(condition(gt0, reads[0]), grad_loss, stop_grad1);
  const Tensor where4 = at::where(where2 == ignore_index, 0, -(where3 * smoothing));
  const Tensor where5 = at::where(condition(gt0, reads[0]), where4, 0);
  const Tensor where6 = at::where(eq0, target, stop_grad0);
  const Tensor where7 = at::where(eq0, grad_loss, stop_grad1);
  const Tensor where8 = at::where(where6 == ignore_index, 0, -(where7 * sub0));
  const Tensor where9 = at::where(eq0, where8, 0);
  const Tensor sum3 = at::sum(where5 / length + where9, {-1}, true);
  const Tensor mul0 = grad_grad_logits * sum3;
  const Tensor sum4 = at::sum(-(mul0 * softmax0), {-1}, true);
  writes[0] = at::where(target == ignore_index, 0, where1 - sum2 * sub0);
  writes[1] = softmax0 * (-mul0 - sum4);
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
    .schema = "cross_entropy_backward(Tensor grad_loss, Tensor? logits, Tensor? target, Tensor? "
              "kept_total0, Tensor? kept_total1, *, int ignore_index, float smoothing, bool[1] "
              "needs) -> Tensor",
    .inputs = {{.name = "grad_loss", .extent = Extent::kRow},
               {.name = "logits"},
               {.name = "target", .kind = Kind::kInt, .extent = Extent::kRow},
               {.name = "kept_total0", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total1", .kind = Kind::kTotal, .extent = Extent::kRow}},
    .outputs = {{.name = "grad_logits", .like = 1, .reads = {0, 1, 2, 3, 4}}},
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
    .kept_totals = 2,
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::cross_entropy
