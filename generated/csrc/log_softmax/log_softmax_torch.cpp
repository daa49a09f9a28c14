// Generated from specs/softmax/log_softmax.yaml by `fusewise generate`. Do not edit.
// The formulas stand in log_softmax.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>
#include <fusewise/torch/row_dims.h>

namespace fusewise::ops::log_softmax {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  writes[0] = aten::log_softmax(x);
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value softmax0 = aten::softmax(x);
  const Value sum0 = aten::sum(grad_out);
  writes[0] = grad_out - softmax0 * sum0;
}

void double_backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_out = reads[1];
  const Value& x = reads[2];
  const Value softmax0 = aten::softmax(x);
  const Value sum0 = aten::sum(grad_out);
  const Value mul0 = grad_grad_x * sum0;
  const Value sum1 = aten::sum(grad_grad_x * softmax0);
  const Value sum2 = aten::sum(-(mul0 * softmax0));
  writes[0] = grad_grad_x - sum1;
  writes[1] = softmax0 * (-mul0 - sum2);
}

const Pass kDoubleBackward = {
    .schema = "log_softmax__rows_double_backward(Tensor grad_grad_x, Tensor? grad_out, Tensor? x,"
              " bool[2] needs) -> (Tensor, Tensor)",
    .name = "log_softmax_double_backward",
    .inputs = {{.name = "grad_grad_x"}, {.name = "grad_out"}, {.name = "x"}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2}},
                {.name = "grad_x", .like = 2, .reads = {0, 1, 2}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .reduces = true,
};

const Pass kBackward = {
    .schema = "log_softmax__rows_backward(Tensor grad_out, Tensor? x, Tensor? kept_total0, "
              "Tensor? kept_total1, bool[1] needs) -> Tensor",
    .name = "log_softmax_backward",
    .inputs = {{.name = "grad_out"},
               {.name = "x"},
               {.name = "kept_total0", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total1", .kind = Kind::kTotal, .extent = Extent::kRow}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2, 3}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
    .reduces = true,
};

const Pass kForward = {
    .schema = "log_softmax__rows(Tensor x) -> Tensor",
    .name = "log_softmax",
    .inputs = {{.name = "x"}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0},
    .gradients = {0},
    .kept_totals = 2,
    .reduces = true,
};

const RowDimsRegistration kForwardRegistration("fusewise",
    "log_softmax(Tensor x, *, int dim=-1) -> Tensor",
    kForward, {});

}  // namespace
}  // namespace fusewise::ops::log_softmax
