// Generated from specs/activations/gelu_new.yaml by `fusewise generate`. Do not edit.
// The formulas stand in gelu_new.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::gelu_new {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value sigmoid0 = aten::sigmoid(x * (1.5957691216057308 + 0.07135481627260025 * x * x));
  writes[0] = x * sigmoid0;
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value mul0 = x * (1.5957691216057308 + 0.07135481627260025 * x * x);
  const Value sigmoid0 = aten::sigmoid(mul0);
  const Value sigmoid1 = aten::sigmoid(-mul0);
  const Value mul1 = x * (sigmoid0 * sigmoid1);
  const Value mul2 = mul1 * x * x * 0.21406444881780073;
  writes[0] = grad_out * (sigmoid0 + mul1 * 1.5957691216057308 + mul2);
}

void double_backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_out = reads[1];
  const Value& x = reads[2];
  const Value mul0 = x * (1.5957691216057308 + 0.07135481627260025 * x * x);
  const Value sigmoid0 = aten::sigmoid(mul0);
  const Value tanh0 = aten::tanh(0.5 * mul0);
  const Value sigmoid1 = aten::sigmoid(-mul0);
  const Value mul1 = sigmoid0 * sigmoid1;
  const Value mul2 = x * mul1;
  const Value mul3 = mul2 * x;
  const Value add0 = sigmoid0 + mul2 * 1.5957691216057308 + mul3 * x * 0.21406444881780073;
  const Value mul4 = x * (mul1 * 1.5957691216057308 + mul3 * 0.21406444881780073) * tanh0;
  const Value sub0 = 3.1915382432114616 * mul1 + mul3 * 0.8562577952712029 - mul4 *
      1.5957691216057308;
  const Value sub1 = sub0 - mul4 * x * x * 0.21406444881780073;
  writes[0] = grad_grad_x * add0;
  writes[1] = grad_grad_x * grad_out * sub1;
}

const Pass kDoubleBackward = {
    .schema = "gelu_new_double_backward(Tensor grad_grad_x, Tensor? grad_out, Tensor? x, bool[2] "
              "needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x"}, {.name = "grad_out"}, {.name = "x"}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2}},
                {.name = "grad_x", .like = 2, .reads = {0, 1, 2}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "gelu_new_backward(Tensor grad_out, Tensor? x, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_out"}, {.name = "x"}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Pass kForward = {
    .schema = "gelu_new(Tensor x) -> Tensor",
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
}  // namespace fusewise::ops::gelu_new
