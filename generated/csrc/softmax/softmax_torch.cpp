// Generated from specs/softmax/softmax.yaml by `fusewise generate`. Do not edit.
// The formulas stand in softmax.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>
#include <fusewise/torch/row_dims.h>

namespace fusewise::ops::softmax {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  writes[0] = aten::softmax(x);
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& out = reads[1];
  const Value sum0 = aten::sum(grad_out * out);
  writes[0] = out * (grad_out - sum0);
}

void double_backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_out = reads[1];
  const Value& out = reads[2];
  const Value sum0 = aten::sum(grad_out * out);
  const Value mul0 = grad_grad_x * out;
  const Value sum1 = aten::sum(mul0);
  writes[0] = mul0 - sum1 * out;
  writes[1] = grad_grad_x * (grad_out - sum0) - sum1 * grad_out;
}

const Pass kDoubleBackward = {
    .schema = "softmax__rows_double_backward(Tensor grad_grad_x, Tensor? grad_out, Tensor? out, "
              "bool[2] needs) -> (Tensor, Tensor)",
    .name = "softmax_double_backward",
    .inputs = {{.name = "grad_grad_x"}, {.name = "grad_out"}, {.name = "out"}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2}},
                {.name = "grad_out", .like = 2, .reads = {0, 1, 2}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .reduces = true,
};

const Pass kBackward = {
    .schema = "softmax__rows_backward(Tensor grad_out, Tensor? out, bool[1] needs) -> Tensor",
    .name = "softmax_backward",
    .inputs = {{.name = "grad_out"}, {.name = "out"}},
    .outputs = {{.name = "grad_x", .reads = {0, 1}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
    .reduces = true,
};

const Pass kForward = {
    .schema = "softmax__rows(Tensor x) -> Tensor",
    .name = "softmax",
    .inputs = {{.name = "x"}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_outputs = {0},
    .gradients = {0},
    .reduces = true,
};

const RowDimsRegistration kForwardRegistration("fusewise",
    "softmax(Tensor x, *, int dim=-1) -> Tensor",
    kForward, {});

}  // namespace
}  // namespace fusewise::ops::softmax
