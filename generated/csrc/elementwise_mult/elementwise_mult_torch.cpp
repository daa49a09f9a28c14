// Generated from specs/basics/elementwise_mult.yaml by `fusewise generate`. Do not edit.
// The formulas stand in elementwise_mult.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::elementwise_mult {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& a = reads[0];
  const Value& b = reads[1];
  writes[0] = a * b;
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& a = reads[1];
  const Value& b = reads[2];
  writes[0] = grad_out * b;
  writes[1] = grad_out * a;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_a = reads[0];
  const Value& grad_grad_b = reads[1];
  const Value& grad_out = reads[2];
  const Value& a = reads[3];
  const Value& b = reads[4];
  const bool has_grad_grad_a = params[0].as<bool>();
  const bool has_grad_grad_b = params[1].as<bool>();
  const Value where0 = aten::where(condition(has_grad_grad_b, reads[0]), grad_grad_b * a, 0);
  const Value where1 = aten::where(condition(has_grad_grad_a, reads[0]), grad_grad_a * b, 0);
  writes[0] = where0 + where1;
  writes[1] = aten::where(condition(has_grad_grad_b, reads[0]), grad_grad_b * grad_out, 0);
  writes[2] = aten::where(condition(has_grad_grad_a, reads[0]), grad_grad_a * grad_out, 0);
}

const Pass kDoubleBackward = {
    .schema = "elementwise_mult_double_backward(Tensor? grad_grad_a, Tensor? grad_grad_b, Tensor?"
              " grad_out, Tensor? a, Tensor? b, bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_a", .optional = true},
               {.name = "grad_grad_b", .optional = true},
               {.name = "grad_out"},
               {.name = "a"},
               {.name = "b"}},
    .outputs = {{.name = "grad_grad_out", .like = 2, .reads = {0, 1, 3, 4}},
                {.name = "grad_a", .like = 3, .reads = {1, 2}},
                {.name = "grad_b", .like = 4, .reads = {0, 2}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .arrivals = {0, 1},
};

const Pass kBackward = {
    .schema = "elementwise_mult_backward(Tensor grad_out, Tensor? a, Tensor? b, bool[2] needs) ->"
              " (Tensor, Tensor)",
    .inputs = {{.name = "grad_out"}, {.name = "a"}, {.name = "b"}},
    .outputs = {{.name = "grad_a", .like = 1, .reads = {0, 2}},
                {.name = "grad_b", .like = 2, .reads = {0, 1}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
};

const Pass kForward = {
    .schema = "elementwise_mult(Tensor a, Tensor b) -> Tensor",
    .inputs = {{.name = "a"}, {.name = "b"}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::elementwise_mult
