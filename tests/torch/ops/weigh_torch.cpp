#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

// out = x * x * stop_grad(w), weight = exp(stop_grad(w)): an input and an output that are detached.
namespace fusewise::weigh {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* in, const Number*, const Dtype*, Value* out) {
  const Value& x = in[0];
  const Value w = aten::detach(in[1]);
  out[0] = x * x * w;
  out[1] = aten::exp(w);
}

void backward_decomposition(
    const Value* in, const Number*, const Dtype*, Value* out) {
  const Value& grad_out = in[0];
  const Value& x = in[1];
  const Value w = aten::detach(in[2]);
  out[0] = grad_out * 2 * x * w;
}

void double_backward_decomposition(
    const Value* in, const Number*, const Dtype*, Value* out) {
  const Value& grad_grad_x = in[0];
  const Value& grad_out = in[1];
  const Value& x = in[2];
  const Value w = aten::detach(in[3]);
  const Value mul0 = 2 * grad_grad_x * w;
  out[0] = mul0 * x;
  out[1] = mul0 * grad_out;
}

const Pass kDoubleBackward = {
    .schema = "weigh_double_backward(Tensor grad_grad_x, Tensor? grad_out, Tensor? x, Tensor? w, "
              "bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {
        {.name = "grad_grad_x"},
        {.name = "grad_out"},
        {.name = "x"},
        {.name = "w"},
    },
    .outputs = {
        {.name = "grad_grad_out", .like = 1, .reads = {0, 2, 3}},
        {.name = "grad_x", .like = 2, .reads = {0, 1, 3}},
    },
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "weigh_backward(Tensor grad_out, Tensor? x, Tensor? w, bool[1] needs) -> Tensor",
    .inputs = {
        {.name = "grad_out"},
        {.name = "x"},
        {.name = "w"},
    },
    .outputs = {
        {.name = "grad_x", .like = 1, .reads = {0, 1, 2}},
    },
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1},
};

const Pass kForward = {
    .schema = "weigh(Tensor x, Tensor w) -> (Tensor, Tensor)",
    .inputs = {
        {.name = "x"},
        {.name = "w"},
    },
    .outputs = {
        {.name = "out"},
        {.name = "weight", .detached = true},
    },
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0},
};

const Registration kRegistration("fusewise_test", kForward);

}  // namespace
}  // namespace fusewise::weigh
