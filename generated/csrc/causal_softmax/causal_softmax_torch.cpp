// Generated from specs/softmax/causal_softmax.yaml by `fusewise generate`. Do not edit.
// The formulas stand in causal_softmax.math.h.
#include <ATen/ops/softmax.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/where.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::causal_softmax {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& x = reads[0];
  const Tensor& last = reads[1];
  const Tensor index = reads[2];
  const double scale = params[0].as<double>();
  const Tensor where0 = at::where(index <= last, scale * x, -INFINITY);
  writes[0] = at::softmax(where0, -1);
}

void backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_out = reads[0];
  const Tensor& last = reads[1];
  const Tensor& out = reads[2];
  const Tensor index = reads[3];
  const double scale = params[0].as<double>();
  const Tensor sum0 = at::sum(grad_out * out, {-1}, true);
  writes[0] = at::where(index <= last, out * (grad_out - sum0) * scale, 0);
}

void double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_x = reads[0];
  const Tensor& grad_out = reads[1];
  const Tensor& last = reads[2];
  const Tensor& out = reads[3];
  const Tensor index = reads[4];
  const double scale = params[0].as<double>();
  const Tensor le0 = index <= last;
  const Tensor sum0 = at::sum(grad_out * out, {-1}, true);
  const Tensor mul0 = grad_grad_x * scale;
  const Tensor where0 = at::where(le0, mul0 * (grad_out - sum0), 0);
  const Tensor mul1 = mul0 * out;
  const Tensor where1 = at::where(le0, mul1, 0);
  const Tensor where2 = at::where(le0, -mul1, 0);
  const Tensor sum1 = at::sum(where2, {-1}, true);
  writes[0] = where1 + sum1 * out;
  writes[1] = where0 + sum1 * grad_out;
}

const Pass kDoubleBackward = {
    .schema = "causal_softmax_double_backward(Tensor grad_grad_x, Tensor? grad_out, Tensor? last,"
              " Tensor? out, *, float scale, bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x"},
               {.name = "grad_out"},
               {.name = "last", .kind = Kind::kInt, .extent = Extent::kRow},
               {.name = "out"}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2, 3}},
                {.name = "grad_out", .like = 3, .reads = {0, 1, 2, 3}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .reduces = true,
};

const Pass kBackward = {
    .schema = "causal_softmax_backward(Tensor grad_out, Tensor? last, Tensor? out, Tensor? x, *, "
              "float scale, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_out"},
               {.name = "last", .kind = Kind::kInt, .extent = Extent::kRow},
               {.name = "out"},
               {.name = "x", .shape_only = true}},
    .outputs = {{.name = "grad_x", .like = 3, .reads = {0, 1, 2}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 2},
    .reduces = true,
};

const Pass kForward = {
    .schema = "causal_softmax(Tensor x, Tensor last, *, float scale=1) -> Tensor",
    .inputs = {{.name = "x"}, {.name = "last", .kind = Kind::kInt, .extent = Extent::kRow}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {1},
    .saved_outputs = {0},
    .saved_shapes = {0},
    .gradients = {0},
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::causal_softmax
