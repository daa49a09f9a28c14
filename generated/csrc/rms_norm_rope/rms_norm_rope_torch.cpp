// Generated from specs/norms/rms_norm_rope.yaml by `fusewise generate`. Do not edit.
// The formulas stand in rms_norm_rope.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::rms_norm_rope {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x1 = reads[0];
  const Value& x2 = reads[1];
  const Value& w1 = reads[2];
  const Value& w2 = reads[3];
  const Value& cosine = reads[4];
  const Value& sine = reads[5];
  const double eps = params[0].as<double>();
  const Value mean0 = aten::mean(x1 * x1 + x2 * x2);
  const Value rstd = aten::rsqrt(mean0 / 2 + eps);
  const Value a = x1 * rstd * w1;
  const Value b = x2 * rstd * w2;
  writes[0] = a * cosine - b * sine;
  writes[1] = b * cosine + a * sine;
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out_0 = reads[0];
  const Value& grad_out_1 = reads[1];
  const Value& x1 = reads[2];
  const Value& x2 = reads[3];
  const Value& w1 = reads[4];
  const Value& w2 = reads[5];
  const Value& cosine = reads[6];
  const Value& sine = reads[7];
  const Value length = row_length(reads[9]);
  const double eps = params[0].as<double>();
  const Value mean0 = aten::mean(x1 * x1 + x2 * x2);
  const Value rstd = aten::rsqrt(mean0 / 2 + eps);
  const Value mul0 = x1 * rstd;
  const Value a = mul0 * w1;
  const Value mul1 = x2 * rstd;
  const Value b = mul1 * w2;
  const Value sub0 = grad_out_1 * cosine - grad_out_0 * sine;
  const Value add0 = grad_out_1 * sine + grad_out_0 * cosine;
  const Value mul2 = sub0 * w2;
  const Value mul3 = add0 * w1;
  const Value sum0 = aten::sum(mul2 * x2 + mul3 * x1);
  const Value div0 = -0.25 * sum0 * rstd * rstd * rstd / length;
  const Value mul4 = div0 * x2;
  const Value mul5 = div0 * x1;
  writes[0] = mul3 * rstd + mul5 + mul5;
  writes[1] = mul2 * rstd + mul4 + mul4;
  writes[2] = add0 * mul0;
  writes[3] = sub0 * mul1;
  writes[4] = grad_out_1 * b + grad_out_0 * a;
  writes[5] = grad_out_1 * a - grad_out_0 * b;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x1 = reads[0];
  const Value& grad_grad_x2 = reads[1];
  const Value& grad_grad_w1 = reads[2];
  const Value& grad_grad_w2 = reads[3];
  const Value& grad_grad_cosine = reads[4];
  const Value& grad_grad_sine = reads[5];
  const Value& grad_out_0 = reads[6];
  const Value& grad_out_1 = reads[7];
  const Value& x1 = reads[8];
  const Value& x2 = reads[9];
  const Value& w1 = reads[10];
  const Value& w2 = reads[11];
  const Value& cosine = reads[12];
  const Value& sine = reads[13];
  const Value length = row_length(reads[14]);
  const double eps = params[0].as<double>();
  const bool has_grad_grad_x = params[1].as<bool>();
  const bool has_grad_grad_weight = params[2].as<bool>();
  const bool has_grad_grad_cosine = params[3].as<bool>();
  const bool has_grad_grad_sine = params[4].as<bool>();
  const Value mean0 = aten::mean(x1 * x1 + x2 * x2);
  const Value rstd = aten::rsqrt(mean0 / 2 + eps);
  const Value mul0 = (grad_out_1 * cosine - grad_out_0 * sine) * w2;
  const Value mul1 = (grad_out_1 * sine + grad_out_0 * cosine) * w1;
  const Value sum0 = aten::sum(mul0 * x2 + mul1 * x1);
  const Value mul2 = -0.25 * sum0;
  const Value mul3 = mul2 * rstd;
  const Value mul4 = mul3 * rstd;
  const Value div0 = mul4 * rstd / length;
  const Value add0 = (grad_grad_x1 + grad_grad_x1) * x1 + (grad_grad_x2 + grad_grad_x2) * x2;
  const Value sum1 = aten::sum(add0);
  const Value div1 = sum1 / length;
  const Value mul5 = div1 * rstd;
  const Value mul6 = mul5 * rstd;
  const Value add1 = div1 * mul4 + mul5 * mul3 + mul6 * mul2;
  const Value where0 = aten::where(condition(has_grad_grad_x, reads[0]), add1, 0);
  const Value mul7 = mul6 * rstd * -0.25;
  const Value where1 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_x1 * mul1 +
      grad_grad_x2 * mul0, 0);
  const bool logical_or0 = has_grad_grad_weight | has_grad_grad_x;
  const bool logical_or1 = has_grad_grad_sine | has_grad_grad_cosine;
  const bool logical_or2 = has_grad_grad_weight | logical_or1;
  const bool logical_or3 = has_grad_grad_cosine | has_grad_grad_sine;
  const bool logical_or4 = has_grad_grad_weight | logical_or3;
  const Value stop_grad0 = aten::detach(x1);
  const Value stop_grad1 = aten::detach(x2);
  const Value stop_grad2 = aten::detach(grad_grad_w1);
  const Value where2 = aten::where(condition(has_grad_grad_x, reads[0]), x1, stop_grad0);
  const Value where3 = aten::where(condition(has_grad_grad_x, reads[0]), x2, stop_grad1);
  const Value stop_grad3 = aten::detach(w1);
  const Value where4 = aten::where(condition(has_grad_grad_x, reads[0]), w1, stop_grad3);
  const Value stop_grad4 = aten::detach(grad_grad_x1);
  const Value where5 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_x1, stop_grad4);
  const Value stop_grad5 = aten::detach(grad_grad_x2);
  const Value where6 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_x2, stop_grad5);
  const Value stop_grad6 = aten::detach(grad_grad_w2);
  const Value stop_grad7 = aten::detach(w2);
  const Value where7 = aten::where(condition(has_grad_grad_x, reads[0]), w2, stop_grad7);
  const Value where8 = aten::where(condition(has_grad_grad_cosine, reads[0]), x1, stop_grad0);
  const Value where9 = aten::where(condition(has_grad_grad_cosine, reads[0]), x2, stop_grad1);
  const Value where10 = aten::where(condition(has_grad_grad_cosine, reads[0]), w1, stop_grad3);
  const Value stop_grad8 = aten::detach(grad_grad_cosine);
  const Value where11 = aten::where(condition(has_grad_grad_cosine, reads[0]), grad_grad_cosine,
      stop_grad8);
  const Value where12 = aten::where(condition(has_grad_grad_cosine, reads[0]), where11 * (where8 *
      rstd * where10), 0);
  const Value where13 = aten::where(condition(has_grad_grad_sine, reads[0]), x1, stop_grad0);
  const Value where14 = aten::where(condition(has_grad_grad_sine, reads[0]), x2, stop_grad1);
  const Value where15 = aten::where(condition(has_grad_grad_sine, reads[0]), w2, stop_grad7);
  const Value stop_grad9 = aten::detach(grad_grad_sine);
  const Value where16 = aten::where(condition(has_grad_grad_sine, reads[0]), grad_grad_sine,
      stop_grad9);
  const Value where17 = aten::where(condition(has_grad_grad_sine, reads[0]), -(where16 * (where14 *
      rstd * where15)), 0);
  const Value where18 = aten::where(condition(logical_or0, reads[0]), x1, stop_grad0);
  const Value where19 = aten::where(condition(logical_or0, reads[0]), x2, stop_grad1);
  const Value where20 = aten::where(condition(logical_or0, reads[0]), w1, stop_grad3);
  const Value where21 = aten::where(condition(logical_or0, reads[0]), w2, stop_grad7);
  const Value stop_grad10 = aten::detach(cosine);
  const Value where22 = aten::where(condition(logical_or0, reads[0]), cosine, stop_grad10);
  const Value stop_grad11 = aten::detach(sine);
  const Value where23 = aten::where(condition(logical_or0, reads[0]), sine, stop_grad11);
  const Value where24 = aten::where(condition(logical_or0, reads[0]), grad_grad_x1, stop_grad4);
  const Value where25 = aten::where(condition(logical_or0, reads[0]), grad_grad_x2, stop_grad5);
  const Value where26 = aten::where(condition(logical_or0, reads[0]), grad_grad_w1, stop_grad2);
  const Value where27 = aten::where(condition(logical_or0, reads[0]), grad_grad_w2, stop_grad6);
  const Value stop_grad12 = aten::detach(where18);
  const Value where28 = aten::where(condition(has_grad_grad_weight, reads[0]), where18,
      stop_grad12);
  const Value stop_grad13 = aten::detach(where19);
  const Value where29 = aten::where(condition(has_grad_grad_weight, reads[0]), where19,
      stop_grad13);
  const Value stop_grad14 = aten::detach(where26);
  const Value where30 = aten::where(condition(has_grad_grad_weight, reads[0]), where26,
      stop_grad14);
  const Value where31 = aten::where(condition(has_grad_grad_weight, reads[0]), where30 * (where28 *
      rstd), 0);
  const Value where32 = aten::where(condition(has_grad_grad_x, reads[0]), where18, stop_grad12);
  const Value where33 = aten::where(condition(has_grad_grad_x, reads[0]), where19, stop_grad13);
  const Value stop_grad15 = aten::detach(where20);
  const Value where34 = aten::where(condition(has_grad_grad_x, reads[0]), where20, stop_grad15);
  const Value stop_grad16 = aten::detach(where24);
  const Value where35 = aten::where(condition(has_grad_grad_x, reads[0]), where24, stop_grad16);
  const Value stop_grad17 = aten::detach(where25);
  const Value where36 = aten::where(condition(has_grad_grad_x, reads[0]), where25, stop_grad17);
  const Value where37 = aten::where(condition(has_grad_grad_x, reads[0]), (mul7 * where32 + where35
      * rstd) * where34, 0);
  const Value add2 = where31 + where37;
  const Value stop_grad18 = aten::detach(where27);
  const Value where38 = aten::where(condition(has_grad_grad_weight, reads[0]), where27,
      stop_grad18);
  const Value where39 = aten::where(condition(has_grad_grad_weight, reads[0]), where38 * (where29 *
      rstd), 0);
  const Value stop_grad19 = aten::detach(where21);
  const Value where40 = aten::where(condition(has_grad_grad_x, reads[0]), where21, stop_grad19);
  const Value where41 = aten::where(condition(has_grad_grad_x, reads[0]), (mul7 * where33 + where36
      * rstd) * where40, 0);
  const Value add3 = where39 + where41;
  const Value where42 = aten::where(condition(logical_or0, reads[0]), add2 * where22 - add3 *
      where23, 0);
  const Value where43 = aten::where(condition(has_grad_grad_cosine, reads[0]), w2, stop_grad7);
  const Value where44 = aten::where(condition(has_grad_grad_cosine, reads[0]), where11 * (where9 *
      rstd * where43), 0);
  const Value where45 = aten::where(condition(has_grad_grad_sine, reads[0]), w1, stop_grad3);
  const Value where46 = aten::where(condition(has_grad_grad_sine, reads[0]), where16 * (where13 *
      rstd * where45), 0);
  const Value where47 = aten::where(condition(logical_or0, reads[0]), add3 * where22 + add2 *
      where23, 0);
  const Value where48 = aten::where(condition(has_grad_grad_x, reads[0]), cosine, stop_grad10);
  const Value where49 = aten::where(condition(has_grad_grad_x, reads[0]), sine, stop_grad11);
  const Value stop_grad20 = aten::detach(grad_out_0);
  const Value where50 = aten::where(condition(has_grad_grad_x, reads[0]), grad_out_0, stop_grad20);
  const Value stop_grad21 = aten::detach(grad_out_1);
  const Value where51 = aten::where(condition(has_grad_grad_x, reads[0]), grad_out_1, stop_grad21);
  const Value sub0 = where51 * where48 - where50 * where49;
  const Value add4 = where51 * where49 + where50 * where48;
  const Value add5 = (where5 + where5) * div0 + mul7 * (add4 * where4);
  const Value where52 = aten::where(condition(has_grad_grad_x, reads[0]), add5, 0);
  const Value where53 = aten::where(condition(logical_or2, reads[0]), x2, stop_grad1);
  const Value where54 = aten::where(condition(logical_or2, reads[0]), w2, stop_grad7);
  const Value where55 = aten::where(condition(logical_or2, reads[0]), cosine, stop_grad10);
  const Value where56 = aten::where(condition(logical_or2, reads[0]), sine, stop_grad11);
  const Value where57 = aten::where(condition(logical_or2, reads[0]), grad_out_0, stop_grad20);
  const Value where58 = aten::where(condition(logical_or2, reads[0]), grad_out_1, stop_grad21);
  const Value where59 = aten::where(condition(logical_or2, reads[0]), grad_grad_w2, stop_grad6);
  const Value where60 = aten::where(condition(logical_or2, reads[0]), grad_grad_cosine, stop_grad8);
  const Value where61 = aten::where(condition(logical_or2, reads[0]), grad_grad_sine, stop_grad9);
  const Value where62 = aten::where(condition(has_grad_grad_weight, reads[0]), where59 * (where58 *
      where55 - where57 * where56), 0);
  const Value where63 = aten::where(condition(has_grad_grad_sine, reads[0]), -(where61 * where57),
      0);
  const Value where64 = aten::where(condition(has_grad_grad_cosine, reads[0]), where60 * where58,
      0);
  const Value where65 = aten::where(condition(logical_or1, reads[0]), (where63 + where64) * where54,
      0);
  const Value add6 = where62 + where65;
  const Value where66 = aten::where(condition(logical_or2, reads[0]), add6 * where53, 0);
  const Value where67 = aten::where(condition(logical_or4, reads[0]), x1, stop_grad0);
  const Value where68 = aten::where(condition(logical_or4, reads[0]), w1, stop_grad3);
  const Value where69 = aten::where(condition(logical_or4, reads[0]), cosine, stop_grad10);
  const Value where70 = aten::where(condition(logical_or4, reads[0]), sine, stop_grad11);
  const Value where71 = aten::where(condition(logical_or4, reads[0]), grad_out_0, stop_grad20);
  const Value where72 = aten::where(condition(logical_or4, reads[0]), grad_out_1, stop_grad21);
  const Value where73 = aten::where(condition(logical_or4, reads[0]), grad_grad_w1, stop_grad2);
  const Value where74 = aten::where(condition(logical_or4, reads[0]), grad_grad_cosine, stop_grad8);
  const Value where75 = aten::where(condition(logical_or4, reads[0]), grad_grad_sine, stop_grad9);
  const Value where76 = aten::where(condition(has_grad_grad_weight, reads[0]), where73 * (where72 *
      where70 + where71 * where69), 0);
  const Value where77 = aten::where(condition(has_grad_grad_cosine, reads[0]), where74 * where71,
      0);
  const Value where78 = aten::where(condition(has_grad_grad_sine, reads[0]), where75 * where72, 0);
  const Value where79 = aten::where(condition(logical_or3, reads[0]), (where77 + where78) * where68,
      0);
  const Value add7 = where76 + where79;
  const Value where80 = aten::where(condition(logical_or4, reads[0]), add7 * rstd, 0);
  const Value where81 = aten::where(condition(logical_or4, reads[0]), add7 * where67, 0);
  const Value sum2 = aten::sum(where1 + where66 + where81);
  const Value mul8 = -0.25 * (where0 + sum2) * rstd * rstd * rstd;
  const Value div2 = mul8 / length;
  const Value mul9 = div2 * x1;
  const Value add8 = (where6 + where6) * div0 + mul7 * (sub0 * where7);
  const Value where82 = aten::where(condition(has_grad_grad_x, reads[0]), add8, 0);
  const Value where83 = aten::where(condition(logical_or2, reads[0]), add6 * rstd, 0);
  const Value mul10 = div2 * x2;
  const Value where84 = aten::where(condition(has_grad_grad_x, reads[0]), (mul7 * where2 + where5 *
      rstd) * add4, 0);
  const Value where85 = aten::where(condition(logical_or3, reads[0]), x1, stop_grad0);
  const Value where86 = aten::where(condition(logical_or3, reads[0]), grad_out_0, stop_grad20);
  const Value where87 = aten::where(condition(logical_or3, reads[0]), grad_out_1, stop_grad21);
  const Value where88 = aten::where(condition(logical_or3, reads[0]), grad_grad_cosine, stop_grad8);
  const Value where89 = aten::where(condition(logical_or3, reads[0]), grad_grad_sine, stop_grad9);
  const Value where90 = aten::where(condition(has_grad_grad_cosine, reads[0]), where88 * where86,
      0);
  const Value where91 = aten::where(condition(has_grad_grad_sine, reads[0]), where89 * where87, 0);
  const Value where92 = aten::where(condition(logical_or3, reads[0]), (where90 + where91) * (where85
      * rstd), 0);
  const Value where93 = aten::where(condition(has_grad_grad_x, reads[0]), (mul7 * where3 + where6 *
      rstd) * sub0, 0);
  const Value where94 = aten::where(condition(logical_or1, reads[0]), x2, stop_grad1);
  const Value where95 = aten::where(condition(logical_or1, reads[0]), grad_out_0, stop_grad20);
  const Value where96 = aten::where(condition(logical_or1, reads[0]), grad_out_1, stop_grad21);
  const Value where97 = aten::where(condition(logical_or1, reads[0]), grad_grad_cosine, stop_grad8);
  const Value where98 = aten::where(condition(logical_or1, reads[0]), grad_grad_sine, stop_grad9);
  const Value where99 = aten::where(condition(has_grad_grad_sine, reads[0]), -(where98 * where95),
      0);
  const Value where100 = aten::where(condition(has_grad_grad_cosine, reads[0]), where97 * where96,
      0);
  const Value where101 = aten::where(condition(logical_or1, reads[0]), (where99 + where100) *
      (where94 * rstd), 0);
  const Value where102 = aten::where(condition(logical_or0, reads[0]), grad_out_0, stop_grad20);
  const Value where103 = aten::where(condition(logical_or0, reads[0]), grad_out_1, stop_grad21);
  writes[0] = where12 + where42 + where17;
  writes[1] = where44 + where47 + where46;
  writes[2] = where52 + where80 + mul9 + mul9;
  writes[3] = where82 + where83 + mul10 + mul10;
  writes[4] = where84 + where92;
  writes[5] = where93 + where101;
  writes[6] = aten::where(condition(logical_or0, reads[0]), add2 * where102 + add3 * where103, 0);
  writes[7] = aten::where(condition(logical_or0, reads[0]), add2 * where103 - add3 * where102, 0);
}

const Pass kDoubleBackward = {
    .schema = "rms_norm_rope_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_weight, "
              "Tensor? grad_grad_cosine, Tensor? grad_grad_sine, Tensor? grad_out, Tensor? x, "
              "Tensor? weight, Tensor? cosine, Tensor? sine, *, float eps, bool[5] needs) -> "
              "(Tensor, Tensor, Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true, .parts = 2},
               {.name = "grad_grad_weight", .optional = true, .parts = 2},
               {.name = "grad_grad_cosine", .optional = true},
               {.name = "grad_grad_sine", .optional = true},
               {.name = "grad_out", .parts = 2},
               {.name = "x", .parts = 2},
               {.name = "weight", .parts = 2},
               {.name = "cosine"},
               {.name = "sine"}},
    .outputs = {{.name = "grad_grad_out", .like = 4, .reads = {0, 1, 2, 3, 5, 6, 7, 8}, .parts = 2},
                {.name = "grad_x", .like = 5, .reads = {0, 1, 2, 3, 4, 5, 6, 7, 8}, .parts = 2},
                {.name = "grad_weight", .like = 6, .reads = {0, 2, 3, 4, 5, 7, 8}, .parts = 2},
                {.name = "grad_cosine", .like = 7, .reads = {0, 1, 4, 5, 6}},
                {.name = "grad_sine", .like = 8, .reads = {0, 1, 4, 5, 6}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .arrivals = {0, 1, 2, 3},
    .reduces = true,
};

const Pass kBackward = {
    .schema = "rms_norm_rope_backward(Tensor grad_out, Tensor? x, Tensor? weight, Tensor? cosine,"
              " Tensor? sine, Tensor? kept_total0, *, float eps, bool[4] needs) -> (Tensor, "
              "Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_out", .parts = 2},
               {.name = "x", .parts = 2},
               {.name = "weight", .parts = 2},
               {.name = "cosine"},
               {.name = "sine"},
               {.name = "kept_total0", .kind = Kind::kTotal, .extent = Extent::kRow}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2, 3, 4, 5}, .parts = 2},
                {.name = "grad_weight", .like = 2, .reads = {0, 1, 3, 4, 5}, .parts = 2},
                {.name = "grad_cosine", .like = 3, .reads = {0, 1, 2, 5}},
                {.name = "grad_sine", .like = 4, .reads = {0, 1, 2, 5}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3, 4},
    .gradients = {0, 1, 2, 3, 4},
    .reduces = true,
};

const Pass kForward = {
    .schema = "rms_norm_rope(Tensor x, Tensor weight, Tensor cosine, Tensor sine, *, float "
              "eps=1e-06) -> Tensor",
    .inputs = {{.name = "x", .parts = 2},
               {.name = "weight", .parts = 2},
               {.name = "cosine"},
               {.name = "sine"}},
    .outputs = {{.name = "out", .parts = 2}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1, 2, 3},
    .kept_totals = 1,
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::rms_norm_rope
