// Generated from specs/gated/weighted_swiglu.yaml by `fusewise generate`. Do not edit.
// The formulas stand in weighted_swiglu.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::weighted_swiglu {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& gate = reads[0];
  const Value& up = reads[1];
  const Value& weight = reads[2];
  const Value sigmoid0 = aten::sigmoid(gate);
  writes[0] = gate * sigmoid0 * up * weight;
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& gate = reads[1];
  const Value& up = reads[2];
  const Value& weight = reads[3];
  const Value mul0 = grad_out * weight;
  const Value sigmoid0 = aten::sigmoid(gate);
  const Value mul1 = gate * sigmoid0;
  const Value sigmoid1 = aten::sigmoid(-gate);
  writes[0] = mul0 * up * (sigmoid0 + gate * (sigmoid0 * sigmoid1));
  writes[1] = mul0 * mul1;
  writes[2] = grad_out * (mul1 * up);
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
  const bool has_grad_grad_x = params[0].as<bool>();
  const bool has_grad_grad_weight = params[1].as<bool>();
  const Value sigmoid0 = aten::sigmoid(gate);
  const Value where0 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_up * (grad_out *
      weight), 0);
  const Value where1 = aten::where(condition(has_grad_grad_weight, reads[0]), grad_grad_weight *
      grad_out * up, 0);
  const Value sigmoid1 = aten::sigmoid(-gate);
  const Value stop_grad0 = aten::detach(gate);
  const Value where2 = aten::where(condition(has_grad_grad_weight, reads[0]), gate, stop_grad0);
  const Value stop_grad1 = aten::detach(up);
  const Value where3 = aten::where(condition(has_grad_grad_weight, reads[0]), up, stop_grad1);
  const Value stop_grad2 = aten::detach(grad_grad_weight);
  const Value where4 = aten::where(condition(has_grad_grad_weight, reads[0]), grad_grad_weight,
      stop_grad2);
  const Value where5 = aten::where(condition(has_grad_grad_x, reads[0]), gate, stop_grad0);
  const Value where6 = aten::where(condition(has_grad_grad_x, reads[0]), up, stop_grad1);
  const Value stop_grad3 = aten::detach(weight);
  const Value where7 = aten::where(condition(has_grad_grad_x, reads[0]), weight, stop_grad3);
  const Value sigmoid2 = aten::sigmoid(where5);
  const Value stop_grad4 = aten::detach(grad_grad_gate);
  const Value where8 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_gate,
      stop_grad4);
  const Value stop_grad5 = aten::detach(grad_grad_up);
  const Value where9 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_up, stop_grad5);
  const Value stop_grad6 = aten::detach(grad_out);
  const Value where10 = aten::where(condition(has_grad_grad_x, reads[0]), grad_out, stop_grad6);
  const Value mul0 = where10 * where7;
  const Value tanh0 = aten::tanh(0.5 * where5);
  const Value where11 = aten::where(condition(has_grad_grad_weight, reads[0]), grad_out,
      stop_grad6);
  const Value mul1 = (where0 + where1) * (sigmoid0 + gate * (sigmoid0 * sigmoid1));
  const Value sigmoid3 = aten::sigmoid(where2);
  const Value mul2 = where2 * sigmoid3;
  const Value where12 = aten::where(condition(has_grad_grad_weight, reads[0]), where4 * (mul2 *
      where3), 0);
  const Value sigmoid4 = aten::sigmoid(-where5);
  const Value mul3 = sigmoid2 * sigmoid4;
  const Value mul4 = where5 * mul3;
  const Value mul5 = where8 * (sigmoid2 + mul4);
  const Value add0 = where9 * (where5 * sigmoid2) + mul5 * where6;
  const Value where13 = aten::where(condition(has_grad_grad_x, reads[0]), add0 * where7, 0);
  const Value mul6 = where8 * (mul0 * where6) * mul3;
  const Value mul7 = mul4 * (tanh0 * where8 * where10 * where7 * where6);
  const Value where14 = aten::where(condition(has_grad_grad_x, reads[0]), mul6 - mul7 + mul6, 0);
  const Value where15 = aten::where(condition(has_grad_grad_x, reads[0]), mul5 * mul0, 0);
  const Value where16 = aten::where(condition(has_grad_grad_weight, reads[0]), where4 * where11 *
      mul2, 0);
  writes[0] = where12 + where13;
  writes[1] = where14 + mul1;
  writes[2] = where15 + where16;
  writes[3] = aten::where(condition(has_grad_grad_x, reads[0]), add0 * where10, 0);
}

const Pass kDoubleBackward = {
    .schema = "weighted_swiglu_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_weight, "
              "Tensor? grad_out, Tensor? x, Tensor? weight, bool[3] needs) -> (Tensor, Tensor, "
              "Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true, .parts = 2},
               {.name = "grad_grad_weight", .optional = true},
               {.name = "grad_out"},
               {.name = "x", .parts = 2},
               {.name = "weight"}},
    .outputs = {{.name = "grad_grad_out", .like = 2, .reads = {0, 1, 3, 4}},
                {.name = "grad_x", .like = 3, .reads = {0, 1, 2, 3, 4}, .parts = 2},
                {.name = "grad_weight", .like = 4, .reads = {0, 2, 3}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .arrivals = {0, 1},
};

const Pass kBackward = {
    .schema = "weighted_swiglu_backward(Tensor grad_out, Tensor? x, Tensor? weight, bool[2] "
              "needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_out"}, {.name = "x", .parts = 2}, {.name = "weight"}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2}, .parts = 2},
                {.name = "grad_weight", .like = 2, .reads = {0, 1}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
};

const Pass kForward = {
    .schema = "weighted_swiglu(Tensor x, Tensor weight) -> Tensor",
    .inputs = {{.name = "x", .parts = 2}, {.name = "weight"}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::weighted_swiglu
