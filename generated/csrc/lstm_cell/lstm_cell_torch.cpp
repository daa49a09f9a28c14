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
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_h = reads[0];
  const Value& grad_c_out = reads[1];
  const Value& i = reads[2];
  const Value& f = reads[3];
  const Value& g = reads[4];
  const Value& o = reads[5];
  const Value& c = reads[6];
  const bool has_grad_h = params[0].as<bool>();
  const Value sigmoid0 = aten::sigmoid(f);
  const Value sigmoid1 = aten::sigmoid(i);
  const Value tanh0 = aten::tanh(g);
  const Value mul0 = 2 * g;
  const Value stop_grad0 = aten::detach(i);
  const Value where0 = aten::where(condition(has_grad_h, reads[0]), i, stop_grad0);
  const Value stop_grad1 = aten::detach(f);
  const Value where1 = aten::where(condition(has_grad_h, reads[0]), f, stop_grad1);
  const Value stop_grad2 = aten::detach(g);
  const Value where2 = aten::where(condition(has_grad_h, reads[0]), g, stop_grad2);
  const Value stop_grad3 = aten::detach(o);
  const Value where3 = aten::where(condition(has_grad_h, reads[0]), o, stop_grad3);
  const Value stop_grad4 = aten::detach(c);
  const Value where4 = aten::where(condition(has_grad_h, reads[0]), c, stop_grad4);
  const Value sigmoid2 = aten::sigmoid(where1);
  const Value sigmoid3 = aten::sigmoid(where0);
  const Value tanh1 = aten::tanh(where2);
  const Value add0 = sigmoid2 * where4 + sigmoid3 * tanh1;
  const Value sigmoid4 = aten::sigmoid(where3);
  const Value stop_grad5 = aten::detach(grad_h);
  const Value where5 = aten::where(condition(has_grad_h, reads[0]), grad_h, stop_grad5);
  const Value tanh2 = aten::tanh(add0);
  const Value sigmoid5 = aten::sigmoid(mul0);
  const Value sigmoid6 = aten::sigmoid(-mul0);
  const Value sigmoid7 = aten::sigmoid(-i);
  const Value sigmoid8 = aten::sigmoid(-f);
  const Value mul1 = 2 * add0;
  const Value sigmoid9 = aten::sigmoid(mul1);
  const Value sigmoid10 = aten::sigmoid(-mul1);
  const Value where6 = aten::where(condition(has_grad_h, reads[0]), where5 * sigmoid4 * (4 *
      (sigmoid9 * sigmoid10)), 0);
  const Value add1 = grad_c_out + where6;
  const Value sigmoid11 = aten::sigmoid(-where3);
  writes[0] = add1 * tanh0 * (sigmoid1 * sigmoid7);
  writes[1] = add1 * c * (sigmoid0 * sigmoid8);
  writes[2] = add1 * sigmoid1 * (4 * (sigmoid5 * sigmoid6));
  writes[3] = aten::where(condition(has_grad_h, reads[0]), where5 * tanh2 * (sigmoid4 * sigmoid11),
      0);
  writes[4] = add1 * sigmoid0;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
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
  const bool has_grad_h = params[0].as<bool>();
  const Value sigmoid0 = aten::sigmoid(f);
  const Value sigmoid1 = aten::sigmoid(i);
  const Value tanh0 = aten::tanh(g);
  const Value c_next = sigmoid0 * c + sigmoid1 * tanh0;
  const Value sigmoid2 = aten::sigmoid(o);
  const Value tanh1 = aten::tanh(c_next);
  const Value mul0 = 2 * g;
  const Value tanh2 = aten::tanh(0.5 * f);
  const Value tanh3 = aten::tanh(0.5 * i);
  const Value stop_grad0 = aten::detach(i);
  const Value where0 = aten::where(condition(has_grad_h, reads[0]), i, stop_grad0);
  const Value stop_grad1 = aten::detach(f);
  const Value where1 = aten::where(condition(has_grad_h, reads[0]), f, stop_grad1);
  const Value stop_grad2 = aten::detach(g);
  const Value where2 = aten::where(condition(has_grad_h, reads[0]), g, stop_grad2);
  const Value stop_grad3 = aten::detach(o);
  const Value where3 = aten::where(condition(has_grad_h, reads[0]), o, stop_grad3);
  const Value stop_grad4 = aten::detach(c);
  const Value where4 = aten::where(condition(has_grad_h, reads[0]), c, stop_grad4);
  const Value sigmoid3 = aten::sigmoid(where1);
  const Value sigmoid4 = aten::sigmoid(where0);
  const Value tanh4 = aten::tanh(where2);
  const Value add0 = sigmoid3 * where4 + sigmoid4 * tanh4;
  const Value sigmoid5 = aten::sigmoid(where3);
  const Value stop_grad5 = aten::detach(grad_h);
  const Value where5 = aten::where(condition(has_grad_h, reads[0]), grad_h, stop_grad5);
  const Value tanh5 = aten::tanh(add0);
  const Value sigmoid6 = aten::sigmoid(mul0);
  const Value sigmoid7 = aten::sigmoid(-mul0);
  const Value mul1 = 4 * (sigmoid6 * sigmoid7);
  const Value sigmoid8 = aten::sigmoid(-i);
  const Value mul2 = sigmoid1 * sigmoid8;
  const Value sigmoid9 = aten::sigmoid(-f);
  const Value mul3 = sigmoid0 * sigmoid9;
  const Value mul4 = 2 * add0;
  const Value sigmoid10 = aten::sigmoid(mul4);
  const Value sigmoid11 = aten::sigmoid(-mul4);
  const Value mul5 = 4 * (sigmoid10 * sigmoid11);
  const Value where6 = aten::where(condition(has_grad_h, reads[0]), where5 * sigmoid5 * mul5, 0);
  const Value add1 = grad_c_out + where6;
  const Value sigmoid12 = aten::sigmoid(-where3);
  const Value mul6 = sigmoid5 * sigmoid12;
  const Value stop_grad6 = aten::detach(grad_grad_i);
  const Value where7 = aten::where(condition(has_grad_h, reads[0]), grad_grad_i, stop_grad6);
  const Value stop_grad7 = aten::detach(grad_grad_f);
  const Value where8 = aten::where(condition(has_grad_h, reads[0]), grad_grad_f, stop_grad7);
  const Value stop_grad8 = aten::detach(grad_grad_g);
  const Value where9 = aten::where(condition(has_grad_h, reads[0]), grad_grad_g, stop_grad8);
  const Value stop_grad9 = aten::detach(grad_grad_o);
  const Value where10 = aten::where(condition(has_grad_h, reads[0]), grad_grad_o, stop_grad9);
  const Value stop_grad10 = aten::detach(grad_grad_c);
  const Value where11 = aten::where(condition(has_grad_h, reads[0]), grad_grad_c, stop_grad10);
  const Value tanh6 = aten::tanh(0.5 * where3);
  const Value mul7 = 2 * c_next;
  const Value sigmoid13 = aten::sigmoid(mul7);
  const Value sigmoid14 = aten::sigmoid(-mul7);
  const Value sigmoid15 = aten::sigmoid(-o);
  const Value mul8 = grad_grad_f * mul3;
  const Value mul9 = grad_grad_i * mul2;
  const Value mul10 = grad_grad_g * mul1;
  const Value add2 = grad_grad_c * sigmoid0 + mul8 * c + mul10 * sigmoid1;
  const Value add3 = add2 + mul9 * tanh0;
  const Value mul11 = sigmoid2 * (4 * (sigmoid13 * sigmoid14)) * add3;
  const Value mul12 = mul2 * tanh3 * (grad_grad_i * (add1 * tanh0));
  const Value mul13 = 2 * where2;
  const Value sigmoid16 = aten::sigmoid(mul13);
  const Value sigmoid17 = aten::sigmoid(-mul13);
  const Value sigmoid18 = aten::sigmoid(-where0);
  const Value sigmoid19 = aten::sigmoid(-where1);
  const Value add4 = where11 * sigmoid3 + where8 * (sigmoid3 * sigmoid19) * where4;
  const Value add5 = add4 + where9 * (4 * (sigmoid16 * sigmoid17)) * sigmoid4;
  const Value add6 = add5 + where7 * (sigmoid4 * sigmoid18) * tanh4;
  const Value mul14 = sigmoid5 * mul5 * add6 * (-2 * where5 * tanh5);
  const Value add7 = mul14 + where10 * mul6 * where5 * mul5;
  const Value where12 = aten::where(condition(has_grad_h, reads[0]), add7 * tanh4, 0);
  const Value mul15 = mul3 * tanh2 * (grad_grad_f * (add1 * c));
  const Value where13 = aten::where(condition(has_grad_h, reads[0]), add7 * where4, 0);
  const Value mul16 = grad_grad_g * (add1 * sigmoid1) * (-2 * tanh0 * mul1);
  const Value where14 = aten::where(condition(has_grad_h, reads[0]), add7 * sigmoid4, 0);
  const Value mul17 = mul6 * tanh6 * (where10 * (where5 * tanh5));
  const Value where15 = aten::where(condition(has_grad_h, reads[0]), add7 * sigmoid3, 0);
  writes[0] = mul11 + grad_grad_o * (sigmoid2 * sigmoid15) * tanh1;
  writes[1] = add3;
  writes[2] = (mul10 * add1 + where12) * mul2 - mul12;
  writes[3] = (grad_grad_c * add1 + where13) * mul3 - mul15;
  writes[4] = mul16 + (mul9 * add1 + where14) * mul1;
  writes[5] = aten::where(condition(has_grad_h, reads[0]), mul5 * mul6 * add6 * where5 - mul17, 0);
  writes[6] = mul8 * add1 + where15;
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
    .arrivals = {2},
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
    .arrivals = {0},
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
