// Generated from specs/basics/d_sigmoid.yaml by `fusewise generate`. Do not edit.
// The formulas stand in d_sigmoid.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::d_sigmoid {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& z = reads[0];
  const Value s = aten::sigmoid(z);
  const Value sigmoid0 = aten::sigmoid(-z);
  writes[0] = s * sigmoid0;
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& z = reads[1];
  const Value sigmoid0 = aten::sigmoid(z);
  const Value sigmoid1 = aten::sigmoid(-z);
  const Value tanh0 = aten::tanh(0.5 * z);
  writes[0] = -(sigmoid0 * sigmoid1 * tanh0 * grad_out);
}

void double_backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_grad_z = reads[0];
  const Value& grad_out = reads[1];
  const Value& z = reads[2];
  const Value sigmoid0 = aten::sigmoid(z);
  const Value sigmoid1 = aten::sigmoid(-z);
  const Value mul0 = sigmoid0 * sigmoid1;
  const Value tanh0 = aten::tanh(0.5 * z);
  const Value mul1 = grad_grad_z * grad_out;
  const Value mul2 = mul0 * tanh0;
  const Value mul3 = mul1 * mul0 * (4 * mul0) * 0.5;
  writes[0] = -(grad_grad_z * mul2);
  writes[1] = mul2 * (mul1 * tanh0) - mul3;
}

const Pass kDoubleBackward = {
    .schema = "d_sigmoid_double_backward(Tensor grad_grad_z, Tensor? grad_out, Tensor? z, bool[2]"
              " needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_z"}, {.name = "grad_out"}, {.name = "z"}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2}},
                {.name = "grad_z", .like = 2, .reads = {0, 1, 2}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "d_sigmoid_backward(Tensor grad_out, Tensor? z, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_out"}, {.name = "z"}},
    .outputs = {{.name = "grad_z", .like = 1, .reads = {0, 1}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Pass kForward = {
    .schema = "d_sigmoid(Tensor z) -> Tensor",
    .inputs = {{.name = "z"}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0},
    .gradients = {0},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::d_sigmoid
