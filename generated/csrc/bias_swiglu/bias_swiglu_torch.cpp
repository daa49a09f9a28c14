// Generated from specs/gated/bias_swiglu.yaml by `fusewise generate`. Do not edit.
// The formulas stand in bias_swiglu.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::bias_swiglu {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& gate = reads[0];
  const Value& up = reads[1];
  const Value& gate_bias = reads[2];
  const Value& up_bias = reads[3];
  const Value add0 = gate + gate_bias;
  const Value sigmoid0 = aten::sigmoid(add0);
  writes[0] = add0 * sigmoid0 * (up + up_bias);
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& gate = reads[1];
  const Value& up = reads[2];
  const Value& gate_bias = reads[3];
  const Value& up_bias = reads[4];
  const Value add0 = gate + gate_bias;
  const Value sigmoid0 = aten::sigmoid(add0);
  const Value mul0 = grad_out * (add0 * sigmoid0);
  const Value sigmoid1 = aten::sigmoid(-add0);
  const Value add1 = sigmoid0 + add0 * (sigmoid0 * sigmoid1);
  const Value mul1 = grad_out * (up + up_bias) * add1;
  writes[0] = mul1;
  writes[1] = mul0;
  writes[2] = mul1;
  writes[3] = mul0;
}

void double_backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_grad_gate = reads[0];
  const Value& grad_grad_up = reads[1];
  const Value& grad_grad_gate_bias = reads[2];
  const Value& grad_grad_up_bias = reads[3];
  const Value& grad_out = reads[4];
  const Value& gate = reads[5];
  const Value& up = reads[6];
  const Value& gate_bias = reads[7];
  const Value& up_bias = reads[8];
  const Value add0 = gate + gate_bias;
  const Value add1 = up + up_bias;
  const Value sigmoid0 = aten::sigmoid(add0);
  const Value add2 = grad_grad_gate + grad_grad_gate_bias;
  const Value add3 = grad_grad_up + grad_grad_up_bias;
  const Value tanh0 = aten::tanh(0.5 * add0);
  const Value sigmoid1 = aten::sigmoid(-add0);
  const Value mul0 = sigmoid0 * sigmoid1;
  const Value mul1 = add0 * mul0;
  const Value add4 = sigmoid0 + mul1;
  const Value mul2 = add2 * add4;
  const Value mul3 = add2 * (grad_out * add1) * mul0;
  const Value mul4 = mul2 * grad_out;
  const Value sub0 = mul3 - mul1 * (tanh0 * add2 * grad_out * add1);
  const Value add5 = sub0 + mul3 + add3 * grad_out * add4;
  writes[0] = add3 * (add0 * sigmoid0) + mul2 * add1;
  writes[1] = add5;
  writes[2] = mul4;
  writes[3] = add5;
  writes[4] = mul4;
}

const Pass kDoubleBackward = {
    .schema = "bias_swiglu_double_backward(Tensor? grad_grad_y, Tensor? grad_grad_bias, Tensor? "
              "grad_out, Tensor? y, Tensor? bias, bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_y", .optional = true, .parts = 2},
               {.name = "grad_grad_bias", .optional = true, .parts = 2},
               {.name = "grad_out"},
               {.name = "y", .parts = 2},
               {.name = "bias", .parts = 2}},
    .outputs = {{.name = "grad_grad_out", .like = 2, .reads = {0, 1, 3, 4}},
                {.name = "grad_y", .like = 3, .reads = {0, 1, 2, 3, 4}, .parts = 2},
                {.name = "grad_bias", .like = 4, .reads = {0, 1, 2, 3, 4}, .parts = 2,
                 .equal_output = 1}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "bias_swiglu_backward(Tensor grad_out, Tensor? y, Tensor? bias, bool[2] needs) -> "
              "(Tensor, Tensor)",
    .inputs = {{.name = "grad_out"}, {.name = "y", .parts = 2}, {.name = "bias", .parts = 2}},
    .outputs = {{.name = "grad_y", .like = 1, .reads = {0, 1, 2}, .parts = 2},
                {.name = "grad_bias", .like = 2, .reads = {0, 1, 2}, .parts = 2,
                 .equal_output = 0}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
};

const Pass kForward = {
    .schema = "bias_swiglu(Tensor y, Tensor bias) -> Tensor",
    .inputs = {{.name = "y", .parts = 2}, {.name = "bias", .parts = 2}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::bias_swiglu
