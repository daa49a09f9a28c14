// Generated from specs/softmax/scaled_softmax.yaml by `fusewise generate`. Do not edit.
// The formulas stand in scaled_softmax.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::scaled_softmax {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const double scale = params[0].as<double>();
  writes[0] = aten::softmax(scale * x);
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& out = reads[1];
  const double scale = params[0].as<double>();
  const Value sum0 = aten::sum(grad_out * out);
  writes[0] = out * (grad_out - sum0) * scale;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_out = reads[1];
  const Value& out = reads[2];
  const double scale = params[0].as<double>();
  const Value sum0 = aten::sum(grad_out * out);
  const Value mul0 = grad_grad_x * scale;
  const Value sum1 = aten::sum(grad_grad_x * out);
  const Value mul1 = scale * sum1;
  writes[0] = mul0 * out - mul1 * out;
  writes[1] = mul0 * (grad_out - sum0) - mul1 * grad_out;
}

const Pass kDoubleBackward = {
    .schema = "scaled_softmax_double_backward(Tensor grad_grad_x, Tensor? grad_out, Tensor? out, "
              "*, float scale, bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x"}, {.name = "grad_out"}, {.name = "out"}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2}},
                {.name = "grad_out", .like = 2, .reads = {0, 1, 2}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .reduces = true,
};

const Pass kBackward = {
    .schema = "scaled_softmax_backward(Tensor grad_out, Tensor? out, *, float scale, bool[1] "
              "needs) -> Tensor",
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
    .schema = "scaled_softmax(Tensor x, *, float scale=1) -> Tensor",
    .inputs = {{.name = "x"}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_outputs = {0},
    .gradients = {0},
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::scaled_softmax
