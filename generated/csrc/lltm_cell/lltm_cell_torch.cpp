// Generated from specs/recurrent/lltm_cell.yaml by `fusewise generate`. Do not edit.
// The formulas stand in lltm_cell.math.h.
#include <ATen/ops/clamp.h>
#include <ATen/ops/detach.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/expm1.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/where.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::lltm_cell {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& i = reads[0];
  const Tensor& o = reads[1];
  const Tensor& c = reads[2];
  const Tensor& old_cell = reads[3];
  const Tensor sigmoid0 = at::sigmoid(i);
  const Tensor sigmoid1 = at::sigmoid(o);
  const Tensor clamp0 = at::clamp(c, -INFINITY, 0);
  const Tensor expm1_0 = at::expm1(clamp0);
  const Tensor where0 = at::where(c <= 0, expm1_0, c);
  const Tensor cell = old_cell + sigmoid0 * where0;
  const Tensor tanh0 = at::tanh(cell);
  writes[0] = tanh0 * sigmoid1;
  writes[1] = cell;
}

void backward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_new_h = reads[0];
  const Tensor& grad_new_cell = reads[1];
  const Tensor& i = reads[2];
  const Tensor& o = reads[3];
  const Tensor& c = reads[4];
  const Tensor& new_cell = reads[5];
  const Tensor sigmoid0 = at::sigmoid(i);
  const Tensor sigmoid1 = at::sigmoid(o);
  const Tensor le0 = c <= 0;
  const Tensor tanh0 = at::tanh(new_cell);
  const Tensor mul0 = 2 * new_cell;
  const Tensor clamp0 = at::clamp(c, -INFINITY, 0);
  const Tensor expm1_0 = at::expm1(clamp0);
  const Tensor where0 = at::where(le0, expm1_0, c);
  const Tensor stop_grad0 = at::detach(i);
  const Tensor where1 = at::where(le0, i, stop_grad0);
  const Tensor stop_grad1 = at::detach(o);
  const Tensor where2 = at::where(le0, o, stop_grad1);
  const Tensor stop_grad2 = at::detach(c);
  const Tensor where3 = at::where(le0, c, stop_grad2);
  const Tensor sigmoid2 = at::sigmoid(where1);
  const Tensor sigmoid3 = at::sigmoid(where2);
  const Tensor stop_grad3 = at::detach(grad_new_h);
  const Tensor where4 = at::where(le0, grad_new_h, stop_grad3);
  const Tensor stop_grad4 = at::detach(grad_new_cell);
  const Tensor where5 = at::where(le0, grad_new_cell, stop_grad4);
  const Tensor exp0 = at::exp(where3);
  const Tensor stop_grad5 = at::detach(new_cell);
  const Tensor where6 = at::where(le0, new_cell, stop_grad5);
  const Tensor where7 = at::where(le0, stop_grad0, i);
  const Tensor where8 = at::where(le0, stop_grad1, o);
  const Tensor sigmoid4 = at::sigmoid(where7);
  const Tensor sigmoid5 = at::sigmoid(where8);
  const Tensor where9 = at::where(le0, stop_grad3, grad_new_h);
  const Tensor where10 = at::where(le0, stop_grad4, grad_new_cell);
  const Tensor where11 = at::where(le0, stop_grad5, new_cell);
  const Tensor sigmoid6 = at::sigmoid(-o);
  const Tensor sigmoid7 = at::sigmoid(-i);
  const Tensor sigmoid8 = at::sigmoid(mul0);
  const Tensor sigmoid9 = at::sigmoid(-mul0);
  const Tensor add0 = grad_new_cell + grad_new_h * sigmoid1 * (4 * (sigmoid8 * sigmoid9));
  const Tensor mul1 = 2 * where6;
  const Tensor sigmoid10 = at::sigmoid(mul1);
  const Tensor sigmoid11 = at::sigmoid(-mul1);
  const Tensor add1 = where5 + where4 * sigmoid3 * (4 * (sigmoid10 * sigmoid11));
  const Tensor mul2 = 2 * where11;
  const Tensor sigmoid12 = at::sigmoid(mul2);
  const Tensor sigmoid13 = at::sigmoid(-mul2);
  const Tensor add2 = where10 + where9 * sigmoid5 * (4 * (sigmoid12 * sigmoid13));
  writes[0] = add0 * where0 * (sigmoid0 * sigmoid7);
  writes[1] = grad_new_h * tanh0 * (sigmoid1 * sigmoid6);
  writes[2] = at::where(le0, add1 * sigmoid2 * exp0, add2 * sigmoid4);
  writes[3] = add0;
}

void double_backward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_i = reads[0];
  const Tensor& grad_grad_o = reads[1];
  const Tensor& grad_grad_c = reads[2];
  const Tensor& grad_grad_old_cell = reads[3];
  const Tensor& grad_new_h = reads[4];
  const Tensor& grad_new_cell = reads[5];
  const Tensor& i = reads[6];
  const Tensor& o = reads[7];
  const Tensor& c = reads[8];
  const Tensor& new_cell = reads[9];
  const Tensor sigmoid0 = at::sigmoid(i);
  const Tensor sigmoid1 = at::sigmoid(o);
  const Tensor mul0 = grad_new_h * sigmoid1;
  const Tensor le0 = c <= 0;
  const Tensor tanh0 = at::tanh(new_cell);
  const Tensor mul1 = 2 * new_cell;
  const Tensor tanh1 = at::tanh(0.5 * i);
  const Tensor tanh2 = at::tanh(0.5 * o);
  const Tensor clamp0 = at::clamp(c, -INFINITY, 0);
  const Tensor expm1_0 = at::expm1(clamp0);
  const Tensor where0 = at::where(le0, expm1_0, c);
  const Tensor stop_grad0 = at::detach(i);
  const Tensor where1 = at::where(le0, i, stop_grad0);
  const Tensor stop_grad1 = at::detach(o);
  const Tensor where2 = at::where(le0, o, stop_grad1);
  const Tensor stop_grad2 = at::detach(c);
  const Tensor where3 = at::where(le0, c, stop_grad2);
  const Tensor sigmoid2 = at::sigmoid(where1);
  const Tensor sigmoid3 = at::sigmoid(where2);
  const Tensor stop_grad3 = at::detach(grad_new_h);
  const Tensor where4 = at::where(le0, grad_new_h, stop_grad3);
  const Tensor stop_grad4 = at::detach(grad_new_cell);
  const Tensor where5 = at::where(le0, grad_new_cell, stop_grad4);
  const Tensor exp0 = at::exp(where3);
  const Tensor stop_grad5 = at::detach(new_cell);
  const Tensor where6 = at::where(le0, new_cell, stop_grad5);
  const Tensor where7 = at::where(le0, stop_grad0, i);
  const Tensor where8 = at::where(le0, stop_grad1, o);
  const Tensor sigmoid4 = at::sigmoid(where7);
  const Tensor sigmoid5 = at::sigmoid(where8);
  const Tensor where9 = at::where(le0, stop_grad3, grad_new_h);
  const Tensor where10 = at::where(le0, stop_grad4, grad_new_cell);
  const Tensor where11 = at::where(le0, stop_grad5, new_cell);
  const Tensor sigmoid6 = at::sigmoid(-o);
  const Tensor mul2 = sigmoid1 * sigmoid6;
  const Tensor sigmoid7 = at::sigmoid(-i);
  const Tensor mul3 = sigmoid0 * sigmoid7;
  const Tensor sigmoid8 = at::sigmoid(mul1);
  const Tensor sigmoid9 = at::sigmoid(-mul1);
  const Tensor mul4 = 4 * (sigmoid8 * sigmoid9);
  const Tensor add0 = grad_new_cell + mul0 * mul4;
  const Tensor mul5 = 2 * where6;
  const Tensor sigmoid10 = at::sigmoid(mul5);
  const Tensor sigmoid11 = at::sigmoid(-mul5);
  const Tensor add1 = where5 + where4 * sigmoid3 * (4 * (sigmoid10 * sigmoid11));
  const Tensor mul6 = 2 * where11;
  const Tensor sigmoid12 = at::sigmoid(mul6);
  const Tensor sigmoid13 = at::sigmoid(-mul6);
  const Tensor add2 = where10 + where9 * sigmoid5 * (4 * (sigmoid12 * sigmoid13));
  const Tensor stop_grad6 = at::detach(grad_grad_c);
  const Tensor where12 = at::where(le0, grad_grad_c, stop_grad6);
  const Tensor where13 = at::where(le0, stop_grad6, grad_grad_c);
  const Tensor where14 = at::where(le0, where12 * exp0, where13);
  const Tensor stop_grad7 = at::detach(grad_grad_i);
  const Tensor where15 = at::where(le0, grad_grad_i, stop_grad7);
  const Tensor where16 = at::where(le0, stop_grad7, grad_grad_i);
  const Tensor mul7 = grad_grad_o * mul2;
  const Tensor mul8 = mul3 * tanh1 * (grad_grad_i * (add0 * where0));
  const Tensor mul9 = mul2 * tanh2 * (grad_grad_o * (grad_new_h * tanh0));
  const Tensor add3 = grad_grad_old_cell + where14 * sigmoid0 + grad_grad_i * mul3 * where0;
  const Tensor mul10 = add3 * mul4;
  const Tensor sigmoid14 = at::sigmoid(-where1);
  const Tensor mul11 = where15 * (sigmoid2 * sigmoid14) * add1 * exp0;
  const Tensor add4 = where12 * (add1 * sigmoid2) * exp0 + mul11;
  const Tensor sigmoid15 = at::sigmoid(-where7);
  const Tensor mul12 = add3 * mul0 * (-2 * tanh0 * mul4);
  writes[0] = mul7 * tanh0 + mul10 * sigmoid1;
  writes[1] = add3;
  writes[2] = where14 * add0 * mul3 - mul8;
  writes[3] = mul10 * grad_new_h * mul2 - mul9;
  writes[4] = at::where(le0, add4, where16 * (sigmoid4 * sigmoid15) * add2);
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
