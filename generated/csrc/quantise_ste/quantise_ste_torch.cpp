// Generated from specs/quantised/quantise_ste.yaml by `fusewise generate`. Do not edit.
// The formulas stand in quantise_ste.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::quantise_ste {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& scale = reads[1];
  const Value step = aten::detach(scale);
  const Value round0 = aten::round(x * step);
  const Value clamp0 = aten::clamp(round0, -128, 127);
  writes[0] = straight_through(clamp0 / step, x);
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  writes[0] = grad_out;
}

void double_backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  writes[0] = grad_grad_x;
}

const Pass kDoubleBackward = {
    .schema = "quantise_ste_double_backward(Tensor grad_grad_x, Tensor? grad_out, bool[1] needs) "
              "-> Tensor",
    .inputs = {{.name = "grad_grad_x"}, {.name = "grad_out"}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0}, .equal_input = 0}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "quantise_ste_backward(Tensor grad_out, Tensor? x, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_out"}, {.name = "x", .shape_only = true}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0}, .equal_input = 0}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0},
    .gradients = {0},
};

const Pass kForward = {
    .schema = "quantise_ste(Tensor x, Tensor scale) -> Tensor",
    .inputs = {{.name = "x"}, {.name = "scale"}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_shapes = {0},
    .gradients = {0},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::quantise_ste
