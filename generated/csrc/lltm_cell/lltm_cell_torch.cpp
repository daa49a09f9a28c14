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
  const Value sigmoid0 = aten::sigmoid(i);
  const Value sigmoid1 = aten::sigmoid(o);
  const Value le0 = c <= 0;
  const Value tanh0 = aten::tanh(new_cell);
  const Value mul0 = 2 * new_cell;
  const Value tanh1 = aten::tanh(0.5 * i);
  const Value clamp0 = aten::clamp(c, -INFINITY, 0);
  const Value expm1_0 = aten::expm1(clamp0);
  const Value where0 = aten::where(le0, expm1_0, c);
  const Value stop_grad0 = aten::detach(o);
  const Value where1 = aten::where(condition(has_grad_new_h, reads[0]), o, stop_grad0);
  const Value sigmoid2 = aten::sigmoid(where1);
  const Value stop_grad1 = aten::detach(grad_new_h);
  const Value where2 = aten::where(condition(has_grad_new_h, reads[0]), grad_new_h, stop_grad1);
  const Value mul1 = where2 * sigmoid2;
  const Value stop_grad2 = aten::detach(new_cell);
  const Value where3 = aten::where(condition(has_grad_new_h, reads[0]), new_cell, stop_grad2);
  const Value tanh2 = aten::tanh(where3);
  const Value stop_grad3 = aten::detach(i);
  const Value where4 = aten::where(le0, i, stop_grad3);
  const Value where5 = aten::where(le0, o, stop_grad0);
  const Value stop_grad4 = aten::detach(c);
  const Value where6 = aten::where(le0, c, stop_grad4);
  const Value sigmoid3 = aten::sigmoid(where4);
  const Value where7 = aten::where(le0, grad_new_h, stop_grad1);
  const Value stop_grad5 = aten::detach(grad_new_cell);
  const Value where8 = aten::where(le0, grad_new_cell, stop_grad5);
  const Value exp0 = aten::exp(where6);
  const Value where9 = aten::where(le0, new_cell, stop_grad2);
  const Value stop_grad6 = aten::detach(where5);
  const Value where10 = aten::where(condition(has_grad_new_h, reads[0]), where5, stop_grad6);
  const Value sigmoid4 = aten::sigmoid(where10);
  const Value stop_grad7 = aten::detach(where7);
  const Value where11 = aten::where(condition(has_grad_new_h, reads[0]), where7, stop_grad7);
  const Value stop_grad8 = aten::detach(where9);
  const Value where12 = aten::where(condition(has_grad_new_h, reads[0]), where9, stop_grad8);
  const Value where13 = aten::where(le0, stop_grad3, i);
  const Value where14 = aten::where(le0, stop_grad0, o);
  const Value sigmoid5 = aten::sigmoid(where13);
  const Value where15 = aten::where(le0, stop_grad1, grad_new_h);
  const Value where16 = aten::where(le0, stop_grad5, grad_new_cell);
  const Value where17 = aten::where(le0, stop_grad2, new_cell);
  const Value stop_grad9 = aten::detach(where14);
  const Value where18 = aten::where(condition(has_grad_new_h, reads[0]), where14, stop_grad9);
  const Value sigmoid6 = aten::sigmoid(where18);
  const Value stop_grad10 = aten::detach(where15);
  const Value where19 = aten::where(condition(has_grad_new_h, reads[0]), where15, stop_grad10);
  const Value stop_grad11 = aten::detach(where17);
  const Value where20 = aten::where(condition(has_grad_new_h, reads[0]), where17, stop_grad11);
  const Value sigmoid7 = aten::sigmoid(-i);
  const Value mul2 = sigmoid0 * sigmoid7;
  const Value mul3 = 2 * where3;
  const Value sigmoid8 = aten::sigmoid(mul3);
  const Value sigmoid9 = aten::sigmoid(-mul3);
  const Value mul4 = 4 * (sigmoid8 * sigmoid9);
  const Value where21 = aten::where(condition(has_grad_new_h, reads[0]), mul1 * mul4, 0);
  const Value add0 = grad_new_cell + where21;
  const Value sigmoid10 = aten::sigmoid(-where1);
  const Value mul5 = sigmoid2 * sigmoid10;
  const Value mul6 = 2 * where12;
  const Value sigmoid11 = aten::sigmoid(mul6);
  const Value sigmoid12 = aten::sigmoid(-mul6);
  const Value where22 = aten::where(condition(has_grad_new_h, reads[0]), where11 * sigmoid4 * (4 *
      (sigmoid11 * sigmoid12)), 0);
  const Value add1 = where8 + where22;
  const Value mul7 = 2 * where20;
  const Value sigmoid13 = aten::sigmoid(mul7);
  const Value sigmoid14 = aten::sigmoid(-mul7);
  const Value where23 = aten::where(condition(has_grad_new_h, reads[0]), where19 * sigmoid6 * (4 *
      (sigmoid13 * sigmoid14)), 0);
  const Value stop_grad12 = aten::detach(grad_grad_c);
  const Value where24 = aten::where(le0, grad_grad_c, stop_grad12);
  const Value where25 = aten::where(le0, where24 * exp0, grad_grad_c);
  const Value where26 = aten::where(condition(has_grad_new_h, reads[0]), i, stop_grad3);
  const Value where27 = aten::where(condition(has_grad_new_h, reads[0]), c, stop_grad4);
  const Value sigmoid15 = aten::sigmoid(where26);
  const Value stop_grad13 = aten::detach(grad_grad_i);
  const Value where28 = aten::where(condition(has_grad_new_h, reads[0]), grad_grad_i, stop_grad13);
  const Value stop_grad14 = aten::detach(grad_grad_o);
  const Value where29 = aten::where(condition(has_grad_new_h, reads[0]), grad_grad_o, stop_grad14);
  const Value where30 = aten::where(condition(has_grad_new_h, reads[0]), grad_grad_c, stop_grad12);
  const Value stop_grad15 = aten::detach(grad_grad_old_cell);
  const Value where31 = aten::where(condition(has_grad_new_h, reads[0]), grad_grad_old_cell,
      stop_grad15);
  const Value stop_grad16 = aten::detach(where27);
  const Value where32 = aten::where(le0, where27, stop_grad16);
  const Value exp1 = aten::exp(where32);
  const Value stop_grad17 = aten::detach(where30);
  const Value where33 = aten::where(le0, where30, stop_grad17);
  const Value where34 = aten::where(le0, where33 * exp1, where30);
  const Value tanh3 = aten::tanh(0.5 * where1);
  const Value where35 = aten::where(le0, grad_grad_i, stop_grad13);
  const Value where36 = aten::where(le0, stop_grad13, grad_grad_i);
  const Value sigmoid16 = aten::sigmoid(-o);
  const Value sigmoid17 = aten::sigmoid(mul0);
  const Value sigmoid18 = aten::sigmoid(-mul0);
  const Value add2 = grad_grad_old_cell + where25 * sigmoid0 + grad_grad_i * mul2 * where0;
  const Value mul8 = add2 * (4 * (sigmoid17 * sigmoid18)) * sigmoid1;
  const Value mul9 = mul2 * tanh1 * (grad_grad_i * (add0 * where0));
  const Value clamp1 = aten::clamp(where27, -INFINITY, 0);
  const Value expm1_1 = aten::expm1(clamp1);
  const Value where37 = aten::where(where27 <= 0, expm1_1, where27);
  const Value sigmoid19 = aten::sigmoid(-where26);
  const Value mul10 = where28 * (sigmoid15 * sigmoid19) * where37;
  const Value add3 = where31 + where34 * sigmoid15 + mul10;
  const Value mul11 = mul5 * tanh3 * (where29 * (where2 * tanh2));
  const Value sigmoid20 = aten::sigmoid(-where4);
  const Value mul12 = where35 * (sigmoid3 * sigmoid20) * add1 * exp0;
  const Value add4 = where24 * (add1 * sigmoid3) * exp0 + mul12;
  const Value sigmoid21 = aten::sigmoid(-where13);
  const Value mul13 = add3 * mul1 * (-2 * tanh2 * mul4);
  writes[0] = grad_grad_o * (sigmoid1 * sigmoid16) * tanh0 + mul8;
  writes[1] = add2;
  writes[2] = where25 * add0 * mul2 - mul9;
  writes[3] = aten::where(condition(has_grad_new_h, reads[0]), add3 * mul4 * where2 * mul5 - mul11,
      0);
  writes[4] = aten::where(le0, add4, where36 * (sigmoid5 * sigmoid21) * (where16 + where23));
  writes[5] = aten::where(condition(has_grad_new_h, reads[0]), mul13 + where29 * mul5 * where2 *
      mul4, 0);
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
    .arrivals = {2},
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
