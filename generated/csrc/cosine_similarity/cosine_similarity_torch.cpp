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
  const Value stop_grad0 = aten::detach(x);
  const Value stop_grad1 = aten::detach(y);
  const Value stop_grad2 = aten::detach(grad_out);
  const Value where0 = aten::where(lt1, stop_grad0, x);
  const Value where1 = aten::where(lt1, stop_grad2, grad_out);
  const Value stop_grad3 = aten::detach(where1);
  const Value where2 = aten::where(eq3, stop_grad3, where1);
  const Value stop_grad4 = aten::detach(where2);
  const Value where3 = aten::where(eq2, where2, stop_grad4);
  const Value neg0 = -(div1 * where3 * maximum1 * 0.5);
  const Value where4 = aten::where(eq2, stop_grad4, where2);
  const Value where5 = aten::where(eq2, neg0, -(div1 * where4 * maximum1));
  const Value where6 = aten::where(eq3, 0, where5 / norm0);
  const Value where7 = aten::where(lt1, 0, where0 * where6);
  const Value where8 = aten::where(lt0, stop_grad1, y);
  const Value where9 = aten::where(lt0, stop_grad2, grad_out);
  const Value stop_grad5 = aten::detach(where9);
  const Value where10 = aten::where(eq1, stop_grad5, where9);
  const Value stop_grad6 = aten::detach(where10);
  const Value where11 = aten::where(eq0, where10, stop_grad6);
  const Value neg1 = -(div1 * where11 * maximum0 * 0.5);
  const Value where12 = aten::where(eq0, stop_grad6, where10);
  const Value where13 = aten::where(eq0, neg1, -(div1 * where12 * maximum0));
  const Value where14 = aten::where(eq1, 0, where13 / norm1);
  const Value where15 = aten::where(lt0, 0, where8 * where14);
  writes[0] = where7 + div0 * y;
  writes[1] = where15 + div0 * x;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_y = reads[1];
  const Value& grad_out = reads[2];
  const Value& x = reads[3];
  const Value& y = reads[4];
  const double eps = params[0].as<double>();
  const bool has_grad_grad_x = params[1].as<bool>();
  const bool has_grad_grad_y = params[2].as<bool>();
  const Value sum0 = aten::sum(x * y);
  const Value norm0 = aten::linalg_vector_norm(x);
  const Value maximum0 = aten::maximum(norm0, constant(eps, reads[0]));
  const Value norm1 = aten::linalg_vector_norm(y);
  const Value maximum1 = aten::maximum(norm1, constant(eps, reads[0]));
  const Value mul0 = maximum0 * maximum1;
  const Value div0 = grad_out / mul0;
  const Value div1 = sum0 / mul0 / mul0;
  const Value mul1 = div1 * grad_out;
  const Value mul2 = mul1 * maximum1;
  const Value mul3 = mul1 * maximum0;
  const Value lt0 = norm1 < eps;
  const Value eq0 = norm1 == eps;
  const Value where0 = aten::where(eq0, -(mul3 * 0.5), -mul3);
  const Value eq1 = norm1 == 0;
  const Value div2 = where0 / norm1;
  const Value lt1 = norm0 < eps;
  const Value eq2 = norm0 == eps;
  const Value where1 = aten::where(eq2, -(mul2 * 0.5), -mul2);
  const Value eq3 = norm0 == 0;
  const Value div3 = where1 / norm0;
  const Value where2 = aten::where(condition(has_grad_grad_y, reads[0]), grad_grad_y * x, 0);
  const Value where3 = aten::where(condition(has_grad_grad_y, reads[0]), grad_grad_y * div0, 0);
  const Value where4 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_x * y, 0);
  const Value where5 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_x * div0, 0);
  const Value where6 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_x * div3, 0);
  const Value where7 = aten::where(lt1, 0, where6);
  const Value where8 = aten::where(eq3, 0, where7);
  const Value sum1 = aten::sum(grad_grad_x * x);
  const Value logical_not0 = aten::logical_not(lt1);
  const Value logical_and0 = aten::logical_and(logical_not0, condition(has_grad_grad_x, reads[0]));
  const Value div4 = sum1 / norm0;
  const Value where9 = aten::where(condition(has_grad_grad_x, reads[0]), -(div3 / norm0 * sum1), 0);
  const Value where10 = aten::where(lt1, 0, where9);
  const Value where11 = aten::where(logical_and0, where10, 0);
  const Value where12 = aten::where(eq3, 0, where11);
  const Value where13 = aten::where(condition(has_grad_grad_x, reads[0]), -div4, 0);
  const Value where14 = aten::where(lt1, 0, where13);
  const Value where15 = aten::where(logical_and0, where14, 0);
  const Value where16 = aten::where(eq3, 0, where15);
  const Value where17 = aten::where(condition(has_grad_grad_x, reads[0]), -(div4 * 0.5), 0);
  const Value where18 = aten::where(lt1, 0, where17);
  const Value where19 = aten::where(logical_and0, where18, 0);
  const Value where20 = aten::where(eq3, 0, where19);
  const Value where21 = aten::where(condition(has_grad_grad_y, reads[0]), grad_grad_y * div2, 0);
  const Value where22 = aten::where(lt0, 0, where21);
  const Value where23 = aten::where(eq1, 0, where22);
  const Value sum2 = aten::sum(grad_grad_y * y);
  const Value logical_not1 = aten::logical_not(lt0);
  const Value logical_and1 = aten::logical_and(logical_not1, condition(has_grad_grad_y, reads[0]));
  const Value div5 = sum2 / norm1;
  const Value where24 = aten::where(condition(has_grad_grad_y, reads[0]), -(div2 / norm1 * sum2),
      0);
  const Value where25 = aten::where(lt0, 0, where24);
  const Value where26 = aten::where(logical_and1, where25, 0);
  const Value where27 = aten::where(eq1, 0, where26);
  const Value where28 = aten::where(condition(has_grad_grad_y, reads[0]), -div5, 0);
  const Value where29 = aten::where(lt0, 0, where28);
  const Value where30 = aten::where(logical_and1, where29, 0);
  const Value where31 = aten::where(eq1, 0, where30);
  const Value where32 = aten::where(condition(has_grad_grad_y, reads[0]), -(div5 * 0.5), 0);
  const Value where33 = aten::where(lt0, 0, where32);
  const Value where34 = aten::where(logical_and1, where33, 0);
  const Value where35 = aten::where(eq1, 0, where34);
  const Value where36 = aten::where(eq0, where35, where31);
  const Value logical_and2 = aten::logical_and(aten::logical_not(eq1), logical_and1);
  const Value where37 = aten::where(logical_and2, where36 * maximum0, 0);
  const Value where38 = aten::where(logical_and2, where36 * mul1, 0);
  const Value where39 = aten::where(eq2, where20, where16);
  const Value logical_and3 = aten::logical_and(aten::logical_not(eq3), logical_and0);
  const Value where40 = aten::where(logical_and3, where39 * maximum1, 0);
  const Value add0 = where37 + where40;
  const Value where41 = aten::where(logical_and3, where39 * mul1, 0);
  const Value mul4 = add0 * grad_out;
  const Value logical_or0 = aten::logical_or(logical_and2, logical_and3);
  const Value where42 = aten::where(logical_or0, add0 * div1, 0);
  const Value div6 = mul4 / mul0;
  const Value where43 = aten::where(logical_or0, -(div1 / mul0 * mul4), 0);
  const Value sum3 = aten::sum(where2 + where4);
  const Value div7 = div6 / mul0;
  const Value where44 = aten::where(logical_or0, -(div1 * div6), 0);
  const Value add1 = where43 - div0 / mul0 * sum3 + where44;
  const Value add2 = where38 + add1 * maximum1;
  const Value add3 = where41 + add1 * maximum0;
  const Value where45 = aten::where(eq0, add3 * 0.5, add3);
  const Value where46 = aten::where(lt0, 0, where45);
  const Value where47 = aten::where(eq1, 0, (where27 + where46) / norm1);
  const Value where48 = aten::where(aten::logical_or(logical_and2, logical_not1), y * where47, 0);
  const Value where49 = aten::where(eq2, add2 * 0.5, add2);
  const Value where50 = aten::where(lt1, 0, where49);
  const Value where51 = aten::where(eq3, 0, (where12 + where50) / norm0);
  const Value where52 = aten::where(aten::logical_or(logical_and3, logical_not0), x * where51, 0);
  const Value where53 = aten::where(logical_or0, div7 * y, 0);
  const Value where54 = aten::where(logical_or0, div7 * x, 0);
  writes[0] = where42 + sum3 / mul0;
  writes[1] = where3 + where8 + where52 + where53;
  writes[2] = where5 + where23 + where48 + where54;
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
    .arrivals = {0, 1},
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
