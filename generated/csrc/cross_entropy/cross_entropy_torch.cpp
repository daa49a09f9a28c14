// Generated from specs/losses/cross_entropy.yaml by `fusewise generate`. Do not edit.
// The formulas stand in cross_entropy.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::cross_entropy {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& logits = reads[0];
  const Value& target = reads[1];
  const Value index = reads[2];
  const double ignore_index = params[0].as<double>();
  const double smoothing = params[1].as<double>();
  const bool gt0 = smoothing > 0;
  const Value eq0 = target == ignore_index;
  const Value stop_grad0 = aten::detach(logits);
  const Value where0 = aten::where(eq0, stop_grad0, logits);
  const Value log_softmax0 = aten::log_softmax(where0);
  const Value stop_grad1 = aten::detach(log_softmax0);
  const Value where1 = aten::where(index == target, log_softmax0, 0);
  const Value sum0 = aten::sum(where1);
  const Value where2 = aten::where(condition(gt0, reads[0]), log_softmax0, stop_grad1);
  const Value mean0 = aten::mean(where2);
  const Value where3 = aten::where(condition(gt0, reads[0]), smoothing * mean0, 0);
  writes[0] = aten::where(eq0, 0, -((1 - smoothing) * sum0) - where3);
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_loss = reads[0];
  const Value& logits = reads[1];
  const Value& target = reads[2];
  const Value length = row_length(reads[5]);
  const Value index = reads[5];
  const double ignore_index = params[0].as<double>();
  const double smoothing = params[1].as<double>();
  const Value eq0 = index == target;
  const bool gt0 = smoothing > 0;
  const Value eq1 = target == ignore_index;
  const double sub0 = 1 - smoothing;
  const Value logical_not0 = aten::logical_not(eq1);
  const Value softmax0 = aten::softmax(logits);
  const Value stop_grad0 = aten::detach(target);
  const Value stop_grad1 = aten::detach(grad_loss);
  const Value where0 = aten::where(condition(gt0, reads[0]), grad_loss, stop_grad1);
  const Value stop_grad2 = aten::detach(where0);
  const Value where1 = aten::where(eq1, stop_grad2, where0);
  const Value where2 = aten::where(eq1, 0, -(where1 * smoothing / length));
  const Value where3 = aten::where(condition(gt0, reads[0]), where2, 0);
  const Value where4 = aten::where(eq0, target, stop_grad0);
  const Value where5 = aten::where(eq0, grad_loss, stop_grad1);
  const Value where6 = aten::where(where4 == ignore_index, 0, -(where5 * sub0));
  const Value where7 = aten::where(eq0, where6, 0);
  const Value sum0 = aten::sum(where3 + where7);
  const Value where8 = aten::where(logical_not0, target, stop_grad0);
  const Value where9 = aten::where(logical_not0, grad_loss, stop_grad1);
  const Value stop_grad3 = aten::detach(where9);
  const Value stop_grad4 = aten::detach(where8);
  const Value where10 = aten::where(condition(gt0, reads[0]), where9, stop_grad3);
  const Value stop_grad5 = aten::detach(where10);
  const Value where11 = aten::where(eq1, stop_grad5, where10);
  const Value where12 = aten::where(eq1, 0, -(where11 * smoothing / length));
  const Value where13 = aten::where(condition(gt0, reads[0]), where12, 0);
  const Value where14 = aten::where(eq0, where8, stop_grad4);
  const Value where15 = aten::where(eq0, where9, stop_grad3);
  const Value where16 = aten::where(where14 == ignore_index, 0, -(where15 * sub0));
  const Value where17 = aten::where(eq0, where16, 0);
  const Value stop_grad6 = aten::detach(softmax0);
  const Value where18 = aten::where(logical_not0, softmax0, stop_grad6);
  writes[0] = aten::where(logical_not0, where13 + where17 - where18 * sum0, 0);
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_logits = reads[0];
  const Value& grad_loss = reads[1];
  const Value& logits = reads[2];
  const Value& target = reads[3];
  const Value length = row_length(reads[4]);
  const Value index = reads[4];
  const double ignore_index = params[0].as<double>();
  const double smoothing = params[1].as<double>();
  const Value eq0 = index == target;
  const bool gt0 = smoothing > 0;
  const Value eq1 = target == ignore_index;
  const double sub0 = 1 - smoothing;
  const Value logical_not0 = aten::logical_not(eq1);
  const Value softmax0 = aten::softmax(logits);
  const Value sum0 = aten::sum(grad_grad_logits * softmax0);
  const Value sum1 = aten::sum(grad_grad_logits);
  const Value neg0 = -((sum1 - length * sum0) / length * smoothing);
  const Value where0 = aten::where(logical_not0, neg0, 0);
  const Value where1 = aten::where(condition(gt0, reads[0]), where0, 0);
  const Value stop_grad0 = aten::detach(target);
  const Value stop_grad1 = aten::detach(grad_loss);
  const Value where2 = aten::where(condition(gt0, reads[0]), grad_loss, stop_grad1);
  const Value stop_grad2 = aten::detach(where2);
  const Value where3 = aten::where(eq1, stop_grad2, where2);
  const Value where4 = aten::where(eq1, 0, -(where3 * smoothing / length));
  const Value where5 = aten::where(condition(gt0, reads[0]), where4, 0);
  const Value where6 = aten::where(eq0, target, stop_grad0);
  const Value where7 = aten::where(eq0, grad_loss, stop_grad1);
  const Value where8 = aten::where(where6 == ignore_index, 0, -(where7 * sub0));
  const Value where9 = aten::where(eq0, where8, 0);
  const Value sum2 = aten::sum(where5 + where9);
  const Value stop_grad3 = aten::detach(softmax0);
  const Value where10 = aten::where(logical_not0, softmax0, stop_grad3);
  const Value stop_grad4 = aten::detach(grad_grad_logits);
  const Value where11 = aten::where(logical_not0, grad_grad_logits, stop_grad4);
  const Value where12 = aten::where(eq0, grad_grad_logits, stop_grad4);
  const Value stop_grad5 = aten::detach(where12);
  const Value where13 = aten::where(logical_not0, where12, stop_grad5);
  const Value where14 = aten::where(logical_not0, where13 - sum0, 0);
  const Value where15 = aten::where(eq0, where14, 0);
  const Value sum3 = aten::sum(where15);
  const Value sum4 = aten::sum(-(grad_grad_logits * sum2 * softmax0));
  writes[0] = aten::where(eq1, 0, where1 - sum3 * sub0);
  writes[1] = aten::where(logical_not0, where10 * (-(where11 * sum2) - sum4), 0);
}

const Pass kDoubleBackward = {
    .schema = "cross_entropy_double_backward(Tensor grad_grad_logits, Tensor? grad_loss, Tensor? "
              "logits, Tensor? target, *, int ignore_index, float smoothing, bool[2] needs) -> "
              "(Tensor, Tensor)",
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
    .schema = "cross_entropy_backward(Tensor grad_loss, Tensor? logits, Tensor? target, Tensor? "
              "kept_total0, Tensor? kept_total1, *, int ignore_index, float smoothing, bool[1] "
              "needs) -> Tensor",
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
    .schema = "cross_entropy(Tensor logits, Tensor target, *, int ignore_index=-100, float "
              "smoothing=0) -> Tensor",
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
}  // namespace fusewise::ops::cross_entropy
