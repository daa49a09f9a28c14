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
  const bool has_grad_logprob = params[1].as<bool>();
  const bool has_grad_entropy = params[2].as<bool>();
  const Value scaled = logits / temperature;
  const Value amax0 = aten::amax(scaled);
  const Value stop_grad0 = aten::detach(amax0);
  const Value shifted = scaled - stop_grad0;
  const Value power = aten::exp(shifted);
  const Value total = aten::sum(power);
  const Value eq0 = scaled == -INFINITY;
  const Value where0 = aten::where(condition(has_grad_logprob, reads[0]), grad_logprob, 0);
  const Value where1 = aten::where(index == token, where0, 0);
  const Value softmax0 = aten::softmax(scaled);
  const Value sum0 = aten::sum(where1);
  const Value stop_grad1 = aten::detach(logits);
  const Value where2 = aten::where(eq0, stop_grad1, logits);
  const Value sub0 = where2 / temperature - stop_grad0;
  const Value exp0 = aten::exp(sub0);
  const Value where3 = aten::where(eq0, 0, exp0 * sub0);
  const Value sum1 = aten::sum(where3);
  const Value where4 = aten::where(condition(has_grad_entropy, reads[0]), logits, stop_grad1);
  const Value exp1 = aten::exp(where4 / temperature - stop_grad0);
  const Value stop_grad2 = aten::detach(grad_entropy);
  const Value where5 = aten::where(condition(has_grad_entropy, reads[0]), grad_entropy, stop_grad2);
  const Value where6 = aten::where(eq0, stop_grad2, grad_entropy);
  const Value stop_grad3 = aten::detach(where2);
  const Value where7 = aten::where(condition(has_grad_entropy, reads[0]), where2, stop_grad3);
  const Value exp2 = aten::exp(where7 / temperature - stop_grad0);
  const Value stop_grad4 = aten::detach(where6);
  const Value where8 = aten::where(condition(has_grad_entropy, reads[0]), where6, stop_grad4);
  const Value where9 = aten::where(condition(has_grad_entropy, reads[0]), -(where8 / total * exp2),
      0);
  const Value where10 = aten::where(eq0, 0, where9);
  const Value stop_grad5 = aten::detach(where4);
  const Value where11 = aten::where(eq0, stop_grad5, where4);
  const Value stop_grad6 = aten::detach(token);
  const Value where12 = aten::where(condition(has_grad_logprob, reads[0]), token, stop_grad6);
  const Value stop_grad7 = aten::detach(index);
  const Value where13 = aten::where(condition(has_grad_logprob, reads[0]), index, stop_grad7);
  const Value where14 = aten::where(where13 == where12, where0, 0);
  const Value stop_grad8 = aten::detach(softmax0);
  const Value where15 = aten::where(condition(has_grad_logprob, reads[0]), softmax0, stop_grad8);
  const Value where16 = aten::where(condition(has_grad_logprob, reads[0]), where14 - where15 * sum0,
      0);
  const Value stop_grad9 = aten::detach(where5);
  const Value where17 = aten::where(condition(has_grad_entropy, reads[0]), grad_entropy,
      stop_grad9);
  const Value where18 = aten::where(eq0, stop_grad9, where5);
  const Value stop_grad10 = aten::detach(where11);
  const Value where19 = aten::where(condition(has_grad_entropy, reads[0]), where11, stop_grad10);
  const Value stop_grad11 = aten::detach(where18);
  const Value where20 = aten::where(condition(has_grad_entropy, reads[0]), where18, stop_grad11);
  const Value neg0 = -(where20 / total * (where19 / temperature - stop_grad0));
  const Value where21 = aten::where(condition(has_grad_entropy, reads[0]), neg0, 0);
  const Value where22 = aten::where(eq0, 0, where21);
  const Value add0 = sum1 / total / total * where17 + where17 / total;
  const Value where23 = aten::where(condition(has_grad_entropy, reads[0]), add0, 0);
  const Value where24 = aten::where(condition(has_grad_entropy, reads[0]), (where22 + where23) *
      exp1, 0);
  writes[0] = (where16 + (where10 + where24)) / temperature;
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
  const bool has_grad_logprob = params[1].as<bool>();
  const bool has_grad_entropy = params[2].as<bool>();
  const Value scaled = logits / temperature;
  const Value amax0 = aten::amax(scaled);
  const Value stop_grad0 = aten::detach(amax0);
  const Value shifted = scaled - stop_grad0;
  const Value power = aten::exp(shifted);
  const Value total = aten::sum(power);
  const Value eq0 = index == token;
  const Value eq1 = scaled == -INFINITY;
  const Value where0 = aten::where(condition(has_grad_logprob, reads[0]), grad_logprob, 0);
  const Value where1 = aten::where(eq0, where0, 0);
  const Value softmax0 = aten::softmax(scaled);
  const Value sum0 = aten::sum(where1);
  const bool logical_or0 = has_grad_logprob | has_grad_entropy;
  const Value div0 = grad_grad_logits / temperature;
  const Value sum1 = aten::sum(div0 * softmax0);
  const Value sum2 = aten::sum(-(div0 * sum0 * softmax0));
  const Value sum3 = aten::sum(div0 * power);
  const Value stop_grad1 = aten::detach(logits);
  const Value where2 = aten::where(eq1, stop_grad1, logits);
  const Value sub0 = where2 / temperature - stop_grad0;
  const Value exp0 = aten::exp(sub0);
  const Value mul0 = exp0 * sub0;
  const Value where3 = aten::where(eq1, 0, mul0);
  const Value sum4 = aten::sum(where3);
  const Value div1 = sum4 / total / total;
  const Value stop_grad2 = aten::detach(grad_entropy);
  const Value stop_grad3 = aten::detach(where2);
  const Value where4 = aten::where(condition(has_grad_entropy, reads[0]), where2, stop_grad3);
  const Value sub1 = where4 / temperature - stop_grad0;
  const Value exp1 = aten::exp(sub1);
  const Value stop_grad4 = aten::detach(softmax0);
  const Value stop_grad5 = aten::detach(grad_grad_logits);
  const Value where5 = aten::where(eq0, grad_grad_logits, stop_grad5);
  const Value where6 = aten::where(eq0, where5 / temperature - sum1, 0);
  const Value where7 = aten::where(eq1, stop_grad5, grad_grad_logits);
  const Value div2 = where7 / temperature;
  const Value mul1 = div2 * exp0;
  const Value where8 = aten::where(eq1, 0, -(mul0 * div2) - mul1);
  const Value sum5 = aten::sum(where8);
  const Value stop_grad6 = aten::detach(where7);
  const Value where9 = aten::where(condition(has_grad_entropy, reads[0]), where7, stop_grad6);
  const Value where10 = aten::where(condition(has_grad_entropy, reads[0]), -(exp1 * sub1 * (where9 /
      temperature)), 0);
  const Value where11 = aten::where(eq1, 0, where10 - mul1);
  const Value sum6 = aten::sum(where11);
  const Value where12 = aten::where(condition(logical_or0, reads[0]), logits, stop_grad1);
  const Value stop_grad7 = aten::detach(where12);
  const Value where13 = aten::where(eq1, stop_grad7, where12);
  const Value where14 = aten::where(condition(logical_or0, reads[0]), grad_entropy, stop_grad2);
  const Value where15 = aten::where(condition(has_grad_entropy, reads[0]), where12, stop_grad7);
  const Value exp2 = aten::exp(where15 / temperature - stop_grad0);
  const Value stop_grad8 = aten::detach(where14);
  const Value where16 = aten::where(condition(has_grad_entropy, reads[0]), where14, stop_grad8);
  const Value where17 = aten::where(eq1, stop_grad8, where14);
  const Value stop_grad9 = aten::detach(where13);
  const Value where18 = aten::where(condition(has_grad_entropy, reads[0]), where13, stop_grad9);
  const Value exp3 = aten::exp(where18 / temperature - stop_grad0);
  const Value stop_grad10 = aten::detach(where17);
  const Value where19 = aten::where(condition(has_grad_entropy, reads[0]), where17, stop_grad10);
  const Value stop_grad11 = aten::detach(where15);
  const Value where20 = aten::where(eq1, stop_grad11, where15);
  const Value where21 = aten::where(condition(logical_or0, reads[0]), softmax0, stop_grad4);
  const Value where22 = aten::where(condition(logical_or0, reads[0]), grad_grad_logits, stop_grad5);
  const Value stop_grad12 = aten::detach(where21);
  const Value where23 = aten::where(condition(has_grad_logprob, reads[0]), where21, stop_grad12);
  const Value stop_grad13 = aten::detach(where22);
  const Value where24 = aten::where(condition(has_grad_logprob, reads[0]), where22, stop_grad13);
  const Value mul2 = where23 * (-(where24 / temperature * sum0) - sum2);
  const Value where25 = aten::where(condition(has_grad_logprob, reads[0]), mul2, 0);
  const Value where26 = aten::where(condition(has_grad_entropy, reads[0]), where22, stop_grad13);
  const Value where27 = aten::where(condition(has_grad_entropy, reads[0]), sum3 * where19 / total /
      total * exp3, 0);
  const Value where28 = aten::where(eq1, 0, where27);
  const Value where29 = aten::where(condition(has_grad_entropy, reads[0]), where12, stop_grad11);
  const Value stop_grad14 = aten::detach(where16);
  const Value where30 = aten::where(condition(has_grad_entropy, reads[0]), where14, stop_grad14);
  const Value where31 = aten::where(eq1, stop_grad14, where16);
  const Value stop_grad15 = aten::detach(where20);
  const Value where32 = aten::where(condition(has_grad_entropy, reads[0]), where20, stop_grad15);
  const Value sub2 = where32 / temperature - stop_grad0;
  const Value exp4 = aten::exp(sub2);
  const Value stop_grad16 = aten::detach(where31);
  const Value where33 = aten::where(condition(has_grad_entropy, reads[0]), where31, stop_grad16);
  const Value stop_grad17 = aten::detach(where29);
  const Value where34 = aten::where(eq1, stop_grad17, where29);
  const Value stop_grad18 = aten::detach(where26);
  const Value where35 = aten::where(eq1, stop_grad18, where26);
  const Value where36 = aten::where(condition(has_grad_entropy, reads[0]), where22, stop_grad18);
  const Value stop_grad19 = aten::detach(where35);
  const Value where37 = aten::where(condition(has_grad_entropy, reads[0]), where35, stop_grad19);
  const Value mul3 = sum3 * where30;
  const Value where38 = aten::where(condition(has_grad_entropy, reads[0]), sum3 * where33 / total /
      total * sub2, 0);
  const Value where39 = aten::where(eq1, 0, where38);
  const Value neg0 = -(where33 / total * exp4 * (where37 / temperature));
  const Value where40 = aten::where(condition(has_grad_entropy, reads[0]), neg0, 0);
  const Value where41 = aten::where(eq1, 0, where40);
  const Value stop_grad20 = aten::detach(where30);
  const Value where42 = aten::where(condition(has_grad_entropy, reads[0]), where14, stop_grad20);
  const Value where43 = aten::where(eq1, stop_grad20, where30);
  const Value stop_grad21 = aten::detach(where34);
  const Value where44 = aten::where(condition(has_grad_entropy, reads[0]), where34, stop_grad21);
  const Value stop_grad22 = aten::detach(where43);
  const Value where45 = aten::where(condition(has_grad_entropy, reads[0]), where43, stop_grad22);
  const Value neg1 = -(where45 / total * (where44 / temperature - stop_grad0));
  const Value where46 = aten::where(condition(has_grad_entropy, reads[0]), neg1, 0);
  const Value where47 = aten::where(eq1, 0, where46);
  const Value where48 = aten::where(condition(has_grad_entropy, reads[0]), div1 * where42 + where42
      / total, 0);
  const Value stop_grad23 = aten::detach(where36);
  const Value where49 = aten::where(eq1, stop_grad23, where36);
  const Value where50 = aten::where(eq1, 0, -(where49 / temperature * (where43 / total)));
  const Value add0 = where36 / temperature * (where47 + where48) + where50;
  const Value mul4 = where30 / total / total * (sum3 + sum6);
  const Value sub3 = -(div1 / total * mul3) - mul4;
  const Value where51 = aten::where(condition(has_grad_entropy, reads[0]), add0 + (sub3 - div1 *
      (mul3 / total)), 0);
  const Value where52 = aten::where(condition(has_grad_entropy, reads[0]), where41 + (where51 +
      where39) * exp2, 0);
  writes[0] = aten::sum(where6);
  writes[1] = sum3 * div1 + (sum3 + sum5) / total;
  writes[2] = aten::where(condition(logical_or0, reads[0]), (where25 + (where52 + where28)) /
      temperature, 0);
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
    .arrivals = {1, 2},
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
    .arrivals = {0, 1},
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
