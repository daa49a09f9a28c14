// Generated from specs/lltm_cell.yaml by `fusewise generate`. Do not edit.
//
// cell = old_cell + sigmoid(i) * elu(c)
// new_h = tanh(cell) * sigmoid(o)
// new_cell = cell
//
// sigmoid0 = sigmoid(i)
// elu0 = elu(c, 1)
// sigmoid1 = sigmoid(o)
// dsigmoid0 = dsigmoid(o)
// exp0 = exp(c)
// dsigmoid1 = dsigmoid(i)
// tanh0 = tanh(new_cell)
// sech2_0 = sech2(new_cell)
// add0 = grad_new_cell + grad_new_h * sigmoid1 * sech2_0
// mul0 = add0 * sigmoid0
// grad_i = add0 * elu0 * dsigmoid1
// grad_o = grad_new_h * tanh0 * dsigmoid0
// grad_c = mul0 * exp0 if c <= 0 else mul0
// grad_old_cell = add0
//
// backward keeps gates, new_cell: 16 B of float32 an element, arithmetic 129
// double_backward keeps grad_new_h, grad_new_cell, gates, new_cell: 24 B of float32 an element, arithmetic 200
// forward: 4 read and 2 written for each element
// backward: 6 read and 4 written for each element
// double_backward: 10 read and 6 written for each element
#include <ATen/ops/clamp.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/expm1.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/where.h>
#include <fusewise/torch/composite.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::lltm_cell {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_composite(const Tensor* reads, const double*, Tensor* writes) {
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

void backward_composite(const Tensor* reads, const double*, Tensor* writes) {
  const Tensor& grad_new_h = reads[0];
  const Tensor& grad_new_cell = reads[1];
  const Tensor& i = reads[2];
  const Tensor& o = reads[3];
  const Tensor& c = reads[4];
  const Tensor& new_cell = reads[5];
  const Tensor sigmoid0 = at::sigmoid(i);
  const Tensor sigmoid1 = at::sigmoid(o);
  const Tensor le0 = c <= 0;
  const Tensor exp0 = at::exp(c);
  const Tensor tanh0 = at::tanh(new_cell);
  const Tensor mul0 = 2 * new_cell;
  const Tensor clamp0 = at::clamp(c, -INFINITY, 0);
  const Tensor expm1_0 = at::expm1(clamp0);
  const Tensor where0 = at::where(le0, expm1_0, c);
  const Tensor sigmoid2 = at::sigmoid(-o);
  const Tensor sigmoid3 = at::sigmoid(-i);
  const Tensor sigmoid4 = at::sigmoid(mul0);
  const Tensor sigmoid5 = at::sigmoid(-mul0);
  const Tensor add0 = grad_new_cell + grad_new_h * sigmoid1 * (4 * (sigmoid4 * sigmoid5));
  const Tensor mul1 = add0 * sigmoid0;
  writes[0] = add0 * where0 * (sigmoid0 * sigmoid3);
  writes[1] = grad_new_h * tanh0 * (sigmoid1 * sigmoid2);
  writes[2] = at::where(le0, mul1 * exp0, mul1);
  writes[3] = add0;
}

void double_backward_composite(const Tensor* reads, const double*, Tensor* writes) {
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
  const Tensor exp0 = at::exp(c);
  const Tensor tanh0 = at::tanh(new_cell);
  const Tensor mul1 = 2 * new_cell;
  const Tensor where0 = at::where(le0, grad_grad_c * exp0, grad_grad_c);
  const Tensor tanh1 = at::tanh(0.5 * i);
  const Tensor tanh2 = at::tanh(0.5 * o);
  const Tensor clamp0 = at::clamp(c, -INFINITY, 0);
  const Tensor expm1_0 = at::expm1(clamp0);
  const Tensor where1 = at::where(le0, expm1_0, c);
  const Tensor sigmoid2 = at::sigmoid(-o);
  const Tensor mul2 = sigmoid1 * sigmoid2;
  const Tensor sigmoid3 = at::sigmoid(-i);
  const Tensor mul3 = sigmoid0 * sigmoid3;
  const Tensor sigmoid4 = at::sigmoid(mul1);
  const Tensor sigmoid5 = at::sigmoid(-mul1);
  const Tensor mul4 = 4 * (sigmoid4 * sigmoid5);
  const Tensor add0 = grad_new_cell + mul0 * mul4;
  const Tensor mul5 = grad_grad_i * mul3;
  const Tensor add1 = grad_grad_old_cell + where0 * sigmoid0 + mul5 * where1;
  const Tensor mul6 = mul5 * add0;
  const Tensor mul7 = add1 * mul4;
  const Tensor mul8 = add1 * mul0 * (-2 * tanh0 * mul4);
  const Tensor mul9 = grad_grad_o * mul2;
  const Tensor mul10 = mul3 * tanh1 * (grad_grad_i * (add0 * where1));
  const Tensor mul11 = mul2 * tanh2 * (grad_grad_o * (grad_new_h * tanh0));
  const Tensor add2 = grad_grad_c * (add0 * sigmoid0) * exp0 + mul6 * exp0;
  writes[0] = mul9 * tanh0 + mul7 * sigmoid1;
  writes[1] = add1;
  writes[2] = where0 * add0 * mul3 - mul10;
  writes[3] = mul7 * grad_new_h * mul2 - mul11;
  writes[4] = at::where(le0, add2, mul6);
  writes[5] = mul8 + mul9 * grad_new_h * mul4;
}

const Pass kDoubleBackward = {
    .schema = "lltm_cell_double_backward(Tensor? grad_grad_gates, Tensor? grad_grad_old_cell, "
              "Tensor? grad_new_h, Tensor? grad_new_cell, Tensor gates, Tensor new_cell, bool[4] "
              "needs) -> (Tensor, Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_gates", .parts = 3},
               {.name = "grad_grad_old_cell"},
               {.name = "grad_new_h"},
               {.name = "grad_new_cell"},
               {.name = "gates", .parts = 3},
               {.name = "new_cell"}},
    .outputs = {{.name = "grad_grad_new_h", .like = 2},
                {.name = "grad_grad_new_cell", .like = 3},
                {.name = "grad_gates", .like = 4},
                {.name = "grad_new_cell", .like = 5}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .composite = double_backward_composite,
};

const Pass kBackward = {
    .schema = "lltm_cell_backward(Tensor? grad_new_h, Tensor? grad_new_cell, Tensor gates, Tensor"
              " new_cell, bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_new_h"},
               {.name = "grad_new_cell"},
               {.name = "gates", .parts = 3},
               {.name = "new_cell"}},
    .outputs = {{.name = "grad_gates", .like = 2}, {.name = "grad_old_cell"}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .composite = backward_composite,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1, 2, 3},
};

const Pass kForward = {
    .schema = "lltm_cell(Tensor gates, Tensor old_cell) -> (Tensor, Tensor)",
    .inputs = {{.name = "gates", .parts = 3}, {.name = "old_cell"}},
    .outputs = {{.name = "new_h"}, {.name = "new_cell"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .composite = forward_composite,
    .derivative = &kBackward,
    .saved_inputs = {0},
    .saved_outputs = {1},
    .gradients = {0, 1},
};

const Registration kRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::lltm_cell
