// Generated from specs/losses/cosine_similarity.yaml by `fusewise generate`. Do not edit.
// The formulas stand in cosine_similarity.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::cosine_similarity {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& y = reads[1];
  const double eps = params[0].as<double>();
  const Value sum0 = aten::sum(x * y);
  const Value norm0 = aten::linalg_vector_norm(x);
  const Value maximum0 = aten::maximum(norm0, constant(eps, reads[0]));
  const Value norm1 = aten::linalg_vector_norm(y);
  const Value maximum1 = aten::maximum(norm1, constant(eps, reads[0]));
  writes[0] = sum0 / (maximum0 * maximum1);
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& y = reads[2];
  const double eps = params[0].as<double>();
  const Value sum0 = aten::sum(x * y);
  const Value norm0 = aten::linalg_vector_norm(x);
  const Value maximum0 = aten::maximum(norm0, constant(eps, reads[0]));
  const Value norm1 = aten::linalg_vector_norm(y);
  const Value maximum1 = aten::maximum(norm1, constant(eps, reads[0]));
  const Value mul0 = maximum0 * maximum1;
  const Value div0 = grad_out / mul0;
  const Value div1 = sum0 / mul0 / mul0;
  const Value lt0 = norm1 < eps;
  const Value eq0 = norm1 == eps;
  const Value eq1 = norm1 == 0;
  const Value lt1 = norm0 < eps;
  const Value eq2 = norm0 == eps;
  const Value eq3 = norm0 == 0;
  const Value stop_grad0 = aten::detach(grad_out);
  const Value where0 = aten::where(eq3, stop_grad0, grad_out);
  const Value stop_grad1 = aten::detach(where0);
  const Value where1 = aten::where(lt1, stop_grad1, where0);
  const Value stop_grad2 = aten::detach(where1);
  const Value where2 = aten::where(eq2, where1, stop_grad2);
  const Value neg0 = -(div1 * where2 * maximum1 * 0.5);
  const Value where3 = aten::where(eq2, stop_grad2, where1);
  const Value where4 = aten::where(eq2, neg0, -(div1 * where3 * maximum1));
  const Value where5 = aten::where(lt1, 0, where4);
  const Value where6 = aten::where(eq3, 0, where5 / norm0);
  const Value where7 = aten::where(eq1, stop_grad0, grad_out);
  const Value stop_grad3 = aten::detach(where7);
  const Value where8 = aten::where(lt0, stop_grad3, where7);
  const Value stop_grad4 = aten::detach(where8);
  const Value where9 = aten::where(eq0, where8, stop_grad4);
  const Value neg1 = -(div1 * where9 * maximum0 * 0.5);
  const Value where10 = aten::where(eq0, stop_grad4, where8);
  const Value where11 = aten::where(eq0, neg1, -(div1 * where10 * maximum0));
  const Value where12 = aten::where(lt0, 0, where11);
  const Value where13 = aten::where(eq1, 0, where12 / norm1);
  writes[0] = x * where6 + div0 * y;
  writes[1] = y * where13 + div0 * x;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_y = reads[1];
  const Value& grad_out = reads[2];
  const Value& x = reads[3];
  const Value& y = reads[4];
  const double eps = params[0].as<double>();
  const Value sum0 = aten::sum(x * y);
  const Value norm0 = aten::linalg_vector_norm(x);
  const Value maximum0 = aten::maximum(norm0, constant(eps, reads[0]));
  const Value norm1 = aten::linalg_vector_norm(y);
  const Value maximum1 = aten::maximum(norm1, constant(eps, reads[0]));
  const Value mul0 = maximum0 * maximum1;
  const Value div0 = grad_out / mul0;
  const Value div1 = sum0 / mul0 / mul0;
  const Value mul1 = div1 * grad_out;
  const Value mul2 = mul1 * maximum0;
  const Value lt0 = norm1 < eps;
  const Value eq0 = norm1 == eps;
  const Value where0 = aten::where(eq0, -(mul2 * 0.5), -mul2);
  const Value where1 = aten::where(lt0, 0, where0);
  const Value eq1 = norm1 == 0;
  const Value div2 = where1 / norm1;
  const Value lt1 = norm0 < eps;
  const Value eq2 = norm0 == eps;
  const Value eq3 = norm0 == 0;
  const Value sum1 = aten::sum(grad_grad_x * x);
  const Value div3 = sum1 / norm0;
  const Value where2 = aten::where(eq3, 0, -div3);
  const Value where3 = aten::where(lt1, 0, where2);
  const Value where4 = aten::where(eq3, 0, -(div3 * 0.5));
  const Value where5 = aten::where(lt1, 0, where4);
  const Value where6 = aten::where(eq1, 0, grad_grad_y * div2);
  const Value sum2 = aten::sum(grad_grad_y * y);
  const Value div4 = sum2 / norm1;
  const Value where7 = aten::where(eq1, 0, -(div2 / norm1 * sum2));
  const Value where8 = aten::where(eq1, 0, -div4);
  const Value where9 = aten::where(lt0, 0, where8);
  const Value where10 = aten::where(eq1, 0, -(div4 * 0.5));
  const Value where11 = aten::where(lt0, 0, where10);
  const Value where12 = aten::where(eq0, where11, where9);
  const Value logical_and0 = aten::logical_and(aten::logical_not(lt0), aten::logical_not(eq1));
  const Value logical_or0 = aten::logical_or(aten::logical_and(eq0, logical_and0),
      aten::logical_and(aten::logical_not(eq0), logical_and0));
  const Value where13 = aten::where(logical_or0, where12 * maximum0, 0);
  const Value where14 = aten::where(eq2, where5, where3);
  const Value logical_and1 = aten::logical_and(aten::logical_not(lt1), aten::logical_not(eq3));
  const Value logical_or1 = aten::logical_or(aten::logical_and(eq2, logical_and1),
      aten::logical_and(aten::logical_not(eq2), logical_and1));
  const Value where15 = aten::where(logical_or1, where14 * maximum1, 0);
  const Value add0 = where13 + where15;
  const Value where16 = aten::where(logical_or1, where14 * mul1, 0);
  const Value mul3 = add0 * grad_out;
  const Value logical_or2 = aten::logical_or(logical_or0, logical_or1);
  const Value where17 = aten::where(logical_or2, add0 * div1, 0);
  const Value div5 = mul3 / mul0;
  const Value div6 = div1 / mul0;
  const Value where18 = aten::where(logical_or2, -(div6 * mul3), 0);
  const Value sum3 = aten::sum(grad_grad_y * x + grad_grad_x * y);
  const Value where19 = aten::where(logical_or2, -(div1 * div5), 0);
  const Value mul4 = (where18 - div0 / mul0 * sum3 + where19) * maximum0;
  const Value add1 = where16 + mul4;
  const Value where20 = aten::where(eq0, add1 * 0.5, add1);
  const Value where21 = aten::where(lt0, 0, where20);
  const Value where22 = aten::where(eq1, 0, (where7 + where21) / norm1);
  const Value where23 = aten::where(logical_or2, div5 / mul0 * x, 0);
  const Value stop_grad0 = aten::detach(y);
  const Value stop_grad1 = aten::detach(grad_out);
  const Value where24 = aten::where(eq3, stop_grad1, grad_out);
  const Value stop_grad2 = aten::detach(where24);
  const Value where25 = aten::where(lt1, stop_grad2, where24);
  const Value stop_grad3 = aten::detach(where25);
  const Value where26 = aten::where(eq2, where25, stop_grad3);
  const Value neg0 = -(div1 * where26 * maximum1 * 0.5);
  const Value where27 = aten::where(eq2, stop_grad3, where25);
  const Value where28 = aten::where(eq2, neg0, -(div1 * where27 * maximum1));
  const Value where29 = aten::where(lt1, 0, where28);
  const Value stop_grad4 = aten::detach(grad_grad_x);
  const Value where30 = aten::where(eq3, stop_grad4, grad_grad_x);
  const Value where31 = aten::where(logical_or2, y, stop_grad0);
  const Value where32 = aten::where(eq3, 0, where30 * (where29 / norm0));
  const Value where33 = aten::where(logical_or2, grad_out, stop_grad1);
  const Value where34 = aten::where(eq3, stop_grad2, where24);
  const Value stop_grad5 = aten::detach(where34);
  const Value where35 = aten::where(lt1, stop_grad5, where34);
  const Value stop_grad6 = aten::detach(where35);
  const Value where36 = aten::where(eq2, where35, stop_grad6);
  const Value neg1 = -(div1 * where36 * maximum1 * 0.5);
  const Value where37 = aten::where(eq2, stop_grad6, where35);
  const Value where38 = aten::where(eq2, neg1, -(div1 * where37 * maximum1));
  const Value where39 = aten::where(lt1, 0, where38);
  const Value where40 = aten::where(eq3, 0, -(where39 / norm0 / norm0 * sum1));
  const Value stop_grad7 = aten::detach(where26);
  const Value where41 = aten::where(logical_or0, where26, stop_grad7);
  const Value where42 = aten::where(logical_or0, where12 * (div1 * where41), 0);
  const Value where43 = aten::where(logical_or2, where26, stop_grad7);
  const Value mul5 = add0 * where43;
  const Value where44 = aten::where(logical_or2, -(div6 * mul5), 0);
  const Value where45 = aten::where(logical_or2, -(div1 * (mul5 / mul0)), 0);
  const Value add2 = where44 - where26 / mul0 / mul0 * sum3 + where45;
  const Value mul6 = (where42 + add2 * maximum1) * 0.5;
  const Value stop_grad8 = aten::detach(where27);
  const Value where46 = aten::where(logical_or0, where27, stop_grad8);
  const Value where47 = aten::where(logical_or0, where12 * (div1 * where46), 0);
  const Value where48 = aten::where(logical_or2, where27, stop_grad8);
  const Value mul7 = add0 * where48;
  const Value where49 = aten::where(logical_or2, -(div6 * mul7), 0);
  const Value where50 = aten::where(logical_or2, -(div1 * (mul7 / mul0)), 0);
  const Value add3 = where49 - where27 / mul0 / mul0 * sum3 + where50;
  const Value where51 = aten::where(eq2, mul6, where47 + add3 * maximum1);
  const Value where52 = aten::where(lt1, 0, where51);
  const Value where53 = aten::where(eq3, 0, (where40 + where52) / norm0);
  const Value where54 = aten::where(logical_or2, add0 * where33 / mul0 / mul0 * where31, 0);
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
