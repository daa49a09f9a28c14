// Generated from specs/losses/weighted_cross_entropy.yaml by `fusewise generate`. Do not edit.
// The formulas stand in weighted_cross_entropy.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::weighted_cross_entropy {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& logits = reads[0];
  const Value& target = reads[1];
  const Value& weight = reads[2];
  const Value index = reads[3];
  const double ignore_index = params[0].as<double>();
  const Value eq0 = index == target;
  const Value stop_grad0 = aten::detach(weight);
  const Value eq1 = target == ignore_index;
  const Value stop_grad1 = aten::detach(logits);
  const Value where0 = aten::where(eq1, stop_grad1, logits);
  const Value where1 = aten::where(eq1, stop_grad0, weight);
  const Value log_softmax0 = aten::log_softmax(where0);
  const Value where2 = aten::where(eq0, log_softmax0, 0);
  const Value sum0 = aten::sum(where2);
  const Value stop_grad2 = aten::detach(where1);
  const Value where3 = aten::where(eq0, where1, stop_grad2);
  const Value stop_grad3 = aten::detach(where3);
  const Value where4 = aten::where(eq0, stop_grad3, 0);
  const Value sum1 = aten::sum(where4);
  writes[0] = aten::where(eq1, 0, -(sum1 * sum0));
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_loss = reads[0];
  const Value& logits = reads[1];
  const Value& target = reads[2];
  const Value& weight = reads[3];
  const Value index = reads[7];
  const double ignore_index = params[0].as<double>();
  const Value eq0 = index == target;
  const Value stop_grad0 = aten::detach(weight);
  const Value eq1 = target == ignore_index;
  const Value logical_not0 = aten::logical_not(eq1);
  const Value softmax0 = aten::softmax(logits);
  const Value where0 = aten::where(eq0, weight, stop_grad0);
  const Value stop_grad1 = aten::detach(where0);
  const Value where1 = aten::where(eq0, stop_grad1, 0);
  const Value of_class = aten::sum(where1);
  const Value stop_grad2 = aten::detach(grad_loss);
  const Value where2 = aten::where(eq0, grad_loss, stop_grad2);
  const Value stop_grad3 = aten::detach(where2);
  const Value where3 = aten::where(eq1, stop_grad3, where2);
  const Value where4 = aten::where(eq1, 0, -(where3 * of_class));
  const Value where5 = aten::where(eq0, where4, 0);
  const Value sum0 = aten::sum(where5);
  const Value where6 = aten::where(logical_not0, grad_loss, stop_grad2);
  const Value stop_grad4 = aten::detach(where6);
  const Value where7 = aten::where(eq0, where6, stop_grad4);
  const Value stop_grad5 = aten::detach(where7);
  const Value where8 = aten::where(eq1, stop_grad5, where7);
  const Value where9 = aten::where(eq1, 0, -(where8 * of_class));
  const Value where10 = aten::where(eq0, where9, 0);
  const Value stop_grad6 = aten::detach(softmax0);
  const Value where11 = aten::where(logical_not0, softmax0, stop_grad6);
  writes[0] = aten::where(logical_not0, where10 - where11 * sum0, 0);
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_logits = reads[0];
  const Value& grad_loss = reads[1];
  const Value& logits = reads[2];
  const Value& target = reads[3];
  const Value& weight = reads[4];
  const Value index = reads[5];
  const double ignore_index = params[0].as<double>();
  const Value eq0 = index == target;
  const Value stop_grad0 = aten::detach(weight);
  const Value eq1 = target == ignore_index;
  const Value logical_not0 = aten::logical_not(eq1);
  const Value softmax0 = aten::softmax(logits);
  const Value sum0 = aten::sum(grad_grad_logits * softmax0);
  const Value where0 = aten::where(eq0, weight, stop_grad0);
  const Value stop_grad1 = aten::detach(where0);
  const Value where1 = aten::where(eq0, stop_grad1, 0);
  const Value of_class = aten::sum(where1);
  const Value stop_grad2 = aten::detach(grad_loss);
  const Value where2 = aten::where(eq0, grad_loss, stop_grad2);
  const Value stop_grad3 = aten::detach(where2);
  const Value where3 = aten::where(eq1, stop_grad3, where2);
  const Value where4 = aten::where(eq1, 0, -(where3 * of_class));
  const Value where5 = aten::where(eq0, where4, 0);
  const Value sum1 = aten::sum(where5);
  const Value stop_grad4 = aten::detach(softmax0);
  const Value where6 = aten::where(logical_not0, softmax0, stop_grad4);
  const Value stop_grad5 = aten::detach(grad_grad_logits);
  const Value where7 = aten::where(logical_not0, grad_grad_logits, stop_grad5);
  const Value where8 = aten::where(eq0, grad_grad_logits, stop_grad5);
  const Value stop_grad6 = aten::detach(where8);
  const Value where9 = aten::where(logical_not0, where8, stop_grad6);
  const Value where10 = aten::where(logical_not0, where9 - sum0, 0);
  const Value where11 = aten::where(eq0, where10, 0);
  const Value sum2 = aten::sum(where11);
  const Value sum3 = aten::sum(-(grad_grad_logits * sum1 * softmax0));
  writes[0] = aten::where(eq1, 0, -(sum2 * of_class));
  writes[1] = aten::where(logical_not0, where6 * (-(where7 * sum1) - sum3), 0);
}

const Pass kDoubleBackward = {
    .schema = "weighted_cross_entropy_double_backward(Tensor grad_grad_logits, Tensor? grad_loss,"
              " Tensor? logits, Tensor? target, Tensor? weight, *, int ignore_index, bool[2] "
              "needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_logits"},
               {.name = "grad_loss", .extent = Extent::kRow},
               {.name = "logits"},
               {.name = "target", .kind = Kind::kInt, .extent = Extent::kRow},
               {.name = "weight"}},
    .outputs = {{.name = "grad_grad_loss", .like = 1, .reads = {0, 2, 3, 4},
                 .extent = Extent::kRow},
                {.name = "grad_logits", .like = 2, .reads = {0, 1, 2, 3, 4}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .reduces = true,
    .reads_index = true,
};

const Pass kBackward = {
    .schema = "weighted_cross_entropy_backward(Tensor grad_loss, Tensor? logits, Tensor? target, "
              "Tensor? weight, Tensor? kept_total0, Tensor? kept_total1, Tensor? kept_total2, *, "
              "int ignore_index, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_loss", .extent = Extent::kRow},
               {.name = "logits"},
               {.name = "target", .kind = Kind::kInt, .extent = Extent::kRow},
               {.name = "weight"},
               {.name = "kept_total0", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total1", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total2", .kind = Kind::kTotal, .extent = Extent::kRow}},
    .outputs = {{.name = "grad_logits", .like = 1, .reads = {0, 1, 2, 3, 4, 5, 6}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1},
    .reduces = true,
    .reads_index = true,
};

const Pass kForward = {
    .schema = "weighted_cross_entropy(Tensor logits, Tensor target, Tensor weight, *, int "
              "ignore_index=-100) -> Tensor",
    .inputs = {{.name = "logits"},
               {.name = "target", .kind = Kind::kInt, .extent = Extent::kRow},
               {.name = "weight"}},
    .outputs = {{.name = "loss", .extent = Extent::kRow}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0},
    .kept_totals = 3,
    .reduces = true,
    .reads_index = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::weighted_cross_entropy
