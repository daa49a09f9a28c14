#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::bias_gelu {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* in, const Number* params, const Dtype*, Value* out) {
  const Value& x = in[0];
  const Value& bias = in[1];
  const double alpha = params[0].as<double>();
  const Value u = x + bias;
  out[0] = u * aten::sigmoid(alpha * u);
}

void backward_decomposition(
    const Value* in, const Number* params, const Dtype*, Value* out) {
  const Value& grad_out = in[0];
  const Value& x = in[1];
  const Value& bias = in[2];
  const double alpha = params[0].as<double>();
  const Value u = x + bias;
  const Value s = aten::sigmoid(alpha * u);
  const Value grad_u = grad_out * (s + alpha * u * s * (1 - s));
  out[0] = grad_u;
  out[1] = grad_u;
}

void double_backward_decomposition(
    const Value* in, const Number* params, const Dtype*, Value* out) {
  const Value& grad_grad_x = in[0];
  const Value& grad_grad_bias = in[1];
  const Value& grad_out = in[2];
  const Value& x = in[3];
  const Value& bias = in[4];
  const double alpha = params[0].as<double>();
  const Value u = x + bias;
  const Value s = aten::sigmoid(alpha * u);
  const Value slope = alpha * s * (1 - s);
  const Value grad_grad_u = grad_grad_x + grad_grad_bias;
  const Value grad_u = grad_grad_u * grad_out * slope * (2 + alpha * u * (1 - 2 * s));
  out[0] = grad_grad_u * (s + u * slope);
  out[1] = grad_u;
  out[2] = grad_u;
}

const Pass kDoubleBackward = {
    .schema =
        "bias_gelu_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_bias, Tensor? grad_out, "
        "Tensor? x, Tensor? bias, *, float alpha, bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .inputs = {
        {.name = "grad_grad_x", .optional = true},
        {.name = "grad_grad_bias", .optional = true},
        {.name = "grad_out"},
        {.name = "x"},
        {.name = "bias", .optional = true},
    },
    .outputs = {
        {.name = "grad_grad_out", .like = 2, .reads = {0, 1, 3, 4}},
        {.name = "grad_x", .like = 3, .reads = {0, 1, 2, 3, 4}},
        {.name = "grad_bias", .like = 4, .reads = {0, 1, 2, 3, 4}, .equal_output = 1},
    },
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema =
        "bias_gelu_backward(Tensor grad_out, Tensor? x, Tensor? bias, *, float alpha, "
        "bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {
        {.name = "grad_out"},
        {.name = "x"},
        {.name = "bias", .optional = true},
    },
    .outputs = {
        {.name = "grad_x", .like = 1, .reads = {0, 1, 2}},
        {.name = "grad_bias", .like = 2, .reads = {0, 1, 2}, .equal_output = 0},
    },
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
};

const Pass kForward = {
    .schema = "bias_gelu(Tensor x, Tensor? bias=None, *, float alpha=1.702) -> Tensor",
    .inputs = {
        {.name = "x"},
        {.name = "bias", .optional = true},
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
}  // namespace fusewise::bias_gelu
