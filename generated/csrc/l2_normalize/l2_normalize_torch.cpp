// Generated from specs/norms/l2_normalize.yaml by `fusewise generate`. Do not edit.
// The formulas stand in l2_normalize.math.h.
#include <ATen/ops/detach.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/where.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::l2_normalize {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& x = reads[0];
  const double eps = params[0].as<double>();
  const Tensor norm0 = at::linalg_vector_norm(x, 2, {-1}, true);
  const Tensor maximum0 = at::maximum(norm0, constant(eps, reads[0]));
  writes[0] = x / maximum0;
}

void backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_out = reads[0];
  const Tensor& x = reads[1];
  const double eps = params[0].as<double>();
  const Tensor norm0 = at::linalg_vector_norm(x, 2, {-1}, true);
  const Tensor maximum0 = at::maximum(norm0, constant(eps, reads[0]));
  const Tensor sum0 = at::sum(x / maximum0 / maximum0 * grad_out, {-1}, true);
  const Tensor where0 = at::where(norm0 == eps, -(sum0 * 0.5), -sum0);
  const Tensor where1 = at::where(norm0 < eps, 0, where0);
  const Tensor where2 = at::where(norm0 == 0, 0, where1 / norm0);
  writes[0] = grad_out / maximum0 + x * where2;
}

void double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_x = reads[0];
  const Tensor& grad_out = reads[1];
  const Tensor& x = reads[2];
  const double eps = params[0].as<double>();
  const Tensor norm0 = at::linalg_vector_norm(x, 2, {-1}, true);
  const Tensor maximum0 = at::maximum(norm0, constant(eps, reads[0]));
  const Tensor sum0 = at::sum(x / maximum0 / maximum0 * grad_out, {-1}, true);
  const Tensor lt0 = norm0 < eps;
  const Tensor eq0 = norm0 == eps;
  const Tensor where0 = at::where(eq0, -(sum0 * 0.5), -sum0);
  const Tensor where1 = at::where(lt0, 0, where0);
  const Tensor eq1 = norm0 == 0;
  const Tensor div0 = where1 / norm0;
  const Tensor sum1 = at::sum(grad_grad_x * x, {-1}, true);
  const Tensor div1 = sum1 / norm0;
  const Tensor where2 = at::where(eq1, 0, -(div0 / norm0 * sum1));
  const Tensor where3 = at::where(eq1, 0, -div1);
  const Tensor where4 = at::where(lt0, 0, where3);
  const Tensor where5 = at::where(eq1, 0, -(div1 * 0.5));
  const Tensor where6 = at::where(lt0, 0, where5);
  const Tensor where7 = at::where(eq0, where6, where4);
  const Tensor logical_and0 = at::logical_and(at::logical_not(lt0), at::logical_not(eq1));
  const Tensor logical_or0 = at::logical_or(at::logical_and(eq0, logical_and0),
      at::logical_and(at::logical_not(eq0), logical_and0));
  const Tensor stop_grad0 = at::detach(x);
  const Tensor stop_grad1 = at::detach(grad_out);
  const Tensor stop_grad2 = at::detach(grad_grad_x);
  const Tensor where8 = at::where(eq1, stop_grad2, grad_grad_x);
  const Tensor where9 = at::where(logical_or0, x, stop_grad0);
  const Tensor div2 = where9 / maximum0 / maximum0;
  const Tensor where10 = at::where(logical_or0, where7 * div2, 0);
  const Tensor where11 = at::where(eq1, 0, where8 * div0);
  const Tensor where12 = at::where(logical_or0, grad_out, stop_grad1);
  const Tensor mul0 = where7 * where12;
  const Tensor where13 = at::where(logical_or0, -(div2 / maximum0 * mul0), 0);
  const Tensor div3 = mul0 / maximum0;
  const Tensor where14 = at::where(logical_or0, div3 / maximum0, 0);
  const Tensor where15 = at::where(logical_or0, -(div2 * div3), 0);
  const Tensor add0 = where13 - grad_out / maximum0 / maximum0 * grad_grad_x + where15;
  const Tensor sum2 = at::sum(add0, {-1}, true);
  const Tensor where16 = at::where(eq0, sum2 * 0.5, sum2);
  const Tensor where17 = at::where(lt0, 0, where16);
  const Tensor where18 = at::where(eq1, 0, (where2 + where17) / norm0);
  writes[0] = where10 + grad_grad_x / maximum0;
  writes[1] = where11 + where14 + x * where18;
}

const Pass kDoubleBackward = {
    .schema = "l2_normalize_double_backward(Tensor grad_grad_x, Tensor? grad_out, Tensor? x, *, "
              "float eps, bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x"}, {.name = "grad_out"}, {.name = "x"}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2}},
                {.name = "grad_x", .like = 2, .reads = {0, 1, 2}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .reduces = true,
};

const Pass kBackward = {
    .schema = "l2_normalize_backward(Tensor grad_out, Tensor? x, Tensor? kept_total0, *, float "
              "eps, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_out"},
               {.name = "x"},
               {.name = "kept_total0", .kind = Kind::kTotal, .extent = Extent::kRow}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
    .reduces = true,
};

const Pass kForward = {
    .schema = "l2_normalize(Tensor x, *, float eps=1e-12) -> Tensor",
    .inputs = {{.name = "x"}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0},
    .gradients = {0},
    .kept_totals = 1,
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::l2_normalize
