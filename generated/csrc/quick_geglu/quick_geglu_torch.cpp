// Generated from specs/gated/quick_geglu.yaml by `fusewise generate`. Do not edit.
// The formulas stand in quick_geglu.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::quick_geglu {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& gate = reads[0];
  const Value& up = reads[1];
  const Value& weight = reads[2];
  const double offset = params[0].as<double>();
  const Value s = aten::sigmoid(1.702 * gate);
  writes[0] = gate * s * ((up + offset) * weight);
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& gate = reads[1];
  const Value& up = reads[2];
  const Value& weight = reads[3];
  const double offset = params[0].as<double>();
  const Value mul0 = 1.702 * gate;
  const Value s = aten::sigmoid(mul0);
  const Value mul1 = gate * s;
  const Value add0 = up + offset;
  const Value mul2 = grad_out * weight;
  const Value sigmoid0 = aten::sigmoid(-mul0);
  const Value mul3 = s * sigmoid0 * gate * (1.702 * grad_out * weight);
  writes[0] = (mul2 * s + mul3) * add0;
  writes[1] = mul1 * mul2;
  writes[2] = mul1 * (grad_out * add0);
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_gate = reads[0];
  const Value& grad_grad_up = reads[1];
  const Value& grad_grad_weight = reads[2];
  const Value& grad_out = reads[3];
  const Value& gate = reads[4];
  const Value& up = reads[5];
  const Value& weight = reads[6];
  const double offset = params[0].as<double>();
  const Value mul0 = 1.702 * gate;
  const Value s = aten::sigmoid(mul0);
  const Value mul1 = gate * s;
  const Value add0 = up + offset;
  const Value mul2 = grad_out * weight;
  const Value sigmoid0 = aten::sigmoid(-mul0);
  const Value mul3 = 1.702 * grad_out * weight;
  const Value mul4 = grad_grad_gate * add0;
  const Value add1 = grad_grad_weight * (grad_out * add0) + grad_grad_up * mul2;
  const Value add2 = grad_grad_up * mul1 + mul4 * s;
  const Value tanh0 = aten::tanh(0.851 * gate);
  const Value mul5 = grad_grad_gate * 1.702 * add0;
  const Value mul6 = 1.702 * tanh0 * grad_grad_gate * add0 * grad_out * weight;
  const Value mul7 = s * sigmoid0;
  const Value mul8 = mul7 * gate;
  const Value mul9 = grad_grad_gate * (mul2 * s + mul8 * mul3);
  const Value add3 = mul4 * mul3 * mul7 + add1 * s;
  const Value mul10 = (mul4 * mul2 + add1 * gate) * mul7;
  const Value add4 = mul8 * (mul5 * weight) + mul1 * (grad_grad_weight * add0);
  writes[0] = add4 + add2 * weight;
  writes[1] = add3 + (mul10 - mul8 * mul6) * 1.702;
  writes[2] = mul9 + mul1 * (grad_grad_weight * grad_out);
  writes[3] = mul8 * (mul5 * grad_out) + add2 * grad_out;
}

const Pass kDoubleBackward = {
    .schema = "quick_geglu_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_weight, Tensor?"
              " grad_out, Tensor? x, Tensor? weight, *, float offset, bool[3] needs) -> (Tensor, "
              "Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true, .parts = 2},
               {.name = "grad_grad_weight", .optional = true},
               {.name = "grad_out"},
               {.name = "x", .parts = 2},
               {.name = "weight", .optional = true, .fill = 1}},
    .outputs = {{.name = "grad_grad_out", .like = 2, .reads = {0, 1, 3, 4}},
                {.name = "grad_x", .like = 3, .reads = {0, 1, 2, 3, 4}, .parts = 2},
                {.name = "grad_weight", .like = 4, .reads = {0, 2, 3}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "quick_geglu_backward(Tensor grad_out, Tensor? x, Tensor? weight, *, float offset, "
              "bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_out"},
               {.name = "x", .parts = 2},
               {.name = "weight", .optional = true, .fill = 1}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2}, .parts = 2},
                {.name = "grad_weight", .like = 2, .reads = {0, 1}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
};

const Pass kForward = {
    .schema = "quick_geglu(Tensor x, Tensor? weight=None, *, float offset=0) -> Tensor",
    .inputs = {{.name = "x", .parts = 2}, {.name = "weight", .optional = true, .fill = 1}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::quick_geglu
