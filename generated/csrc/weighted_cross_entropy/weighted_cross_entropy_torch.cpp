// Generated from specs/losses/weighted_cross_entropy.yaml by `fusewise generate`. Do not edit.
// The formulas stand in weighted_cross_entropy.math.h.
#include <ATen/ops/detach.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/where.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::weighted_cross_entropy {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& logits = reads[0];
  const Tensor& target = reads[1];
  const Tensor& weight = reads[2];
  const Tensor index = reads[3];
  const double ignore_index = params[0].as<double>();
  const Tensor log_p = at::log_softmax(logits, -1);
  const Tensor eq0 = index == target;
  const Tensor stop_grad0 = at::detach(weight);
  const Tensor stop_grad1 = at::detach(log_p);
  const Tensor where0 = at::where(eq0, log_p, stop_grad1);
  const Tensor where1 = at::where(eq0, where0, 0);
  const Tensor picked = at::sum(where1, {-1}, true);
  const Tensor where2 = at::where(eq0, weight, stop_grad0);
  const Tensor stop_grad2 = at::detach(where2);
  const Tensor where3 = at::where(eq0, stop_grad2, 0);
  const Tensor of_class = at::sum(where3, {-1}, true);
  writes[0] = at::where(target == ignore_index, 0, -(of_class * picked));
}

void backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_loss = reads[0];
  const Tensor& logits = reads[1];
  const Tensor& target = reads[2];
  const Tensor& weight = reads[3];
  const Tensor index = reads[7];
  const double ignore_index = params[0].as<double>();
  const Tensor eq0 = index == target;
  const Tensor stop_grad0 = at::detach(weight);
  const Tensor eq1 = target == ignore_index;
  const Tensor softmax0 = at::softmax(logits, -1);
  const Tensor where0 = at::where(eq0, weight, stop_grad0);
  const Tensor stop_grad1 = at::detach(where0);
  const Tensor where1 = at::where(eq0, stop_grad1, 0);
  const Tensor of_class = at::sum(where1, {-1}, true);
  const Tensor stop_grad2 = at::detach(grad_loss);
  const Tensor where2 = at::where(eq0, grad_loss, stop_grad2);
  const Tensor stop_grad3 = at::detach(where2);
  const Tensor where3 = at::where(eq1, stop_grad3, where2);
  const Tensor where4 = at::where(eq1, 0, -(where3 * of_class));
  const Tensor where5 = at::where(eq0, where4, 0);
  const Tensor sum0 = at::sum(where5, {-1}, true);
  writes[0] = where5 - softmax0 * sum0;
}

void double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_logits = reads[0];
  const Tensor& grad_loss = reads[1];
  const Tensor& logits = reads[2];
  const Tensor& target = reads[3];
  const Tensor& weight = reads[4];
  const Tensor index = reads[5];
  const double ignore_index = params[0].as<double>();
  const Tensor eq0 = index == target;
  const Tensor stop_grad0 = at::detach(weight);
  const Tensor eq1 = target == ignore_index;
  const Tensor softmax0 = at::softmax(logits, -1);
  const Tensor sum0 = at::sum(grad_grad_logits * softmax0, {-1}, true);
  const Tensor where0 = at::where(eq0, grad_grad_logits - sum0, 0);
  const Tensor sum1 = at::sum(where0, {-1}, true);
  const Tensor where1 = at::where(eq0, weight, stop_grad0);
  const Tensor stop_grad1 = at::detach(where1);
  const Tensor where2 = at::where(eq0, stop_grad1, 0);
  const Tensor of_class = at::sum(where2, {-1}, true);
  const Tensor stop_grad2 = at::detach(grad_loss);
  const Tensor where3 = at::where(eq0, grad_loss, stop_grad2);
  const Tensor stop_grad3 = at::detach(where3);
  const Tensor where4 = at::where(eq1, stop_grad3, where3);
  const Tensor where5 = at::where(eq1, 0, -(where4 * of_class));
  const Tensor where6 = at::where(eq0, where5, 0);
  const Tensor sum2 = at::sum(where6, {-1}, true);
  const Tensor mul0 = grad_grad_logits * sum2;
  const Tensor sum3 = at::sum(-(mul0 * softmax0), {-1}, true);
  writes[0] = at::where(eq1, 0, -(sum1 * of_class));
  writes[1] = softmax0 * (-mul0 - sum3);
}

const Pass kDoubleBackward = {
    .schema = "weighted_cross_entropy_double_backward(Tensor grad_grad_logits, Tensor? grad_loss,"
              " Tensor? logits, Tensor? target, Tensor? weight, *, int ignore_index, bool[2] "
              "needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_logits"},
               {.name = "grad_loss", .extent = Extent::kRow},
               {.name = "logits"},
               {.name = "target", .kind = Kind::kInt, .extent = Extent::kRow},
               {.name = "weight"}},
    .outputs = {{.name = "grad_grad_loss", .like = 1, .reads = {0, 2, 3, 4},
                 .extent = Extent::kRow},
                {.name = "grad_logits", .like = 2, .reads = {0, 1, 2, 3, 4}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .reduces = true,
};

const Pass kBackward = {
    .schema = "weighted_cross_entropy_backward(Tensor grad_loss, Tensor? logits, Tensor? target, "
              "Tensor? weight, Tensor? kept_total0, Tensor? kept_total1, Tensor? kept_total2, *, "
              "int ignore_index, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_loss", .extent = Extent::kRow},
               {.name = "logits"},
               {.name = "target", .kind = Kind::kInt, .extent = Extent::kRow},
               {.name = "weight"},
               {.name = "kept_total0", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total1", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total2", .kind = Kind::kTotal, .extent = Extent::kRow}},
    .outputs = {{.name = "grad_logits", .like = 1, .reads = {0, 1, 2, 3, 4, 5, 6}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1},
    .reduces = true,
};

const Pass kForward = {
    .schema = "weighted_cross_entropy(Tensor logits, Tensor target, Tensor weight, *, int "
              "ignore_index=-100) -> Tensor",
    .inputs = {{.name = "logits"},
               {.name = "target", .kind = Kind::kInt, .extent = Extent::kRow},
               {.name = "weight"}},
    .outputs = {{.name = "loss", .extent = Extent::kRow}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0},
    .kept_totals = 3,
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::weighted_cross_entropy
