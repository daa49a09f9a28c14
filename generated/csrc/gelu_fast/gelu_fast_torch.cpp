// Generated from specs/activations/gelu_fast.yaml by `fusewise generate`. Do not edit.
// The formulas stand in gelu_fast.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::gelu_fast {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value mul0 = 1.5957691216 * x * (1 + 0.044715 * x * x);
  const Value sigmoid0 = aten::sigmoid(mul0);
  writes[0] = x * sigmoid0;
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value mul0 = 1.5957691216 * x * (1 + 0.044715 * x * x);
  const Value sigmoid0 = aten::sigmoid(mul0);
  const Value sigmoid1 = aten::sigmoid(-mul0);
  const Value mul1 = sigmoid0 * sigmoid1 * x;
  const Value mul2 = mul1 * x * x;
  const Value mul3 = (mul1 * grad_out + mul2 * (0.044715 * grad_out)) * 1.5957691216;
  const Value mul4 = mul2 * (0.071354816272344 * grad_out);
  writes[0] = grad_out * sigmoid0 + mul3 + mul4 + mul4;
}

void double_backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_out = reads[1];
  const Value& x = reads[2];
  const Value add0 = 1 + 0.044715 * x * x;
  const Value tanh0 = aten::tanh(0.7978845608 * x * add0);
  const Value mul0 = 1.5957691216 * x * add0;
  const Value sigmoid0 = aten::sigmoid(mul0);
  const Value add1 = grad_grad_x + grad_grad_x;
  const Value mul1 = grad_grad_x * 1.5957691216;
  const Value mul2 = 0.071354816272344 * grad_grad_x;
  const Value add2 = add1 * (0.071354816272344 * grad_out) + mul2 * grad_out;
  const Value sigmoid1 = aten::sigmoid(-mul0);
  const Value mul3 = sigmoid0 * sigmoid1;
  const Value mul4 = mul3 * x;
  const Value mul5 = mul4 * x;
  const Value mul6 = mul5 * x;
  const Value add3 = mul6 * (0.071354816272344 * add1) + mul6 * mul2;
  const Value mul7 = add2 * mul5;
  const Value mul8 = (add2 * x * x + mul1 * grad_out) * mul3;
  const Value mul9 = mul4 * (1.5957691216 * tanh0 * grad_grad_x * grad_out);
  const Value add4 = mul6 * (tanh0 * add2) + mul9;
  const Value sub0 = grad_grad_x * grad_out * mul3 - add4;
  const Value add5 = mul7 + mul7 + mul8 + sub0 * add0 * 1.5957691216;
  const Value mul10 = 0.071354816272344 * sub0 * x * x;
  writes[0] = add3 + mul1 * mul4 + grad_grad_x * sigmoid0;
  writes[1] = add5 + mul10 + mul10;
}

const Pass kDoubleBackward = {
    .schema = "gelu_fast_double_backward(Tensor grad_grad_x, Tensor? grad_out, Tensor? x, bool[2]"
              " needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x"}, {.name = "grad_out"}, {.name = "x"}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2}},
                {.name = "grad_x", .like = 2, .reads = {0, 1, 2}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "gelu_fast_backward(Tensor grad_out, Tensor? x, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_out"}, {.name = "x"}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Pass kForward = {
    .schema = "gelu_fast(Tensor x) -> Tensor",
    .inputs = {{.name = "x"}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0},
    .gradients = {0},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::gelu_fast
