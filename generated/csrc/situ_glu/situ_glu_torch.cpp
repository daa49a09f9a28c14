// Generated from specs/gated/situ_glu.yaml by `fusewise generate`. Do not edit.
// The formulas stand in situ_glu.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::situ_glu {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& gate = reads[0];
  const Value& up = reads[1];
  const double gate_cap = params[0].as<double>();
  const double up_cap = params[1].as<double>();
  const Value tanh0 = aten::tanh(gate / gate_cap);
  const Value capped_gate = gate_cap * tanh0;
  const Value tanh1 = aten::tanh(up / up_cap);
  const Value capped_up = up_cap * tanh1;
  const Value s = aten::sigmoid(gate);
  writes[0] = capped_gate * s * capped_up;
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& gate = reads[1];
  const Value& up = reads[2];
  const double gate_cap = params[0].as<double>();
  const double up_cap = params[1].as<double>();
  const Value div0 = gate / gate_cap;
  const Value tanh0 = aten::tanh(div0);
  const Value capped_gate = gate_cap * tanh0;
  const Value div1 = up / up_cap;
  const Value tanh1 = aten::tanh(div1);
  const Value capped_up = up_cap * tanh1;
  const Value s = aten::sigmoid(gate);
  const Value sigmoid0 = aten::sigmoid(-gate);
  const Value mul0 = 2 * div0;
  const Value mul1 = 2 * div1;
  const Value sigmoid1 = aten::sigmoid(mul1);
  const Value sigmoid2 = aten::sigmoid(-mul1);
  const Value sigmoid3 = aten::sigmoid(mul0);
  const Value sigmoid4 = aten::sigmoid(-mul0);
  const Value mul2 = 4 * (sigmoid3 * sigmoid4) * s;
  writes[0] = grad_out * capped_up * (mul2 + capped_gate * (s * sigmoid0));
  writes[1] = grad_out * capped_gate * s * (4 * (sigmoid1 * sigmoid2));
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_gate = reads[0];
  const Value& grad_grad_up = reads[1];
  const Value& grad_out = reads[2];
  const Value& gate = reads[3];
  const Value& up = reads[4];
  const double gate_cap = params[0].as<double>();
  const double up_cap = params[1].as<double>();
  const Value div0 = gate / gate_cap;
  const Value tanh0 = aten::tanh(div0);
  const Value capped_gate = gate_cap * tanh0;
  const Value div1 = up / up_cap;
  const Value tanh1 = aten::tanh(div1);
  const Value capped_up = up_cap * tanh1;
  const Value s = aten::sigmoid(gate);
  const Value mul0 = grad_out * capped_gate;
  const Value sigmoid0 = aten::sigmoid(-gate);
  const Value mul1 = 2 * div0;
  const Value mul2 = 2 * div1;
  const Value tanh2 = aten::tanh(0.5 * gate);
  const Value mul3 = grad_grad_gate * (grad_out * capped_up);
  const Value mul4 = s * sigmoid0;
  const Value sigmoid1 = aten::sigmoid(mul2);
  const Value sigmoid2 = aten::sigmoid(-mul2);
  const Value mul5 = 4 * (sigmoid1 * sigmoid2);
  const Value sigmoid3 = aten::sigmoid(mul1);
  const Value sigmoid4 = aten::sigmoid(-mul1);
  const Value mul6 = 4 * (sigmoid3 * sigmoid4);
  const Value mul7 = grad_grad_up * mul5;
  const Value mul8 = mul7 * s;
  const Value mul9 = grad_grad_up * (mul0 * s) * (-2 * tanh1 * mul5);
  const Value mul10 = grad_grad_gate * (mul6 * s + capped_gate * mul4);
  const Value mul11 = (mul7 * mul0 + mul3 * mul6) * mul4;
  const Value sub0 = mul11 - mul4 * tanh2 * (mul3 * capped_gate);
  const Value mul12 = (mul3 * mul4 + mul8 * grad_out) * gate_cap * mul6;
  const Value add0 = mul3 * s * (-2 * tanh0 * mul6) + mul12;
  writes[0] = mul8 * capped_gate + mul10 * capped_up;
  writes[1] = sub0 + add0 / gate_cap;
  writes[2] = (mul9 + mul10 * grad_out * up_cap * mul5) / up_cap;
}

const Pass kDoubleBackward = {
    .schema = "situ_glu_double_backward(Tensor grad_grad_x, Tensor? grad_out, Tensor? x, *, float"
              " gate_cap, float up_cap, bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .parts = 2},
               {.name = "grad_out"},
               {.name = "x", .parts = 2}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2}},
                {.name = "grad_x", .like = 2, .reads = {0, 1, 2}, .parts = 2}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "situ_glu_backward(Tensor grad_out, Tensor? x, *, float gate_cap, float up_cap, "
              "bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_out"}, {.name = "x", .parts = 2}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1}, .parts = 2}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Pass kForward = {
    .schema = "situ_glu(Tensor x, *, float gate_cap=4, float up_cap=25) -> Tensor",
    .inputs = {{.name = "x", .parts = 2}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0},
    .gradients = {0},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::situ_glu
