// Generated from specs/basics/weighted_sum.yaml by `fusewise generate`. Do not edit.
// The formulas stand in weighted_sum.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::weighted_sum {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& weight = reads[1];
  writes[0] = aten::sum(x * weight);
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& weight = reads[2];
  writes[0] = grad_out * weight;
  writes[1] = grad_out * x;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_weight = reads[1];
  const Value& grad_out = reads[2];
  const Value& x = reads[3];
  const Value& weight = reads[4];
  const bool has_grad_grad_x = params[0].as<bool>();
  const bool has_grad_grad_weight = params[1].as<bool>();
  const Value where0 = aten::where(condition(has_grad_grad_weight, reads[0]), grad_grad_weight * x,
      0);
  const Value where1 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_x * weight, 0);
  writes[0] = aten::sum(where0 + where1);
  writes[1] = aten::where(condition(has_grad_grad_weight, reads[0]), grad_grad_weight * grad_out,
      0);
  writes[2] = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_x * grad_out, 0);
}

const Pass kDoubleBackward = {
    .schema = "weighted_sum_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_weight, "
              "Tensor? grad_out, Tensor? x, Tensor? weight, bool[3] needs) -> (Tensor, Tensor, "
              "Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_weight", .optional = true},
               {.name = "grad_out", .extent = Extent::kRow},
               {.name = "x"},
               {.name = "weight"}},
    .outputs = {{.name = "grad_grad_out", .like = 2, .reads = {0, 1, 3, 4}, .extent = Extent::kRow},
                {.name = "grad_x", .like = 3, .reads = {1, 2}},
                {.name = "grad_weight", .like = 4, .reads = {0, 2}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .arrivals = {0, 1},
    .reduces = true,
};

const Pass kBackward = {
    .schema = "weighted_sum_backward(Tensor grad_out, Tensor? x, Tensor? weight, bool[2] needs) "
              "-> (Tensor, Tensor)",
    .inputs = {{.name = "grad_out", .extent = Extent::kRow}, {.name = "x"}, {.name = "weight"}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 2}},
                {.name = "grad_weight", .like = 2, .reads = {0, 1}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
    .reduces = true,
};

const Pass kForward = {
    .schema = "weighted_sum(Tensor x, Tensor weight) -> Tensor",
    .inputs = {{.name = "x"}, {.name = "weight"}},
    .outputs = {{.name = "out", .extent = Extent::kRow}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::weighted_sum
