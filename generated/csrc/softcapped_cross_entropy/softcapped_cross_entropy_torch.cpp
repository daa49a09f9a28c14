// Generated from specs/losses/softcapped_cross_entropy.yaml by `fusewise generate`. Do not edit.
// The formulas stand in softcapped_cross_entropy.math.h.
#include <ATen/ops/detach.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/where.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::softcapped_cross_entropy {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& logits = reads[0];
  const Tensor& target = reads[1];
  const Tensor index = reads[2];
  const double cap = params[0].as<double>();
  const double ignore_index = params[1].as<double>();
  const Tensor tanh0 = at::tanh(logits / cap);
  const Tensor log_p = at::log_softmax(cap * tanh0, -1);
  const Tensor eq0 = index == target;
  const Tensor stop_grad0 = at::detach(log_p);
  const Tensor where0 = at::where(eq0, log_p, stop_grad0);
  const Tensor where1 = at::where(eq0, where0, 0);
  const Tensor picked = at::sum(where1, {-1}, true);
  writes[0] = at::where(target == ignore_index, 0, -picked);
}

void backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_loss = reads[0];
  const Tensor& logits = reads[1];
  const Tensor& target = reads[2];
  const Tensor index = reads[5];
  const double cap = params[0].as<double>();
  const double ignore_index = params[1].as<double>();
  const Tensor div0 = logits / cap;
  const Tensor tanh0 = at::tanh(div0);
  const Tensor eq0 = index == target;
  const Tensor softmax0 = at::softmax(cap * tanh0, -1);
  const Tensor mul0 = 2 * div0;
  const Tensor stop_grad0 = at::detach(target);
  const Tensor where0 = at::where(eq0, target, stop_grad0);
  const Tensor stop_grad1 = at::detach(grad_loss);
  const Tensor where1 = at::where(eq0, grad_loss, stop_grad1);
  const Tensor where2 = at::where(where0 == ignore_index, 0, -where1);
  const Tensor where3 = at::where(eq0, where2, 0);
  const Tensor sum0 = at::sum(where3, {-1}, true);
  const Tensor mul1 = (where3 - softmax0 * sum0) * cap;
  const Tensor sigmoid0 = at::sigmoid(mul0);
  const Tensor sigmoid1 = at::sigmoid(-mul0);
  writes[0] = mul1 * (4 * (sigmoid0 * sigmoid1)) / cap;
}

void double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_logits = reads[0];
  const Tensor& grad_loss = reads[1];
  const Tensor& logits = reads[2];
  const Tensor& target = reads[3];
  const Tensor index = reads[4];
  const double cap = params[0].as<double>();
  const double ignore_index = params[1].as<double>();
  const Tensor div0 = logits / cap;
  const Tensor tanh0 = at::tanh(div0);
  const Tensor eq0 = index == target;
  const Tensor softmax0 = at::softmax(cap * tanh0, -1);
  const Tensor mul0 = 2 * div0;
  const Tensor div1 = grad_grad_logits / cap;
  const Tensor stop_grad0 = at::detach(logits);
  const Tensor where0 = at::where(eq0, logits, stop_grad0);
  const Tensor stop_grad1 = at::detach(target);
  const Tensor where1 = at::where(eq0, target, stop_grad1);
  const Tensor stop_grad2 = at::detach(grad_loss);
  const Tensor where2 = at::where(eq0, grad_loss, stop_grad2);
  const Tensor where3 = at::where(where1 == ignore_index, 0, -where2);
  const Tensor where4 = at::where(eq0, where3, 0);
  const Tensor sum0 = at::sum(where4, {-1}, true);
  const Tensor sigmoid0 = at::sigmoid(mul0);
  const Tensor sigmoid1 = at::sigmoid(-mul0);
  const Tensor mul1 = 4 * (sigmoid0 * sigmoid1);
  const Tensor stop_grad3 = at::detach(grad_grad_logits);
  const Tensor where5 = at::where(eq0, grad_grad_logits, stop_grad3);
  const Tensor mul2 = div1 * ((where4 - softmax0 * sum0) * cap);
  const Tensor mul3 = div1 * mul1;
  const Tensor sum1 = at::sum(mul3 * softmax0, {-1}, true);
  const Tensor mul4 = 2 * (where0 / cap);
  const Tensor sigmoid2 = at::sigmoid(mul4);
  const Tensor sigmoid3 = at::sigmoid(-mul4);
  const Tensor mul5 = where5 / cap * (4 * (sigmoid2 * sigmoid3)) * cap;
  const Tensor where6 = at::where(eq0, mul5 - cap * sum1, 0);
  const Tensor sum2 = at::sum(where6, {-1}, true);
  const Tensor mul6 = mul3 * cap * sum0;
  const Tensor sum3 = at::sum(-(mul6 * softmax0), {-1}, true);
  const Tensor mul7 = softmax0 * (-mul6 - sum3) * cap * mul1;
  writes[0] = at::where(target == ignore_index, 0, -sum2);
  writes[1] = (mul2 * (-2 * tanh0 * mul1) + mul7) / cap;
}

const Pass kDoubleBackward = {
    .schema = "softcapped_cross_entropy_double_backward(Tensor grad_grad_logits, Tensor? "
              "grad_loss, Tensor? logits, Tensor? target, *, float cap, int ignore_index, bool[2]"
              " needs) -> (Tensor, Tensor)",
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
    .schema = "softcapped_cross_entropy_backward(Tensor grad_loss, Tensor? logits, Tensor? "
              "target, Tensor? kept_total0, Tensor? kept_total1, *, float cap, int ignore_index, "
              "bool[1] needs) -> Tensor",
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
    .schema = "softcapped_cross_entropy(Tensor logits, Tensor target, *, float cap=30, int "
              "ignore_index=-100) -> Tensor",
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
}  // namespace fusewise::ops::softcapped_cross_entropy
