#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::quantise {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction scale_cpu, scale_cuda;

namespace {

void forward_decomposition(
    const Value* in, const Number*, const Dtype* types, Value* out) {
  const Value& x = in[0];
  const Value& y = in[1];
  const Value product = round_to(x * y, types[0]);
  out[0] = product + y;
  out[1] = aten::round(product);
  out[2] = product;
  out[3] = product * x;
}

void backward_decomposition(
    const Value* in, const Number*, const Dtype* types, Value* out) {
  const Value& grad_wide = in[0];
  const Value& grad_same = in[1];
  const Value& x = in[2];
  const Value& y = in[3];
  const Value product = round_to(x * y, types[2]);
  const Value grad_product = grad_wide + grad_same * x;
  out[0] = grad_product * y + grad_same * product;
  out[1] = grad_product * x + grad_wide;
}

void scale_decomposition(const Value* in, const Number*, const Dtype*, Value* out) {
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
        {.name = "wide", .dtype = Dtype::kFloat},
        {.name = "whole", .dtype = Dtype::kInt8},
        {.name = "tiny", .dtype = Dtype::kFloat8E4M3FN},
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
        {.name = "out", .dtype = Dtype::kFloat8E5M2},
    },
    .kernels = {scale_cpu, kWithCuda ? scale_cuda : nullptr},
    .decomposition = scale_decomposition,
};

const Registration kRegistration("fusewise_test", kForward);
const Registration kScaleRegistration("fusewise_test", kScale);

}  // namespace
}  // namespace fusewise::quantise
