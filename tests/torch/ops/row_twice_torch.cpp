#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

// total = sum(2 * x), out = x + y. The derivatives read neither x nor y, only the length of a row.
namespace fusewise::row_twice {

KernelFunction forward_cpu;
KernelFunction backward_cpu;
KernelFunction double_backward_cpu;

namespace {

void forward_decomposition(
    const Value* in, const Number*, const Dtype*, Value* out) {
  out[0] = aten::sum(2 * in[0]);
  out[1] = in[0] + in[1];
}

void backward_decomposition(
    const Value* in, const Number*, const Dtype*, Value* out) {
  out[0] = 2 * in[0] + in[1];
  out[1] = in[1];
}

const Pass kDoubleBackward = {
    .schema = "row_twice_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_y, Tensor? grad_total, "
              "Tensor? grad_out, bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {
        {.name = "grad_grad_x", .optional = true},
        {.name = "grad_grad_y", .optional = true},
        {.name = "grad_total", .optional = true, .extent = Extent::kRow},
        {.name = "grad_out", .optional = true},
    },
    .outputs = {
        {.name = "grad_grad_total", .like = 2, .reads = {0}, .extent = Extent::kRow},
        {.name = "grad_grad_out", .like = 3, .reads = {0, 1}},
    },
    .kernels = {double_backward_cpu},
    .decomposition = forward_decomposition,
    .reduces = true,
};

const Pass kBackward = {
    .schema = "row_twice_backward(Tensor? grad_total, Tensor? grad_out, Tensor? x, Tensor? y, "
              "bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {
        {.name = "grad_total", .optional = true, .extent = Extent::kRow},
        {.name = "grad_out", .optional = true},
        {.name = "x", .shape_only = true},
        {.name = "y", .shape_only = true},
    },
    .outputs = {
        {.name = "grad_x", .like = 2, .reads = {0, 1}},
        {.name = "grad_y", .like = 3, .reads = {1}, .equal_input = 1},
    },
    .kernels = {backward_cpu},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
    .reduces = true,
};

const Pass kForward = {
    .schema = "row_twice(Tensor x, Tensor y) -> (Tensor, Tensor)",
    .inputs = {
        {.name = "x"},
        {.name = "y"},
    },
    .outputs = {
        {.name = "total", .extent = Extent::kRow},
        {.name = "out"},
    },
    .kernels = {forward_cpu},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_shapes = {0, 1},
    .gradients = {0, 1},
    .reduces = true,
};

const Registration kRegistration("fusewise_test", kForward);

}  // namespace
}  // namespace fusewise::row_twice
