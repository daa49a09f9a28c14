// Generated from specs/gated/swiglu.yaml by `fusewise generate`. Do not edit.
// The formulas stand in swiglu.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::swiglu {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& y = reads[1];
  const Value sigmoid0 = aten::sigmoid(x);
  writes[0] = x * sigmoid0 * y;
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& y = reads[2];
  const Value sigmoid0 = aten::sigmoid(x);
  const Value sigmoid1 = aten::sigmoid(-x);
  writes[0] = grad_out * y * (sigmoid0 + x * (sigmoid0 * sigmoid1));
  writes[1] = grad_out * (x * sigmoid0);
}

void double_backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_y = reads[1];
  const Value& grad_out = reads[2];
  const Value& x = reads[3];
  const Value& y = reads[4];
  const Value sigmoid0 = aten::sigmoid(x);
  const Value tanh0 = aten::tanh(0.5 * x);
  const Value sigmoid1 = aten::sigmoid(-x);
  const Value mul0 = sigmoid0 * sigmoid1;
  const Value mul1 = x * mul0;
  const Value add0 = sigmoid0 + mul1;
  const Value mul2 = grad_grad_x * add0;
  const Value mul3 = grad_grad_x * (grad_out * y) * mul0;
  const Value sub0 = mul3 - mul1 * (tanh0 * grad_grad_x * grad_out * y);
  writes[0] = grad_grad_y * (x * sigmoid0) + mul2 * y;
  writes[1] = sub0 + grad_grad_y * grad_out * add0 + mul3;
  writes[2] = mul2 * grad_out;
}

const Pass kDoubleBackward = {
    .schema = "swiglu_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_y, Tensor? grad_out,"
              " Tensor? x, Tensor? y, bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_y", .optional = true},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "y"}},
    .outputs = {{.name = "grad_grad_out", .like = 2, .reads = {0, 1, 3, 4}},
                {.name = "grad_x", .like = 3, .reads = {0, 1, 2, 3, 4}},
                {.name = "grad_y", .like = 4, .reads = {0, 2, 3}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "swiglu_backward(Tensor grad_out, Tensor? x, Tensor? y, bool[2] needs) -> (Tensor, "
              "Tensor)",
    .inputs = {{.name = "grad_out"}, {.name = "x"}, {.name = "y"}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2}},
                {.name = "grad_y", .like = 2, .reads = {0, 1}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
};

const Pass kForward = {
    .schema = "swiglu(Tensor x, Tensor y) -> Tensor",
    .inputs = {{.name = "x"}, {.name = "y"}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::swiglu
