// Generated from specs/softmax/masked_softmax.yaml by `fusewise generate`. Do not edit.
// The formulas stand in masked_softmax.math.h.
#include <ATen/ops/detach.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/where.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::masked_softmax {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& x = reads[0];
  const Tensor& keep = reads[1];
  const double scale = params[0].as<double>();
  const Tensor where0 = at::where(keep, scale * x, -INFINITY);
  const Tensor softmax0 = at::softmax(where0, -1);
  const Tensor where1 = at::where(keep, constant(1, reads[0]), constant(0, reads[0]));
  const Tensor sum0 = at::sum(where1, {-1}, true);
  writes[0] = at::where(sum0 > 0, softmax0, 0);
}

void backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_out = reads[0];
  const Tensor& x = reads[1];
  const Tensor& keep = reads[2];
  const double scale = params[0].as<double>();
  const Tensor where0 = at::where(keep, scale * x, -INFINITY);
  const Tensor softmax0 = at::softmax(where0, -1);
  const Tensor where1 = at::where(keep, constant(1, reads[0]), constant(0, reads[0]));
  const Tensor sum0 = at::sum(where1, {-1}, true);
  const Tensor gt0 = sum0 > 0;
  const Tensor where2 = at::where(gt0, grad_out, 0);
  const Tensor sum1 = at::sum(where2 * softmax0, {-1}, true);
  const Tensor stop_grad0 = at::detach(softmax0);
  const Tensor where3 = at::where(keep, softmax0, stop_grad0);
  const Tensor stop_grad1 = at::detach(grad_out);
  const Tensor where4 = at::where(keep, grad_out, stop_grad1);
  const Tensor where5 = at::where(gt0, where4, 0);
  writes[0] = at::where(keep, where3 * (where5 - sum1) * scale, 0);
}

void double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_x = reads[0];
  const Tensor& grad_out = reads[1];
  const Tensor& x = reads[2];
  const Tensor& keep = reads[3];
  const double scale = params[0].as<double>();
  const Tensor where0 = at::where(keep, scale * x, -INFINITY);
  const Tensor softmax0 = at::softmax(where0, -1);
  const Tensor where1 = at::where(keep, constant(1, reads[0]), constant(0, reads[0]));
  const Tensor sum0 = at::sum(where1, {-1}, true);
  const Tensor gt0 = sum0 > 0;
  const Tensor where2 = at::where(gt0, grad_out, 0);
  const Tensor sum1 = at::sum(where2 * softmax0, {-1}, true);
  const Tensor mul0 = grad_grad_x * scale * softmax0;
  const Tensor where3 = at::where(keep, mul0, 0);
  const Tensor where4 = at::where(keep, -mul0, 0);
  const Tensor sum2 = at::sum(where4, {-1}, true);
  const Tensor where5 = at::where(gt0, sum2 * grad_out, 0);
  const Tensor stop_grad0 = at::detach(softmax0);
  const Tensor where6 = at::where(keep, softmax0, stop_grad0);
  const Tensor stop_grad1 = at::detach(grad_out);
  const Tensor where7 = at::where(keep, grad_out, stop_grad1);
  const Tensor where8 = at::where(gt0, where7, 0);
  const Tensor stop_grad2 = at::detach(grad_grad_x);
  const Tensor where9 = at::where(keep, grad_grad_x, stop_grad2);
  const Tensor where10 = at::where(keep, where9 * scale * (where8 - sum1), 0);
  const Tensor sum3 = at::sum((where10 + where5) * softmax0, {-1}, true);
  const Tensor stop_grad3 = at::detach(where7);
  const Tensor where11 = at::where(keep, where7, stop_grad3);
  const Tensor where12 = at::where(gt0, where11, 0);
  const Tensor stop_grad4 = at::detach(where9);
  const Tensor where13 = at::where(keep, where9, stop_grad4);
  const Tensor where14 = at::where(keep, where13 * scale * (where12 - sum1), 0);
  const Tensor where15 = at::where(gt0, sum2 * where7, 0);
  writes[0] = at::where(gt0, where3 + sum2 * softmax0, 0);
  writes[1] = at::where(keep, where6 * (where14 + where15 - sum3) * scale, 0);
}

const Pass kDoubleBackward = {
    .schema = "masked_softmax_double_backward(Tensor grad_grad_x, Tensor? grad_out, Tensor? x, "
              "Tensor? keep, *, float scale, bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x"},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "keep", .kind = Kind::kBool}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2, 3}},
                {.name = "grad_x", .like = 2, .reads = {0, 1, 2, 3}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .reduces = true,
};

const Pass kBackward = {
    .schema = "masked_softmax_backward(Tensor grad_out, Tensor? x, Tensor? keep, Tensor? "
              "kept_total0, Tensor? kept_total1, Tensor? kept_total2, *, float scale, bool[1] "
              "needs) -> Tensor",
    .inputs = {{.name = "grad_out"},
               {.name = "x"},
               {.name = "keep", .kind = Kind::kBool},
               {.name = "kept_total0", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total1", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total2", .kind = Kind::kTotal, .extent = Extent::kRow}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2, 3, 4, 5}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1},
    .reduces = true,
};

const Pass kForward = {
    .schema = "masked_softmax(Tensor x, Tensor keep, *, float scale=1) -> Tensor",
    .inputs = {{.name = "x"}, {.name = "keep", .kind = Kind::kBool}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0},
    .kept_totals = 3,
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::masked_softmax
