// Generated from specs/losses/token_logprob.yaml by `fusewise generate`. Do not edit.
// The formulas stand in token_logprob.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::token_logprob {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& logits = reads[0];
  const Value& token = reads[1];
  const Value index = reads[2];
  const double temperature = params[0].as<double>();
  const Value scaled = logits / temperature;
  const Value amax0 = aten::amax(scaled);
  const Value stop_grad0 = aten::detach(amax0);
  const Value shifted = scaled - stop_grad0;
  const Value power = aten::exp(shifted);
  const Value total = aten::sum(power);
  const Value log_softmax0 = aten::log_softmax(scaled);
  const Value where0 = aten::where(index == token, log_softmax0, 0);
  const Value log0 = aten::log(total);
  const Value eq0 = scaled == -INFINITY;
  const Value stop_grad1 = aten::detach(logits);
  const Value where1 = aten::where(eq0, stop_grad1, logits);
  const Value where2 = aten::where(eq0, stop_grad0, amax0);
  const Value stop_grad2 = aten::detach(where2);
  const Value sub0 = where1 / temperature - stop_grad2;
  const Value exp0 = aten::exp(sub0);
  const Value where3 = aten::where(eq0, 0, exp0 * sub0);
  const Value sum0 = aten::sum(where3);
  writes[0] = aten::sum(where0);
  writes[1] = log0 - sum0 / total;
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_logprob = reads[0];
  const Value& grad_entropy = reads[1];
  const Value& logits = reads[2];
  const Value& token = reads[3];
  const Value index = reads[7];
  const double temperature = params[0].as<double>();
  const Value scaled = logits / temperature;
  const Value amax0 = aten::amax(scaled);
  const Value stop_grad0 = aten::detach(amax0);
  const Value shifted = scaled - stop_grad0;
  const Value power = aten::exp(shifted);
  const Value total = aten::sum(power);
  const Value eq0 = scaled == -INFINITY;
  const Value where0 = aten::where(index == token, grad_logprob, 0);
  const Value softmax0 = aten::softmax(scaled);
  const Value sum0 = aten::sum(where0);
  const Value stop_grad1 = aten::detach(logits);
  const Value where1 = aten::where(eq0, stop_grad1, logits);
  const Value sub0 = where1 / temperature - stop_grad0;
  const Value exp0 = aten::exp(sub0);
  const Value where2 = aten::where(eq0, 0, exp0 * sub0);
  const Value sum1 = aten::sum(where2);
  const Value stop_grad2 = aten::detach(grad_entropy);
  const Value where3 = aten::where(eq0, stop_grad2, grad_entropy);
  const Value div0 = where3 / total;
  const Value where4 = aten::where(eq0, 0, -(div0 * sub0));
  const Value where5 = aten::where(eq0, 0, -(div0 * exp0));
  const Value add0 = sum1 / total / total * grad_entropy + grad_entropy / total;
  const Value add1 = where5 + (where4 + add0) * power;
  writes[0] = (where0 - softmax0 * sum0 + add1) / temperature;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_logits = reads[0];
  const Value& grad_logprob = reads[1];
  const Value& grad_entropy = reads[2];
  const Value& logits = reads[3];
  const Value& token = reads[4];
  const Value index = reads[5];
  const double temperature = params[0].as<double>();
  const Value scaled = logits / temperature;
  const Value amax0 = aten::amax(scaled);
  const Value stop_grad0 = aten::detach(amax0);
  const Value shifted = scaled - stop_grad0;
  const Value power = aten::exp(shifted);
  const Value total = aten::sum(power);
  const Value eq0 = index == token;
  const Value eq1 = scaled == -INFINITY;
  const Value div0 = grad_entropy / total;
  const Value where0 = aten::where(eq0, grad_logprob, 0);
  const Value softmax0 = aten::softmax(scaled);
  const Value sum0 = aten::sum(where0);
  const Value div1 = grad_grad_logits / temperature;
  const Value mul0 = div1 * sum0;
  const Value sum1 = aten::sum(div1 * softmax0);
  const Value sum2 = aten::sum(-(mul0 * softmax0));
  const Value mul1 = softmax0 * (-mul0 - sum2);
  const Value sum3 = aten::sum(div1 * power);
  const Value mul2 = sum3 * grad_entropy;
  const Value stop_grad1 = aten::detach(logits);
  const Value where1 = aten::where(eq1, stop_grad1, logits);
  const Value sub0 = where1 / temperature - stop_grad0;
  const Value exp0 = aten::exp(sub0);
  const Value mul3 = exp0 * sub0;
  const Value where2 = aten::where(eq1, 0, mul3);
  const Value sum4 = aten::sum(where2);
  const Value div2 = sum4 / total / total;
  const Value stop_grad2 = aten::detach(grad_entropy);
  const Value where3 = aten::where(eq1, stop_grad2, grad_entropy);
  const Value div3 = where3 / total;
  const Value where4 = aten::where(eq1, 0, -(div3 * sub0));
  const Value stop_grad3 = aten::detach(grad_grad_logits);
  const Value where5 = aten::where(eq0, grad_grad_logits, stop_grad3);
  const Value where6 = aten::where(eq0, where5 / temperature - sum1, 0);
  const Value where7 = aten::where(eq1, stop_grad3, grad_grad_logits);
  const Value div4 = where7 / temperature;
  const Value where8 = aten::where(eq1, 0, -(div4 * exp0) - mul3 * div4);
  const Value sum5 = aten::sum(where8);
  const Value add0 = sum3 + sum5;
  const Value where9 = aten::where(eq1, 0, -(div4 * div3));
  const Value add1 = div1 * (where4 + (div2 * grad_entropy + div0)) + where9;
  const Value neg0 = -(div2 / total * mul2);
  const Value div5 = sum3 * where3 / total / total;
  const Value where10 = aten::where(eq1, 0, div5 * sub0);
  const Value sub1 = neg0 - div0 / total * add0;
  const Value where11 = aten::where(eq1, 0, div5 * exp0 - div3 * exp0 * div4);
  const Value add2 = add1 + where10 + (sub1 - div2 * (mul2 / total));
  writes[0] = aten::sum(where6);
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
    .reads_index = true,
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
    .reads_index = true,
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
    .reads_index = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::token_logprob
