#include <ATen/ops/round.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::quantise {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction scale_cpu, scale_cuda;

namespace {

void forward_decomposition(
    const Tensor* in, const Number*, const at::ScalarType* types, Tensor* out) {
  const Tensor& x = in[0];
  const Tensor& y = in[1];
  const Tensor product = round_to(x * y, types[0]);
  out[0] = product + y;
  out[1] = at::round(product);
  out[2] = product;
  out[3] = product * x;
}

void backward_decomposition(
    const Tensor* in, const Number*, const at::ScalarType* types, Tensor* out) {
  const Tensor& grad_wide = in[0];
  const Tensor& grad_same = in[1];
  const Tensor& x = in[2];
  const Tensor& y = in[3];
  const Tensor product = round_to(x * y, types[2]);
  const Tensor grad_product = grad_wide + grad_same * x;
  out[0] = grad_product * y + grad_same * product;
  out[1] = grad_product * x + grad_wide;
}

void scale_decomposition(const Tensor* in, const Number*, const at::ScalarType*, Tensor* out) {
  out[0] = in[0] / in[1];
}

const Pass kBackward = {
    .schema =
        "quantise_backward(Tensor? grad_wide, Tensor? grad_same, Tensor? x, Tensor? y, "
        "bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {
        {.name = "grad_wide", .optional = true},
        {.name = "grad_same", .optional = true},
        {.name = "x"},
        {.name = "y"},
    },
    .outputs = {
        {.name = "grad_x", .like = 2, .reads = {0, 1, 2, 3}},
        {.name = "grad_y", .like = 3, .reads = {0, 1, 2}},
    },
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
};

const Pass kForward = {
    .schema = "quantise(Tensor x, Tensor y) -> (Tensor, Tensor, Tensor, Tensor)",
    .inputs = {
        {.name = "x"},
        {.name = "y"},
    },
    .outputs = {
        {.name = "wide", .dtype = at::kFloat},
        {.name = "whole", .dtype = at::kChar},
        {.name = "tiny", .dtype = at::kFloat8_e4m3fn},
        {.name = "same", .dtype_like = 0},
    },
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Pass kScale = {
    .schema = "quantise_scale(Tensor x, Tensor scale) -> Tensor",
    .inputs = {
        {.name = "x"},
        {.name = "scale"},
    },
    .outputs = {
        {.name = "out", .dtype = at::kFloat8_e5m2},
    },
    .kernels = {scale_cpu, kWithCuda ? scale_cuda : nullptr},
    .decomposition = scale_decomposition,
};

const Registration kRegistration("fusewise_test", kForward);
const Registration kScaleRegistration("fusewise_test", kScale);

}  // namespace
}  // namespace fusewise::quantise
