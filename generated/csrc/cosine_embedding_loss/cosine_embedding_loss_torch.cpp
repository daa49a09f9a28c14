// Generated from specs/losses/cosine_embedding_loss.yaml by `fusewise generate`. Do not edit.
// The formulas stand in cosine_embedding_loss.math.h.
#include <ATen/ops/detach.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/where.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::cosine_embedding_loss {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& x = reads[0];
  const Tensor& y = reads[1];
  const Tensor& together = reads[2];
  const double margin = params[0].as<double>();
  const double eps = params[1].as<double>();
  const Tensor sum0 = at::sum(x * y, {-1}, true);
  const Tensor norm0 = at::linalg_vector_norm(x, 2, {-1}, true);
  const Tensor maximum0 = at::maximum(norm0, constant(eps, reads[0]));
  const Tensor norm1 = at::linalg_vector_norm(y, 2, {-1}, true);
  const Tensor maximum1 = at::maximum(norm1, constant(eps, reads[0]));
  const Tensor cosine = sum0 / (maximum0 * maximum1);
  const Tensor relu0 = at::relu(cosine - margin);
  writes[0] = at::where(together, 1 - cosine, relu0);
}

void backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_loss = reads[0];
  const Tensor& x = reads[1];
  const Tensor& y = reads[2];
  const Tensor& together = reads[3];
  const double margin = params[0].as<double>();
  const double eps = params[1].as<double>();
  const Tensor sum0 = at::sum(x * y, {-1}, true);
  const Tensor norm0 = at::linalg_vector_norm(x, 2, {-1}, true);
  const Tensor maximum0 = at::maximum(norm0, constant(eps, reads[0]));
  const Tensor norm1 = at::linalg_vector_norm(y, 2, {-1}, true);
  const Tensor maximum1 = at::maximum(norm1, constant(eps, reads[0]));
  const Tensor mul0 = maximum0 * maximum1;
  const Tensor cosine = sum0 / mul0;
  const Tensor relu0 = at::relu(cosine - margin);
  const Tensor le0 = relu0 <= 0;
  const Tensor logical_or0 = at::logical_or(at::logical_and(at::logical_not(le0),
      at::logical_not(together)), together);
  const Tensor div0 = cosine / mul0;
  const Tensor lt0 = norm1 < eps;
  const Tensor eq0 = norm1 == eps;
  const Tensor eq1 = norm1 == 0;
  const Tensor lt1 = norm0 < eps;
  const Tensor eq2 = norm0 == eps;
  const Tensor eq3 = norm0 == 0;
  const Tensor stop_grad0 = at::detach(x);
  const Tensor stop_grad1 = at::detach(y);
  const Tensor where0 = at::where(logical_or0, x, stop_grad0);
  const Tensor where1 = at::where(logical_or0, y, stop_grad1);
  const Tensor stop_grad2 = at::detach(grad_loss);
  const Tensor where2 = at::where(logical_or0, grad_loss, stop_grad2);
  const Tensor where3 = at::where(together, 0, where2);
  const Tensor where4 = at::where(le0, 0, where3);
  const Tensor where5 = at::where(together, -where2, 0);
  const Tensor where6 = at::where(eq3, stop_grad2, grad_loss);
  const Tensor stop_grad3 = at::detach(where6);
  const Tensor where7 = at::where(lt1, stop_grad3, where6);
  const Tensor stop_grad4 = at::detach(where7);
  const Tensor where8 = at::where(eq2, where7, stop_grad4);
  const Tensor stop_grad5 = at::detach(where8);
  const Tensor where9 = at::where(logical_or0, where8, stop_grad5);
  const Tensor where10 = at::where(together, 0, where9);
  const Tensor where11 = at::where(le0, 0, where10);
  const Tensor where12 = at::where(together, -where9, 0);
  const Tensor neg0 = -(div0 * (where11 + where12) * maximum1 * 0.5);
  const Tensor where13 = at::where(logical_or0, neg0, 0);
  const Tensor where14 = at::where(eq2, stop_grad4, where7);
  const Tensor stop_grad6 = at::detach(where14);
  const Tensor where15 = at::where(logical_or0, where14, stop_grad6);
  const Tensor where16 = at::where(together, 0, where15);
  const Tensor where17 = at::where(le0, 0, where16);
  const Tensor where18 = at::where(together, -where15, 0);
  const Tensor where19 = at::where(logical_or0, -(div0 * (where17 + where18) * maximum1), 0);
  const Tensor where20 = at::where(eq2, where13, where19);
  const Tensor where21 = at::where(lt1, 0, where20);
  const Tensor where22 = at::where(eq3, 0, where21 / norm0);
  const Tensor div1 = (where4 + where5) / mul0;
  const Tensor where23 = at::where(logical_or0, div1 * where1, 0);
  const Tensor where24 = at::where(eq1, stop_grad2, grad_loss);
  const Tensor stop_grad7 = at::detach(where24);
  const Tensor where25 = at::where(lt0, stop_grad7, where24);
  const Tensor stop_grad8 = at::detach(where25);
  const Tensor where26 = at::where(eq0, where25, stop_grad8);
  const Tensor stop_grad9 = at::detach(where26);
  const Tensor where27 = at::where(logical_or0, where26, stop_grad9);
  const Tensor where28 = at::where(together, 0, where27);
  const Tensor where29 = at::where(le0, 0, where28);
  const Tensor where30 = at::where(together, -where27, 0);
  const Tensor neg1 = -(div0 * (where29 + where30) * maximum0 * 0.5);
  const Tensor where31 = at::where(logical_or0, neg1, 0);
  const Tensor where32 = at::where(eq0, stop_grad8, where25);
  const Tensor stop_grad10 = at::detach(where32);
  const Tensor where33 = at::where(logical_or0, where32, stop_grad10);
  const Tensor where34 = at::where(together, 0, where33);
  const Tensor where35 = at::where(le0, 0, where34);
  const Tensor where36 = at::where(together, -where33, 0);
  const Tensor where37 = at::where(logical_or0, -(div0 * (where35 + where36) * maximum0), 0);
  const Tensor where38 = at::where(eq0, where31, where37);
  const Tensor where39 = at::where(lt0, 0, where38);
  const Tensor where40 = at::where(eq1, 0, where39 / norm1);
  const Tensor where41 = at::where(logical_or0, div1 * where0, 0);
  writes[0] = x * where22 + where23;
  writes[1] = y * where40 + where41;
}

void double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_x = reads[0];
  const Tensor& grad_grad_y = reads[1];
  const Tensor& grad_loss = reads[2];
  const Tensor& x = reads[3];
  const Tensor& y = reads[4];
  const Tensor& together = reads[5];
  const double margin = params[0].as<double>();
  const double eps = params[1].as<double>();
  const Tensor sum0 = at::sum(x * y, {-1}, true);
  const Tensor norm0 = at::linalg_vector_norm(x, 2, {-1}, true);
  const Tensor maximum0 = at::maximum(norm0, constant(eps, reads[0]));
  const Tensor norm1 = at::linalg_vector_norm(y, 2, {-1}, true);
  const Tensor maximum1 = at::maximum(norm1, constant(eps, reads[0]));
  const Tensor mul0 = maximum0 * maximum1;
  const Tensor cosine = sum0 / mul0;
  const Tensor relu0 = at::relu(cosine - margin);
  const Tensor where0 = at::where(together, 0, grad_loss);
  const Tensor le0 = relu0 <= 0;
  const Tensor where1 = at::where(le0, 0, where0);
  const Tensor where2 = at::where(together, -grad_loss, 0);
  const Tensor add0 = where1 + where2;
  const Tensor div0 = add0 / mul0;
  const Tensor logical_or0 = at::logical_or(at::logical_and(at::logical_not(le0),
      at::logical_not(together)), together);
  const Tensor div1 = cosine / mul0;
  const Tensor mul1 = div1 * add0;
  const Tensor mul2 = mul1 * maximum1;
  const Tensor where3 = at::where(logical_or0, -mul2, 0);
  const Tensor mul3 = mul1 * maximum0;
  const Tensor where4 = at::where(logical_or0, -mul3, 0);
  const Tensor lt0 = norm1 < eps;
  const Tensor eq0 = norm1 == eps;
  const Tensor where5 = at::where(logical_or0, -(mul3 * 0.5), 0);
  const Tensor where6 = at::where(eq0, where5, where4);
  const Tensor where7 = at::where(lt0, 0, where6);
  const Tensor eq1 = norm1 == 0;
  const Tensor div2 = where7 / norm1;
  const Tensor lt1 = norm0 < eps;
  const Tensor eq2 = norm0 == eps;
  const Tensor where8 = at::where(logical_or0, -(mul2 * 0.5), 0);
  const Tensor where9 = at::where(eq2, where8, where3);
  const Tensor where10 = at::where(lt1, 0, where9);
  const Tensor eq3 = norm0 == 0;
  const Tensor div3 = where10 / norm0;
  const Tensor where11 = at::where(logical_or0, grad_grad_y * div0, 0);
  const Tensor where12 = at::where(logical_or0, grad_grad_y * x + grad_grad_x * y, 0);
  const Tensor where13 = at::where(logical_or0, grad_grad_x * div0, 0);
  const Tensor where14 = at::where(eq3, 0, grad_grad_x * div3);
  const Tensor sum1 = at::sum(grad_grad_x * x, {-1}, true);
  const Tensor div4 = sum1 / norm0;
  const Tensor where15 = at::where(eq3, 0, -(div3 / norm0 * sum1));
  const Tensor where16 = at::where(eq3, 0, -div4);
  const Tensor where17 = at::where(lt1, 0, where16);
  const Tensor where18 = at::where(eq3, 0, -(div4 * 0.5));
  const Tensor where19 = at::where(lt1, 0, where18);
  const Tensor where20 = at::where(eq1, 0, grad_grad_y * div2);
  const Tensor sum2 = at::sum(grad_grad_y * y, {-1}, true);
  const Tensor div5 = sum2 / norm1;
  const Tensor where21 = at::where(eq1, 0, -(div2 / norm1 * sum2));
  const Tensor where22 = at::where(eq1, 0, -div5);
  const Tensor where23 = at::where(lt0, 0, where22);
  const Tensor where24 = at::where(eq1, 0, -(div5 * 0.5));
  const Tensor where25 = at::where(lt0, 0, where24);
  const Tensor where26 = at::where(eq0, where25, where23);
  const Tensor logical_and0 = at::logical_and(at::logical_not(lt0), at::logical_not(eq1));
  const Tensor logical_or1 = at::logical_or(at::logical_and(eq0, logical_and0),
      at::logical_and(at::logical_not(eq0), logical_and0));
  const Tensor where27 = at::where(logical_or1, where26 * maximum0, 0);
  const Tensor where28 = at::where(logical_or1, where26 * mul1, 0);
  const Tensor where29 = at::where(logical_or0, where28, 0);
  const Tensor where30 = at::where(eq2, where19, where17);
  const Tensor logical_and1 = at::logical_and(at::logical_not(lt1), at::logical_not(eq3));
  const Tensor logical_or2 = at::logical_or(at::logical_and(eq2, logical_and1),
      at::logical_and(at::logical_not(eq2), logical_and1));
  const Tensor where31 = at::where(logical_or2, where30 * maximum1, 0);
  const Tensor add1 = where27 + where31;
  const Tensor where32 = at::where(logical_or2, where30 * mul1, 0);
  const Tensor where33 = at::where(logical_or0, where32, 0);
  const Tensor mul4 = add1 * add0;
  const Tensor logical_or3 = at::logical_or(logical_or1, logical_or2);
  const Tensor where34 = at::where(logical_or3, add1 * div1, 0);
  const Tensor where35 = at::where(logical_or0, where34, 0);
  const Tensor div6 = mul4 / mul0;
  const Tensor where36 = at::where(logical_or3, -(div1 / mul0 * mul4), 0);
  const Tensor where37 = at::where(logical_or0, where36, 0);
  const Tensor sum3 = at::sum(where12, {-1}, true);
  const Tensor add2 = where35 + sum3 / mul0;
  const Tensor where38 = at::where(le0, 0, add2);
  const Tensor div7 = div6 / mul0;
  const Tensor where39 = at::where(logical_or3, -(div1 * div6), 0);
  const Tensor where40 = at::where(logical_or0, where39, 0);
  const Tensor add3 = where37 - div0 / mul0 * sum3 + where40;
  const Tensor add4 = where29 + add3 * maximum1;
  const Tensor add5 = where33 + add3 * maximum0;
  const Tensor where41 = at::where(eq0, add5 * 0.5, add5);
  const Tensor where42 = at::where(lt0, 0, where41);
  const Tensor where43 = at::where(eq1, 0, (where21 + where42) / norm1);
  const Tensor where44 = at::where(eq2, add4 * 0.5, add4);
  const Tensor where45 = at::where(lt1, 0, where44);
  const Tensor where46 = at::where(eq3, 0, (where15 + where45) / norm0);
  const Tensor where47 = at::where(logical_or3, div7 * y, 0);
  const Tensor where48 = at::where(logical_or0, where47, 0);
  const Tensor where49 = at::where(logical_or3, div7 * x, 0);
  const Tensor where50 = at::where(logical_or0, where49, 0);
  writes[0] = at::where(together, -add2, where38);
  writes[1] = where11 + where14 + x * where46 + where48;
  writes[2] = where13 + where20 + y * where43 + where50;
}

const Pass kDoubleBackward = {
    .schema = "cosine_embedding_loss_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_y, "
              "Tensor? grad_loss, Tensor? x, Tensor? y, Tensor? together, *, float margin, float "
              "eps, bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_y", .optional = true},
               {.name = "grad_loss", .extent = Extent::kRow},
               {.name = "x"},
               {.name = "y"},
               {.name = "together", .kind = Kind::kBool, .extent = Extent::kRow}},
    .outputs = {{.name = "grad_grad_loss", .like = 2, .reads = {0, 1, 3, 4, 5},
                 .extent = Extent::kRow},
                {.name = "grad_x", .like = 3, .reads = {0, 1, 2, 3, 4, 5}},
                {.name = "grad_y", .like = 4, .reads = {0, 1, 2, 3, 4, 5}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .reduces = true,
};

const Pass kBackward = {
    .schema = "cosine_embedding_loss_backward(Tensor grad_loss, Tensor? x, Tensor? y, Tensor? "
              "together, Tensor? kept_total0, Tensor? kept_total1, Tensor? kept_total2, *, float "
              "margin, float eps, bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_loss", .extent = Extent::kRow},
               {.name = "x"},
               {.name = "y"},
               {.name = "together", .kind = Kind::kBool, .extent = Extent::kRow},
               {.name = "kept_total0", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total1", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total2", .kind = Kind::kTotal, .extent = Extent::kRow}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2, 3, 4, 5, 6}},
                {.name = "grad_y", .like = 2, .reads = {0, 1, 2, 3, 4, 5, 6}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1, 2},
    .reduces = true,
};

const Pass kForward = {
    .schema = "cosine_embedding_loss(Tensor x, Tensor y, Tensor together, *, float margin=0, "
              "float eps=1e-08) -> Tensor",
    .inputs = {{.name = "x"},
               {.name = "y"},
               {.name = "together", .kind = Kind::kBool, .extent = Extent::kRow}},
    .outputs = {{.name = "loss", .extent = Extent::kRow}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1},
    .kept_totals = 3,
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::cosine_embedding_loss
