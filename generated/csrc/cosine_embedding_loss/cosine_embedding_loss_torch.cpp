// Generated from specs/losses/cosine_embedding_loss.yaml by `fusewise generate`. Do not edit.
// The formulas stand in cosine_embedding_loss.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::cosine_embedding_loss {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& y = reads[1];
  const Value& together = reads[2];
  const double margin = params[0].as<double>();
  const double eps = params[1].as<double>();
  const Value sum0 = aten::sum(x * y);
  const Value norm0 = aten::linalg_vector_norm(x);
  const Value norm1 = aten::linalg_vector_norm(y);
  const Value stop_grad0 = aten::detach(sum0);
  const Value where0 = aten::where(together, sum0, stop_grad0);
  const Value stop_grad1 = aten::detach(norm0);
  const Value where1 = aten::where(together, norm0, stop_grad1);
  const Value maximum0 = aten::maximum(where1, constant(eps, reads[0]));
  const Value stop_grad2 = aten::detach(norm1);
  const Value where2 = aten::where(together, norm1, stop_grad2);
  const Value maximum1 = aten::maximum(where2, constant(eps, reads[0]));
  const Value where3 = aten::where(together, stop_grad0, sum0);
  const Value where4 = aten::where(together, stop_grad1, norm0);
  const Value maximum2 = aten::maximum(where4, constant(eps, reads[0]));
  const Value where5 = aten::where(together, stop_grad2, norm1);
  const Value maximum3 = aten::maximum(where5, constant(eps, reads[0]));
  const Value relu0 = aten::relu(where3 / (maximum2 * maximum3) - margin);
  writes[0] = aten::where(together, 1 - where0 / (maximum0 * maximum1), relu0);
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_loss = reads[0];
  const Value& x = reads[1];
  const Value& y = reads[2];
  const Value& together = reads[3];
  const double margin = params[0].as<double>();
  const double eps = params[1].as<double>();
  const Value sum0 = aten::sum(x * y);
  const Value norm0 = aten::linalg_vector_norm(x);
  const Value maximum0 = aten::maximum(norm0, constant(eps, reads[0]));
  const Value norm1 = aten::linalg_vector_norm(y);
  const Value maximum1 = aten::maximum(norm1, constant(eps, reads[0]));
  const Value mul0 = maximum0 * maximum1;
  const Value cosine = sum0 / mul0;
  const Value relu0 = aten::relu(cosine - margin);
  const Value le0 = relu0 <= 0;
  const Value logical_or0 = aten::logical_or(aten::logical_and(aten::logical_not(le0),
      aten::logical_not(together)), together);
  const Value div0 = cosine / mul0;
  const Value lt0 = norm1 < eps;
  const Value eq0 = norm1 == eps;
  const Value eq1 = norm1 == 0;
  const Value lt1 = norm0 < eps;
  const Value eq2 = norm0 == eps;
  const Value eq3 = norm0 == 0;
  const Value stop_grad0 = aten::detach(x);
  const Value stop_grad1 = aten::detach(y);
  const Value where0 = aten::where(logical_or0, x, stop_grad0);
  const Value where1 = aten::where(logical_or0, y, stop_grad1);
  const Value stop_grad2 = aten::detach(grad_loss);
  const Value where2 = aten::where(logical_or0, grad_loss, stop_grad2);
  const Value where3 = aten::where(together, 0, where2);
  const Value where4 = aten::where(le0, 0, where3);
  const Value where5 = aten::where(together, -where2, 0);
  const Value where6 = aten::where(lt1, stop_grad0, x);
  const Value where7 = aten::where(lt1, stop_grad2, grad_loss);
  const Value stop_grad3 = aten::detach(where6);
  const Value where8 = aten::where(logical_or0, where6, stop_grad3);
  const Value stop_grad4 = aten::detach(where7);
  const Value where9 = aten::where(logical_or0, where7, stop_grad4);
  const Value stop_grad5 = aten::detach(where9);
  const Value where10 = aten::where(eq3, stop_grad5, where9);
  const Value stop_grad6 = aten::detach(where10);
  const Value where11 = aten::where(eq2, where10, stop_grad6);
  const Value stop_grad7 = aten::detach(where11);
  const Value where12 = aten::where(logical_or0, where11, stop_grad7);
  const Value where13 = aten::where(together, 0, where12);
  const Value where14 = aten::where(le0, 0, where13);
  const Value where15 = aten::where(together, -where12, 0);
  const Value neg0 = -(div0 * (where14 + where15) * maximum1 * 0.5);
  const Value where16 = aten::where(logical_or0, neg0, 0);
  const Value where17 = aten::where(eq2, stop_grad6, where10);
  const Value stop_grad8 = aten::detach(where17);
  const Value where18 = aten::where(logical_or0, where17, stop_grad8);
  const Value where19 = aten::where(together, 0, where18);
  const Value where20 = aten::where(le0, 0, where19);
  const Value where21 = aten::where(together, -where18, 0);
  const Value where22 = aten::where(logical_or0, -(div0 * (where20 + where21) * maximum1), 0);
  const Value where23 = aten::where(eq2, where16, where22);
  const Value where24 = aten::where(eq3, 0, where23 / norm0);
  const Value where25 = aten::where(logical_or0, where8 * where24, 0);
  const Value where26 = aten::where(lt1, 0, where25);
  const Value div1 = (where4 + where5) / mul0;
  const Value where27 = aten::where(logical_or0, div1 * where1, 0);
  const Value where28 = aten::where(lt0, stop_grad1, y);
  const Value where29 = aten::where(lt0, stop_grad2, grad_loss);
  const Value stop_grad9 = aten::detach(where28);
  const Value where30 = aten::where(logical_or0, where28, stop_grad9);
  const Value stop_grad10 = aten::detach(where29);
  const Value where31 = aten::where(logical_or0, where29, stop_grad10);
  const Value stop_grad11 = aten::detach(where31);
  const Value where32 = aten::where(eq1, stop_grad11, where31);
  const Value stop_grad12 = aten::detach(where32);
  const Value where33 = aten::where(eq0, where32, stop_grad12);
  const Value stop_grad13 = aten::detach(where33);
  const Value where34 = aten::where(logical_or0, where33, stop_grad13);
  const Value where35 = aten::where(together, 0, where34);
  const Value where36 = aten::where(le0, 0, where35);
  const Value where37 = aten::where(together, -where34, 0);
  const Value neg1 = -(div0 * (where36 + where37) * maximum0 * 0.5);
  const Value where38 = aten::where(logical_or0, neg1, 0);
  const Value where39 = aten::where(eq0, stop_grad12, where32);
  const Value stop_grad14 = aten::detach(where39);
  const Value where40 = aten::where(logical_or0, where39, stop_grad14);
  const Value where41 = aten::where(together, 0, where40);
  const Value where42 = aten::where(le0, 0, where41);
  const Value where43 = aten::where(together, -where40, 0);
  const Value where44 = aten::where(logical_or0, -(div0 * (where42 + where43) * maximum0), 0);
  const Value where45 = aten::where(eq0, where38, where44);
  const Value where46 = aten::where(eq1, 0, where45 / norm1);
  const Value where47 = aten::where(logical_or0, where30 * where46, 0);
  const Value where48 = aten::where(lt0, 0, where47);
  const Value where49 = aten::where(logical_or0, div1 * where0, 0);
  writes[0] = where26 + where27;
  writes[1] = where48 + where49;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_y = reads[1];
  const Value& grad_loss = reads[2];
  const Value& x = reads[3];
  const Value& y = reads[4];
  const Value& together = reads[5];
  const double margin = params[0].as<double>();
  const double eps = params[1].as<double>();
  const bool has_grad_grad_x = params[2].as<bool>();
  const bool has_grad_grad_y = params[3].as<bool>();
  const Value sum0 = aten::sum(x * y);
  const Value norm0 = aten::linalg_vector_norm(x);
  const Value maximum0 = aten::maximum(norm0, constant(eps, reads[0]));
  const Value norm1 = aten::linalg_vector_norm(y);
  const Value maximum1 = aten::maximum(norm1, constant(eps, reads[0]));
  const Value mul0 = maximum0 * maximum1;
  const Value cosine = sum0 / mul0;
  const Value relu0 = aten::relu(cosine - margin);
  const Value where0 = aten::where(together, 0, grad_loss);
  const Value le0 = relu0 <= 0;
  const Value where1 = aten::where(le0, 0, where0);
  const Value where2 = aten::where(together, -grad_loss, 0);
  const Value add0 = where1 + where2;
  const Value div0 = add0 / mul0;
  const Value logical_or0 = aten::logical_or(aten::logical_and(aten::logical_not(le0),
      aten::logical_not(together)), together);
  const Value div1 = cosine / mul0;
  const Value mul1 = div1 * add0;
  const Value mul2 = mul1 * maximum1;
  const Value where3 = aten::where(logical_or0, -mul2, 0);
  const Value mul3 = mul1 * maximum0;
  const Value where4 = aten::where(logical_or0, -mul3, 0);
  const Value lt0 = norm1 < eps;
  const Value eq0 = norm1 == eps;
  const Value where5 = aten::where(logical_or0, -(mul3 * 0.5), 0);
  const Value where6 = aten::where(eq0, where5, where4);
  const Value eq1 = norm1 == 0;
  const Value div2 = where6 / norm1;
  const Value lt1 = norm0 < eps;
  const Value eq2 = norm0 == eps;
  const Value where7 = aten::where(logical_or0, -(mul2 * 0.5), 0);
  const Value where8 = aten::where(eq2, where7, where3);
  const Value eq3 = norm0 == 0;
  const Value div3 = where8 / norm0;
  const Value where9 = aten::where(condition(has_grad_grad_y, reads[0]), grad_grad_y * x, 0);
  const Value where10 = aten::where(condition(has_grad_grad_y, reads[0]), grad_grad_y * div0, 0);
  const Value where11 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_x * y, 0);
  const Value where12 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_x * div0, 0);
  const Value where13 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_x * div3, 0);
  const Value where14 = aten::where(lt1, 0, where13);
  const Value where15 = aten::where(logical_or0, where14, 0);
  const Value where16 = aten::where(eq3, 0, where15);
  const Value sum1 = aten::sum(grad_grad_x * x);
  const Value logical_not0 = aten::logical_not(lt1);
  const Value logical_and0 = aten::logical_and(logical_or0, aten::logical_and(logical_not0,
      condition(has_grad_grad_x, reads[0])));
  const Value div4 = sum1 / norm0;
  const Value where17 = aten::where(condition(has_grad_grad_x, reads[0]), -(div3 / norm0 * sum1),
      0);
  const Value where18 = aten::where(lt1, 0, where17);
  const Value where19 = aten::where(logical_or0, where18, 0);
  const Value where20 = aten::where(logical_and0, where19, 0);
  const Value where21 = aten::where(eq3, 0, where20);
  const Value where22 = aten::where(condition(has_grad_grad_x, reads[0]), -div4, 0);
  const Value where23 = aten::where(lt1, 0, where22);
  const Value where24 = aten::where(logical_or0, where23, 0);
  const Value where25 = aten::where(logical_and0, where24, 0);
  const Value where26 = aten::where(eq3, 0, where25);
  const Value where27 = aten::where(condition(has_grad_grad_x, reads[0]), -(div4 * 0.5), 0);
  const Value where28 = aten::where(lt1, 0, where27);
  const Value where29 = aten::where(logical_or0, where28, 0);
  const Value where30 = aten::where(logical_and0, where29, 0);
  const Value where31 = aten::where(eq3, 0, where30);
  const Value where32 = aten::where(condition(has_grad_grad_y, reads[0]), grad_grad_y * div2, 0);
  const Value where33 = aten::where(lt0, 0, where32);
  const Value where34 = aten::where(logical_or0, where33, 0);
  const Value where35 = aten::where(eq1, 0, where34);
  const Value sum2 = aten::sum(grad_grad_y * y);
  const Value logical_not1 = aten::logical_not(lt0);
  const Value logical_and1 = aten::logical_and(logical_or0, aten::logical_and(logical_not1,
      condition(has_grad_grad_y, reads[0])));
  const Value div5 = sum2 / norm1;
  const Value where36 = aten::where(condition(has_grad_grad_y, reads[0]), -(div2 / norm1 * sum2),
      0);
  const Value where37 = aten::where(lt0, 0, where36);
  const Value where38 = aten::where(logical_or0, where37, 0);
  const Value where39 = aten::where(logical_and1, where38, 0);
  const Value where40 = aten::where(eq1, 0, where39);
  const Value where41 = aten::where(condition(has_grad_grad_y, reads[0]), -div5, 0);
  const Value where42 = aten::where(lt0, 0, where41);
  const Value where43 = aten::where(logical_or0, where42, 0);
  const Value where44 = aten::where(logical_and1, where43, 0);
  const Value where45 = aten::where(eq1, 0, where44);
  const Value where46 = aten::where(condition(has_grad_grad_y, reads[0]), -(div5 * 0.5), 0);
  const Value where47 = aten::where(lt0, 0, where46);
  const Value where48 = aten::where(logical_or0, where47, 0);
  const Value where49 = aten::where(logical_and1, where48, 0);
  const Value where50 = aten::where(eq1, 0, where49);
  const Value where51 = aten::where(eq0, where50, where45);
  const Value logical_and2 = aten::logical_and(aten::logical_not(eq1), logical_and1);
  const Value where52 = aten::where(logical_and2, where51 * maximum0, 0);
  const Value where53 = aten::where(logical_and2, where51 * mul1, 0);
  const Value where54 = aten::where(logical_or0, where53, 0);
  const Value where55 = aten::where(eq2, where31, where26);
  const Value logical_and3 = aten::logical_and(aten::logical_not(eq3), logical_and0);
  const Value where56 = aten::where(logical_and3, where55 * maximum1, 0);
  const Value add1 = where52 + where56;
  const Value where57 = aten::where(logical_and3, where55 * mul1, 0);
  const Value where58 = aten::where(logical_or0, where57, 0);
  const Value mul4 = add1 * add0;
  const Value logical_or1 = aten::logical_or(logical_and2, logical_and3);
  const Value where59 = aten::where(logical_or1, add1 * div1, 0);
  const Value where60 = aten::where(logical_or0, where59, 0);
  const Value div6 = mul4 / mul0;
  const Value sum3 = aten::sum(where9 + where11);
  const Value logical_and4 = aten::logical_and(logical_or0, condition(has_grad_grad_y |
      has_grad_grad_x, reads[0]));
  const Value where61 = aten::where(logical_or0, sum3 / mul0, 0);
  const Value where62 = aten::where(logical_and4, where61, 0);
  const Value add2 = where60 + where62;
  const Value where63 = aten::where(logical_or0, -(div0 / mul0 * sum3), 0);
  const Value where64 = aten::where(logical_and4, where63, 0);
  const Value where65 = aten::where(le0, 0, add2);
  const Value div7 = div6 / mul0;
  const Value sub0 = -(div1 / mul0 * mul4) - div1 * div6;
  const Value where66 = aten::where(logical_or1, sub0, 0);
  const Value where67 = aten::where(logical_or0, where66, 0);
  const Value add3 = where67 + where64;
  const Value logical_or2 = aten::logical_or(aten::logical_and(logical_or0, logical_or1),
      logical_and4);
  const Value where68 = aten::where(logical_or2, add3 * maximum1, 0);
  const Value add4 = where54 + where68;
  const Value where69 = aten::where(logical_or2, add3 * maximum0, 0);
  const Value add5 = where58 + where69;
  const Value where70 = aten::where(eq0, add5 * 0.5, add5);
  const Value where71 = aten::where(lt0, 0, where70);
  const Value logical_or3 = aten::logical_or(logical_and2, aten::logical_and(logical_not1,
      aten::logical_or(aten::logical_and(logical_or0, logical_and3), logical_or2)));
  const Value where72 = aten::where(eq1, 0, (where40 + where71) / norm1);
  const Value where73 = aten::where(logical_or3, y * where72, 0);
  const Value where74 = aten::where(eq2, add4 * 0.5, add4);
  const Value where75 = aten::where(lt1, 0, where74);
  const Value logical_or4 = aten::logical_or(logical_and3, aten::logical_and(logical_not0,
      aten::logical_or(aten::logical_and(logical_or0, logical_and2), logical_or2)));
  const Value where76 = aten::where(eq3, 0, (where21 + where75) / norm0);
  const Value where77 = aten::where(logical_or4, x * where76, 0);
  const Value where78 = aten::where(logical_or1, div7 * y, 0);
  const Value where79 = aten::where(logical_or0, where10 + where78, 0);
  const Value where80 = aten::where(logical_or1, div7 * x, 0);
  const Value where81 = aten::where(logical_or0, where12 + where80, 0);
  writes[0] = aten::where(together, -add2, where65);
  writes[1] = where79 + where16 + where77;
  writes[2] = where81 + where35 + where73;
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
    .arrivals = {0, 1},
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
