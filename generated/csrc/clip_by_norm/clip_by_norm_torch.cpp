// Generated from specs/basics/clip_by_norm.yaml by `fusewise generate`. Do not edit.
// The formulas stand in clip_by_norm.math.h.
#include <ATen/ops/detach.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/where.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/row_dims.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::clip_by_norm {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& x = reads[0];
  const double max_norm = params[0].as<double>();
  const double eps = params[1].as<double>();
  const Tensor size = at::linalg_vector_norm(x, 2, {-1}, true);
  const Tensor minimum0 = at::minimum(max_norm / (size + eps), constant(1, reads[0]));
  writes[0] = x * minimum0;
  writes[1] = size;
}

void backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_out = reads[0];
  const Tensor& grad_total_norm = reads[1];
  const Tensor& x = reads[2];
  const double max_norm = params[0].as<double>();
  const double eps = params[1].as<double>();
  const Tensor size = at::linalg_vector_norm(x, 2, {-1}, true);
  const Tensor add0 = size + eps;
  const Tensor div0 = max_norm / add0;
  const Tensor minimum0 = at::minimum(div0, constant(1, reads[0]));
  const Tensor sum0 = at::sum(grad_out * x, {-1}, true);
  const Tensor where0 = at::where(div0 == 1, sum0 * 0.5, sum0);
  const Tensor where1 = at::where(div0 > 1, 0, -(div0 / add0 * where0));
  const Tensor eq0 = size == 0;
  const Tensor stop_grad0 = at::detach(grad_total_norm);
  const Tensor where2 = at::where(eq0, stop_grad0, grad_total_norm);
  const Tensor where3 = at::where(eq0, 0, (where2 + where1) / size);
  writes[0] = grad_out * minimum0 + x * where3;
}

void double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_x = reads[0];
  const Tensor& grad_out = reads[1];
  const Tensor& grad_total_norm = reads[2];
  const Tensor& x = reads[3];
  const double max_norm = params[0].as<double>();
  const double eps = params[1].as<double>();
  const Tensor size = at::linalg_vector_norm(x, 2, {-1}, true);
  const Tensor add0 = size + eps;
  const Tensor div0 = max_norm / add0;
  const Tensor minimum0 = at::minimum(div0, constant(1, reads[0]));
  const Tensor sum0 = at::sum(grad_out * x, {-1}, true);
  const Tensor gt0 = div0 > 1;
  const Tensor eq0 = div0 == 1;
  const Tensor where0 = at::where(eq0, sum0 * 0.5, sum0);
  const Tensor div1 = div0 / add0;
  const Tensor where1 = at::where(gt0, 0, -(div1 * where0));
  const Tensor eq1 = size == 0;
  const Tensor sum1 = at::sum(grad_grad_x * x, {-1}, true);
  const Tensor div2 = sum1 / size;
  const Tensor mul0 = div2 * where0;
  const Tensor mul1 = div2 * div1;
  const Tensor where2 = at::where(eq1, 0, -mul1);
  const Tensor where3 = at::where(gt0, 0, where2);
  const Tensor where4 = at::where(eq1, 0, -(mul0 / add0));
  const Tensor where5 = at::where(eq1, 0, div1 / add0 * mul0);
  const Tensor where6 = at::where(eq1, 0, -(mul1 * 0.5));
  const Tensor where7 = at::where(gt0, 0, where6);
  const Tensor where8 = at::where(eq0, where7, where3);
  const Tensor logical_and0 = at::logical_and(at::logical_not(gt0), at::logical_not(eq1));
  const Tensor logical_or0 = at::logical_or(at::logical_and(eq0, logical_and0),
      at::logical_and(at::logical_not(eq0), logical_and0));
  const Tensor sum2 = at::sum(grad_grad_x * grad_out, {-1}, true);
  const Tensor where9 = at::where(eq0, sum2 * 0.5, sum2);
  const Tensor where10 = at::where(gt0, 0, where5 - div1 * (where4 + where9));
  const Tensor stop_grad0 = at::detach(x);
  const Tensor stop_grad1 = at::detach(grad_out);
  const Tensor stop_grad2 = at::detach(grad_total_norm);
  const Tensor where11 = at::where(eq1, stop_grad2, grad_total_norm);
  const Tensor stop_grad3 = at::detach(grad_grad_x);
  const Tensor where12 = at::where(eq1, stop_grad3, grad_grad_x);
  const Tensor where13 = at::where(logical_or0, x, stop_grad0);
  const Tensor where14 = at::where(logical_or0, where8 * where13, 0);
  const Tensor where15 = at::where(eq1, 0, where12 * ((where11 + where1) / size));
  const Tensor where16 = at::where(logical_or0, grad_out, stop_grad1);
  const Tensor where17 = at::where(logical_or0, where8 * where16, 0);
  const Tensor stop_grad4 = at::detach(where11);
  const Tensor where18 = at::where(eq1, stop_grad4, where11);
  const Tensor neg0 = -((where18 + where1) / size / size * sum1);
  const Tensor where19 = at::where(eq1, 0, neg0);
  const Tensor where20 = at::where(eq1, 0, (where19 + where10) / size);
  writes[0] = where14 + grad_grad_x * minimum0;
  writes[1] = at::where(eq1, 0, div2);
  writes[2] = where15 + where17 + x * where20;
}

const Pass kDoubleBackward = {
    .schema = "clip_by_norm__rows_double_backward(Tensor grad_grad_x, Tensor? grad_out, Tensor? "
              "grad_total_norm, Tensor? x, *, float max_norm, float eps, bool[3] needs) -> "
              "(Tensor, Tensor, Tensor)",
    .name = "clip_by_norm_double_backward",
    .inputs = {{.name = "grad_grad_x"},
               {.name = "grad_out", .optional = true},
               {.name = "grad_total_norm", .optional = true, .extent = Extent::kRow},
               {.name = "x"}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 3}},
                {.name = "grad_grad_total_norm", .like = 2, .reads = {0, 3},
                 .extent = Extent::kRow},
                {.name = "grad_x", .like = 3, .reads = {0, 1, 2, 3}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .reduces = true,
};

const Pass kBackward = {
    .schema = "clip_by_norm__rows_backward(Tensor? grad_out, Tensor? grad_total_norm, Tensor? x, "
              "*, float max_norm, float eps, bool[1] needs) -> Tensor",
    .name = "clip_by_norm_backward",
    .inputs = {{.name = "grad_out", .optional = true},
               {.name = "grad_total_norm", .optional = true, .extent = Extent::kRow},
               {.name = "x"}},
    .outputs = {{.name = "grad_x", .like = 2, .reads = {0, 1, 2}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
    .reduces = true,
};

const Pass kForward = {
    .schema = "clip_by_norm__rows(Tensor x, *, float max_norm=1, float eps=1e-06) -> (Tensor, "
              "Tensor)",
    .name = "clip_by_norm",
    .inputs = {{.name = "x"}},
    .outputs = {{.name = "out"}, {.name = "total_norm", .extent = Extent::kRow}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0},
    .gradients = {0},
    .reduces = true,
};

const RowDimsRegistration kForwardRegistration("fusewise",
    "clip_by_norm(Tensor x, *, float max_norm=1, float eps=1e-06) -> (Tensor, Tensor)",
    kForward, {kAllDims});

}  // namespace
}  // namespace fusewise::ops::clip_by_norm
