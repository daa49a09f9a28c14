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
  const bool has_grad_loss = params[3].as<bool>();
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
  const Value logical_and0 = aten::logical_and(aten::logical_not(ignored), condition(has_grad_loss,
      reads[0]));
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
  const Value stop_grad5 = aten::detach(where5);
  const Value where6 = aten::where(condition(has_grad_loss, reads[0]), where5, stop_grad5);
  const Value where7 = aten::where(condition(has_grad_loss, reads[0]), -(where6 * smoothing /
      length), 0);
  const Value where8 = aten::where(ignored, 0, where7);
  const Value where9 = aten::where(condition(gt0, reads[0]), where8, 0);
  const Value where10 = aten::where(eq0, target, stop_grad1);
  const Value where11 = aten::where(eq0, grad_loss, stop_grad2);
  const Value where12 = aten::where(condition(has_grad_loss, reads[0]), -(where11 * sub0), 0);
  const Value where13 = aten::where(where10 == ignore_index, 0, where12);
  const Value where14 = aten::where(eq0, where13, 0);
  const Value sum1 = aten::sum(where9 + where14);
  const Value where15 = aten::where(logical_and0, target, stop_grad1);
  const Value where16 = aten::where(logical_and0, grad_loss, stop_grad2);
  const Value stop_grad6 = aten::detach(where16);
  const Value stop_grad7 = aten::detach(where15);
  const Value where17 = aten::where(condition(gt0, reads[0]), where16, stop_grad6);
  const Value stop_grad8 = aten::detach(where17);
  const Value where18 = aten::where(ignored, stop_grad8, where17);
  const Value stop_grad9 = aten::detach(where18);
  const Value where19 = aten::where(condition(has_grad_loss, reads[0]), where18, stop_grad9);
  const Value where20 = aten::where(condition(has_grad_loss, reads[0]), -(where19 * smoothing /
      length), 0);
  const Value where21 = aten::where(ignored, 0, where20);
  const Value where22 = aten::where(condition(gt0, reads[0]), where21, 0);
  const Value where23 = aten::where(eq0, where15, stop_grad7);
  const Value where24 = aten::where(eq0, where16, stop_grad6);
  const Value where25 = aten::where(condition(has_grad_loss, reads[0]), -(where24 * sub0), 0);
  const Value where26 = aten::where(where23 == ignore_index, 0, where25);
  const Value where27 = aten::where(eq0, where26, 0);
  const Value stop_grad10 = aten::detach(softmax0);
  const Value where28 = aten::where(logical_and0, softmax0, stop_grad10);
  const Value where29 = aten::where(logical_and0, where22 + where27 - where28 * sum1, 0);
  writes[0] = where3 + where29;
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
  const bool has_grad_loss = params[3].as<bool>();
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
  const Value logical_and0 = aten::logical_and(logical_not0, condition(has_grad_loss, reads[0]));
  const Value softmax0 = aten::softmax(logits);
  const Value sum1 = aten::sum(grad_grad_logits * softmax0);
  const Value sum2 = aten::sum(grad_grad_logits);
  const Value neg0 = -((sum2 - length * sum1) / length * smoothing);
  const Value sum3 = aten::sum(grad_grad_logits * exp0);
  const Value div0 = sum3 / sum0;
  const Value where0 = aten::where(logical_not0, div0 * mul0 * z_scale, 0);
  const Value where1 = aten::where(logical_not0, neg0, 0);
  const Value where2 = aten::where(condition(gt0, reads[0]), where1, 0);
  const Value stop_grad0 = aten::detach(logits);
  const Value stop_grad1 = aten::detach(target);
  const Value stop_grad2 = aten::detach(grad_loss);
  const Value stop_grad3 = aten::detach(grad_z_loss);
  const Value where3 = aten::where(condition(gt0, reads[0]), grad_loss, stop_grad2);
  const Value stop_grad4 = aten::detach(where3);
  const Value where4 = aten::where(ignored, stop_grad4, where3);
  const Value stop_grad5 = aten::detach(where4);
  const Value where5 = aten::where(condition(has_grad_loss, reads[0]), where4, stop_grad5);
  const Value where6 = aten::where(condition(has_grad_loss, reads[0]), -(where5 * smoothing /
      length), 0);
  const Value where7 = aten::where(ignored, 0, where6);
  const Value where8 = aten::where(condition(gt0, reads[0]), where7, 0);
  const Value where9 = aten::where(eq0, target, stop_grad1);
  const Value where10 = aten::where(eq0, grad_loss, stop_grad2);
  const Value where11 = aten::where(condition(has_grad_loss, reads[0]), -(where10 * sub0), 0);
  const Value where12 = aten::where(where9 == ignore_index, 0, where11);
  const Value where13 = aten::where(eq0, where12, 0);
  const Value sum4 = aten::sum(where8 + where13);
  const Value stop_grad6 = aten::detach(softmax0);
  const Value where14 = aten::where(logical_and0, softmax0, stop_grad6);
  const Value where15 = aten::where(logical_not0, logits, stop_grad0);
  const Value exp1 = aten::exp(where15 - largest);
  const Value stop_grad7 = aten::detach(grad_grad_logits);
  const Value where16 = aten::where(logical_not0, grad_grad_logits, stop_grad7);
  const Value where17 = aten::where(eq0, grad_grad_logits, stop_grad7);
  const Value stop_grad8 = aten::detach(where17);
  const Value where18 = aten::where(logical_not0, where17, stop_grad8);
  const Value where19 = aten::where(logical_not0, where18 - sum1, 0);
  const Value where20 = aten::where(eq0, where19, 0);
  const Value sum5 = aten::sum(where20);
  const Value stop_grad9 = aten::detach(where16);
  const Value where21 = aten::where(logical_not0, -(sum5 * sub0), 0);
  const Value where22 = aten::where(ignored, 0, where2 + where21);
  const Value sum6 = aten::sum(-(grad_grad_logits * sum4 * softmax0));
  const Value where23 = aten::where(logical_and0, grad_grad_logits, stop_grad7);
  const Value where24 = aten::where(logical_and0, where14 * (-(where23 * sum4) - sum6), 0);
  const Value where25 = aten::where(logical_not0, grad_loss, stop_grad2);
  const Value where26 = aten::where(logical_not0, grad_z_loss, stop_grad3);
  const Value stop_grad10 = aten::detach(where25);
  const Value where27 = aten::where(ignored, stop_grad10, grad_loss);
  const Value stop_grad11 = aten::detach(where26);
  const Value where28 = aten::where(ignored, stop_grad11, grad_z_loss);
  const Value where29 = aten::where(ignored, stop_grad9, grad_grad_logits);
  const Value mul1 = where29 * ((where28 + where27) * z_scale * mul0 / sum0);
  const Value where30 = aten::where(ignored, 0, mul1);
  const Value where31 = aten::where(logical_not0, grad_loss, stop_grad10);
  const Value where32 = aten::where(logical_not0, grad_z_loss, stop_grad11);
  const Value mul2 = (where32 + where31) * z_scale;
  const Value mul3 = mul2 * mul0 / sum0 / sum0 * sum3;
  const Value where33 = aten::where(logical_not0, div0 * mul2 * 2 / sum0 - mul3, 0);
  const Value where34 = aten::where(logical_not0, (where30 + where33) * exp1, 0);
  writes[0] = where22 + where0;
  writes[1] = where0;
  writes[2] = where24 + where34;
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
    .arrivals = {1},
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
    .arrivals = {0},
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
