// Generated from specs/losses/cosine_similarity.yaml by `fusewise generate`. Do not edit.
// The formulas stand in cosine_similarity.math.h.
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

namespace fusewise::ops::cosine_similarity {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& x = reads[0];
  const Tensor& y = reads[1];
  const double eps = params[0].as<double>();
  const Tensor sum0 = at::sum(x * y, {-1}, true);
  const Tensor norm0 = at::linalg_vector_norm(x, 2, {-1}, true);
  const Tensor maximum0 = at::maximum(norm0, constant(eps, reads[0]));
  const Tensor norm1 = at::linalg_vector_norm(y, 2, {-1}, true);
  const Tensor maximum1 = at::maximum(norm1, constant(eps, reads[0]));
  writes[0] = sum0 / (maximum0 * maximum1);
}

void backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_out = reads[0];
  const Tensor& x = reads[1];
  const Tensor& y = reads[2];
  const double eps = params[0].as<double>();
  const Tensor sum0 = at::sum(x * y, {-1}, true);
  const Tensor norm0 = at::linalg_vector_norm(x, 2, {-1}, true);
  const Tensor maximum0 = at::maximum(norm0, constant(eps, reads[0]));
  const Tensor norm1 = at::linalg_vector_norm(y, 2, {-1}, true);
  const Tensor maximum1 = at::maximum(norm1, constant(eps, reads[0]));
  const Tensor mul0 = maximum0 * maximum1;
  const Tensor div0 = grad_out / mul0;
  const Tensor div1 = sum0 / mul0 / mul0;
  const Tensor lt0 = norm1 < eps;
  const Tensor eq0 = norm1 == eps;
  const Tensor eq1 = norm1 == 0;
  const Tensor lt1 = norm0 < eps;
  const Tensor eq2 = norm0 == eps;
  const Tensor eq3 = norm0 == 0;
  const Tensor stop_grad0 = at::detach(grad_out);
  const Tensor where0 = at::where(eq3, stop_grad0, grad_out);
  const Tensor stop_grad1 = at::detach(where0);
  const Tensor where1 = at::where(lt1, stop_grad1, where0);
  const Tensor stop_grad2 = at::detach(where1);
  const Tensor where2 = at::where(eq2, where1, stop_grad2);
  const Tensor neg0 = -(div1 * where2 * maximum1 * 0.5);
  const Tensor where3 = at::where(eq2, stop_grad2, where1);
  const Tensor where4 = at::where(eq2, neg0, -(div1 * where3 * maximum1));
  const Tensor where5 = at::where(lt1, 0, where4);
  const Tensor where6 = at::where(eq3, 0, where5 / norm0);
  const Tensor where7 = at::where(eq1, stop_grad0, grad_out);
  const Tensor stop_grad3 = at::detach(where7);
  const Tensor where8 = at::where(lt0, stop_grad3, where7);
  const Tensor stop_grad4 = at::detach(where8);
  const Tensor where9 = at::where(eq0, where8, stop_grad4);
  const Tensor neg1 = -(div1 * where9 * maximum0 * 0.5);
  const Tensor where10 = at::where(eq0, stop_grad4, where8);
  const Tensor where11 = at::where(eq0, neg1, -(div1 * where10 * maximum0));
  const Tensor where12 = at::where(lt0, 0, where11);
  const Tensor where13 = at::where(eq1, 0, where12 / norm1);
  writes[0] = x * where6 + div0 * y;
  writes[1] = y * where13 + div0 * x;
}

void double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_x = reads[0];
  const Tensor& grad_grad_y = reads[1];
  const Tensor& grad_out = reads[2];
  const Tensor& x = reads[3];
  const Tensor& y = reads[4];
  const double eps = params[0].as<double>();
  const Tensor sum0 = at::sum(x * y, {-1}, true);
  const Tensor norm0 = at::linalg_vector_norm(x, 2, {-1}, true);
  const Tensor maximum0 = at::maximum(norm0, constant(eps, reads[0]));
  const Tensor norm1 = at::linalg_vector_norm(y, 2, {-1}, true);
  const Tensor maximum1 = at::maximum(norm1, constant(eps, reads[0]));
  const Tensor mul0 = maximum0 * maximum1;
  const Tensor div0 = grad_out / mul0;
  const Tensor div1 = sum0 / mul0 / mul0;
  const Tensor mul1 = div1 * grad_out;
  const Tensor mul2 = mul1 * maximum0;
  const Tensor lt0 = norm1 < eps;
  const Tensor eq0 = norm1 == eps;
  const Tensor where0 = at::where(eq0, -(mul2 * 0.5), -mul2);
  const Tensor where1 = at::where(lt0, 0, where0);
  const Tensor eq1 = norm1 == 0;
  const Tensor div2 = where1 / norm1;
  const Tensor lt1 = norm0 < eps;
  const Tensor eq2 = norm0 == eps;
  const Tensor eq3 = norm0 == 0;
  const Tensor sum1 = at::sum(grad_grad_x * x, {-1}, true);
  const Tensor div3 = sum1 / norm0;
  const Tensor where2 = at::where(eq3, 0, -div3);
  const Tensor where3 = at::where(lt1, 0, where2);
  const Tensor where4 = at::where(eq3, 0, -(div3 * 0.5));
  const Tensor where5 = at::where(lt1, 0, where4);
  const Tensor where6 = at::where(eq1, 0, grad_grad_y * div2);
  const Tensor sum2 = at::sum(grad_grad_y * y, {-1}, true);
  const Tensor div4 = sum2 / norm1;
  const Tensor where7 = at::where(eq1, 0, -(div2 / norm1 * sum2));
  const Tensor where8 = at::where(eq1, 0, -div4);
  const Tensor where9 = at::where(lt0, 0, where8);
  const Tensor where10 = at::where(eq1, 0, -(div4 * 0.5));
  const Tensor where11 = at::where(lt0, 0, where10);
  const Tensor where12 = at::where(eq0, where11, where9);
  const Tensor logical_and0 = at::logical_and(at::logical_not(lt0), at::logical_not(eq1));
  const Tensor logical_or0 = at::logical_or(at::logical_and(eq0, logical_and0),
      at::logical_and(at::logical_not(eq0), logical_and0));
  const Tensor where13 = at::where(logical_or0, where12 * maximum0, 0);
  const Tensor where14 = at::where(eq2, where5, where3);
  const Tensor logical_and1 = at::logical_and(at::logical_not(lt1), at::logical_not(eq3));
  const Tensor logical_or1 = at::logical_or(at::logical_and(eq2, logical_and1),
      at::logical_and(at::logical_not(eq2), logical_and1));
  const Tensor where15 = at::where(logical_or1, where14 * maximum1, 0);
  const Tensor add0 = where13 + where15;
  const Tensor where16 = at::where(logical_or1, where14 * mul1, 0);
  const Tensor mul3 = add0 * grad_out;
  const Tensor logical_or2 = at::logical_or(logical_or0, logical_or1);
  const Tensor where17 = at::where(logical_or2, add0 * div1, 0);
  const Tensor div5 = mul3 / mul0;
  const Tensor div6 = div1 / mul0;
  const Tensor where18 = at::where(logical_or2, -(div6 * mul3), 0);
  const Tensor sum3 = at::sum(grad_grad_y * x + grad_grad_x * y, {-1}, true);
  const Tensor where19 = at::where(logical_or2, -(div1 * div5), 0);
  const Tensor mul4 = (where18 - div0 / mul0 * sum3 + where19) * maximum0;
  const Tensor add1 = where16 + mul4;
  const Tensor where20 = at::where(eq0, add1 * 0.5, add1);
  const Tensor where21 = at::where(lt0, 0, where20);
  const Tensor where22 = at::where(eq1, 0, (where7 + where21) / norm1);
  const Tensor where23 = at::where(logical_or2, div5 / mul0 * x, 0);
  const Tensor stop_grad0 = at::detach(y);
  const Tensor stop_grad1 = at::detach(grad_out);
  const Tensor where24 = at::where(eq3, stop_grad1, grad_out);
  const Tensor stop_grad2 = at::detach(where24);
  const Tensor where25 = at::where(lt1, stop_grad2, where24);
  const Tensor stop_grad3 = at::detach(where25);
  const Tensor where26 = at::where(eq2, where25, stop_grad3);
  const Tensor neg0 = -(div1 * where26 * maximum1 * 0.5);
  const Tensor where27 = at::where(eq2, stop_grad3, where25);
  const Tensor where28 = at::where(eq2, neg0, -(div1 * where27 * maximum1));
  const Tensor where29 = at::where(lt1, 0, where28);
  const Tensor stop_grad4 = at::detach(grad_grad_x);
  const Tensor where30 = at::where(eq3, stop_grad4, grad_grad_x);
  const Tensor where31 = at::where(logical_or2, y, stop_grad0);
  const Tensor where32 = at::where(eq3, 0, where30 * (where29 / norm0));
  const Tensor where33 = at::where(logical_or2, grad_out, stop_grad1);
  const Tensor where34 = at::where(eq3, stop_grad2, where24);
  const Tensor stop_grad5 = at::detach(where34);
  const Tensor where35 = at::where(lt1, stop_grad5, where34);
  const Tensor stop_grad6 = at::detach(where35);
  const Tensor where36 = at::where(eq2, where35, stop_grad6);
  const Tensor neg1 = -(div1 * where36 * maximum1 * 0.5);
  const Tensor where37 = at::where(eq2, stop_grad6, where35);
  const Tensor where38 = at::where(eq2, neg1, -(div1 * where37 * maximum1));
  const Tensor where39 = at::where(lt1, 0, where38);
  const Tensor where40 = at::where(eq3, 0, -(where39 / norm0 / norm0 * sum1));
  const Tensor stop_grad7 = at::detach(where26);
  const Tensor where41 = at::where(logical_or0, where26, stop_grad7);
  const Tensor where42 = at::where(logical_or0, where12 * (div1 * where41), 0);
  const Tensor where43 = at::where(logical_or2, where26, stop_grad7);
  const Tensor mul5 = add0 * where43;
  const Tensor where44 = at::where(logical_or2, -(div6 * mul5), 0);
  const Tensor where45 = at::where(logical_or2, -(div1 * (mul5 / mul0)), 0);
  const Tensor add2 = where44 - where26 / mul0 / mul0 * sum3 + where45;
  const Tensor mul6 = (where42 + add2 * maximum1) * 0.5;
  const Tensor stop_grad8 = at::detach(where27);
  const Tensor where46 = at::where(logical_or0, where27, stop_grad8);
  const Tensor where47 = at::where(logical_or0, where12 * (div1 * where46), 0);
  const Tensor where48 = at::where(logical_or2, where27, stop_grad8);
  const Tensor mul7 = add0 * where48;
  const Tensor where49 = at::where(logical_or2, -(div6 * mul7), 0);
  const Tensor where50 = at::where(logical_or2, -(div1 * (mul7 / mul0)), 0);
  const Tensor add3 = where49 - where27 / mul0 / mul0 * sum3 + where50;
  const Tensor where51 = at::where(eq2, mul6, where47 + add3 * maximum1);
  const Tensor where52 = at::where(lt1, 0, where51);
  const Tensor where53 = at::where(eq3, 0, (where40 + where52) / norm0);
  const Tensor where54 = at::where(logical_or2, add0 * where33 / mul0 / mul0 * where31, 0);
  writes[0] = where17 + sum3 / mul0;
  writes[1] = grad_grad_y * div0 + where32 + x * where53 + where54;
  writes[2] = grad_grad_x * div0 + where6 + y * where22 + where23;
}

const Pass kDoubleBackward = {
    .schema = "cosine_similarity_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_y, "
              "Tensor? grad_out, Tensor? x, Tensor? y, *, float eps, bool[3] needs) -> (Tensor, "
              "Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_y", .optional = true},
               {.name = "grad_out", .extent = Extent::kRow},
               {.name = "x"},
               {.name = "y"}},
    .outputs = {{.name = "grad_grad_out", .like = 2, .reads = {0, 1, 3, 4}, .extent = Extent::kRow},
                {.name = "grad_x", .like = 3, .reads = {0, 1, 2, 3, 4}},
                {.name = "grad_y", .like = 4, .reads = {0, 1, 2, 3, 4}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .reduces = true,
};

const Pass kBackward = {
    .schema = "cosine_similarity_backward(Tensor grad_out, Tensor? x, Tensor? y, Tensor? "
              "kept_total0, Tensor? kept_total1, Tensor? kept_total2, *, float eps, bool[2] "
              "needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_out", .extent = Extent::kRow},
               {.name = "x"},
               {.name = "y"},
               {.name = "kept_total0", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total1", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total2", .kind = Kind::kTotal, .extent = Extent::kRow}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2, 3, 4, 5}},
                {.name = "grad_y", .like = 2, .reads = {0, 1, 2, 3, 4, 5}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
    .reduces = true,
};

const Pass kForward = {
    .schema = "cosine_similarity(Tensor x, Tensor y, *, float eps=1e-08) -> Tensor",
    .inputs = {{.name = "x"}, {.name = "y"}},
    .outputs = {{.name = "out", .extent = Extent::kRow}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
    .kept_totals = 3,
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::cosine_similarity
