// Generated from specs/basics/addone.yaml by `fusewise generate`. Do not edit.
// The formulas stand in addone.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::addone {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  writes[0] = x + 1;
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
    .schema = "addone_double_backward(Tensor grad_grad_x, Tensor? grad_out, bool[1] needs) -> "
              "Tensor",
    .inputs = {{.name = "grad_grad_x"}, {.name = "grad_out"}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0}, .equal_input = 0}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "addone_backward(Tensor grad_out, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_out"}},
    .outputs = {{.name = "grad_x", .reads = {0}, .equal_input = 0}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0},
    .gradients = {0},
};

const Pass kForward = {
    .schema = "addone(Tensor x) -> Tensor",
    .inputs = {{.name = "x", .kind = Kind::kNumber}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .gradients = {0},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::addone
