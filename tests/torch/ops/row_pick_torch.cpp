#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

// picked = sum(x if index == target else 0), peak = amax(x) with keepdim, where target is an int row tensor.
namespace fusewise::row_pick {

KernelFunction forward_cpu;
KernelFunction backward_cpu;

namespace {

void forward_decomposition(
    const Value* in, const Number*, const Dtype*, Value* out) {
  const Value& x = in[0];
  const Value& index = in[2];
  out[0] = aten::sum(aten::where(index == in[1], x, 0));
  out[1] = aten::amax(x);
}

void backward_decomposition(
    const Value* in, const Number*, const Dtype*, Value* out) {
  const Value& grad_picked = in[0];
  const Value& grad_peak = in[1];
  const Value& x = in[2];
  const Value& index = in[4];
  const Value is_peak = x == aten::amax(x);
  const Value ties = aten::sum(aten::where(is_peak, constant(1, x), 0));
  out[0] = aten::where(index == in[3], grad_picked, 0) + aten::where(is_peak, grad_peak / ties, 0);
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
