// Generated from specs/quantised/clip_gradient.yaml by `fusewise generate`. Do not edit.
// The formulas stand in clip_gradient.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::clip_gradient {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  writes[0] = x;
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const double limit = params[0].as<double>();
  writes[0] = aten::clamp(grad_out, -limit, limit);
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_out = reads[1];
  const double limit = params[0].as<double>();
  writes[0] = aten::where(aten::logical_and(grad_out >= -limit, grad_out <= limit), grad_grad_x, 0);
}

const Pass kDoubleBackward = {
    .schema = "clip_gradient_double_backward(Tensor grad_grad_x, Tensor? grad_out, *, float "
              "limit, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_grad_x"}, {.name = "grad_out"}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 1}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "clip_gradient_backward(Tensor grad_out, *, float limit, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_out"}},
    .outputs = {{.name = "grad_x", .reads = {0}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0},
    .gradients = {0},
};

const Pass kForward = {
    .schema = "clip_gradient(Tensor x, *, float limit=1) -> Tensor",
    .inputs = {{.name = "x"}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .gradients = {0},
    .decomposes = false,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::clip_gradient
