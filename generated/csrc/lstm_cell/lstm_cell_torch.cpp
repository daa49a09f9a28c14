// Generated from specs/recurrent/lstm_cell.yaml by `fusewise generate`. Do not edit.
// The formulas stand in lstm_cell.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::lstm_cell {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& i = reads[0];
  const Value& f = reads[1];
  const Value& g = reads[2];
  const Value& o = reads[3];
  const Value& c = reads[4];
  const Value sigmoid0 = aten::sigmoid(f);
  const Value sigmoid1 = aten::sigmoid(i);
  const Value tanh0 = aten::tanh(g);
  const Value c_next = sigmoid0 * c + sigmoid1 * tanh0;
  const Value sigmoid2 = aten::sigmoid(o);
  const Value tanh1 = aten::tanh(c_next);
  writes[0] = sigmoid2 * tanh1;
  writes[1] = c_next;
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_h = reads[0];
  const Value& grad_c_out = reads[1];
  const Value& i = reads[2];
  const Value& f = reads[3];
  const Value& g = reads[4];
  const Value& o = reads[5];
  const Value& c = reads[6];
  const Value sigmoid0 = aten::sigmoid(f);
  const Value sigmoid1 = aten::sigmoid(i);
  const Value tanh0 = aten::tanh(g);
  const Value c_next = sigmoid0 * c + sigmoid1 * tanh0;
  const Value sigmoid2 = aten::sigmoid(o);
  const Value tanh1 = aten::tanh(c_next);
  const Value mul0 = 2 * g;
  const Value mul1 = 2 * c_next;
  const Value sigmoid3 = aten::sigmoid(mul1);
  const Value sigmoid4 = aten::sigmoid(-mul1);
  const Value add0 = grad_c_out + grad_h * sigmoid2 * (4 * (sigmoid3 * sigmoid4));
  const Value sigmoid5 = aten::sigmoid(-o);
  const Value sigmoid6 = aten::sigmoid(mul0);
  const Value sigmoid7 = aten::sigmoid(-mul0);
  const Value sigmoid8 = aten::sigmoid(-i);
  const Value sigmoid9 = aten::sigmoid(-f);
  writes[0] = add0 * tanh0 * (sigmoid1 * sigmoid8);
  writes[1] = add0 * c * (sigmoid0 * sigmoid9);
  writes[2] = add0 * sigmoid1 * (4 * (sigmoid6 * sigmoid7));
  writes[3] = grad_h * tanh1 * (sigmoid2 * sigmoid5);
  writes[4] = add0 * sigmoid0;
}

void double_backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_grad_i = reads[0];
  const Value& grad_grad_f = reads[1];
  const Value& grad_grad_g = reads[2];
  const Value& grad_grad_o = reads[3];
  const Value& grad_grad_c = reads[4];
  const Value& grad_h = reads[5];
  const Value& grad_c_out = reads[6];
  const Value& i = reads[7];
  const Value& f = reads[8];
  const Value& g = reads[9];
  const Value& o = reads[10];
  const Value& c = reads[11];
  const Value sigmoid0 = aten::sigmoid(f);
  const Value sigmoid1 = aten::sigmoid(i);
  const Value tanh0 = aten::tanh(g);
  const Value c_next = sigmoid0 * c + sigmoid1 * tanh0;
  const Value sigmoid2 = aten::sigmoid(o);
  const Value tanh1 = aten::tanh(c_next);
  const Value mul0 = 2 * g;
  const Value tanh2 = aten::tanh(0.5 * f);
  const Value tanh3 = aten::tanh(0.5 * i);
  const Value tanh4 = aten::tanh(0.5 * o);
  const Value mul1 = 2 * c_next;
  const Value sigmoid3 = aten::sigmoid(mul1);
  const Value sigmoid4 = aten::sigmoid(-mul1);
  const Value mul2 = 4 * (sigmoid3 * sigmoid4);
  const Value add0 = grad_c_out + grad_h * sigmoid2 * mul2;
  const Value sigmoid5 = aten::sigmoid(-o);
  const Value mul3 = sigmoid2 * sigmoid5;
  const Value sigmoid6 = aten::sigmoid(mul0);
  const Value sigmoid7 = aten::sigmoid(-mul0);
  const Value mul4 = 4 * (sigmoid6 * sigmoid7);
  const Value sigmoid8 = aten::sigmoid(-i);
  const Value mul5 = sigmoid1 * sigmoid8;
  const Value sigmoid9 = aten::sigmoid(-f);
  const Value mul6 = sigmoid0 * sigmoid9;
  const Value mul7 = grad_grad_f * mul6;
  const Value mul8 = grad_grad_i * mul5;
  const Value mul9 = grad_grad_g * mul4;
  const Value mul10 = grad_grad_g * (add0 * sigmoid1) * (-2 * tanh0 * mul4);
  const Value add1 = grad_grad_c * sigmoid0 + mul7 * c + mul9 * sigmoid1;
  const Value add2 = add1 + mul8 * tanh0;
  const Value mul11 = grad_grad_o * mul3;
  const Value mul12 = mul3 * tanh4 * (grad_grad_o * (grad_h * tanh1));
  const Value mul13 = sigmoid2 * mul2 * add2;
  const Value mul14 = mul13 * (-2 * grad_h * tanh1);
  const Value add3 = mul14 + mul11 * grad_h * mul2;
  const Value mul15 = (mul9 * add0 + add3 * tanh0) * mul5;
  const Value mul16 = (grad_grad_c * add0 + add3 * c) * mul6;
  writes[0] = mul13 + mul11 * tanh1;
  writes[1] = add2;
  writes[2] = mul15 - mul5 * tanh3 * (grad_grad_i * (add0 * tanh0));
  writes[3] = mul16 - mul6 * tanh2 * (grad_grad_f * (add0 * c));
  writes[4] = mul10 + (mul8 * add0 + add3 * sigmoid1) * mul4;
  writes[5] = mul2 * mul3 * add2 * grad_h - mul12;
  writes[6] = mul7 * add0 + add3 * sigmoid0;
}

const Pass kDoubleBackward = {
    .schema = "lstm_cell_double_backward(Tensor? grad_grad_gates, Tensor? grad_grad_c, Tensor? "
              "grad_h, Tensor? grad_c_out, Tensor? gates, Tensor? c, bool[4] needs) -> (Tensor, "
              "Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_gates", .optional = true, .parts = 4},
               {.name = "grad_grad_c", .optional = true},
               {.name = "grad_h", .optional = true},
               {.name = "grad_c_out", .optional = true},
               {.name = "gates", .parts = 4},
               {.name = "c"}},
    .outputs = {{.name = "grad_grad_h", .like = 2, .reads = {0, 1, 4, 5}},
                {.name = "grad_grad_c_out", .like = 3, .reads = {0, 1, 4, 5}},
                {.name = "grad_gates", .like = 4, .reads = {0, 1, 2, 3, 4, 5}, .parts = 4},
                {.name = "grad_c", .like = 5, .reads = {0, 1, 2, 3, 4, 5}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "lstm_cell_backward(Tensor? grad_h, Tensor? grad_c_out, Tensor? gates, Tensor? c, "
              "bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_h", .optional = true},
               {.name = "grad_c_out", .optional = true},
               {.name = "gates", .parts = 4},
               {.name = "c"}},
    .outputs = {{.name = "grad_gates", .like = 2, .reads = {0, 1, 2, 3}, .parts = 4},
                {.name = "grad_c", .like = 3, .reads = {0, 1, 2, 3}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1, 2, 3},
};

const Pass kForward = {
    .schema = "lstm_cell(Tensor gates, Tensor c) -> (Tensor, Tensor)",
    .inputs = {{.name = "gates", .parts = 4}, {.name = "c"}},
    .outputs = {{.name = "h"}, {.name = "c_out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::lstm_cell
