// Generated from specs/losses/token_logprob.yaml by `fusewise generate`. Do not edit.
// The formulas stand in token_logprob.math.h.
#include <ATen/ops/detach.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/logsumexp.h>
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
  const Tensor lse = at::logsumexp(scaled, -1, true);
  const Tensor p = at::exp(scaled - lse);
  const Tensor eq0 = index == token;
  const Tensor sum0 = at::sum(p * scaled, {-1}, true);
  const Tensor stop_grad0 = at::detach(logits);
  const Tensor where0 = at::where(eq0, logits, stop_grad0);
  const Tensor where1 = at::where(eq0, where0 / temperature, 0);
  const Tensor sum1 = at::sum(where1, {-1}, true);
  writes[0] = sum1 - lse;
  writes[1] = lse - sum0;
}

void backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_logprob = reads[0];
  const Tensor& grad_entropy = reads[1];
  const Tensor& logits = reads[2];
  const Tensor& token = reads[3];
  const Tensor index = reads[4];
  const double temperature = params[0].as<double>();
  const Tensor scaled = logits / temperature;
  const Tensor lse = at::logsumexp(scaled, -1, true);
  const Tensor p = at::exp(scaled - lse);
  const Tensor mul0 = p * scaled;
  const Tensor sum0 = at::sum(mul0, {-1}, true);
  const Tensor where0 = at::where(index == token, grad_logprob, 0);
  const Tensor sub0 = where0 - grad_entropy * p - mul0 * grad_entropy;
  const Tensor add0 = sub0 + (grad_entropy - grad_logprob + grad_entropy * sum0) * p;
  writes[0] = add0 / temperature;
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
  const Tensor lse = at::logsumexp(scaled, -1, true);
  const Tensor p = at::exp(scaled - lse);
  const Tensor eq0 = index == token;
  const Tensor mul0 = p * scaled;
  const Tensor sum0 = at::sum(mul0, {-1}, true);
  const Tensor div0 = grad_grad_logits / temperature;
  const Tensor mul1 = div0 * grad_entropy;
  const Tensor mul2 = div0 * p;
  const Tensor sum1 = at::sum(mul2, {-1}, true);
  const Tensor sub0 = div0 * (grad_entropy - grad_logprob + grad_entropy * sum0) - mul1;
  const Tensor sum2 = at::sum(-(div0 * mul0) - mul2, {-1}, true);
  const Tensor sub1 = sum1 * grad_entropy - mul1;
  const Tensor mul3 = (sub0 + sub1 * scaled) * p;
  const Tensor sum3 = at::sum(mul3, {-1}, true);
  const Tensor stop_grad0 = at::detach(grad_grad_logits);
  const Tensor where0 = at::where(eq0, grad_grad_logits, stop_grad0);
  const Tensor where1 = at::where(eq0, where0 / temperature, 0);
  const Tensor sum4 = at::sum(where1, {-1}, true);
  writes[0] = sum4 - sum1;
  writes[1] = sum1 * sum0 + sum1 + sum2;
  writes[2] = (sub1 * p + mul3 - sum3 * p) / temperature;
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
                {.name = "grad_logits", .like = 3, .reads = {0, 1, 2, 3}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .reduces = true,
};

const Pass kBackward = {
    .schema = "token_logprob_backward(Tensor? grad_logprob, Tensor? grad_entropy, Tensor? logits,"
              " Tensor? token, *, float temperature, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_logprob", .optional = true, .extent = Extent::kRow},
               {.name = "grad_entropy", .optional = true, .extent = Extent::kRow},
               {.name = "logits"},
               {.name = "token", .kind = Kind::kInt, .extent = Extent::kRow}},
    .outputs = {{.name = "grad_logits", .like = 2, .reads = {0, 1, 2, 3}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1, 2},
    .reduces = true,
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
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::token_logprob
