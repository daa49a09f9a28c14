#include <ATen/ops/amax.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/where.h>
#include <fusewise/torch/op.h>

// picked = sum(x if index == target else 0), peak = amax(x) with keepdim, where target is an int row tensor.
namespace fusewise::row_pick {

KernelFunction forward_cpu;
KernelFunction backward_cpu;

namespace {

Tensor row_sum(const Tensor& x) { return at::sum(x, at::IntArrayRef{-1}, /*keepdim=*/true); }

Tensor row_maximum(const Tensor& x) { return at::amax(x, at::IntArrayRef{-1}, /*keepdim=*/true); }

Tensor is_target(const Tensor& x, const Tensor& target) {
  return at::arange(x.sym_size(-1), x.options()) == target;
}

void forward_decomposition(
    const Tensor* in, const Number*, const at::ScalarType*, Tensor* out) {
  const Tensor& x = in[0];
  out[0] = row_sum(at::where(is_target(x, in[1]), x, 0));
  out[1] = row_maximum(x);
}

void backward_decomposition(
    const Tensor* in, const Number*, const at::ScalarType*, Tensor* out) {
  const Tensor& grad_picked = in[0];
  const Tensor& grad_peak = in[1];
  const Tensor& x = in[2];
  const Tensor is_peak = x == row_maximum(x);
  const Tensor ties = row_sum(is_peak.to(x.scalar_type()));
  out[0] = at::where(is_target(x, in[3]), grad_picked, 0) + at::where(is_peak, grad_peak / ties, 0);
}

const Pass kBackward = {
    .schema = "row_pick_backward(Tensor? grad_picked, Tensor? grad_peak, Tensor? x, Tensor? target, "
              "bool[1] needs) -> Tensor",
    .inputs = {
        {.name = "grad_picked", .optional = true, .extent = Extent::kRow},
        {.name = "grad_peak", .optional = true, .extent = Extent::kRow, .keepdim = true},
        {.name = "x"},
        {.name = "target", .kind = Kind::kInt, .extent = Extent::kRow},
    },
    .outputs = {
        {.name = "grad_x", .like = 2, .reads = {0, 1, 2, 3}},
    },
    .kernels = {backward_cpu},
    .decomposition = backward_decomposition,
    .reduces = true,
    .needs_elements = true,
};

const Pass kForward = {
    .schema = "row_pick(Tensor x, Tensor target) -> (Tensor, Tensor)",
    .inputs = {
        {.name = "x"},
        {.name = "target", .kind = Kind::kInt, .extent = Extent::kRow},
    },
    .outputs = {
        {.name = "picked", .extent = Extent::kRow},
        {.name = "peak", .extent = Extent::kRow, .keepdim = true},
    },
    .kernels = {forward_cpu},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0},
    .reduces = true,
    .needs_elements = true,
};

const Registration kRegistration("fusewise_test", kForward);

}  // namespace
}  // namespace fusewise::row_pick
