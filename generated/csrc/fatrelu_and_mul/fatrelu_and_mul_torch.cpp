// Generated from specs/gated/fatrelu_and_mul.yaml by `fusewise generate`. Do not edit.
// The formulas stand in fatrelu_and_mul.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::fatrelu_and_mul {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& gate = reads[0];
  const Value& up = reads[1];
  const double threshold = params[0].as<double>();
  const Value where0 = aten::where(gate <= threshold, 0, gate);
  writes[0] = where0 * up;
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& gate = reads[1];
  const Value& up = reads[2];
  const double threshold = params[0].as<double>();
  const Value le0 = gate <= threshold;
  writes[0] = aten::where(le0, 0, grad_out * up);
  writes[1] = aten::where(le0, 0, grad_out * gate);
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_gate = reads[0];
  const Value& grad_grad_up = reads[1];
  const Value& grad_out = reads[2];
  const Value& gate = reads[3];
  const Value& up = reads[4];
  const double threshold = params[0].as<double>();
  const Value le0 = gate <= threshold;
  writes[0] = aten::where(le0, 0, grad_grad_up * gate + grad_grad_gate * up);
  writes[1] = aten::where(le0, 0, grad_grad_up * grad_out);
  writes[2] = aten::where(le0, 0, grad_grad_gate * grad_out);
}

const Pass kDoubleBackward = {
    .schema = "fatrelu_and_mul_double_backward(Tensor grad_grad_x, Tensor? grad_out, Tensor? x, "
              "*, float threshold, bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .parts = 2},
               {.name = "grad_out"},
               {.name = "x", .parts = 2}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2}},
                {.name = "grad_x", .like = 2, .reads = {0, 1, 2}, .parts = 2}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "fatrelu_and_mul_backward(Tensor grad_out, Tensor? x, *, float threshold, bool[1] "
              "needs) -> Tensor",
    .inputs = {{.name = "grad_out"}, {.name = "x", .parts = 2}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1}, .parts = 2}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Pass kForward = {
    .schema = "fatrelu_and_mul(Tensor x, *, float threshold=0) -> Tensor",
    .inputs = {{.name = "x", .parts = 2}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0},
    .gradients = {0},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::fatrelu_and_mul
