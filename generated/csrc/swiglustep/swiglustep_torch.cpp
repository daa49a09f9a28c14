// Generated from specs/gated/swiglustep.yaml by `fusewise generate`. Do not edit.
// The formulas stand in swiglustep.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::swiglustep {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& gate = reads[0];
  const Value& up = reads[1];
  const double limit = params[0].as<double>();
  const Value clamp0 = aten::clamp(up, -limit, limit);
  const Value sigmoid0 = aten::sigmoid(gate);
  const Value clamp1 = aten::clamp(gate * sigmoid0, -INFINITY, limit);
  writes[0] = clamp1 * clamp0;
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& gate = reads[1];
  const Value& up = reads[2];
  const double limit = params[0].as<double>();
  const double neg0 = -limit;
  const Value logical_and0 = aten::logical_and(up >= neg0, up <= limit);
  const Value sigmoid0 = aten::sigmoid(gate);
  const Value stop_grad0 = aten::detach(gate);
  const Value stop_grad1 = aten::detach(up);
  const Value stop_grad2 = aten::detach(grad_out);
  const Value where0 = aten::where(logical_and0, gate, stop_grad0);
  const Value where1 = aten::where(logical_and0, grad_out, stop_grad2);
  const Value le0 = gate * sigmoid0 <= limit;
  const Value where2 = aten::where(le0, gate, stop_grad0);
  const Value where3 = aten::where(le0, up, stop_grad1);
  const Value clamp0 = aten::clamp(where3, neg0, limit);
  const Value where4 = aten::where(le0, grad_out, stop_grad2);
  const Value sigmoid1 = aten::sigmoid(where2);
  const Value sigmoid2 = aten::sigmoid(-where2);
  const Value mul0 = where4 * clamp0 * (sigmoid1 + where2 * (sigmoid1 * sigmoid2));
  const Value sigmoid3 = aten::sigmoid(where0);
  const Value clamp1 = aten::clamp(where0 * sigmoid3, -INFINITY, limit);
  writes[0] = aten::where(le0, mul0, 0);
  writes[1] = aten::where(logical_and0, where1 * clamp1, 0);
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_gate = reads[0];
  const Value& grad_grad_up = reads[1];
  const Value& grad_out = reads[2];
  const Value& gate = reads[3];
  const Value& up = reads[4];
  const double limit = params[0].as<double>();
  const double neg0 = -limit;
  const Value logical_and0 = aten::logical_and(up >= neg0, up <= limit);
  const Value sigmoid0 = aten::sigmoid(gate);
  const Value stop_grad0 = aten::detach(gate);
  const Value stop_grad1 = aten::detach(up);
  const Value stop_grad2 = aten::detach(grad_out);
  const Value where0 = aten::where(logical_and0, gate, stop_grad0);
  const Value where1 = aten::where(logical_and0, grad_out, stop_grad2);
  const Value le0 = gate * sigmoid0 <= limit;
  const Value where2 = aten::where(le0, gate, stop_grad0);
  const Value where3 = aten::where(le0, up, stop_grad1);
  const Value clamp0 = aten::clamp(where3, neg0, limit);
  const Value where4 = aten::where(le0, grad_out, stop_grad2);
  const Value sigmoid1 = aten::sigmoid(where2);
  const Value sigmoid2 = aten::sigmoid(-where2);
  const Value mul0 = sigmoid1 * sigmoid2;
  const Value mul1 = where2 * mul0;
  const Value sigmoid3 = aten::sigmoid(where0);
  const Value clamp1 = aten::clamp(where0 * sigmoid3, -INFINITY, limit);
  const Value stop_grad3 = aten::detach(grad_grad_up);
  const Value where5 = aten::where(logical_and0, grad_grad_up, stop_grad3);
  const Value stop_grad4 = aten::detach(grad_grad_gate);
  const Value where6 = aten::where(logical_and0, grad_grad_gate, stop_grad4);
  const Value stop_grad5 = aten::detach(where0);
  const Value stop_grad6 = aten::detach(where1);
  const Value stop_grad7 = aten::detach(where6);
  const Value where7 = aten::where(logical_and0, where5 * clamp1, 0);
  const Value where8 = aten::where(le0, grad_grad_gate, stop_grad4);
  const Value where9 = aten::where(le0, where8 * (sigmoid1 + mul1) * clamp0, 0);
  const Value where10 = aten::where(le0, grad_grad_up, stop_grad3);
  const Value mul2 = where8 * (where4 * clamp0) * mul0;
  const Value tanh0 = aten::tanh(0.5 * where2);
  const Value stop_grad8 = aten::detach(where2);
  const Value where11 = aten::where(logical_and0, where2, stop_grad8);
  const Value stop_grad9 = aten::detach(where4);
  const Value where12 = aten::where(logical_and0, where4, stop_grad9);
  const Value sigmoid4 = aten::sigmoid(where11);
  const Value sigmoid5 = aten::sigmoid(-where11);
  const Value stop_grad10 = aten::detach(where10);
  const Value where13 = aten::where(logical_and0, where10, stop_grad10);
  const Value mul3 = where13 * where12 * (sigmoid4 + where11 * (sigmoid4 * sigmoid5));
  const Value where14 = aten::where(logical_and0, mul3, 0);
  const Value sub0 = mul2 - mul1 * (tanh0 * where8 * where4 * clamp0);
  const Value where15 = aten::where(le0, where0, stop_grad5);
  const Value where16 = aten::where(le0, where1, stop_grad6);
  const Value sigmoid6 = aten::sigmoid(where15);
  const Value sigmoid7 = aten::sigmoid(-where15);
  const Value where17 = aten::where(le0, where6, stop_grad7);
  const Value mul4 = where17 * (sigmoid6 + where15 * (sigmoid6 * sigmoid7)) * where16;
  const Value where18 = aten::where(le0, mul4, 0);
  writes[0] = where7 + where9;
  writes[1] = aten::where(le0, sub0 + mul2 + where14, 0);
  writes[2] = aten::where(logical_and0, where18, 0);
}

const Pass kDoubleBackward = {
    .schema = "swiglustep_double_backward(Tensor grad_grad_x, Tensor? grad_out, Tensor? x, *, "
              "float limit, bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .parts = 2},
               {.name = "grad_out"},
               {.name = "x", .parts = 2}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2}},
                {.name = "grad_x", .like = 2, .reads = {0, 1, 2}, .parts = 2}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "swiglustep_backward(Tensor grad_out, Tensor? x, *, float limit, bool[1] needs) -> "
              "Tensor",
    .inputs = {{.name = "grad_out"}, {.name = "x", .parts = 2}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1}, .parts = 2}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Pass kForward = {
    .schema = "swiglustep(Tensor x, *, float limit=7) -> Tensor",
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
}  // namespace fusewise::ops::swiglustep
