// Generated from specs/losses/cross_entropy_z_loss.yaml by `fusewise generate`. Do not edit.
// The formulas stand in cross_entropy_z_loss.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::cross_entropy_z_loss {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& logits = reads[0];
  const Value& target = reads[1];
  const Value index = reads[2];
  const double z_scale = params[0].as<double>();
  const double smoothing = params[1].as<double>();
  const double ignore_index = params[2].as<double>();
  const bool gt0 = smoothing > 0;
  const Value amax0 = aten::amax(logits);
  const Value largest = aten::detach(amax0);
  const Value ignored = target == ignore_index;
  const Value stop_grad0 = aten::detach(logits);
  const Value where0 = aten::where(ignored, stop_grad0, logits);
  const Value log_softmax0 = aten::log_softmax(where0);
  const Value stop_grad1 = aten::detach(log_softmax0);
  const Value where1 = aten::where(index == target, log_softmax0, 0);
  const Value sum0 = aten::sum(where1);
  const Value where2 = aten::where(condition(gt0, reads[0]), log_softmax0, stop_grad1);
  const Value mean0 = aten::mean(where2);
  const Value where3 = aten::where(condition(gt0, reads[0]), smoothing * mean0, 0);
  const Value where4 = aten::where(ignored, largest, amax0);
  const Value stop_grad2 = aten::detach(where4);
  const Value exp0 = aten::exp(where0 - stop_grad2);
  const Value sum1 = aten::sum(exp0);
  const Value log0 = aten::log(sum1);
  const Value square0 = aten::square(log0 + stop_grad2);
  const Value mul0 = z_scale * square0;
  const Value add0 = -((1 - smoothing) * sum0) - where3 + mul0;
  writes[0] = aten::where(ignored, 0, add0);
  writes[1] = aten::where(ignored, 0, mul0);
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_loss = reads[0];
  const Value& grad_z_loss = reads[1];
  const Value& logits = reads[2];
  const Value& target = reads[3];
  const Value length = row_length(reads[6]);
  const Value index = reads[6];
  const double z_scale = params[0].as<double>();
  const double smoothing = params[1].as<double>();
  const double ignore_index = params[2].as<double>();
  const Value eq0 = index == target;
  const bool gt0 = smoothing > 0;
  const double sub0 = 1 - smoothing;
  const Value amax0 = aten::amax(logits);
  const Value largest = aten::detach(amax0);
  const Value exp0 = aten::exp(logits - largest);
  const Value sum0 = aten::sum(exp0);
  const Value log0 = aten::log(sum0);
  const Value lse = log0 + largest;
  const Value ignored = target == ignore_index;
  const Value logical_not0 = aten::logical_not(ignored);
  const Value softmax0 = aten::softmax(logits);
  const Value stop_grad0 = aten::detach(logits);
  const Value where0 = aten::where(ignored, stop_grad0, logits);
  const Value stop_grad1 = aten::detach(target);
  const Value exp1 = aten::exp(where0 - largest);
  const Value stop_grad2 = aten::detach(grad_loss);
  const Value where1 = aten::where(ignored, stop_grad2, grad_loss);
  const Value stop_grad3 = aten::detach(grad_z_loss);
  const Value where2 = aten::where(ignored, stop_grad3, grad_z_loss);
  const Value div0 = (where2 + where1) * z_scale * (2 * lse) / sum0;
  const Value where3 = aten::where(ignored, 0, div0 * exp1);
  const Value where4 = aten::where(condition(gt0, reads[0]), grad_loss, stop_grad2);
  const Value stop_grad4 = aten::detach(where4);
  const Value where5 = aten::where(ignored, stop_grad4, where4);
  const Value where6 = aten::where(ignored, 0, -(where5 * smoothing / length));
  const Value where7 = aten::where(condition(gt0, reads[0]), where6, 0);
  const Value where8 = aten::where(eq0, target, stop_grad1);
  const Value where9 = aten::where(eq0, grad_loss, stop_grad2);
  const Value where10 = aten::where(where8 == ignore_index, 0, -(where9 * sub0));
  const Value where11 = aten::where(eq0, where10, 0);
  const Value sum1 = aten::sum(where7 + where11);
  const Value where12 = aten::where(logical_not0, target, stop_grad1);
  const Value where13 = aten::where(logical_not0, grad_loss, stop_grad2);
  const Value stop_grad5 = aten::detach(where13);
  const Value stop_grad6 = aten::detach(where12);
  const Value where14 = aten::where(condition(gt0, reads[0]), where13, stop_grad5);
  const Value stop_grad7 = aten::detach(where14);
  const Value where15 = aten::where(ignored, stop_grad7, where14);
  const Value where16 = aten::where(ignored, 0, -(where15 * smoothing / length));
  const Value where17 = aten::where(condition(gt0, reads[0]), where16, 0);
  const Value where18 = aten::where(eq0, where12, stop_grad6);
  const Value where19 = aten::where(eq0, where13, stop_grad5);
  const Value where20 = aten::where(where18 == ignore_index, 0, -(where19 * sub0));
  const Value where21 = aten::where(eq0, where20, 0);
  const Value stop_grad8 = aten::detach(softmax0);
  const Value where22 = aten::where(logical_not0, softmax0, stop_grad8);
  const Value where23 = aten::where(logical_not0, where17 + where21 - where22 * sum1, 0);
  writes[0] = where3 + where23;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_logits = reads[0];
  const Value& grad_loss = reads[1];
  const Value& grad_z_loss = reads[2];
  const Value& logits = reads[3];
  const Value& target = reads[4];
  const Value length = row_length(reads[5]);
  const Value index = reads[5];
  const double z_scale = params[0].as<double>();
  const double smoothing = params[1].as<double>();
  const double ignore_index = params[2].as<double>();
  const Value eq0 = index == target;
  const bool gt0 = smoothing > 0;
  const double sub0 = 1 - smoothing;
  const Value amax0 = aten::amax(logits);
  const Value largest = aten::detach(amax0);
  const Value exp0 = aten::exp(logits - largest);
  const Value sum0 = aten::sum(exp0);
  const Value log0 = aten::log(sum0);
  const Value lse = log0 + largest;
  const Value ignored = target == ignore_index;
  const Value mul0 = 2 * lse;
  const Value logical_not0 = aten::logical_not(ignored);
  const Value softmax0 = aten::softmax(logits);
  const Value sum1 = aten::sum(grad_grad_logits * softmax0);
  const Value sum2 = aten::sum(grad_grad_logits);
  const Value neg0 = -((sum2 - length * sum1) / length * smoothing);
  const Value where0 = aten::where(logical_not0, neg0, 0);
  const Value where1 = aten::where(condition(gt0, reads[0]), where0, 0);
  const Value sum3 = aten::sum(grad_grad_logits * exp0);
  const Value div0 = sum3 / sum0;
  const Value where2 = aten::where(logical_not0, div0 * mul0 * z_scale, 0);
  const Value stop_grad0 = aten::detach(logits);
  const Value stop_grad1 = aten::detach(target);
  const Value stop_grad2 = aten::detach(grad_loss);
  const Value stop_grad3 = aten::detach(grad_z_loss);
  const Value where3 = aten::where(condition(gt0, reads[0]), grad_loss, stop_grad2);
  const Value stop_grad4 = aten::detach(where3);
  const Value where4 = aten::where(ignored, stop_grad4, where3);
  const Value where5 = aten::where(ignored, 0, -(where4 * smoothing / length));
  const Value where6 = aten::where(condition(gt0, reads[0]), where5, 0);
  const Value where7 = aten::where(eq0, target, stop_grad1);
  const Value where8 = aten::where(eq0, grad_loss, stop_grad2);
  const Value where9 = aten::where(where7 == ignore_index, 0, -(where8 * sub0));
  const Value where10 = aten::where(eq0, where9, 0);
  const Value sum4 = aten::sum(where6 + where10);
  const Value where11 = aten::where(logical_not0, logits, stop_grad0);
  const Value where12 = aten::where(logical_not0, grad_loss, stop_grad2);
  const Value stop_grad5 = aten::detach(where12);
  const Value where13 = aten::where(ignored, stop_grad5, grad_loss);
  const Value stop_grad6 = aten::detach(softmax0);
  const Value where14 = aten::where(logical_not0, softmax0, stop_grad6);
  const Value stop_grad7 = aten::detach(grad_grad_logits);
  const Value where15 = aten::where(logical_not0, grad_grad_logits, stop_grad7);
  const Value where16 = aten::where(eq0, grad_grad_logits, stop_grad7);
  const Value stop_grad8 = aten::detach(where16);
  const Value where17 = aten::where(logical_not0, where16, stop_grad8);
  const Value where18 = aten::where(logical_not0, where17 - sum1, 0);
  const Value where19 = aten::where(eq0, where18, 0);
  const Value sum5 = aten::sum(where19);
  const Value where20 = aten::where(ignored, 0, where1 - sum5 * sub0);
  const Value exp1 = aten::exp(where11 - largest);
  const Value sum6 = aten::sum(-(grad_grad_logits * sum4 * softmax0));
  const Value where21 = aten::where(logical_not0, grad_z_loss, stop_grad3);
  const Value mul1 = where14 * (-(where15 * sum4) - sum6);
  const Value stop_grad9 = aten::detach(where21);
  const Value where22 = aten::where(ignored, stop_grad9, grad_z_loss);
  const Value stop_grad10 = aten::detach(where15);
  const Value where23 = aten::where(ignored, stop_grad10, grad_grad_logits);
  const Value mul2 = where23 * ((where22 + where13) * z_scale * mul0 / sum0);
  const Value where24 = aten::where(ignored, 0, mul2);
  const Value where25 = aten::where(logical_not0, grad_loss, stop_grad5);
  const Value where26 = aten::where(logical_not0, grad_z_loss, stop_grad9);
  const Value mul3 = (where26 + where25) * z_scale;
  const Value mul4 = mul3 * mul0 / sum0 / sum0 * sum3;
  const Value where27 = aten::where(logical_not0, div0 * mul3 * 2 / sum0 - mul4, 0);
  writes[0] = where20 + where2;
  writes[1] = where2;
  writes[2] = aten::where(logical_not0, mul1 + (where24 + where27) * exp1, 0);
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
    .needs_elements = true,
    .reads_index = true,
};

const Pass kBackward = {
    .schema = "cross_entropy_z_loss_backward(Tensor? grad_loss, Tensor? grad_z_loss, Tensor? "
              "logits, Tensor? target, Tensor? kept_total0, Tensor? kept_total1, *, float "
              "z_scale, float smoothing, int ignore_index, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_loss", .optional = true, .extent = Extent::kRow},
               {.name = "grad_z_loss", .optional = true, .extent = Extent::kRow},
               {.name = "logits"},
               {.name = "target", .kind = Kind::kInt, .extent = Extent::kRow},
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
    .reads_index = true,
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
    .kept_totals = 2,
    .reduces = true,
    .needs_elements = true,
    .reads_index = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::cross_entropy_z_loss
