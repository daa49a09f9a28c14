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
    const Value* reads, const Number*, const Dtype*, Value* writes) {
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
  const Value add0 = r_x + r_h;
  const Value r = aten::sigmoid(add0);
  const Value add1 = z_x + z_h;
  const Value z = aten::sigmoid(add1);
  const Value add2 = n_x + r * n_h;
  const Value n = aten::tanh(add2);
  const Value sigmoid0 = aten::sigmoid(-add1);
  const Value mul0 = grad_h_next * sigmoid0;
  const Value add3 = grad_grad_r_x + grad_grad_r_h;
  const Value add4 = grad_grad_z_x + grad_grad_z_h;
  const Value mul1 = add3 * grad_h_next;
  const Value tanh0 = aten::tanh(0.5 * add0);
  const Value add5 = grad_grad_n_x + grad_grad_n_h * r;
  const Value sub0 = add4 * (grad_h_next * h) - add4 * (grad_h_next * n);
  const Value tanh1 = aten::tanh(0.5 * add1);
  const Value mul2 = z * sigmoid0;
  const Value mul3 = 2 * add2;
  const Value sigmoid1 = aten::sigmoid(mul3);
  const Value sigmoid2 = aten::sigmoid(-mul3);
  const Value mul4 = 4 * (sigmoid1 * sigmoid2);
  const Value sigmoid3 = aten::sigmoid(-add0);
  const Value mul5 = r * sigmoid3;
  const Value mul6 = sigmoid0 * mul4 * mul5;
  const Value mul7 = add4 * mul2;
  const Value mul8 = add5 * mul4;
  const Value add6 = mul1 * n_h * mul5 * sigmoid0 + add5 * mul0;
  const Value add7 = add3 * (mul6 * n_h) + grad_grad_h * z;
  const Value mul9 = mul7 * grad_h_next;
  const Value add8 = add7 + mul7 * h + mul8 * sigmoid0;
  const Value mul10 = mul5 * sigmoid0 * mul4 * n_h;
  const Value add9 = mul5 * mul4 * n_h * mul1 + mul8 * grad_h_next;
  const Value sub1 = -(mul2 * tanh1 * sub0) - add9 * mul2;
  const Value sub2 = mul4 * add6 * (-2 * n) - mul9 * mul4;
  const Value add10 = sub1 + grad_grad_h * grad_h_next * mul2;
  const Value mul11 = (grad_grad_n_h * (mul0 * mul4) + sub2 * n_h) * mul5;
  const Value sub3 = mul11 - mul10 * (tanh0 * add3 * grad_h_next);
  writes[0] = add8 - mul7 * n;
  writes[1] = sub3;
  writes[2] = add10;
  writes[3] = sub2;
  writes[4] = sub3;
  writes[5] = add10;
  writes[6] = mul1 * mul6 + sub2 * r;
  writes[7] = mul9;
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
