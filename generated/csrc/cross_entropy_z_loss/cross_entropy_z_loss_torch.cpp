// Generated from specs/losses/cross_entropy_z_loss.yaml by `fusewise generate`. Do not edit.
// The formulas stand in cross_entropy_z_loss.math.h.
#include <ATen/ops/amax.h>
#include <ATen/ops/detach.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/log.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/square.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/where.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::cross_entropy_z_loss {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& logits = reads[0];
  const Tensor& target = reads[1];
  const Tensor index = reads[2];
  const double z_scale = params[0].as<double>();
  const double smoothing = params[1].as<double>();
  const double ignore_index = params[2].as<double>();
  const Tensor log_p = at::log_softmax(logits, -1);
  const Tensor eq0 = index == target;
  const Tensor mean0 = at::mean(log_p, {-1}, true);
  const Tensor smooth = at::where(condition(smoothing > 0, reads[0]), smoothing * mean0, 0);
  const Tensor amax0 = at::amax(logits, -1, true);
  const Tensor largest = at::detach(amax0);
  const Tensor exp0 = at::exp(logits - largest);
  const Tensor sum0 = at::sum(exp0, {-1}, true);
  const Tensor log0 = at::log(sum0);
  const Tensor lse = log0 + largest;
  const Tensor square0 = at::square(lse);
  const Tensor penalty = z_scale * square0;
  const Tensor ignored = target == ignore_index;
  const Tensor stop_grad0 = at::detach(log_p);
  const Tensor where0 = at::where(eq0, log_p, stop_grad0);
  const Tensor where1 = at::where(eq0, where0, 0);
  const Tensor picked = at::sum(where1, {-1}, true);
  const Tensor smoothed = -((1 - smoothing) * picked) - smooth;
  writes[0] = at::where(ignored, 0, smoothed + penalty);
  writes[1] = at::where(ignored, 0, penalty);
}

void backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_loss = reads[0];
  const Tensor& grad_z_loss = reads[1];
  const Tensor& logits = reads[2];
  const Tensor& target = reads[3];
  const Tensor length = row_length(reads[6]);
  const Tensor index = reads[6];
  const double z_scale = params[0].as<double>();
  const double smoothing = params[1].as<double>();
  const double ignore_index = params[2].as<double>();
  const Tensor eq0 = index == target;
  const bool gt0 = smoothing > 0;
  const Tensor amax0 = at::amax(logits, -1, true);
  const Tensor largest = at::detach(amax0);
  const Tensor exp0 = at::exp(logits - largest);
  const Tensor sum0 = at::sum(exp0, {-1}, true);
  const Tensor log0 = at::log(sum0);
  const Tensor lse = log0 + largest;
  const Tensor ignored = target == ignore_index;
  const Tensor softmax0 = at::softmax(logits, -1);
  const Tensor stop_grad0 = at::detach(logits);
  const Tensor where0 = at::where(ignored, stop_grad0, logits);
  const Tensor stop_grad1 = at::detach(target);
  const Tensor exp1 = at::exp(where0 - largest);
  const Tensor stop_grad2 = at::detach(grad_loss);
  const Tensor where1 = at::where(ignored, stop_grad2, grad_loss);
  const Tensor stop_grad3 = at::detach(grad_z_loss);
  const Tensor where2 = at::where(ignored, stop_grad3, grad_z_loss);
  const Tensor div0 = (where2 + where1) * z_scale * (2 * lse) / sum0;
  const Tensor where3 = at::where(ignored, 0, div0 * exp1);
  const Tensor where4 = at::where(condition(gt0, reads[0]), target, stop_grad1);
  const Tensor where5 = at::where(condition(gt0, reads[0]), grad_loss, stop_grad2);
  const Tensor where6 = at::where(where4 == ignore_index, 0, -(where5 * smoothing));
  const Tensor where7 = at::where(condition(gt0, reads[0]), where6, 0);
  const Tensor where8 = at::where(eq0, target, stop_grad1);
  const Tensor where9 = at::where(eq0, grad_loss, stop_grad2);
  const Tensor where10 = at::where(where8 == ignore_index, 0, -(where9 * (1 - smoothing)));
  const Tensor where11 = at::where(eq0, where10, 0);
  const Tensor add0 = where7 / length + where11;
  const Tensor sum1 = at::sum(add0, {-1}, true);
  writes[0] = where3 + (add0 - softmax0 * sum1);
}

void double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_logits = reads[0];
  const Tensor& grad_loss = reads[1];
  const Tensor& grad_z_loss = reads[2];
  const Tensor& logits = reads[3];
  const Tensor& target = reads[4];
  const Tensor length = row_length(reads[5]);
  const Tensor index = reads[5];
  const double z_scale = params[0].as<double>();
  const double smoothing = params[1].as<double>();
  const double ignore_index = params[2].as<double>();
  const Tensor eq0 = index == target;
  const bool gt0 = smoothing > 0;
  const double sub0 = 1 - smoothing;
  const Tensor amax0 = at::amax(logits, -1, true);
  const Tensor largest = at::detach(amax0);
  const Tensor exp0 = at::exp(logits - largest);
  const Tensor sum0 = at::sum(exp0, {-1}, true);
  const Tensor log0 = at::log(sum0);
  const Tensor lse = log0 + largest;
  const Tensor ignored = target == ignore_index;
  const Tensor mul0 = (grad_z_loss + grad_loss) * z_scale;
  const Tensor mul1 = 2 * lse;
  const Tensor softmax0 = at::softmax(logits, -1);
  const Tensor sum1 = at::sum(grad_grad_logits * softmax0, {-1}, true);
  const Tensor where0 = at::where(eq0, grad_grad_logits - sum1, 0);
  const Tensor sum2 = at::sum(grad_grad_logits, {-1}, true);
  const Tensor neg0 = -((sum2 - length * sum1) / length * smoothing);
  const Tensor where1 = at::where(condition(gt0, reads[0]), neg0, 0);
  const Tensor sum3 = at::sum(where0, {-1}, true);
  const Tensor where2 = at::where(ignored, 0, where1 - sum3 * sub0);
  const Tensor stop_grad0 = at::detach(logits);
  const Tensor where3 = at::where(ignored, stop_grad0, logits);
  const Tensor stop_grad1 = at::detach(target);
  const Tensor exp1 = at::exp(where3 - largest);
  const Tensor stop_grad2 = at::detach(grad_loss);
  const Tensor where4 = at::where(ignored, stop_grad2, grad_loss);
  const Tensor stop_grad3 = at::detach(grad_z_loss);
  const Tensor where5 = at::where(ignored, stop_grad3, grad_z_loss);
  const Tensor where6 = at::where(condition(gt0, reads[0]), target, stop_grad1);
  const Tensor where7 = at::where(condition(gt0, reads[0]), grad_loss, stop_grad2);
  const Tensor where8 = at::where(where6 == ignore_index, 0, -(where7 * smoothing));
  const Tensor where9 = at::where(condition(gt0, reads[0]), where8, 0);
  const Tensor where10 = at::where(eq0, target, stop_grad1);
  const Tensor where11 = at::where(eq0, grad_loss, stop_grad2);
  const Tensor where12 = at::where(where10 == ignore_index, 0, -(where11 * sub0));
  const Tensor where13 = at::where(eq0, where12, 0);
  const Tensor sum4 = at::sum(where9 / length + where13, {-1}, true);
  const Tensor stop_grad4 = at::detach(grad_grad_logits);
  const Tensor where14 = at::where(ignored, stop_grad4, grad_grad_logits);
  const Tensor where15 = at::where(ignored, 0, where14 * exp1);
  const Tensor sum5 = at::sum(where15, {-1}, true);
  const Tensor div0 = sum5 / sum0;
  const Tensor mul2 = div0 * mul1 * z_scale;
  const Tensor mul3 = grad_grad_logits * sum4;
  const Tensor sum6 = at::sum(-(mul3 * softmax0), {-1}, true);
  const Tensor mul4 = where14 * ((where5 + where4) * z_scale * mul1 / sum0);
  const Tensor where16 = at::where(ignored, 0, mul4);
  const Tensor mul5 = mul0 * mul1 / sum0 / sum0 * sum5;
  const Tensor add0 = where16 + (div0 * mul0 * 2 / sum0 - mul5);
  writes[0] = where2 + mul2;
  writes[1] = mul2;
  writes[2] = softmax0 * (-mul3 - sum6) + add0 * exp0;
}

const Pass kDoubleBackward = {
    .schema = "cross_entropy_z_loss_double_backward(Tensor grad_grad_logits, Tensor? grad_loss, "
              "Tensor? grad_z_loss, Tensor? logits, Tensor? target, *, float z_scale, float "
              "smoothing, int ignore_index, bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_logits"},
               {.name = "grad_loss", .optional = true, .extent = Extent::kRow},
               {.name = "grad_z_loss", .optional = true, .extent = Extent::kRow},
               {.name = "logits"},
               {.name = "target", .kind = Kind::kInt, .extent = Extent::kRow}},
    .outputs = {{.name = "grad_grad_loss", .like = 1, .reads = {0, 3, 4}, .extent = Extent::kRow},
                {.name = "grad_grad_z_loss", .like = 2, .reads = {0, 3, 4}, .extent = Extent::kRow},
                {.name = "grad_logits", .like = 3, .reads = {0, 1, 2, 3, 4}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .reduces = true,
    .needs_elements = true,
};

const Pass kBackward = {
    .schema = "cross_entropy_z_loss_backward(Tensor? grad_loss, Tensor? grad_z_loss, Tensor? "
              "logits, Tensor? target, Tensor? kept_total0, Tensor? kept_total1, *, float "
              "z_scale, float smoothing, int ignore_index, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_loss", .optional = true, .extent = Extent::kRow},
               {.name = "grad_z_loss", .optional = true, .extent = Extent::kRow},
               {.name = "logits"},
               {.name = "target", .kind = Kind::kInt, .extent = Extent::kRow},
               {.name = "kept_total0", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total1", .kind = Kind::kTotal, .extent = Extent::kRow}},
    .outputs = {{.name = "grad_logits", .like = 2, .reads = {0, 1, 2, 3, 4, 5}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1, 2},
    .reduces = true,
    .needs_elements = true,
};

const Pass kForward = {
    .schema = "cross_entropy_z_loss(Tensor logits, Tensor target, *, float z_scale=0.0001, float "
              "smoothing=0, int ignore_index=-100) -> (Tensor, Tensor)",
    .inputs = {{.name = "logits"}, {.name = "target", .kind = Kind::kInt, .extent = Extent::kRow}},
    .outputs = {{.name = "loss", .extent = Extent::kRow},
                {.name = "z_loss", .extent = Extent::kRow}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0},
    .kept_totals = 2,
    .reduces = true,
    .needs_elements = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::cross_entropy_z_loss
