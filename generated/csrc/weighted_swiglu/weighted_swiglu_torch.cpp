// Generated from specs/gated/weighted_swiglu.yaml by `fusewise generate`. Do not edit.
// The formulas stand in weighted_swiglu.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::weighted_swiglu {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& gate = reads[0];
  const Value& up = reads[1];
  const Value& weight = reads[2];
  const Value sigmoid0 = aten::sigmoid(gate);
  writes[0] = gate * sigmoid0 * up * weight;
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& gate = reads[1];
  const Value& up = reads[2];
  const Value& weight = reads[3];
  const Value mul0 = grad_out * weight;
  const Value sigmoid0 = aten::sigmoid(gate);
  const Value mul1 = gate * sigmoid0;
  const Value sigmoid1 = aten::sigmoid(-gate);
  writes[0] = mul0 * up * (sigmoid0 + gate * (sigmoid0 * sigmoid1));
  writes[1] = mul0 * mul1;
  writes[2] = grad_out * (mul1 * up);
}

void double_backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_grad_gate = reads[0];
  const Value& grad_grad_up = reads[1];
  const Value& grad_grad_weight = reads[2];
  const Value& grad_out = reads[3];
  const Value& gate = reads[4];
  const Value& up = reads[5];
  const Value& weight = reads[6];
  const Value mul0 = grad_out * weight;
  const Value sigmoid0 = aten::sigmoid(gate);
  const Value mul1 = gate * sigmoid0;
  const Value tanh0 = aten::tanh(0.5 * gate);
  const Value mul2 = grad_grad_weight * grad_out;
  const Value sigmoid1 = aten::sigmoid(-gate);
  const Value mul3 = sigmoid0 * sigmoid1;
  const Value mul4 = gate * mul3;
  const Value add0 = sigmoid0 + mul4;
  const Value mul5 = grad_grad_gate * add0;
  const Value mul6 = grad_grad_gate * (mul0 * up) * mul3;
  const Value add1 = grad_grad_up * mul1 + mul5 * up;
  const Value mul7 = (grad_grad_up * mul0 + mul2 * up) * add0;
  const Value mul8 = mul4 * (tanh0 * grad_grad_gate * grad_out * weight * up);
  writes[0] = grad_grad_weight * (mul1 * up) + add1 * weight;
  writes[1] = mul6 - mul8 + mul6 + mul7;
  writes[2] = mul5 * mul0 + mul2 * mul1;
  writes[3] = add1 * grad_out;
}

const Pass kDoubleBackward = {
    .schema = "weighted_swiglu_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_weight, "
              "Tensor? grad_out, Tensor? x, Tensor? weight, bool[3] needs) -> (Tensor, Tensor, "
              "Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true, .parts = 2},
               {.name = "grad_grad_weight", .optional = true},
               {.name = "grad_out"},
               {.name = "x", .parts = 2},
               {.name = "weight"}},
    .outputs = {{.name = "grad_grad_out", .like = 2, .reads = {0, 1, 3, 4}},
                {.name = "grad_x", .like = 3, .reads = {0, 1, 2, 3, 4}, .parts = 2},
                {.name = "grad_weight", .like = 4, .reads = {0, 2, 3}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "weighted_swiglu_backward(Tensor grad_out, Tensor? x, Tensor? weight, bool[2] "
              "needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_out"}, {.name = "x", .parts = 2}, {.name = "weight"}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2}, .parts = 2},
                {.name = "grad_weight", .like = 2, .reads = {0, 1}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
};

const Pass kForward = {
    .schema = "weighted_swiglu(Tensor x, Tensor weight) -> Tensor",
    .inputs = {{.name = "x", .parts = 2}, {.name = "weight"}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::weighted_swiglu
