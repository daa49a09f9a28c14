// Generated from specs/losses/cross_entropy_z_loss.yaml by `fusewise generate`. Do not edit.
// The formulas stand in cross_entropy_z_loss.math.h.
#include <ATen/ops/detach.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/mean.h>
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
  const Tensor lse = at::logsumexp(logits, -1, true);
  const Tensor where0 = at::where(index == target, logits, 0);
  const Tensor picked = at::sum(where0, {-1}, true);
  const Tensor square0 = at::square(lse);
  const Tensor penalty = z_scale * square0;
  const Tensor mean0 = at::mean(logits, {-1}, true);
  const Tensor smooth = at::where(condition(smoothing > 0, reads[0]), smoothing * mean0, 0);
  const Tensor smoothed = lse - (1 - smoothing) * picked - smooth;
  const Tensor ignored = target == ignore_index;
  writes[0] = at::where(ignored, 0, smoothed + penalty);
  writes[1] = at::where(ignored, 0, penalty);
}

void backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_loss = reads[0];
  const Tensor& grad_z_loss = reads[1];
  const Tensor& logits = reads[2];
  const Tensor& target = reads[3];
  const Tensor length = row_length(reads[4]);
  const Tensor index = reads[4];
  const double z_scale = params[0].as<double>();
  const double smoothing = params[1].as<double>();
  const double ignore_index = params[2].as<double>();
  const Tensor lse = at::logsumexp(logits, -1, true);
  const Tensor eq0 = index == target;
  const bool gt0 = smoothing > 0;
  const Tensor ignored = target == ignore_index;
  const Tensor add0 = grad_loss + (grad_z_loss + grad_loss) * z_scale * (2 * lse);
  const Tensor where0 = at::where(ignored, 0, add0);
  const Tensor exp0 = at::exp(logits - lse);
  const Tensor stop_grad0 = at::detach(target);
  const Tensor where1 = at::where(condition(gt0, reads[0]), target, stop_grad0);
  const Tensor stop_grad1 = at::detach(grad_loss);
  const Tensor where2 = at::where(condition(gt0, reads[0]), grad_loss, stop_grad1);
  const Tensor where3 = at::where(where1 == ignore_index, 0, -(where2 * smoothing));
  const Tensor where4 = at::where(condition(gt0, reads[0]), where3, 0);
  const Tensor where5 = at::where(eq0, target, stop_grad0);
  const Tensor where6 = at::where(eq0, grad_loss, stop_grad1);
  const Tensor where7 = at::where(where5 == ignore_index, 0, -(where6 * (1 - smoothing)));
  const Tensor where8 = at::where(eq0, where7, 0);
  writes[0] = where4 / length + where8 + where0 * exp0;
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
  const Tensor lse = at::logsumexp(logits, -1, true);
  const Tensor ignored = target == ignore_index;
  const Tensor exp0 = at::exp(logits - lse);
  const Tensor where0 = at::where(index == target, grad_grad_logits, 0);
  const Tensor sum0 = at::sum(grad_grad_logits * exp0, {-1}, true);
  const Tensor mul0 = sum0 * (2 * lse) * z_scale;
  const Tensor sum1 = at::sum(grad_grad_logits, {-1}, true);
  const Tensor where1 = at::where(condition(smoothing > 0, reads[0]), -(sum1 / length * smoothing),
      0);
  const Tensor sum2 = at::sum(where0, {-1}, true);
  const Tensor add0 = sum0 + where1 - sum2 * (1 - smoothing) + mul0;
  const Tensor stop_grad0 = at::detach(logits);
  const Tensor where2 = at::where(ignored, stop_grad0, logits);
  const Tensor stop_grad1 = at::detach(grad_loss);
  const Tensor stop_grad2 = at::detach(grad_grad_logits);
  const Tensor exp1 = at::exp(where2 - lse);
  const Tensor where3 = at::where(ignored, stop_grad2, grad_grad_logits);
  const Tensor where4 = at::where(ignored, stop_grad1, grad_loss);
  const Tensor stop_grad3 = at::detach(grad_z_loss);
  const Tensor where5 = at::where(ignored, stop_grad3, grad_z_loss);
  const Tensor add1 = where5 + where4;
  const Tensor where6 = at::where(ignored, 0, sum0 * (add1 * z_scale) * 2);
  const Tensor mul1 = exp1 * lse * (2 * where3 * add1 * z_scale);
  const Tensor add2 = where3 * exp1 * where4 + mul1;
  const Tensor where7 = at::where(ignored, 0, add2);
  const Tensor where8 = at::where(ignored, 0, -add2);
  const Tensor sum3 = at::sum(where8, {-1}, true);
  writes[0] = at::where(ignored, 0, add0);
  writes[1] = at::where(ignored, 0, mul0);
  writes[2] = where7 + (where6 + sum3) * exp0;
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
};

const Pass kBackward = {
    .schema = "cross_entropy_z_loss_backward(Tensor? grad_loss, Tensor? grad_z_loss, Tensor? "
              "logits, Tensor? target, *, float z_scale, float smoothing, int ignore_index, "
              "bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_loss", .optional = true, .extent = Extent::kRow},
               {.name = "grad_z_loss", .optional = true, .extent = Extent::kRow},
               {.name = "logits"},
               {.name = "target", .kind = Kind::kInt, .extent = Extent::kRow}},
    .outputs = {{.name = "grad_logits", .like = 2, .reads = {0, 1, 2, 3}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1, 2},
    .reduces = true,
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
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::cross_entropy_z_loss
