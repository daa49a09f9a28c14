#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

// out = x + y + (a + b if x > 0 else 0): gradients that are forwarded, of an input that is saved, of one
// that is not, and one that two inputs have in common.
namespace fusewise::gated_add {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* in, const Number*, const Dtype*, Value* out) {
  out[0] = in[0] + in[1] + aten::where(in[0] > 0, in[2] + in[3], 0);
}

void backward_decomposition(
    const Value* in, const Number*, const Dtype*, Value* out) {
  const Value& grad_out = in[0];
  const Value& x = in[1];
  const Value where0 = aten::where(x > 0, grad_out, 0);
  out[0] = grad_out;
  out[1] = grad_out;
  out[2] = where0;
  out[3] = where0;
}

void double_backward_decomposition(
    const Value* in, const Number*, const Dtype*, Value* out) {
  const Value& x = in[5];
  out[0] = in[0] + in[1] + aten::where(x > 0, in[2] + in[3], 0);
}

const Pass kDoubleBackward = {
    .schema =
        "gated_add_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_y, Tensor? grad_grad_a, "
        "Tensor? grad_grad_b, Tensor? grad_out, Tensor? x, bool[1] needs) -> Tensor",
    .inputs = {
        {.name = "grad_grad_x", .optional = true},
        {.name = "grad_grad_y", .optional = true},
        {.name = "grad_grad_a", .optional = true},
        {.name = "grad_grad_b", .optional = true},
        {.name = "grad_out"},
        {.name = "x"},
    },
    .outputs = {
        {.name = "grad_grad_out", .like = 4, .reads = {0, 1, 2, 3, 5}},
    },
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "gated_add_backward(Tensor grad_out, Tensor? x, Tensor? y, Tensor? a, Tensor? b, "
              "bool[4] needs) -> (Tensor, Tensor, Tensor, Tensor)",
    .inputs = {
        {.name = "grad_out"},
        {.name = "x"},
        {.name = "y", .shape_only = true},
        {.name = "a", .shape_only = true},
        {.name = "b", .shape_only = true},
    },
    .outputs = {
        {.name = "grad_x", .like = 1, .reads = {0}, .equal_input = 0},
        {.name = "grad_y", .like = 2, .reads = {0}, .equal_input = 0},
        {.name = "grad_a", .like = 3, .reads = {0, 1}},
        {.name = "grad_b", .like = 4, .reads = {0, 1}, .equal_output = 2},
    },
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1},
    .gradients = {0},
};

const Pass kForward = {
    .schema = "gated_add(Tensor x, Tensor y, Tensor a, Tensor b) -> Tensor",
    .inputs = {
        {.name = "x"},
        {.name = "y"},
        {.name = "a"},
        {.name = "b"},
    },
    .outputs = {
        {.name = "out"},
    },
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0},
    .saved_shapes = {1, 2, 3},
    .gradients = {0, 1, 2, 3},
};

const Registration kRegistration("fusewise_test", kForward);

}  // namespace
}  // namespace fusewise::gated_add
