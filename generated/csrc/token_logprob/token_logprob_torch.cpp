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
  const Tensor exp0 = at::exp(shifted);
  const Tensor sum0 = at::sum(exp0, {-1}, true);
  const Tensor lse = at::log(sum0);
  const Tensor eq0 = index == token;
  const Tensor log_softmax0 = at::log_softmax(scaled, -1);
  const Tensor eq1 = scaled == -INFINITY;
  const Tensor softmax0 = at::softmax(scaled, -1);
  const Tensor stop_grad1 = at::detach(logits);
  const Tensor stop_grad2 = at::detach(log_softmax0);
  const Tensor where0 = at::where(eq0, log_softmax0, stop_grad2);
  const Tensor where1 = at::where(eq0, where0, 0);
  const Tensor where2 = at::where(eq1, stop_grad1, logits);
  const Tensor stop_grad3 = at::detach(softmax0);
  const Tensor where3 = at::where(eq1, stop_grad3, softmax0);
  const Tensor where4 = at::where(eq1, 0, where3 * (where2 / temperature - stop_grad0));
  const Tensor sum1 = at::sum(where4, {-1}, true);
  writes[0] = at::sum(where1, {-1}, true);
  writes[1] = lse - sum1;
}

void backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_logprob = reads[0];
  const Tensor& grad_entropy = reads[1];
  const Tensor& logits = reads[2];
  const Tensor& token = reads[3];
  const Tensor index = reads[6];
  const double temperature = params[0].as<double>();
  const Tensor scaled = logits / temperature;
  const Tensor amax0 = at::amax(scaled, -1, true);
  const Tensor stop_grad0 = at::detach(amax0);
  const Tensor shifted = scaled - stop_grad0;
  const Tensor exp0 = at::exp(shifted);
  const Tensor sum0 = at::sum(exp0, {-1}, true);
  const Tensor eq0 = scaled == -INFINITY;
  const Tensor softmax0 = at::softmax(scaled, -1);
  const Tensor where0 = at::where(index == token, grad_logprob, 0);
  const Tensor sum1 = at::sum(where0, {-1}, true);
  const Tensor stop_grad1 = at::detach(logits);
  const Tensor where1 = at::where(eq0, stop_grad1, logits);
  const Tensor stop_grad2 = at::detach(softmax0);
  const Tensor where2 = at::where(eq0, stop_grad2, softmax0);
  const Tensor stop_grad3 = at::detach(grad_entropy);
  const Tensor where3 = at::where(eq0, stop_grad3, grad_entropy);
  const Tensor where4 = at::where(eq0, 0, -(where3 * (where1 / temperature - stop_grad0)));
  const Tensor where5 = at::where(eq0, 0, -(where3 * where2));
  const Tensor sum2 = at::sum(where4 * softmax0, {-1}, true);
  const Tensor add0 = softmax0 * (where4 - sum2) + (where0 - softmax0 * sum1);
  writes[0] = (add0 + (where5 + grad_entropy / sum0 * exp0)) / temperature;
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
  const Tensor exp0 = at::exp(shifted);
  const Tensor sum0 = at::sum(exp0, {-1}, true);
  const Tensor eq0 = index == token;
  const Tensor eq1 = scaled == -INFINITY;
  const Tensor softmax0 = at::softmax(scaled, -1);
  const Tensor where0 = at::where(eq0, grad_logprob, 0);
  const Tensor sum1 = at::sum(where0, {-1}, true);
  const Tensor div0 = grad_entropy / sum0;
  const Tensor div1 = grad_grad_logits / temperature;
  const Tensor sum2 = at::sum(div1 * exp0, {-1}, true);
  const Tensor sum3 = at::sum(div1 * softmax0, {-1}, true);
  const Tensor mul0 = (div1 * div0 - div0 / sum0 * sum2) * exp0;
  const Tensor stop_grad1 = at::detach(logits);
  const Tensor where1 = at::where(eq1, stop_grad1, logits);
  const Tensor sub0 = where1 / temperature - stop_grad0;
  const Tensor stop_grad2 = at::detach(softmax0);
  const Tensor where2 = at::where(eq1, stop_grad2, softmax0);
  const Tensor stop_grad3 = at::detach(grad_entropy);
  const Tensor where3 = at::where(eq1, stop_grad3, grad_entropy);
  const Tensor mul1 = where3 * sub0;
  const Tensor where4 = at::where(eq1, 0, -mul1);
  const Tensor sum4 = at::sum(where4 * softmax0, {-1}, true);
  const Tensor stop_grad4 = at::detach(grad_grad_logits);
  const Tensor where5 = at::where(eq0, grad_grad_logits, stop_grad4);
  const Tensor where6 = at::where(eq0, where5 / temperature - sum3, 0);
  const Tensor where7 = at::where(eq1, stop_grad4, grad_grad_logits);
  const Tensor div2 = where7 / temperature;
  const Tensor mul2 = div2 * where2;
  const Tensor sub1 = mul2 - sum3 * where2;
  const Tensor where8 = at::where(eq1, 0, -mul2 - sub1 * sub0);
  const Tensor sum5 = at::sum(where8, {-1}, true);
  const Tensor where9 = at::where(eq1, 0, mul1 * sum3);
  const Tensor add0 = div1 * (where4 - sum4) - div1 * sum1 + where9;
  const Tensor where10 = at::where(eq1, 0, -(div2 * where3));
  const Tensor add1 = add0 + where10;
  const Tensor where11 = at::where(eq1, 0, -(sub1 * where3));
  const Tensor sum6 = at::sum(add1 * softmax0, {-1}, true);
  writes[0] = at::sum(where6, {-1}, true);
  writes[1] = sum2 / sum0 + sum5;
  writes[2] = (softmax0 * (add1 - sum6) + (where11 + mul0)) / temperature;
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
              " Tensor? token, Tensor? kept_total0, Tensor? kept_total1, *, float temperature, "
              "bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_logprob", .optional = true, .extent = Extent::kRow},
               {.name = "grad_entropy", .optional = true, .extent = Extent::kRow},
               {.name = "logits"},
               {.name = "token", .kind = Kind::kInt, .extent = Extent::kRow},
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
    .kept_totals = 2,
    .reduces = true,
    .needs_elements = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::token_logprob
