// Generated from specs/recurrent/lltm_cell.yaml by `fusewise generate`. Do not edit.
// The formulas stand in lltm_cell.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::lltm_cell {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& i = reads[0];
  const Value& o = reads[1];
  const Value& c = reads[2];
  const Value& old_cell = reads[3];
  const Value sigmoid0 = aten::sigmoid(i);
  const Value sigmoid1 = aten::sigmoid(o);
  const Value clamp0 = aten::clamp(c, -INFINITY, 0);
  const Value expm1_0 = aten::expm1(clamp0);
  const Value where0 = aten::where(c <= 0, expm1_0, c);
  const Value cell = old_cell + sigmoid0 * where0;
  const Value tanh0 = aten::tanh(cell);
  writes[0] = tanh0 * sigmoid1;
  writes[1] = cell;
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_new_h = reads[0];
  const Value& grad_new_cell = reads[1];
  const Value& i = reads[2];
  const Value& o = reads[3];
  const Value& c = reads[4];
  const Value& new_cell = reads[5];
  const bool has_grad_new_h = params[0].as<bool>();
  const Value sigmoid0 = aten::sigmoid(i);
  const Value le0 = c <= 0;
  const Value clamp0 = aten::clamp(c, -INFINITY, 0);
  const Value expm1_0 = aten::expm1(clamp0);
  const Value where0 = aten::where(le0, expm1_0, c);
  const Value stop_grad0 = aten::detach(o);
  const Value where1 = aten::where(condition(has_grad_new_h, reads[0]), o, stop_grad0);
  const Value sigmoid1 = aten::sigmoid(where1);
  const Value stop_grad1 = aten::detach(grad_new_h);
  const Value where2 = aten::where(condition(has_grad_new_h, reads[0]), grad_new_h, stop_grad1);
  const Value stop_grad2 = aten::detach(new_cell);
  const Value where3 = aten::where(condition(has_grad_new_h, reads[0]), new_cell, stop_grad2);
  const Value tanh0 = aten::tanh(where3);
  const Value stop_grad3 = aten::detach(i);
  const Value where4 = aten::where(le0, i, stop_grad3);
  const Value where5 = aten::where(le0, o, stop_grad0);
  const Value stop_grad4 = aten::detach(c);
  const Value where6 = aten::where(le0, c, stop_grad4);
  const Value sigmoid2 = aten::sigmoid(where4);
  const Value where7 = aten::where(le0, grad_new_h, stop_grad1);
  const Value stop_grad5 = aten::detach(grad_new_cell);
  const Value where8 = aten::where(le0, grad_new_cell, stop_grad5);
  const Value exp0 = aten::exp(where6);
  const Value where9 = aten::where(le0, new_cell, stop_grad2);
  const Value stop_grad6 = aten::detach(where5);
  const Value where10 = aten::where(condition(has_grad_new_h, reads[0]), where5, stop_grad6);
  const Value sigmoid3 = aten::sigmoid(where10);
  const Value stop_grad7 = aten::detach(where7);
  const Value where11 = aten::where(condition(has_grad_new_h, reads[0]), where7, stop_grad7);
  const Value stop_grad8 = aten::detach(where9);
  const Value where12 = aten::where(condition(has_grad_new_h, reads[0]), where9, stop_grad8);
  const Value where13 = aten::where(le0, stop_grad3, i);
  const Value where14 = aten::where(le0, stop_grad0, o);
  const Value sigmoid4 = aten::sigmoid(where13);
  const Value where15 = aten::where(le0, stop_grad1, grad_new_h);
  const Value where16 = aten::where(le0, stop_grad5, grad_new_cell);
  const Value where17 = aten::where(le0, stop_grad2, new_cell);
  const Value stop_grad9 = aten::detach(where14);
  const Value where18 = aten::where(condition(has_grad_new_h, reads[0]), where14, stop_grad9);
  const Value sigmoid5 = aten::sigmoid(where18);
  const Value stop_grad10 = aten::detach(where15);
  const Value where19 = aten::where(condition(has_grad_new_h, reads[0]), where15, stop_grad10);
  const Value stop_grad11 = aten::detach(where17);
  const Value where20 = aten::where(condition(has_grad_new_h, reads[0]), where17, stop_grad11);
  const Value sigmoid6 = aten::sigmoid(-i);
  const Value mul0 = 2 * where3;
  const Value sigmoid7 = aten::sigmoid(mul0);
  const Value sigmoid8 = aten::sigmoid(-mul0);
  const Value where21 = aten::where(condition(has_grad_new_h, reads[0]), where2 * sigmoid1 * (4 *
      (sigmoid7 * sigmoid8)), 0);
  const Value add0 = grad_new_cell + where21;
  const Value sigmoid9 = aten::sigmoid(-where1);
  const Value mul1 = 2 * where12;
  const Value sigmoid10 = aten::sigmoid(mul1);
  const Value sigmoid11 = aten::sigmoid(-mul1);
  const Value where22 = aten::where(condition(has_grad_new_h, reads[0]), where11 * sigmoid3 * (4 *
      (sigmoid10 * sigmoid11)), 0);
  const Value mul2 = (where8 + where22) * sigmoid2 * exp0;
  const Value mul3 = 2 * where20;
  const Value sigmoid12 = aten::sigmoid(mul3);
  const Value sigmoid13 = aten::sigmoid(-mul3);
  const Value where23 = aten::where(condition(has_grad_new_h, reads[0]), where19 * sigmoid5 * (4 *
      (sigmoid12 * sigmoid13)), 0);
  writes[0] = add0 * where0 * (sigmoid0 * sigmoid6);
  writes[1] = aten::where(condition(has_grad_new_h, reads[0]), where2 * tanh0 * (sigmoid1 *
      sigmoid9), 0);
  writes[2] = aten::where(le0, mul2, (where16 + where23) * sigmoid4);
  writes[3] = add0;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_i = reads[0];
  const Value& grad_grad_o = reads[1];
  const Value& grad_grad_c = reads[2];
  const Value& grad_grad_old_cell = reads[3];
  const Value& grad_new_h = reads[4];
  const Value& grad_new_cell = reads[5];
  const Value& i = reads[6];
  const Value& o = reads[7];
  const Value& c = reads[8];
  const Value& new_cell = reads[9];
  const bool has_grad_new_h = params[0].as<bool>();
  const bool has_grad_grad_gates = params[1].as<bool>();
  const Value sigmoid0 = aten::sigmoid(o);
  const Value le0 = c <= 0;
  const Value mul0 = 2 * new_cell;
  const Value stop_grad0 = aten::detach(o);
  const Value where0 = aten::where(condition(has_grad_new_h, reads[0]), o, stop_grad0);
  const Value sigmoid1 = aten::sigmoid(where0);
  const Value stop_grad1 = aten::detach(grad_new_h);
  const Value where1 = aten::where(condition(has_grad_new_h, reads[0]), grad_new_h, stop_grad1);
  const Value stop_grad2 = aten::detach(new_cell);
  const Value where2 = aten::where(condition(has_grad_new_h, reads[0]), new_cell, stop_grad2);
  const Value tanh0 = aten::tanh(where2);
  const Value stop_grad3 = aten::detach(i);
  const Value where3 = aten::where(le0, i, stop_grad3);
  const Value where4 = aten::where(le0, o, stop_grad0);
  const Value stop_grad4 = aten::detach(c);
  const Value where5 = aten::where(le0, c, stop_grad4);
  const Value where6 = aten::where(le0, grad_new_h, stop_grad1);
  const Value stop_grad5 = aten::detach(grad_new_cell);
  const Value where7 = aten::where(le0, grad_new_cell, stop_grad5);
  const Value where8 = aten::where(le0, new_cell, stop_grad2);
  const Value stop_grad6 = aten::detach(where4);
  const Value stop_grad7 = aten::detach(where6);
  const Value stop_grad8 = aten::detach(where8);
  const Value where9 = aten::where(le0, stop_grad3, i);
  const Value where10 = aten::where(le0, stop_grad0, o);
  const Value where11 = aten::where(le0, stop_grad1, grad_new_h);
  const Value where12 = aten::where(le0, stop_grad5, grad_new_cell);
  const Value where13 = aten::where(le0, stop_grad2, new_cell);
  const Value stop_grad9 = aten::detach(where10);
  const Value stop_grad10 = aten::detach(where11);
  const Value stop_grad11 = aten::detach(where13);
  const Value mul1 = 2 * where2;
  const Value sigmoid2 = aten::sigmoid(mul1);
  const Value sigmoid3 = aten::sigmoid(-mul1);
  const Value mul2 = 4 * (sigmoid2 * sigmoid3);
  const Value sigmoid4 = aten::sigmoid(-where0);
  const Value where14 = aten::where(condition(has_grad_grad_gates, reads[0]), c, stop_grad4);
  const Value stop_grad12 = aten::detach(grad_grad_c);
  const Value where15 = aten::where(condition(has_grad_grad_gates, reads[0]), grad_grad_c,
      stop_grad12);
  const Value where16 = aten::where(le0, grad_grad_c, stop_grad12);
  const Value stop_grad13 = aten::detach(where5);
  const Value where17 = aten::where(condition(has_grad_grad_gates, reads[0]), where5, stop_grad13);
  const Value exp0 = aten::exp(where17);
  const Value stop_grad14 = aten::detach(where16);
  const Value where18 = aten::where(condition(has_grad_grad_gates, reads[0]), where16, stop_grad14);
  const Value where19 = aten::where(condition(has_grad_grad_gates, reads[0]), i, stop_grad3);
  const Value sigmoid5 = aten::sigmoid(where19);
  const Value stop_grad15 = aten::detach(grad_grad_i);
  const Value where20 = aten::where(condition(has_grad_grad_gates, reads[0]), grad_grad_i,
      stop_grad15);
  const Value stop_grad16 = aten::detach(where14);
  const Value stop_grad17 = aten::detach(where15);
  const Value where21 = aten::where(le0, where14, stop_grad16);
  const Value where22 = aten::where(le0, where15, stop_grad17);
  const Value stop_grad18 = aten::detach(where21);
  const Value where23 = aten::where(condition(has_grad_grad_gates, reads[0]), where21, stop_grad18);
  const Value exp1 = aten::exp(where23);
  const Value stop_grad19 = aten::detach(where22);
  const Value where24 = aten::where(condition(has_grad_grad_gates, reads[0]), where22, stop_grad19);
  const Value where25 = aten::where(condition(has_grad_grad_gates, reads[0]), where24 * exp1, 0);
  const Value where26 = aten::where(le0, where25, where15);
  const Value where27 = aten::where(condition(has_grad_grad_gates, reads[0]), o, stop_grad0);
  const Value where28 = aten::where(condition(has_grad_grad_gates, reads[0]), new_cell, stop_grad2);
  const Value tanh1 = aten::tanh(where28);
  const Value stop_grad20 = aten::detach(grad_grad_o);
  const Value where29 = aten::where(condition(has_grad_grad_gates, reads[0]), grad_grad_o,
      stop_grad20);
  const Value sigmoid6 = aten::sigmoid(where27);
  const Value where30 = aten::where(condition(has_grad_grad_gates, reads[0]), grad_new_h,
      stop_grad1);
  const Value where31 = aten::where(condition(has_grad_grad_gates, reads[0]), grad_new_cell,
      stop_grad5);
  const Value stop_grad21 = aten::detach(where27);
  const Value where32 = aten::where(condition(has_grad_new_h, reads[0]), where27, stop_grad21);
  const Value sigmoid7 = aten::sigmoid(where32);
  const Value stop_grad22 = aten::detach(where30);
  const Value where33 = aten::where(condition(has_grad_new_h, reads[0]), where30, stop_grad22);
  const Value stop_grad23 = aten::detach(where28);
  const Value where34 = aten::where(condition(has_grad_new_h, reads[0]), where28, stop_grad23);
  const Value tanh2 = aten::tanh(0.5 * where19);
  const Value where35 = aten::where(condition(has_grad_new_h, reads[0]), i, stop_grad3);
  const Value where36 = aten::where(condition(has_grad_new_h, reads[0]), c, stop_grad4);
  const Value where37 = aten::where(condition(has_grad_new_h, reads[0]), grad_grad_i, stop_grad15);
  const Value where38 = aten::where(condition(has_grad_new_h, reads[0]), grad_grad_o, stop_grad20);
  const Value where39 = aten::where(condition(has_grad_new_h, reads[0]), grad_grad_c, stop_grad12);
  const Value stop_grad24 = aten::detach(grad_grad_old_cell);
  const Value where40 = aten::where(condition(has_grad_new_h, reads[0]), grad_grad_old_cell,
      stop_grad24);
  const Value stop_grad25 = aten::detach(where36);
  const Value where41 = aten::where(condition(has_grad_grad_gates, reads[0]), where36, stop_grad25);
  const Value stop_grad26 = aten::detach(where39);
  const Value where42 = aten::where(condition(has_grad_grad_gates, reads[0]), where39, stop_grad26);
  const Value stop_grad27 = aten::detach(where35);
  const Value where43 = aten::where(condition(has_grad_grad_gates, reads[0]), where35, stop_grad27);
  const Value sigmoid8 = aten::sigmoid(where43);
  const Value stop_grad28 = aten::detach(where37);
  const Value where44 = aten::where(condition(has_grad_grad_gates, reads[0]), where37, stop_grad28);
  const Value stop_grad29 = aten::detach(where41);
  const Value stop_grad30 = aten::detach(where42);
  const Value where45 = aten::where(le0, where41, stop_grad29);
  const Value where46 = aten::where(le0, where42, stop_grad30);
  const Value stop_grad31 = aten::detach(where45);
  const Value where47 = aten::where(condition(has_grad_grad_gates, reads[0]), where45, stop_grad31);
  const Value exp2 = aten::exp(where47);
  const Value stop_grad32 = aten::detach(where46);
  const Value where48 = aten::where(condition(has_grad_grad_gates, reads[0]), where46, stop_grad32);
  const Value where49 = aten::where(condition(has_grad_grad_gates, reads[0]), where48 * exp2, 0);
  const Value where50 = aten::where(le0, where49, where42);
  const Value stop_grad33 = aten::detach(where0);
  const Value where51 = aten::where(condition(has_grad_grad_gates, reads[0]), where0, stop_grad33);
  const Value stop_grad34 = aten::detach(where1);
  const Value where52 = aten::where(condition(has_grad_grad_gates, reads[0]), where1, stop_grad34);
  const Value stop_grad35 = aten::detach(where2);
  const Value where53 = aten::where(condition(has_grad_grad_gates, reads[0]), where2, stop_grad35);
  const Value tanh3 = aten::tanh(where53);
  const Value stop_grad36 = aten::detach(where38);
  const Value where54 = aten::where(condition(has_grad_grad_gates, reads[0]), where38, stop_grad36);
  const Value tanh4 = aten::tanh(0.5 * where51);
  const Value where55 = aten::where(le0, grad_grad_i, stop_grad15);
  const Value stop_grad37 = aten::detach(where3);
  const Value where56 = aten::where(condition(has_grad_grad_gates, reads[0]), where3, stop_grad37);
  const Value where57 = aten::where(condition(has_grad_grad_gates, reads[0]), where4, stop_grad6);
  const Value sigmoid9 = aten::sigmoid(where56);
  const Value where58 = aten::where(condition(has_grad_grad_gates, reads[0]), where6, stop_grad7);
  const Value stop_grad38 = aten::detach(where7);
  const Value where59 = aten::where(condition(has_grad_grad_gates, reads[0]), where7, stop_grad38);
  const Value where60 = aten::where(condition(has_grad_grad_gates, reads[0]), where8, stop_grad8);
  const Value stop_grad39 = aten::detach(where57);
  const Value where61 = aten::where(condition(has_grad_new_h, reads[0]), where57, stop_grad39);
  const Value sigmoid10 = aten::sigmoid(where61);
  const Value stop_grad40 = aten::detach(where58);
  const Value where62 = aten::where(condition(has_grad_new_h, reads[0]), where58, stop_grad40);
  const Value stop_grad41 = aten::detach(where60);
  const Value where63 = aten::where(condition(has_grad_new_h, reads[0]), where60, stop_grad41);
  const Value stop_grad42 = aten::detach(where55);
  const Value where64 = aten::where(condition(has_grad_grad_gates, reads[0]), where55, stop_grad42);
  const Value where65 = aten::where(le0, stop_grad15, grad_grad_i);
  const Value stop_grad43 = aten::detach(where9);
  const Value where66 = aten::where(condition(has_grad_grad_gates, reads[0]), where9, stop_grad43);
  const Value where67 = aten::where(condition(has_grad_grad_gates, reads[0]), where10, stop_grad9);
  const Value where68 = aten::where(condition(has_grad_grad_gates, reads[0]), where11, stop_grad10);
  const Value stop_grad44 = aten::detach(where12);
  const Value where69 = aten::where(condition(has_grad_grad_gates, reads[0]), where12, stop_grad44);
  const Value where70 = aten::where(condition(has_grad_grad_gates, reads[0]), where13, stop_grad11);
  const Value stop_grad45 = aten::detach(where67);
  const Value where71 = aten::where(condition(has_grad_new_h, reads[0]), where67, stop_grad45);
  const Value sigmoid11 = aten::sigmoid(where71);
  const Value stop_grad46 = aten::detach(where68);
  const Value where72 = aten::where(condition(has_grad_new_h, reads[0]), where68, stop_grad46);
  const Value stop_grad47 = aten::detach(where70);
  const Value where73 = aten::where(condition(has_grad_new_h, reads[0]), where70, stop_grad47);
  const Value stop_grad48 = aten::detach(where65);
  const Value where74 = aten::where(condition(has_grad_grad_gates, reads[0]), where65, stop_grad48);
  const Value sigmoid12 = aten::sigmoid(mul0);
  const Value sigmoid13 = aten::sigmoid(-mul0);
  const Value clamp0 = aten::clamp(where14, -INFINITY, 0);
  const Value expm1_0 = aten::expm1(clamp0);
  const Value where75 = aten::where(where14 <= 0, expm1_0, where14);
  const Value sigmoid14 = aten::sigmoid(-where19);
  const Value mul3 = sigmoid5 * sigmoid14;
  const Value where76 = aten::where(condition(has_grad_grad_gates, reads[0]), where26 * sigmoid5 +
      where20 * mul3 * where75, 0);
  const Value add0 = grad_grad_old_cell + where76;
  const Value sigmoid15 = aten::sigmoid(-where27);
  const Value where77 = aten::where(condition(has_grad_grad_gates, reads[0]), where29 * (sigmoid6 *
      sigmoid15) * tanh1, 0);
  const Value mul4 = 2 * where34;
  const Value sigmoid16 = aten::sigmoid(mul4);
  const Value sigmoid17 = aten::sigmoid(-mul4);
  const Value where78 = aten::where(condition(has_grad_new_h, reads[0]), where33 * sigmoid7 * (4 *
      (sigmoid16 * sigmoid17)), 0);
  const Value add1 = where31 + where78;
  const Value mul5 = mul3 * tanh2 * (where20 * (add1 * where75));
  const Value clamp1 = aten::clamp(where41, -INFINITY, 0);
  const Value expm1_1 = aten::expm1(clamp1);
  const Value where79 = aten::where(where41 <= 0, expm1_1, where41);
  const Value sigmoid18 = aten::sigmoid(-where43);
  const Value add2 = where50 * sigmoid8 + where44 * (sigmoid8 * sigmoid18) * where79;
  const Value where80 = aten::where(condition(has_grad_grad_gates, reads[0]), add2, 0);
  const Value add3 = where40 + where80;
  const Value sigmoid19 = aten::sigmoid(where51);
  const Value sigmoid20 = aten::sigmoid(-where51);
  const Value mul6 = sigmoid19 * sigmoid20;
  const Value neg0 = -(mul6 * tanh4 * (where54 * (where52 * tanh3)));
  const Value where81 = aten::where(condition(has_grad_grad_gates, reads[0]), neg0, 0);
  const Value add4 = where81 + add3 * mul2 * where1 * (sigmoid1 * sigmoid4);
  const Value sigmoid21 = aten::sigmoid(-where56);
  const Value mul7 = 2 * where63;
  const Value sigmoid22 = aten::sigmoid(mul7);
  const Value sigmoid23 = aten::sigmoid(-mul7);
  const Value where82 = aten::where(condition(has_grad_new_h, reads[0]), where62 * sigmoid10 * (4 *
      (sigmoid22 * sigmoid23)), 0);
  const Value add5 = where59 + where82;
  const Value mul8 = where64 * (sigmoid9 * sigmoid21) * add5 * exp0;
  const Value where83 = aten::where(condition(has_grad_grad_gates, reads[0]), where18 * (add5 *
      sigmoid9) * exp0 + mul8, 0);
  const Value sigmoid24 = aten::sigmoid(where66);
  const Value sigmoid25 = aten::sigmoid(-where66);
  const Value mul9 = 2 * where73;
  const Value sigmoid26 = aten::sigmoid(mul9);
  const Value sigmoid27 = aten::sigmoid(-mul9);
  const Value where84 = aten::where(condition(has_grad_new_h, reads[0]), where72 * sigmoid11 * (4 *
      (sigmoid26 * sigmoid27)), 0);
  const Value where85 = aten::where(condition(has_grad_grad_gates, reads[0]), where74 * (sigmoid24 *
      sigmoid25) * (where69 + where84), 0);
  const Value mul10 = add3 * (where1 * sigmoid1) * (-2 * tanh0 * mul2);
  const Value mul11 = 2 * where53;
  const Value sigmoid28 = aten::sigmoid(mul11);
  const Value sigmoid29 = aten::sigmoid(-mul11);
  const Value mul12 = where54 * mul6 * where52 * (4 * (sigmoid28 * sigmoid29));
  const Value where86 = aten::where(condition(has_grad_grad_gates, reads[0]), mul12, 0);
  writes[0] = where77 + add0 * (4 * (sigmoid12 * sigmoid13)) * sigmoid0;
  writes[1] = add0;
  writes[2] = aten::where(condition(has_grad_grad_gates, reads[0]), where26 * add1 * mul3 - mul5,
      0);
  writes[3] = aten::where(condition(has_grad_new_h, reads[0]), add4, 0);
  writes[4] = aten::where(le0, where83, where85);
  writes[5] = aten::where(condition(has_grad_new_h, reads[0]), mul10 + where86, 0);
}

const Pass kDoubleBackward = {
    .schema = "lltm_cell_double_backward(Tensor? grad_grad_gates, Tensor? grad_grad_old_cell, "
              "Tensor? grad_new_h, Tensor? grad_new_cell, Tensor? gates, Tensor? new_cell, "
              "bool[4] needs) -> (Tensor, Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_gates", .optional = true, .parts = 3},
               {.name = "grad_grad_old_cell", .optional = true},
               {.name = "grad_new_h", .optional = true},
               {.name = "grad_new_cell", .optional = true},
               {.name = "gates", .parts = 3},
               {.name = "new_cell"}},
    .outputs = {{.name = "grad_grad_new_h", .like = 2, .reads = {0, 1, 4, 5}},
                {.name = "grad_grad_new_cell", .like = 3, .reads = {0, 1, 4}},
                {.name = "grad_gates", .like = 4, .reads = {0, 1, 2, 3, 4, 5}, .parts = 3},
                {.name = "grad_new_cell", .like = 5, .reads = {0, 1, 2, 4, 5}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .arrivals = {2, 0},
};

const Pass kBackward = {
    .schema = "lltm_cell_backward(Tensor? grad_new_h, Tensor? grad_new_cell, Tensor? gates, "
              "Tensor? new_cell, Tensor? old_cell, bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_new_h", .optional = true},
               {.name = "grad_new_cell", .optional = true},
               {.name = "gates", .parts = 3},
               {.name = "new_cell"},
               {.name = "old_cell", .shape_only = true}},
    .outputs = {{.name = "grad_gates", .like = 2, .reads = {0, 1, 2, 3}, .parts = 3},
                {.name = "grad_old_cell", .like = 4, .reads = {0, 1, 2, 3}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1, 2, 3},
    .arrivals = {0},
};

const Pass kForward = {
    .schema = "lltm_cell(Tensor gates, Tensor old_cell) -> (Tensor, Tensor)",
    .inputs = {{.name = "gates", .parts = 3}, {.name = "old_cell"}},
    .outputs = {{.name = "new_h"}, {.name = "new_cell"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0},
    .saved_outputs = {1},
    .saved_shapes = {1},
    .gradients = {0, 1},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::lltm_cell
