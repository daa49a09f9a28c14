// Generated from specs/recurrent/gru_cell.yaml by `fusewise generate`. Do not edit.
// The formulas stand in gru_cell.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::gru_cell {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& r_x = reads[0];
  const Value& z_x = reads[1];
  const Value& n_x = reads[2];
  const Value& r_h = reads[3];
  const Value& z_h = reads[4];
  const Value& n_h = reads[5];
  const Value& h = reads[6];
  const Value r = aten::sigmoid(r_x + r_h);
  const Value add0 = z_x + z_h;
  const Value z = aten::sigmoid(add0);
  const Value n = aten::tanh(n_x + r * n_h);
  const Value sigmoid0 = aten::sigmoid(-add0);
  writes[0] = sigmoid0 * n + z * h;
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_h_next = reads[0];
  const Value& r_x = reads[1];
  const Value& z_x = reads[2];
  const Value& n_x = reads[3];
  const Value& r_h = reads[4];
  const Value& z_h = reads[5];
  const Value& n_h = reads[6];
  const Value& h = reads[7];
  const Value add0 = r_x + r_h;
  const Value r = aten::sigmoid(add0);
  const Value add1 = z_x + z_h;
  const Value z = aten::sigmoid(add1);
  const Value add2 = n_x + r * n_h;
  const Value n = aten::tanh(add2);
  const Value sigmoid0 = aten::sigmoid(-add1);
  const Value mul0 = z * sigmoid0;
  const Value mul1 = 2 * add2;
  const Value sigmoid1 = aten::sigmoid(mul1);
  const Value sigmoid2 = aten::sigmoid(-mul1);
  const Value mul2 = 4 * (sigmoid1 * sigmoid2);
  const Value mul3 = grad_h_next * sigmoid0 * mul2;
  const Value sub0 = grad_h_next * h * mul0 - grad_h_next * n * mul0;
  const Value sigmoid3 = aten::sigmoid(-add0);
  const Value mul4 = sigmoid0 * mul2 * (r * sigmoid3) * n_h * grad_h_next;
  writes[0] = mul4;
  writes[1] = sub0;
  writes[2] = mul3;
  writes[3] = mul4;
  writes[4] = sub0;
  writes[5] = mul3 * r;
  writes[6] = grad_h_next * z;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_r_x = reads[0];
  const Value& grad_grad_z_x = reads[1];
  const Value& grad_grad_n_x = reads[2];
  const Value& grad_grad_r_h = reads[3];
  const Value& grad_grad_z_h = reads[4];
  const Value& grad_grad_n_h = reads[5];
  const Value& grad_grad_h = reads[6];
  const Value& grad_h_next = reads[7];
  const Value& r_x = reads[8];
  const Value& z_x = reads[9];
  const Value& n_x = reads[10];
  const Value& r_h = reads[11];
  const Value& z_h = reads[12];
  const Value& n_h = reads[13];
  const Value& h = reads[14];
  const bool has_grad_grad_input_gates = params[0].as<bool>();
  const bool has_grad_grad_hidden_gates = params[1].as<bool>();
  const bool has_grad_grad_h = params[2].as<bool>();
  const bool logical_or0 = has_grad_grad_input_gates | has_grad_grad_hidden_gates;
  const Value stop_grad0 = aten::detach(r_x);
  const Value stop_grad1 = aten::detach(r_h);
  const Value stop_grad2 = aten::detach(grad_grad_n_h);
  const Value stop_grad3 = aten::detach(z_x);
  const Value where0 = aten::where(condition(has_grad_grad_h, reads[0]), z_x, stop_grad3);
  const Value stop_grad4 = aten::detach(z_h);
  const Value where1 = aten::where(condition(has_grad_grad_h, reads[0]), z_h, stop_grad4);
  const Value add0 = where0 + where1;
  const Value sigmoid0 = aten::sigmoid(add0);
  const Value stop_grad5 = aten::detach(grad_grad_h);
  const Value where2 = aten::where(condition(has_grad_grad_h, reads[0]), grad_grad_h, stop_grad5);
  const Value where3 = aten::where(condition(has_grad_grad_h, reads[0]), where2 * sigmoid0, 0);
  const Value where4 = aten::where(condition(logical_or0, reads[0]), r_x, stop_grad0);
  const Value where5 = aten::where(condition(logical_or0, reads[0]), z_x, stop_grad3);
  const Value stop_grad6 = aten::detach(n_x);
  const Value where6 = aten::where(condition(logical_or0, reads[0]), n_x, stop_grad6);
  const Value where7 = aten::where(condition(logical_or0, reads[0]), r_h, stop_grad1);
  const Value where8 = aten::where(condition(logical_or0, reads[0]), z_h, stop_grad4);
  const Value stop_grad7 = aten::detach(n_h);
  const Value where9 = aten::where(condition(logical_or0, reads[0]), n_h, stop_grad7);
  const Value stop_grad8 = aten::detach(h);
  const Value where10 = aten::where(condition(logical_or0, reads[0]), h, stop_grad8);
  const Value add1 = where4 + where7;
  const Value sigmoid1 = aten::sigmoid(add1);
  const Value add2 = where5 + where8;
  const Value add3 = where6 + sigmoid1 * where9;
  const Value tanh0 = aten::tanh(add3);
  const Value sigmoid2 = aten::sigmoid(-add2);
  const Value stop_grad9 = aten::detach(grad_grad_r_x);
  const Value where11 = aten::where(condition(logical_or0, reads[0]), grad_grad_r_x, stop_grad9);
  const Value stop_grad10 = aten::detach(grad_grad_z_x);
  const Value where12 = aten::where(condition(logical_or0, reads[0]), grad_grad_z_x, stop_grad10);
  const Value stop_grad11 = aten::detach(grad_grad_n_x);
  const Value where13 = aten::where(condition(logical_or0, reads[0]), grad_grad_n_x, stop_grad11);
  const Value stop_grad12 = aten::detach(grad_grad_r_h);
  const Value where14 = aten::where(condition(logical_or0, reads[0]), grad_grad_r_h, stop_grad12);
  const Value stop_grad13 = aten::detach(grad_grad_z_h);
  const Value where15 = aten::where(condition(logical_or0, reads[0]), grad_grad_z_h, stop_grad13);
  const Value where16 = aten::where(condition(logical_or0, reads[0]), grad_grad_n_h, stop_grad2);
  const Value add4 = where11 + where14;
  const Value add5 = where12 + where15;
  const Value stop_grad14 = aten::detach(where4);
  const Value where17 = aten::where(condition(has_grad_grad_hidden_gates, reads[0]), where4,
      stop_grad14);
  const Value stop_grad15 = aten::detach(where7);
  const Value where18 = aten::where(condition(has_grad_grad_hidden_gates, reads[0]), where7,
      stop_grad15);
  const Value sigmoid3 = aten::sigmoid(where17 + where18);
  const Value stop_grad16 = aten::detach(where16);
  const Value where19 = aten::where(condition(has_grad_grad_hidden_gates, reads[0]), where16,
      stop_grad16);
  const Value where20 = aten::where(condition(has_grad_grad_hidden_gates, reads[0]), where19 *
      sigmoid3, 0);
  const Value add6 = where13 + where20;
  const Value stop_grad17 = aten::detach(grad_h_next);
  const Value where21 = aten::where(condition(logical_or0, reads[0]), grad_h_next, stop_grad17);
  const Value mul0 = add4 * where21;
  const Value tanh1 = aten::tanh(0.5 * add1);
  const Value stop_grad18 = aten::detach(where5);
  const Value where22 = aten::where(condition(has_grad_grad_hidden_gates, reads[0]), where5,
      stop_grad18);
  const Value stop_grad19 = aten::detach(where6);
  const Value where23 = aten::where(condition(has_grad_grad_hidden_gates, reads[0]), where6,
      stop_grad19);
  const Value stop_grad20 = aten::detach(where8);
  const Value where24 = aten::where(condition(has_grad_grad_hidden_gates, reads[0]), where8,
      stop_grad20);
  const Value stop_grad21 = aten::detach(where9);
  const Value where25 = aten::where(condition(has_grad_grad_hidden_gates, reads[0]), where9,
      stop_grad21);
  const Value sigmoid4 = aten::sigmoid(-(where22 + where24));
  const Value stop_grad22 = aten::detach(where21);
  const Value where26 = aten::where(condition(has_grad_grad_hidden_gates, reads[0]), where21,
      stop_grad22);
  const Value where27 = aten::where(condition(logical_or0, reads[0]), r_x, stop_grad14);
  const Value where28 = aten::where(condition(logical_or0, reads[0]), z_x, stop_grad18);
  const Value where29 = aten::where(condition(logical_or0, reads[0]), n_x, stop_grad19);
  const Value where30 = aten::where(condition(logical_or0, reads[0]), r_h, stop_grad15);
  const Value where31 = aten::where(condition(logical_or0, reads[0]), z_h, stop_grad20);
  const Value where32 = aten::where(condition(logical_or0, reads[0]), n_h, stop_grad21);
  const Value add7 = where27 + where30;
  const Value sigmoid5 = aten::sigmoid(add7);
  const Value add8 = where28 + where31;
  const Value add9 = where29 + sigmoid5 * where32;
  const Value tanh2 = aten::tanh(add9);
  const Value sigmoid6 = aten::sigmoid(-add8);
  const Value where33 = aten::where(condition(logical_or0, reads[0]), grad_h_next, stop_grad22);
  const Value stop_grad23 = aten::detach(where11);
  const Value where34 = aten::where(condition(logical_or0, reads[0]), grad_grad_r_x, stop_grad23);
  const Value stop_grad24 = aten::detach(where12);
  const Value where35 = aten::where(condition(logical_or0, reads[0]), grad_grad_z_x, stop_grad24);
  const Value stop_grad25 = aten::detach(where13);
  const Value where36 = aten::where(condition(logical_or0, reads[0]), grad_grad_n_x, stop_grad25);
  const Value stop_grad26 = aten::detach(where14);
  const Value where37 = aten::where(condition(logical_or0, reads[0]), grad_grad_r_h, stop_grad26);
  const Value stop_grad27 = aten::detach(where15);
  const Value where38 = aten::where(condition(logical_or0, reads[0]), grad_grad_z_h, stop_grad27);
  const Value where39 = aten::where(condition(logical_or0, reads[0]), grad_grad_n_h, stop_grad16);
  const Value stop_grad28 = aten::detach(where27);
  const Value where40 = aten::where(condition(has_grad_grad_hidden_gates, reads[0]), where27,
      stop_grad28);
  const Value stop_grad29 = aten::detach(where30);
  const Value where41 = aten::where(condition(has_grad_grad_hidden_gates, reads[0]), where30,
      stop_grad29);
  const Value sigmoid7 = aten::sigmoid(where40 + where41);
  const Value stop_grad30 = aten::detach(where39);
  const Value where42 = aten::where(condition(has_grad_grad_hidden_gates, reads[0]), where39,
      stop_grad30);
  const Value where43 = aten::where(condition(has_grad_grad_hidden_gates, reads[0]), where42 *
      sigmoid7, 0);
  const Value where44 = aten::where(condition(has_grad_grad_h, reads[0]), grad_h_next, stop_grad17);
  const Value sub0 = add5 * (where21 * where10) - add5 * (where21 * tanh0);
  const Value tanh3 = aten::tanh(0.5 * add2);
  const Value sigmoid8 = aten::sigmoid(add2);
  const Value mul1 = sigmoid8 * sigmoid2;
  const Value mul2 = 2 * add3;
  const Value sigmoid9 = aten::sigmoid(mul2);
  const Value sigmoid10 = aten::sigmoid(-mul2);
  const Value mul3 = 4 * (sigmoid9 * sigmoid10);
  const Value sigmoid11 = aten::sigmoid(-add1);
  const Value mul4 = sigmoid1 * sigmoid11;
  const Value mul5 = sigmoid2 * mul3 * mul4;
  const Value mul6 = add5 * mul1;
  const Value mul7 = add6 * mul3;
  const Value add10 = add4 * (mul5 * where9) + mul6 * where10;
  const Value where45 = aten::where(condition(logical_or0, reads[0]), add10 + mul7 * sigmoid2 - mul6
      * tanh0, 0);
  const Value mul8 = mul0 * where9 * mul4 * sigmoid2;
  const Value mul9 = mul6 * where21;
  const Value mul10 = mul3 * (mul8 + add6 * (where21 * sigmoid2));
  const Value sub1 = mul10 * (-2 * tanh0) - mul9 * mul3;
  const Value mul11 = 2 * (where23 + sigmoid3 * where25);
  const Value sigmoid12 = aten::sigmoid(mul11);
  const Value sigmoid13 = aten::sigmoid(-mul11);
  const Value mul12 = where19 * (where26 * sigmoid4 * (4 * (sigmoid12 * sigmoid13)));
  const Value where46 = aten::where(condition(has_grad_grad_hidden_gates, reads[0]), mul12, 0);
  const Value mul13 = mul4 * sigmoid2 * mul3 * where9;
  const Value mul14 = mul13 * (tanh1 * add4 * where21);
  const Value sigmoid14 = aten::sigmoid(add8);
  const Value mul15 = 2 * add9;
  const Value sigmoid15 = aten::sigmoid(mul15);
  const Value sigmoid16 = aten::sigmoid(-mul15);
  const Value mul16 = 4 * (sigmoid15 * sigmoid16);
  const Value sigmoid17 = aten::sigmoid(-add7);
  const Value mul17 = (where34 + where37) * where33 * where32 * (sigmoid5 * sigmoid17);
  const Value add11 = mul17 * sigmoid6 + (where36 + where43) * (where33 * sigmoid6);
  const Value mul18 = (where35 + where38) * (sigmoid14 * sigmoid6) * where33 * mul16;
  const Value mul19 = (mul16 * add11 * (-2 * tanh2) - mul18) * where32;
  const Value where47 = aten::where(condition(logical_or0, reads[0]), mul19, 0);
  const Value where48 = aten::where(condition(logical_or0, reads[0]), (where46 + where47) * mul4 -
      mul14, 0);
  const Value sigmoid18 = aten::sigmoid(-add0);
  const Value where49 = aten::where(condition(has_grad_grad_h, reads[0]), where2 * where44 *
      (sigmoid0 * sigmoid18), 0);
  const Value add12 = mul4 * mul3 * where9 * mul0 + mul7 * where21;
  const Value sub2 = -(mul1 * tanh3 * sub0) - add12 * mul1;
  const Value where50 = aten::where(condition(logical_or0, reads[0]), sub2, 0);
  const Value add13 = where50 + where49;
  writes[0] = where45 + where3;
  writes[1] = where48;
  writes[2] = add13;
  writes[3] = aten::where(condition(logical_or0, reads[0]), sub1, 0);
  writes[4] = where48;
  writes[5] = add13;
  writes[6] = aten::where(condition(logical_or0, reads[0]), mul0 * mul5 + sub1 * sigmoid1, 0);
  writes[7] = aten::where(condition(logical_or0, reads[0]), mul9, 0);
}

const Pass kDoubleBackward = {
    .schema = "gru_cell_double_backward(Tensor? grad_grad_input_gates, Tensor? "
              "grad_grad_hidden_gates, Tensor? grad_grad_h, Tensor? grad_h_next, Tensor? "
              "input_gates, Tensor? hidden_gates, Tensor? h, bool[4] needs) -> (Tensor, Tensor, "
              "Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_input_gates", .optional = true, .parts = 3},
               {.name = "grad_grad_hidden_gates", .optional = true, .parts = 3},
               {.name = "grad_grad_h", .optional = true},
               {.name = "grad_h_next"},
               {.name = "input_gates", .parts = 3},
               {.name = "hidden_gates", .parts = 3},
               {.name = "h"}},
    .outputs = {{.name = "grad_grad_h_next", .like = 3, .reads = {0, 1, 2, 4, 5, 6}},
                {.name = "grad_input_gates", .like = 4, .reads = {0, 1, 2, 3, 4, 5, 6}, .parts = 3},
                {.name = "grad_hidden_gates", .like = 5, .reads = {0, 1, 2, 3, 4, 5, 6},
                 .parts = 3},
                {.name = "grad_h", .like = 6, .reads = {0, 1, 3, 4, 5}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .arrivals = {0, 1, 2},
};

const Pass kBackward = {
    .schema = "gru_cell_backward(Tensor grad_h_next, Tensor? input_gates, Tensor? hidden_gates, "
              "Tensor? h, bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_h_next"},
               {.name = "input_gates", .parts = 3},
               {.name = "hidden_gates", .parts = 3},
               {.name = "h"}},
    .outputs = {{.name = "grad_input_gates", .like = 1, .reads = {0, 1, 2, 3}, .parts = 3},
                {.name = "grad_hidden_gates", .like = 2, .reads = {0, 1, 2, 3}, .parts = 3},
                {.name = "grad_h", .like = 3, .reads = {0, 1, 2}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1, 2, 3},
};

const Pass kForward = {
    .schema = "gru_cell(Tensor input_gates, Tensor hidden_gates, Tensor h) -> Tensor",
    .inputs = {{.name = "input_gates", .parts = 3},
               {.name = "hidden_gates", .parts = 3},
               {.name = "h"}},
    .outputs = {{.name = "h_next"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::gru_cell
