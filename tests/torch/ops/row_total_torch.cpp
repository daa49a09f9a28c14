#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

// total = sum(x) + s, where s is an optional row tensor. The gradients of both equal the incoming one, but only
// that of s has its shape.
namespace fusewise::row_total {

KernelFunction forward_cpu;
KernelFunction backward_cpu;
KernelFunction double_backward_cpu;

namespace {

void forward_decomposition(
    const Value* in, const Number*, const Dtype*, Value* out) {
  out[0] = aten::sum(in[0]) + in[1];
}

void backward_decomposition(
    const Value* in, const Number*, const Dtype*, Value* out) {
  out[0] = in[0];
  out[1] = in[0];
}

const Pass kDoubleBackward = {
    .schema = "row_total_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_s, Tensor? grad_total, "
              "bool[1] needs) -> Tensor",
    .inputs = {
        {.name = "grad_grad_x", .optional = true},
        {.name = "grad_grad_s", .optional = true, .extent = Extent::kRow},
        {.name = "grad_total", .extent = Extent::kRow},
    },
    .outputs = {
        {.name = "grad_grad_total", .like = 2, .reads = {0, 1}, .extent = Extent::kRow},
    },
    .kernels = {double_backward_cpu},
    .decomposition = forward_decomposition,
    .reduces = true,
};

const Pass kBackward = {
    .schema = "row_total_backward(Tensor grad_total, Tensor? x, Tensor? s, bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {
        {.name = "grad_total", .extent = Extent::kRow},
        {.name = "x", .shape_only = true},
        {.name = "s", .shape_only = true, .extent = Extent::kRow},
    },
    .outputs = {
        {.name = "grad_x", .like = 1, .reads = {0}, .equal_input = 0},
        {.name = "grad_s", .like = 2, .reads = {0}, .equal_input = 0, .equal_output = 0,
         .extent = Extent::kRow},
    },
    .kernels = {backward_cpu},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0},
    .gradients = {0},
    .reduces = true,
};

const Pass kForward = {
    .schema = "row_total(Tensor x, Tensor? s=None) -> Tensor",
    .inputs = {
        {.name = "x"},
        {.name = "s", .optional = true, .extent = Extent::kRow},
    },
    .outputs = {
        {.name = "total", .extent = Extent::kRow},
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
}  // namespace fusewise::row_total
