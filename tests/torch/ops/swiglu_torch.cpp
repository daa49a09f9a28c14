#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::swiglu {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* in, const Number*, const Dtype*, Value* out) {
  const Value& x = in[0];
  const Value& y = in[1];
  out[0] = x * aten::sigmoid(x) * y;
}

void backward_decomposition(
    const Value* in, const Number*, const Dtype*, Value* out) {
  const Value& grad_out = in[0];
  const Value& x = in[1];
  const Value& y = in[2];
  const Value sigmoid0 = aten::sigmoid(x);
  const Value mul0 = x * sigmoid0;
  out[0] = grad_out * y * (sigmoid0 + mul0 * (1 - sigmoid0));
  out[1] = grad_out * mul0;
}

void double_backward_decomposition(
    const Value* in, const Number*, const Dtype*, Value* out) {
  const Value& grad_grad_x = in[0];
  const Value& grad_grad_y = in[1];
  const Value& grad_out = in[2];
  const Value& x = in[3];
  const Value& y = in[4];
  const Value sigmoid0 = aten::sigmoid(x);
  const Value mul0 = x * sigmoid0;
  const Value first = sigmoid0 + mul0 * (1 - sigmoid0);
  const Value second = sigmoid0 * (1 - sigmoid0) * (2 + x * (1 - 2 * sigmoid0));
  out[0] = grad_grad_x * y * first + grad_grad_y * mul0;
  out[1] = grad_grad_x * grad_out * y * second + grad_grad_y * grad_out * first;
  out[2] = grad_grad_x * grad_out * first;
}

const Pass kDoubleBackward = {
    .schema =
        "swiglu_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_y, Tensor? grad_out, "
        "Tensor? x, Tensor? y, bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .inputs = {
        {.name = "grad_grad_x", .optional = true},
        {.name = "grad_grad_y", .optional = true},
        {.name = "grad_out"},
        {.name = "x"},
        {.name = "y"},
    },
    .outputs = {
        {.name = "grad_grad_out", .like = 2, .reads = {0, 1, 3, 4}},
        {.name = "grad_x", .like = 3, .reads = {0, 1, 2, 3, 4}},
        {.name = "grad_y", .like = 4, .reads = {0, 2, 3}},
    },
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema =
        "swiglu_backward(Tensor grad_out, Tensor? x, Tensor? y, bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {
        {.name = "grad_out"},
        {.name = "x"},
        {.name = "y"},
    },
    .outputs = {
        {.name = "grad_x", .like = 1, .reads = {0, 1, 2}},
        {.name = "grad_y", .like = 2, .reads = {0, 1}},
    },
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
};

const Pass kForward = {
    .schema = "swiglu(Tensor x, Tensor y) -> Tensor",
    .inputs = {
        {.name = "x"},
        {.name = "y"},
    },
    .outputs = {
        {.name = "out"},
    },
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Registration kRegistration("fusewise_test", kForward);

}  // namespace
}  // namespace fusewise::swiglu
