// Generated from specs/gated/silu_and_mul.yaml by `fusewise generate`. Do not edit.
// The formulas stand in silu_and_mul.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::silu_and_mul {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& gate = reads[0];
  const Value& up = reads[1];
  const Value sigmoid0 = aten::sigmoid(gate);
  writes[0] = gate * sigmoid0 * up;
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& gate = reads[1];
  const Value& up = reads[2];
  const Value sigmoid0 = aten::sigmoid(gate);
  const Value sigmoid1 = aten::sigmoid(-gate);
  writes[0] = grad_out * up * (sigmoid0 + gate * (sigmoid0 * sigmoid1));
  writes[1] = grad_out * (gate * sigmoid0);
}

void double_backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_grad_gate = reads[0];
  const Value& grad_grad_up = reads[1];
  const Value& grad_out = reads[2];
  const Value& gate = reads[3];
  const Value& up = reads[4];
  const Value sigmoid0 = aten::sigmoid(gate);
  const Value tanh0 = aten::tanh(0.5 * gate);
  const Value sigmoid1 = aten::sigmoid(-gate);
  const Value mul0 = sigmoid0 * sigmoid1;
  const Value mul1 = gate * mul0;
  const Value add0 = sigmoid0 + mul1;
  const Value mul2 = grad_grad_gate * add0;
  const Value mul3 = grad_grad_gate * (grad_out * up) * mul0;
  const Value sub0 = mul3 - mul1 * (tanh0 * grad_grad_gate * grad_out * up);
  writes[0] = grad_grad_up * (gate * sigmoid0) + mul2 * up;
  writes[1] = sub0 + mul3 + grad_grad_up * grad_out * add0;
  writes[2] = mul2 * grad_out;
}

const Pass kDoubleBackward = {
    .schema = "silu_and_mul_double_backward(Tensor grad_grad_x, Tensor? grad_out, Tensor? x, "
              "bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .parts = 2},
               {.name = "grad_out"},
               {.name = "x", .parts = 2}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2}},
                {.name = "grad_x", .like = 2, .reads = {0, 1, 2}, .parts = 2}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "silu_and_mul_backward(Tensor grad_out, Tensor? x, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_out"}, {.name = "x", .parts = 2}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1}, .parts = 2}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Pass kForward = {
    .schema = "silu_and_mul(Tensor x) -> Tensor",
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
}  // namespace fusewise::ops::silu_and_mul
