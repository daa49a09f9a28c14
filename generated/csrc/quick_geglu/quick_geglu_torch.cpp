// Generated from specs/gated/quick_geglu.yaml by `fusewise generate`. Do not edit.
// The formulas stand in quick_geglu.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::quick_geglu {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& gate = reads[0];
  const Value& up = reads[1];
  const Value& weight = reads[2];
  const double offset = params[0].as<double>();
  const Value s = aten::sigmoid(1.702 * gate);
  writes[0] = gate * s * ((up + offset) * weight);
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& gate = reads[1];
  const Value& up = reads[2];
  const Value& weight = reads[3];
  const double offset = params[0].as<double>();
  const Value mul0 = 1.702 * gate;
  const Value s = aten::sigmoid(mul0);
  const Value mul1 = gate * s;
  const Value add0 = up + offset;
  const Value mul2 = grad_out * weight;
  const Value sigmoid0 = aten::sigmoid(-mul0);
  const Value mul3 = s * sigmoid0 * gate * (1.702 * grad_out * weight);
  writes[0] = (mul2 * s + mul3) * add0;
  writes[1] = mul1 * mul2;
  writes[2] = mul1 * (grad_out * add0);
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_gate = reads[0];
  const Value& grad_grad_up = reads[1];
  const Value& grad_grad_weight = reads[2];
  const Value& grad_out = reads[3];
  const Value& gate = reads[4];
  const Value& up = reads[5];
  const Value& weight = reads[6];
  const double offset = params[0].as<double>();
  const bool has_grad_grad_x = params[1].as<bool>();
  const bool has_grad_grad_weight = params[2].as<bool>();
  const Value mul0 = 1.702 * gate;
  const Value s = aten::sigmoid(mul0);
  const Value add0 = up + offset;
  const Value mul1 = grad_out * weight;
  const Value sigmoid0 = aten::sigmoid(-mul0);
  const Value where0 = aten::where(condition(has_grad_grad_weight, reads[0]), grad_grad_weight *
      (grad_out * add0), 0);
  const Value where1 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_up * mul1, 0);
  const Value add1 = where0 + where1;
  const Value where2 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_gate * add0 *
      mul1, 0);
  const Value stop_grad0 = aten::detach(gate);
  const Value where3 = aten::where(condition(has_grad_grad_weight, reads[0]), gate, stop_grad0);
  const Value stop_grad1 = aten::detach(up);
  const Value where4 = aten::where(condition(has_grad_grad_weight, reads[0]), up, stop_grad1);
  const Value sigmoid1 = aten::sigmoid(1.702 * where3);
  const Value mul2 = where3 * sigmoid1;
  const Value stop_grad2 = aten::detach(grad_grad_weight);
  const Value where5 = aten::where(condition(has_grad_grad_weight, reads[0]), grad_grad_weight,
      stop_grad2);
  const Value where6 = aten::where(condition(has_grad_grad_weight, reads[0]), mul2 * (where5 *
      (where4 + offset)), 0);
  const Value where7 = aten::where(condition(has_grad_grad_x, reads[0]), gate, stop_grad0);
  const Value where8 = aten::where(condition(has_grad_grad_x, reads[0]), up, stop_grad1);
  const Value stop_grad3 = aten::detach(weight);
  const Value where9 = aten::where(condition(has_grad_grad_x, reads[0]), weight, stop_grad3);
  const Value mul3 = 1.702 * where7;
  const Value sigmoid2 = aten::sigmoid(mul3);
  const Value add2 = where8 + offset;
  const Value stop_grad4 = aten::detach(grad_grad_gate);
  const Value where10 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_gate,
      stop_grad4);
  const Value stop_grad5 = aten::detach(grad_grad_up);
  const Value where11 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_up, stop_grad5);
  const Value mul4 = where10 * add2;
  const Value add3 = where11 * (where7 * sigmoid2) + mul4 * sigmoid2;
  const Value mul5 = where10 * 1.702 * add2;
  const Value stop_grad6 = aten::detach(grad_out);
  const Value where12 = aten::where(condition(has_grad_grad_x, reads[0]), grad_out, stop_grad6);
  const Value mul6 = 1.702 * where12 * where9;
  const Value tanh0 = aten::tanh(0.851 * where7);
  const Value mul7 = 1.702 * tanh0 * where10 * add2 * where12 * where9;
  const Value where13 = aten::where(condition(has_grad_grad_weight, reads[0]), grad_out,
      stop_grad6);
  const Value where14 = aten::where(condition(has_grad_grad_weight, reads[0]), mul2 * (where5 *
      where13), 0);
  const Value sigmoid3 = aten::sigmoid(-mul3);
  const Value mul8 = sigmoid2 * sigmoid3;
  const Value mul9 = mul8 * where7;
  const Value where15 = aten::where(condition(has_grad_grad_x, reads[0]), mul9 * (mul5 * where9) +
      add3 * where9, 0);
  const Value where16 = aten::where(condition(has_grad_grad_x, reads[0]), mul4 * mul6 * mul8, 0);
  const Value where17 = aten::where(condition(has_grad_grad_x, reads[0]), -(mul9 * mul7), 0);
  const Value add4 = where17 + (where2 + add1 * gate) * (s * sigmoid0);
  const Value mul10 = where10 * (where12 * where9 * sigmoid2 + mul9 * mul6);
  const Value where18 = aten::where(condition(has_grad_grad_x, reads[0]), mul10, 0);
  writes[0] = where15 + where6;
  writes[1] = where16 + add1 * s + add4 * 1.702;
  writes[2] = where18 + where14;
  writes[3] = aten::where(condition(has_grad_grad_x, reads[0]), mul9 * (mul5 * where12) + add3 *
      where12, 0);
}

const Pass kDoubleBackward = {
    .schema = "quick_geglu_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_weight, Tensor?"
              " grad_out, Tensor? x, Tensor? weight, *, float offset, bool[3] needs) -> (Tensor, "
              "Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true, .parts = 2},
               {.name = "grad_grad_weight", .optional = true},
               {.name = "grad_out"},
               {.name = "x", .parts = 2},
               {.name = "weight", .optional = true, .fill = 1}},
    .outputs = {{.name = "grad_grad_out", .like = 2, .reads = {0, 1, 3, 4}},
                {.name = "grad_x", .like = 3, .reads = {0, 1, 2, 3, 4}, .parts = 2},
                {.name = "grad_weight", .like = 4, .reads = {0, 2, 3}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .arrivals = {0, 1},
};

const Pass kBackward = {
    .schema = "quick_geglu_backward(Tensor grad_out, Tensor? x, Tensor? weight, *, float offset, "
              "bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_out"},
               {.name = "x", .parts = 2},
               {.name = "weight", .optional = true, .fill = 1}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2}, .parts = 2},
                {.name = "grad_weight", .like = 2, .reads = {0, 1}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
};

const Pass kForward = {
    .schema = "quick_geglu(Tensor x, Tensor? weight=None, *, float offset=0) -> Tensor",
    .inputs = {{.name = "x", .parts = 2}, {.name = "weight", .optional = true, .fill = 1}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::quick_geglu
