// Generated from specs/losses/softcapped_cross_entropy.yaml by `fusewise generate`. Do not edit.
// The formulas stand in softcapped_cross_entropy.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::softcapped_cross_entropy {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& logits = reads[0];
  const Value& target = reads[1];
  const Value index = reads[2];
  const double cap = params[0].as<double>();
  const double ignore_index = params[1].as<double>();
  const Value eq0 = target == ignore_index;
  const Value stop_grad0 = aten::detach(logits);
  const Value where0 = aten::where(eq0, stop_grad0, logits);
  const Value tanh0 = aten::tanh(where0 / cap);
  const Value log_softmax0 = aten::log_softmax(cap * tanh0);
  const Value where1 = aten::where(index == target, log_softmax0, 0);
  const Value sum0 = aten::sum(where1);
  writes[0] = aten::where(eq0, 0, -sum0);
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_loss = reads[0];
  const Value& logits = reads[1];
  const Value& target = reads[2];
  const Value index = reads[5];
  const double cap = params[0].as<double>();
  const double ignore_index = params[1].as<double>();
  const Value tanh0 = aten::tanh(logits / cap);
  const Value eq0 = index == target;
  const Value logical_not0 = aten::logical_not(target == ignore_index);
  const Value softmax0 = aten::softmax(cap * tanh0);
  const Value stop_grad0 = aten::detach(logits);
  const Value stop_grad1 = aten::detach(target);
  const Value where0 = aten::where(eq0, target, stop_grad1);
  const Value stop_grad2 = aten::detach(grad_loss);
  const Value where1 = aten::where(eq0, grad_loss, stop_grad2);
  const Value where2 = aten::where(where0 == ignore_index, 0, -where1);
  const Value where3 = aten::where(eq0, where2, 0);
  const Value sum0 = aten::sum(where3);
  const Value where4 = aten::where(logical_not0, logits, stop_grad0);
  const Value where5 = aten::where(logical_not0, target, stop_grad1);
  const Value where6 = aten::where(logical_not0, grad_loss, stop_grad2);
  const Value stop_grad3 = aten::detach(where5);
  const Value where7 = aten::where(eq0, where5, stop_grad3);
  const Value stop_grad4 = aten::detach(where6);
  const Value where8 = aten::where(eq0, where6, stop_grad4);
  const Value where9 = aten::where(where7 == ignore_index, 0, -where8);
  const Value where10 = aten::where(eq0, where9, 0);
  const Value stop_grad5 = aten::detach(softmax0);
  const Value where11 = aten::where(logical_not0, softmax0, stop_grad5);
  const Value mul0 = (where10 - where11 * sum0) * cap;
  const Value mul1 = 2 * (where4 / cap);
  const Value sigmoid0 = aten::sigmoid(mul1);
  const Value sigmoid1 = aten::sigmoid(-mul1);
  writes[0] = aten::where(logical_not0, mul0 * (4 * (sigmoid0 * sigmoid1)) / cap, 0);
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_logits = reads[0];
  const Value& grad_loss = reads[1];
  const Value& logits = reads[2];
  const Value& target = reads[3];
  const Value index = reads[4];
  const double cap = params[0].as<double>();
  const double ignore_index = params[1].as<double>();
  const Value div0 = logits / cap;
  const Value tanh0 = aten::tanh(div0);
  const Value eq0 = index == target;
  const Value eq1 = target == ignore_index;
  const Value logical_not0 = aten::logical_not(eq1);
  const Value softmax0 = aten::softmax(cap * tanh0);
  const Value mul0 = 2 * div0;
  const Value stop_grad0 = aten::detach(logits);
  const Value where0 = aten::where(eq0, logits, stop_grad0);
  const Value stop_grad1 = aten::detach(target);
  const Value where1 = aten::where(eq0, target, stop_grad1);
  const Value stop_grad2 = aten::detach(grad_loss);
  const Value where2 = aten::where(eq0, grad_loss, stop_grad2);
  const Value where3 = aten::where(where1 == ignore_index, 0, -where2);
  const Value where4 = aten::where(eq0, where3, 0);
  const Value sum0 = aten::sum(where4);
  const Value where5 = aten::where(logical_not0, logits, stop_grad0);
  const Value where6 = aten::where(logical_not0, target, stop_grad1);
  const Value div1 = where5 / cap;
  const Value tanh1 = aten::tanh(div1);
  const Value where7 = aten::where(logical_not0, grad_loss, stop_grad2);
  const Value stop_grad3 = aten::detach(where6);
  const Value where8 = aten::where(eq0, where6, stop_grad3);
  const Value stop_grad4 = aten::detach(where7);
  const Value where9 = aten::where(eq0, where7, stop_grad4);
  const Value where10 = aten::where(where8 == ignore_index, 0, -where9);
  const Value where11 = aten::where(eq0, where10, 0);
  const Value stop_grad5 = aten::detach(softmax0);
  const Value where12 = aten::where(logical_not0, softmax0, stop_grad5);
  const Value mul1 = 2 * div1;
  const Value sigmoid0 = aten::sigmoid(mul1);
  const Value sigmoid1 = aten::sigmoid(-mul1);
  const Value mul2 = 4 * (sigmoid0 * sigmoid1);
  const Value stop_grad6 = aten::detach(grad_grad_logits);
  const Value where13 = aten::where(logical_not0, grad_grad_logits, stop_grad6);
  const Value div2 = where13 / cap;
  const Value where14 = aten::where(eq0, grad_grad_logits, stop_grad6);
  const Value stop_grad7 = aten::detach(where0);
  const Value where15 = aten::where(logical_not0, where0, stop_grad7);
  const Value stop_grad8 = aten::detach(where14);
  const Value where16 = aten::where(logical_not0, where14, stop_grad8);
  const Value mul3 = div2 * ((where11 - where12 * sum0) * cap);
  const Value sigmoid2 = aten::sigmoid(mul0);
  const Value sigmoid3 = aten::sigmoid(-mul0);
  const Value mul4 = grad_grad_logits / cap * (4 * (sigmoid2 * sigmoid3));
  const Value sum1 = aten::sum(mul4 * softmax0);
  const Value mul5 = 2 * (where15 / cap);
  const Value sigmoid4 = aten::sigmoid(mul5);
  const Value sigmoid5 = aten::sigmoid(-mul5);
  const Value mul6 = where16 / cap * (4 * (sigmoid4 * sigmoid5)) * cap;
  const Value where17 = aten::where(logical_not0, mul6 - cap * sum1, 0);
  const Value where18 = aten::where(eq0, where17, 0);
  const Value sum2 = aten::sum(where18);
  const Value sum3 = aten::sum(-(mul4 * cap * sum0 * softmax0));
  const Value mul7 = mul3 * (-2 * tanh1 * mul2);
  const Value sub0 = -(div2 * mul2 * cap * sum0) - sum3;
  const Value div3 = (mul7 + where12 * sub0 * cap * mul2) / cap;
  writes[0] = aten::where(eq1, 0, -sum2);
  writes[1] = aten::where(logical_not0, div3, 0);
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
    .reads_index = true,
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
    .reads_index = true,
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
    .reads_index = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::softcapped_cross_entropy
