// Generated from specs/losses/token_logprob.yaml by `fusewise generate`. Do not edit.
// The formulas stand in token_logprob.math.h.
#include <ATen/ops/amax.h>
#include <ATen/ops/detach.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/log.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/where.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::token_logprob {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& logits = reads[0];
  const Tensor& token = reads[1];
  const Tensor index = reads[2];
  const double temperature = params[0].as<double>();
  const Tensor scaled = logits / temperature;
  const Tensor amax0 = at::amax(scaled, -1, true);
  const Tensor stop_grad0 = at::detach(amax0);
  const Tensor shifted = scaled - stop_grad0;
  const Tensor power = at::exp(shifted);
  const Tensor total = at::sum(power, {-1}, true);
  const Tensor eq0 = index == token;
  const Tensor log_softmax0 = at::log_softmax(scaled, -1);
  const Tensor log0 = at::log(total);
  const Tensor eq1 = scaled == -INFINITY;
  const Tensor stop_grad1 = at::detach(logits);
  const Tensor stop_grad2 = at::detach(log_softmax0);
  const Tensor where0 = at::where(eq0, log_softmax0, stop_grad2);
  const Tensor where1 = at::where(eq0, where0, 0);
  const Tensor where2 = at::where(eq1, stop_grad1, logits);
  const Tensor sub0 = where2 / temperature - stop_grad0;
  const Tensor exp0 = at::exp(sub0);
  const Tensor where3 = at::where(eq1, 0, exp0 * sub0);
  const Tensor sum0 = at::sum(where3, {-1}, true);
  writes[0] = at::sum(where1, {-1}, true);
  writes[1] = log0 - sum0 / total;
}

void backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_logprob = reads[0];
  const Tensor& grad_entropy = reads[1];
  const Tensor& logits = reads[2];
  const Tensor& token = reads[3];
  const Tensor index = reads[7];
  const double temperature = params[0].as<double>();
  const Tensor scaled = logits / temperature;
  const Tensor amax0 = at::amax(scaled, -1, true);
  const Tensor stop_grad0 = at::detach(amax0);
  const Tensor shifted = scaled - stop_grad0;
  const Tensor power = at::exp(shifted);
  const Tensor total = at::sum(power, {-1}, true);
  const Tensor eq0 = scaled == -INFINITY;
  const Tensor where0 = at::where(index == token, grad_logprob, 0);
  const Tensor softmax0 = at::softmax(scaled, -1);
  const Tensor sum0 = at::sum(where0, {-1}, true);
  const Tensor stop_grad1 = at::detach(logits);
  const Tensor where1 = at::where(eq0, stop_grad1, logits);
  const Tensor sub0 = where1 / temperature - stop_grad0;
  const Tensor exp0 = at::exp(sub0);
  const Tensor where2 = at::where(eq0, 0, exp0 * sub0);
  const Tensor sum1 = at::sum(where2, {-1}, true);
  const Tensor stop_grad2 = at::detach(grad_entropy);
  const Tensor where3 = at::where(eq0, stop_grad2, grad_entropy);
  const Tensor div0 = where3 / total;
  const Tensor where4 = at::where(eq0, 0, -(div0 * sub0));
  const Tensor where5 = at::where(eq0, 0, -(div0 * exp0));
  const Tensor add0 = sum1 / total / total * grad_entropy + grad_entropy / total;
  const Tensor add1 = where5 + (where4 + add0) * power;
  writes[0] = (where0 - softmax0 * sum0 + add1) / temperature;
}

void double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_logits = reads[0];
  const Tensor& grad_logprob = reads[1];
  const Tensor& grad_entropy = reads[2];
  const Tensor& logits = reads[3];
  const Tensor& token = reads[4];
  const Tensor index = reads[5];
  const double temperature = params[0].as<double>();
  const Tensor scaled = logits / temperature;
  const Tensor amax0 = at::amax(scaled, -1, true);
  const Tensor stop_grad0 = at::detach(amax0);
  const Tensor shifted = scaled - stop_grad0;
  const Tensor power = at::exp(shifted);
  const Tensor total = at::sum(power, {-1}, true);
  const Tensor eq0 = index == token;
  const Tensor eq1 = scaled == -INFINITY;
  const Tensor div0 = grad_entropy / total;
  const Tensor where0 = at::where(eq0, grad_logprob, 0);
  const Tensor softmax0 = at::softmax(scaled, -1);
  const Tensor sum0 = at::sum(where0, {-1}, true);
  const Tensor div1 = grad_grad_logits / temperature;
  const Tensor mul0 = div1 * sum0;
  const Tensor sum1 = at::sum(div1 * softmax0, {-1}, true);
  const Tensor sum2 = at::sum(-(mul0 * softmax0), {-1}, true);
  const Tensor mul1 = softmax0 * (-mul0 - sum2);
  const Tensor sum3 = at::sum(div1 * power, {-1}, true);
  const Tensor mul2 = sum3 * grad_entropy;
  const Tensor stop_grad1 = at::detach(logits);
  const Tensor where1 = at::where(eq1, stop_grad1, logits);
  const Tensor sub0 = where1 / temperature - stop_grad0;
  const Tensor exp0 = at::exp(sub0);
  const Tensor mul3 = exp0 * sub0;
  const Tensor where2 = at::where(eq1, 0, mul3);
  const Tensor sum4 = at::sum(where2, {-1}, true);
  const Tensor div2 = sum4 / total / total;
  const Tensor stop_grad2 = at::detach(grad_entropy);
  const Tensor where3 = at::where(eq1, stop_grad2, grad_entropy);
  const Tensor div3 = where3 / total;
  const Tensor where4 = at::where(eq1, 0, -(div3 * sub0));
  const Tensor stop_grad3 = at::detach(grad_grad_logits);
  const Tensor where5 = at::where(eq0, grad_grad_logits, stop_grad3);
  const Tensor where6 = at::where(eq0, where5 / temperature - sum1, 0);
  const Tensor where7 = at::where(eq1, stop_grad3, grad_grad_logits);
  const Tensor div4 = where7 / temperature;
  const Tensor where8 = at::where(eq1, 0, -(div4 * exp0) - mul3 * div4);
  const Tensor sum5 = at::sum(where8, {-1}, true);
  const Tensor add0 = sum3 + sum5;
  const Tensor where9 = at::where(eq1, 0, -(div4 * div3));
  const Tensor add1 = div1 * (where4 + (div2 * grad_entropy + div0)) + where9;
  const Tensor neg0 = -(div2 / total * mul2);
  const Tensor div5 = sum3 * where3 / total / total;
  const Tensor where10 = at::where(eq1, 0, div5 * sub0);
  const Tensor sub1 = neg0 - div0 / total * add0;
  const Tensor where11 = at::where(eq1, 0, div5 * exp0 - div3 * exp0 * div4);
  const Tensor add2 = add1 + where10 + (sub1 - div2 * (mul2 / total));
  writes[0] = at::sum(where6, {-1}, true);
  writes[1] = sum3 * div2 + add0 / total;
  writes[2] = (mul1 + (where11 + add2 * power)) / temperature;
}

const Pass kDoubleBackward = {
    .schema = "token_logprob_double_backward(Tensor grad_grad_logits, Tensor? grad_logprob, "
              "Tensor? grad_entropy, Tensor? logits, Tensor? token, *, float temperature, bool[3]"
              " needs) -> (Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_logits"},
               {.name = "grad_logprob", .optional = true, .extent = Extent::kRow},
               {.name = "grad_entropy", .optional = true, .extent = Extent::kRow},
               {.name = "logits"},
               {.name = "token", .kind = Kind::kInt, .extent = Extent::kRow}},
    .outputs = {{.name = "grad_grad_logprob", .like = 1, .reads = {0, 3, 4},
                 .extent = Extent::kRow},
                {.name = "grad_grad_entropy", .like = 2, .reads = {0, 3}, .extent = Extent::kRow},
                {.name = "grad_logits", .like = 3, .reads = {0, 1, 2, 3, 4}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .reduces = true,
    .needs_elements = true,
};

const Pass kBackward = {
    .schema = "token_logprob_backward(Tensor? grad_logprob, Tensor? grad_entropy, Tensor? logits,"
              " Tensor? token, Tensor? kept_total0, Tensor? kept_total1, Tensor? kept_total2, *, "
              "float temperature, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_logprob", .optional = true, .extent = Extent::kRow},
               {.name = "grad_entropy", .optional = true, .extent = Extent::kRow},
               {.name = "logits"},
               {.name = "token", .kind = Kind::kInt, .extent = Extent::kRow},
               {.name = "kept_total0", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total1", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total2", .kind = Kind::kTotal, .extent = Extent::kRow}},
    .outputs = {{.name = "grad_logits", .like = 2, .reads = {0, 1, 2, 3, 4, 5, 6}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1, 2},
    .reduces = true,
    .needs_elements = true,
};

const Pass kForward = {
    .schema = "token_logprob(Tensor logits, Tensor token, *, float temperature=1) -> (Tensor, "
              "Tensor)",
    .inputs = {{.name = "logits"}, {.name = "token", .kind = Kind::kInt, .extent = Extent::kRow}},
    .outputs = {{.name = "logprob", .extent = Extent::kRow},
                {.name = "entropy", .extent = Extent::kRow}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0},
    .kept_totals = 3,
    .reduces = true,
    .needs_elements = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::token_logprob
