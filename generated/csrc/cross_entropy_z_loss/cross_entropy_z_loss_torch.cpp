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
  const Value log_p = aten::log_softmax(logits);
  const Value eq0 = index == target;
  const Value mean0 = aten::mean(log_p);
  const Value smooth = aten::where(condition(smoothing > 0, reads[0]), smoothing * mean0, 0);
  const Value amax0 = aten::amax(logits);
  const Value largest = aten::detach(amax0);
  const Value exp0 = aten::exp(logits - largest);
  const Value sum0 = aten::sum(exp0);
  const Value log0 = aten::log(sum0);
  const Value lse = log0 + largest;
  const Value square0 = aten::square(lse);
  const Value penalty = z_scale * square0;
  const Value ignored = target == ignore_index;
  const Value stop_grad0 = aten::detach(log_p);
  const Value where0 = aten::where(eq0, log_p, stop_grad0);
  const Value where1 = aten::where(eq0, where0, 0);
  const Value picked = aten::sum(where1);
  const Value smoothed = -((1 - smoothing) * picked) - smooth;
  writes[0] = aten::where(ignored, 0, smoothed + penalty);
  writes[1] = aten::where(ignored, 0, penalty);
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
  const Value amax0 = aten::amax(logits);
  const Value largest = aten::detach(amax0);
  const Value exp0 = aten::exp(logits - largest);
  const Value sum0 = aten::sum(exp0);
  const Value log0 = aten::log(sum0);
  const Value lse = log0 + largest;
  const Value ignored = target == ignore_index;
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
  const Value where4 = aten::where(condition(gt0, reads[0]), target, stop_grad1);
  const Value where5 = aten::where(condition(gt0, reads[0]), grad_loss, stop_grad2);
  const Value where6 = aten::where(where4 == ignore_index, 0, -(where5 * smoothing));
  const Value where7 = aten::where(condition(gt0, reads[0]), where6, 0);
  const Value where8 = aten::where(eq0, target, stop_grad1);
  const Value where9 = aten::where(eq0, grad_loss, stop_grad2);
  const Value where10 = aten::where(where8 == ignore_index, 0, -(where9 * (1 - smoothing)));
  const Value where11 = aten::where(eq0, where10, 0);
  const Value add0 = where7 / length + where11;
  const Value sum1 = aten::sum(add0);
  writes[0] = where3 + (add0 - softmax0 * sum1);
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
  const Value mul0 = (grad_z_loss + grad_loss) * z_scale;
  const Value mul1 = 2 * lse;
  const Value softmax0 = aten::softmax(logits);
  const Value sum1 = aten::sum(grad_grad_logits * softmax0);
  const Value where0 = aten::where(eq0, grad_grad_logits - sum1, 0);
  const Value sum2 = aten::sum(grad_grad_logits);
  const Value neg0 = -((sum2 - length * sum1) / length * smoothing);
  const Value where1 = aten::where(condition(gt0, reads[0]), neg0, 0);
  const Value sum3 = aten::sum(where0);
  const Value where2 = aten::where(ignored, 0, where1 - sum3 * sub0);
  const Value stop_grad0 = aten::detach(logits);
  const Value where3 = aten::where(ignored, stop_grad0, logits);
  const Value stop_grad1 = aten::detach(target);
  const Value exp1 = aten::exp(where3 - largest);
  const Value stop_grad2 = aten::detach(grad_loss);
  const Value where4 = aten::where(ignored, stop_grad2, grad_loss);
  const Value stop_grad3 = aten::detach(grad_z_loss);
  const Value where5 = aten::where(ignored, stop_grad3, grad_z_loss);
  const Value where6 = aten::where(condition(gt0, reads[0]), target, stop_grad1);
  const Value where7 = aten::where(condition(gt0, reads[0]), grad_loss, stop_grad2);
  const Value where8 = aten::where(where6 == ignore_index, 0, -(where7 * smoothing));
  const Value where9 = aten::where(condition(gt0, reads[0]), where8, 0);
  const Value where10 = aten::where(eq0, target, stop_grad1);
  const Value where11 = aten::where(eq0, grad_loss, stop_grad2);
  const Value where12 = aten::where(where10 == ignore_index, 0, -(where11 * sub0));
  const Value where13 = aten::where(eq0, where12, 0);
  const Value sum4 = aten::sum(where9 / length + where13);
  const Value stop_grad4 = aten::detach(grad_grad_logits);
  const Value where14 = aten::where(ignored, stop_grad4, grad_grad_logits);
  const Value where15 = aten::where(ignored, 0, where14 * exp1);
  const Value sum5 = aten::sum(where15);
  const Value div0 = sum5 / sum0;
  const Value mul2 = div0 * mul1 * z_scale;
  const Value mul3 = grad_grad_logits * sum4;
  const Value sum6 = aten::sum(-(mul3 * softmax0));
  const Value mul4 = where14 * ((where5 + where4) * z_scale * mul1 / sum0);
  const Value where16 = aten::where(ignored, 0, mul4);
  const Value mul5 = mul0 * mul1 / sum0 / sum0 * sum5;
  const Value add0 = where16 + (div0 * mul0 * 2 / sum0 - mul5);
  writes[0] = where2 + mul2;
  writes[1] = mul2;
  writes[2] = softmax0 * (-mul3 - sum6) + add0 * exp0;
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
