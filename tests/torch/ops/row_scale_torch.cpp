#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

// out = x * s / total, total = sum(x), where s is a row tensor.
namespace fusewise::row_scale {

KernelFunction forward_cpu;
KernelFunction backward_cpu;
KernelFunction double_backward_cpu;

namespace {

void forward_decomposition(
    const Value* in, const Number*, const Dtype*, Value* out) {
  const Value& x = in[0];
  const Value& s = in[1];
  const Value total = aten::sum(x);
  out[0] = x * s / total;
  out[1] = total;
}

void backward_decomposition(
    const Value* in, const Number*, const Dtype*, Value* out) {
  const Value& grad_out = in[0];
  const Value& grad_total = in[1];
  const Value& x = in[2];
  const Value& s = in[3];
  const Value total = aten::sum(x);
  const Value moment = aten::sum(grad_out * x);
  out[0] = grad_out * s / total - s * moment / (total * total) + grad_total;
  out[1] = aten::sum(grad_out * x / total);
}

void double_backward_decomposition(
    const Value* in, const Number*, const Dtype*, Value* out) {
  const Value& grad_grad_x = in[0];
  const Value& grad_grad_s = in[1];
  const Value& grad_out = in[2];
  const Value& x = in[4];
  const Value& s = in[5];
  const Value t = aten::sum(x);
  const Value moment = aten::sum(grad_out * x);
  const Value p = aten::sum(grad_grad_x);
  const Value q = aten::sum(grad_grad_x * grad_out);
  out[0] = s * grad_grad_x / t + x * (grad_grad_s / t - s * p / (t * t));
  out[1] = p;
  out[2] = -s * (q + grad_out * p) / (t * t) + 2 * s * moment * p / (t * t * t) +
           grad_grad_s * (grad_out / t - moment / (t * t));
  out[3] = aten::sum(grad_grad_x * (grad_out / t - moment / (t * t)));
}

const Pass kDoubleBackward = {
    .schema = "row_scale_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_s, Tensor? grad_out, "
              "Tensor? grad_total, Tensor? x, Tensor? s, bool[4] needs) -> (Tensor, Tensor, Tensor, Tensor)",
    .inputs = {
        {.name = "grad_grad_x", .optional = true},
        {.name = "grad_grad_s", .optional = true, .extent = Extent::kRow},
        {.name = "grad_out", .optional = true},
        {.name = "grad_total", .optional = true, .extent = Extent::kRow},
        {.name = "x"},
        {.name = "s", .extent = Extent::kRow},
    },
    .outputs = {
        {.name = "grad_grad_out", .like = 2, .reads = {0, 1, 4, 5}},
        {.name = "grad_grad_total", .like = 3, .reads = {0}, .extent = Extent::kRow},
        {.name = "grad_x", .like = 4, .reads = {0, 1, 2, 4, 5}},
        {.name = "grad_s", .like = 5, .reads = {0, 2, 4}, .extent = Extent::kRow},
    },
    .kernels = {double_backward_cpu},
    .decomposition = double_backward_decomposition,
    .reduces = true,
};

const Pass kBackward = {
    .schema = "row_scale_backward(Tensor? grad_out, Tensor? grad_total, Tensor? x, Tensor? s, "
              "bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {
        {.name = "grad_out", .optional = true},
        {.name = "grad_total", .optional = true, .extent = Extent::kRow},
        {.name = "x"},
        {.name = "s", .extent = Extent::kRow},
    },
    .outputs = {
        {.name = "grad_x", .like = 2, .reads = {0, 1, 2, 3}},
        {.name = "grad_s", .like = 3, .reads = {0, 2}, .extent = Extent::kRow},
    },
    .kernels = {backward_cpu},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1, 2, 3},
    .reduces = true,
};

const Pass kForward = {
    .schema = "row_scale(Tensor x, Tensor s) -> (Tensor, Tensor)",
    .inputs = {
        {.name = "x"},
        {.name = "s", .extent = Extent::kRow},
    },
    .outputs = {
        {.name = "out"},
        {.name = "total", .extent = Extent::kRow},
    },
    .kernels = {forward_cpu},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
    .reduces = true,
};

const Registration kRegistration("fusewise_test", kForward);

}  // namespace
}  // namespace fusewise::row_scale
