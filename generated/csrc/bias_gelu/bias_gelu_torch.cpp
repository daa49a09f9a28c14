// Generated from specs/bias/bias_gelu.yaml by `fusewise generate`. Do not edit.
// The formulas stand in bias_gelu.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::bias_gelu {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& bias = reads[1];
  const Value add0 = x + bias;
  const Value sigmoid0 = aten::sigmoid(add0 * (1.5957691216057308 + 0.07135481627260025 * add0 *
      add0));
  writes[0] = add0 * sigmoid0;
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& bias = reads[2];
  const Value add0 = x + bias;
  const Value mul0 = add0 * (1.5957691216057308 + 0.07135481627260025 * add0 * add0);
  const Value sigmoid0 = aten::sigmoid(mul0);
  const Value sigmoid1 = aten::sigmoid(-mul0);
  const Value mul1 = add0 * (sigmoid0 * sigmoid1);
  const Value mul2 = mul1 * add0 * add0 * 0.21406444881780073;
  const Value mul3 = grad_out * (sigmoid0 + mul1 * 1.5957691216057308 + mul2);
  writes[0] = mul3;
  writes[1] = mul3;
}

void double_backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_bias = reads[1];
  const Value& grad_out = reads[2];
  const Value& x = reads[3];
  const Value& bias = reads[4];
  const Value add0 = x + bias;
  const Value mul0 = add0 * (1.5957691216057308 + 0.07135481627260025 * add0 * add0);
  const Value sigmoid0 = aten::sigmoid(mul0);
  const Value add1 = grad_grad_x + grad_grad_bias;
  const Value tanh0 = aten::tanh(0.5 * mul0);
  const Value sigmoid1 = aten::sigmoid(-mul0);
  const Value mul1 = sigmoid0 * sigmoid1;
  const Value mul2 = add0 * mul1;
  const Value mul3 = mul2 * add0;
  const Value add2 = sigmoid0 + mul2 * 1.5957691216057308 + mul3 * add0 * 0.21406444881780073;
  const Value mul4 = add0 * (mul1 * 1.5957691216057308 + mul3 * 0.21406444881780073) * tanh0;
  const Value sub0 = 3.1915382432114616 * mul1 + mul3 * 0.8562577952712029 - mul4 *
      1.5957691216057308;
  const Value sub1 = sub0 - mul4 * add0 * add0 * 0.21406444881780073;
  const Value mul5 = add1 * grad_out * sub1;
  writes[0] = add1 * add2;
  writes[1] = mul5;
  writes[2] = mul5;
}

const Pass kDoubleBackward = {
    .schema = "bias_gelu_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_bias, Tensor? "
              "grad_out, Tensor? x, Tensor? bias, bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_bias", .optional = true},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "bias", .optional = true}},
    .outputs = {{.name = "grad_grad_out", .like = 2, .reads = {0, 1, 3, 4}},
                {.name = "grad_x", .like = 3, .reads = {0, 1, 2, 3, 4}},
                {.name = "grad_bias", .like = 4, .reads = {0, 1, 2, 3, 4}, .equal_output = 1}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "bias_gelu_backward(Tensor grad_out, Tensor? x, Tensor? bias, bool[2] needs) -> "
              "(Tensor, Tensor)",
    .inputs = {{.name = "grad_out"}, {.name = "x"}, {.name = "bias", .optional = true}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2}},
                {.name = "grad_bias", .like = 2, .reads = {0, 1, 2}, .equal_output = 0}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
};

const Pass kForward = {
    .schema = "bias_gelu(Tensor x, Tensor? bias=None) -> Tensor",
    .inputs = {{.name = "x"}, {.name = "bias", .optional = true}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::bias_gelu
