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
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_new_h = reads[0];
  const Value& grad_new_cell = reads[1];
  const Value& i = reads[2];
  const Value& o = reads[3];
  const Value& c = reads[4];
  const Value& new_cell = reads[5];
  const Value sigmoid0 = aten::sigmoid(i);
  const Value sigmoid1 = aten::sigmoid(o);
  const Value le0 = c <= 0;
  const Value tanh0 = aten::tanh(new_cell);
  const Value mul0 = 2 * new_cell;
  const Value clamp0 = aten::clamp(c, -INFINITY, 0);
  const Value expm1_0 = aten::expm1(clamp0);
  const Value where0 = aten::where(le0, expm1_0, c);
  const Value stop_grad0 = aten::detach(i);
  const Value where1 = aten::where(le0, i, stop_grad0);
  const Value stop_grad1 = aten::detach(o);
  const Value where2 = aten::where(le0, o, stop_grad1);
  const Value stop_grad2 = aten::detach(c);
  const Value where3 = aten::where(le0, c, stop_grad2);
  const Value sigmoid2 = aten::sigmoid(where1);
  const Value sigmoid3 = aten::sigmoid(where2);
  const Value stop_grad3 = aten::detach(grad_new_h);
  const Value where4 = aten::where(le0, grad_new_h, stop_grad3);
  const Value stop_grad4 = aten::detach(grad_new_cell);
  const Value where5 = aten::where(le0, grad_new_cell, stop_grad4);
  const Value exp0 = aten::exp(where3);
  const Value stop_grad5 = aten::detach(new_cell);
  const Value where6 = aten::where(le0, new_cell, stop_grad5);
  const Value where7 = aten::where(le0, stop_grad0, i);
  const Value where8 = aten::where(le0, stop_grad1, o);
  const Value sigmoid4 = aten::sigmoid(where7);
  const Value sigmoid5 = aten::sigmoid(where8);
  const Value where9 = aten::where(le0, stop_grad3, grad_new_h);
  const Value where10 = aten::where(le0, stop_grad4, grad_new_cell);
  const Value where11 = aten::where(le0, stop_grad5, new_cell);
  const Value sigmoid6 = aten::sigmoid(-o);
  const Value sigmoid7 = aten::sigmoid(-i);
  const Value sigmoid8 = aten::sigmoid(mul0);
  const Value sigmoid9 = aten::sigmoid(-mul0);
  const Value add0 = grad_new_cell + grad_new_h * sigmoid1 * (4 * (sigmoid8 * sigmoid9));
  const Value mul1 = 2 * where6;
  const Value sigmoid10 = aten::sigmoid(mul1);
  const Value sigmoid11 = aten::sigmoid(-mul1);
  const Value add1 = where5 + where4 * sigmoid3 * (4 * (sigmoid10 * sigmoid11));
  const Value mul2 = 2 * where11;
  const Value sigmoid12 = aten::sigmoid(mul2);
  const Value sigmoid13 = aten::sigmoid(-mul2);
  const Value add2 = where10 + where9 * sigmoid5 * (4 * (sigmoid12 * sigmoid13));
  writes[0] = add0 * where0 * (sigmoid0 * sigmoid7);
  writes[1] = grad_new_h * tanh0 * (sigmoid1 * sigmoid6);
  writes[2] = aten::where(le0, add1 * sigmoid2 * exp0, add2 * sigmoid4);
  writes[3] = add0;
}

void double_backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
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
  const Value sigmoid0 = aten::sigmoid(i);
  const Value sigmoid1 = aten::sigmoid(o);
  const Value mul0 = grad_new_h * sigmoid1;
  const Value le0 = c <= 0;
  const Value tanh0 = aten::tanh(new_cell);
  const Value mul1 = 2 * new_cell;
  const Value tanh1 = aten::tanh(0.5 * i);
  const Value tanh2 = aten::tanh(0.5 * o);
  const Value clamp0 = aten::clamp(c, -INFINITY, 0);
  const Value expm1_0 = aten::expm1(clamp0);
  const Value where0 = aten::where(le0, expm1_0, c);
  const Value stop_grad0 = aten::detach(i);
  const Value where1 = aten::where(le0, i, stop_grad0);
  const Value stop_grad1 = aten::detach(o);
  const Value where2 = aten::where(le0, o, stop_grad1);
  const Value stop_grad2 = aten::detach(c);
  const Value where3 = aten::where(le0, c, stop_grad2);
  const Value sigmoid2 = aten::sigmoid(where1);
  const Value sigmoid3 = aten::sigmoid(where2);
  const Value stop_grad3 = aten::detach(grad_new_h);
  const Value where4 = aten::where(le0, grad_new_h, stop_grad3);
  const Value stop_grad4 = aten::detach(grad_new_cell);
  const Value where5 = aten::where(le0, grad_new_cell, stop_grad4);
  const Value exp0 = aten::exp(where3);
  const Value stop_grad5 = aten::detach(new_cell);
  const Value where6 = aten::where(le0, new_cell, stop_grad5);
  const Value where7 = aten::where(le0, stop_grad0, i);
  const Value where8 = aten::where(le0, stop_grad1, o);
  const Value sigmoid4 = aten::sigmoid(where7);
  const Value sigmoid5 = aten::sigmoid(where8);
  const Value where9 = aten::where(le0, stop_grad3, grad_new_h);
  const Value where10 = aten::where(le0, stop_grad4, grad_new_cell);
  const Value where11 = aten::where(le0, stop_grad5, new_cell);
  const Value sigmoid6 = aten::sigmoid(-o);
  const Value mul2 = sigmoid1 * sigmoid6;
  const Value sigmoid7 = aten::sigmoid(-i);
  const Value mul3 = sigmoid0 * sigmoid7;
  const Value sigmoid8 = aten::sigmoid(mul1);
  const Value sigmoid9 = aten::sigmoid(-mul1);
  const Value mul4 = 4 * (sigmoid8 * sigmoid9);
  const Value add0 = grad_new_cell + mul0 * mul4;
  const Value mul5 = 2 * where6;
  const Value sigmoid10 = aten::sigmoid(mul5);
  const Value sigmoid11 = aten::sigmoid(-mul5);
  const Value add1 = where5 + where4 * sigmoid3 * (4 * (sigmoid10 * sigmoid11));
  const Value mul6 = 2 * where11;
  const Value sigmoid12 = aten::sigmoid(mul6);
  const Value sigmoid13 = aten::sigmoid(-mul6);
  const Value add2 = where10 + where9 * sigmoid5 * (4 * (sigmoid12 * sigmoid13));
  const Value stop_grad6 = aten::detach(grad_grad_c);
  const Value where12 = aten::where(le0, grad_grad_c, stop_grad6);
  const Value where13 = aten::where(le0, where12 * exp0, grad_grad_c);
  const Value stop_grad7 = aten::detach(grad_grad_i);
  const Value where14 = aten::where(le0, grad_grad_i, stop_grad7);
  const Value where15 = aten::where(le0, stop_grad7, grad_grad_i);
  const Value mul7 = grad_grad_o * mul2;
  const Value mul8 = mul3 * tanh1 * (grad_grad_i * (add0 * where0));
  const Value mul9 = mul2 * tanh2 * (grad_grad_o * (grad_new_h * tanh0));
  const Value add3 = grad_grad_old_cell + where13 * sigmoid0 + grad_grad_i * mul3 * where0;
  const Value mul10 = add3 * mul4;
  const Value sigmoid14 = aten::sigmoid(-where1);
  const Value mul11 = where14 * (sigmoid2 * sigmoid14) * add1 * exp0;
  const Value add4 = where12 * (add1 * sigmoid2) * exp0 + mul11;
  const Value sigmoid15 = aten::sigmoid(-where7);
  const Value mul12 = add3 * mul0 * (-2 * tanh0 * mul4);
  writes[0] = mul7 * tanh0 + mul10 * sigmoid1;
  writes[1] = add3;
  writes[2] = where13 * add0 * mul3 - mul8;
  writes[3] = mul10 * grad_new_h * mul2 - mul9;
  writes[4] = aten::where(le0, add4, where15 * (sigmoid4 * sigmoid15) * add2);
  writes[5] = mul12 + mul7 * grad_new_h * mul4;
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
