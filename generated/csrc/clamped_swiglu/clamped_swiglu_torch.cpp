// Generated from specs/gated/clamped_swiglu.yaml by `fusewise generate`. Do not edit.
// The formulas stand in clamped_swiglu.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::clamped_swiglu {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& gate = reads[0];
  const Value& up = reads[1];
  const double limit = params[0].as<double>();
  const Value clamp0 = aten::clamp(gate, -INFINITY, limit);
  const Value clamp1 = aten::clamp(up, -limit, limit);
  const Value sigmoid0 = aten::sigmoid(clamp0);
  writes[0] = clamp0 * sigmoid0 * clamp1;
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& gate = reads[1];
  const Value& up = reads[2];
  const double limit = params[0].as<double>();
  const double neg0 = -limit;
  const Value logical_and0 = aten::logical_and(up >= neg0, up <= limit);
  const Value le0 = gate <= limit;
  const Value stop_grad0 = aten::detach(gate);
  const Value where0 = aten::where(le0, gate, stop_grad0);
  const Value stop_grad1 = aten::detach(up);
  const Value where1 = aten::where(le0, up, stop_grad1);
  const Value clamp0 = aten::clamp(where0, -INFINITY, limit);
  const Value clamp1 = aten::clamp(where1, neg0, limit);
  const Value stop_grad2 = aten::detach(grad_out);
  const Value where2 = aten::where(le0, grad_out, stop_grad2);
  const Value sigmoid0 = aten::sigmoid(clamp0);
  const Value where3 = aten::where(logical_and0, gate, stop_grad0);
  const Value clamp2 = aten::clamp(where3, -INFINITY, limit);
  const Value where4 = aten::where(logical_and0, grad_out, stop_grad2);
  const Value sigmoid1 = aten::sigmoid(-clamp0);
  const Value mul0 = where2 * clamp1 * (sigmoid0 + clamp0 * (sigmoid0 * sigmoid1));
  const Value sigmoid2 = aten::sigmoid(clamp2);
  writes[0] = aten::where(le0, mul0, 0);
  writes[1] = aten::where(logical_and0, where4 * (clamp2 * sigmoid2), 0);
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
  const Value le0 = gate <= limit;
  const Value stop_grad0 = aten::detach(gate);
  const Value where0 = aten::where(le0, gate, stop_grad0);
  const Value stop_grad1 = aten::detach(up);
  const Value where1 = aten::where(le0, up, stop_grad1);
  const Value clamp0 = aten::clamp(where0, -INFINITY, limit);
  const Value clamp1 = aten::clamp(where1, neg0, limit);
  const Value stop_grad2 = aten::detach(grad_out);
  const Value where2 = aten::where(le0, grad_out, stop_grad2);
  const Value sigmoid0 = aten::sigmoid(clamp0);
  const Value where3 = aten::where(logical_and0, gate, stop_grad0);
  const Value clamp2 = aten::clamp(where3, -INFINITY, limit);
  const Value where4 = aten::where(logical_and0, grad_out, stop_grad2);
  const Value sigmoid1 = aten::sigmoid(-clamp0);
  const Value sigmoid2 = aten::sigmoid(clamp2);
  const Value stop_grad3 = aten::detach(grad_grad_up);
  const Value where5 = aten::where(logical_and0, grad_grad_up, stop_grad3);
  const Value stop_grad4 = aten::detach(grad_grad_gate);
  const Value where6 = aten::where(le0, grad_grad_gate, stop_grad4);
  const Value where7 = aten::where(le0, grad_grad_up, stop_grad3);
  const Value stop_grad5 = aten::detach(where0);
  const Value where8 = aten::where(logical_and0, where0, stop_grad5);
  const Value clamp3 = aten::clamp(where8, -INFINITY, limit);
  const Value stop_grad6 = aten::detach(where2);
  const Value where9 = aten::where(logical_and0, where2, stop_grad6);
  const Value sigmoid3 = aten::sigmoid(clamp3);
  const Value stop_grad7 = aten::detach(where7);
  const Value where10 = aten::where(logical_and0, where7, stop_grad7);
  const Value where11 = aten::where(le0, gate, stop_grad5);
  const Value stop_grad8 = aten::detach(where1);
  const Value where12 = aten::where(le0, up, stop_grad8);
  const Value clamp4 = aten::clamp(where11, -INFINITY, limit);
  const Value clamp5 = aten::clamp(where12, neg0, limit);
  const Value where13 = aten::where(le0, grad_out, stop_grad6);
  const Value stop_grad9 = aten::detach(where6);
  const Value where14 = aten::where(le0, grad_grad_gate, stop_grad9);
  const Value tanh0 = aten::tanh(0.5 * clamp4);
  const Value where15 = aten::where(logical_and0, grad_grad_gate, stop_grad4);
  const Value stop_grad10 = aten::detach(where3);
  const Value where16 = aten::where(le0, where3, stop_grad10);
  const Value clamp6 = aten::clamp(where16, -INFINITY, limit);
  const Value stop_grad11 = aten::detach(where4);
  const Value where17 = aten::where(le0, where4, stop_grad11);
  const Value sigmoid4 = aten::sigmoid(clamp6);
  const Value stop_grad12 = aten::detach(where15);
  const Value where18 = aten::where(le0, where15, stop_grad12);
  const Value where19 = aten::where(logical_and0, where5 * (clamp2 * sigmoid2), 0);
  const Value mul0 = where6 * (sigmoid0 + clamp0 * (sigmoid0 * sigmoid1)) * clamp1;
  const Value where20 = aten::where(le0, mul0, 0);
  const Value sigmoid5 = aten::sigmoid(-clamp3);
  const Value mul1 = where10 * where9 * (sigmoid3 + clamp3 * (sigmoid3 * sigmoid5));
  const Value where21 = aten::where(logical_and0, mul1, 0);
  const Value sigmoid6 = aten::sigmoid(clamp4);
  const Value sigmoid7 = aten::sigmoid(-clamp4);
  const Value mul2 = sigmoid6 * sigmoid7;
  const Value mul3 = where14 * (where13 * clamp5) * mul2;
  const Value mul4 = clamp4 * mul2 * (tanh0 * where14 * where13 * clamp5);
  const Value where22 = aten::where(le0, mul3 - mul4 + mul3, 0);
  const Value sigmoid8 = aten::sigmoid(-clamp6);
  const Value mul5 = where18 * (sigmoid4 + clamp6 * (sigmoid4 * sigmoid8)) * where17;
  const Value where23 = aten::where(le0, mul5, 0);
  writes[0] = where19 + where20;
  writes[1] = aten::where(le0, where22 + where21, 0);
  writes[2] = aten::where(logical_and0, where23, 0);
}

const Pass kDoubleBackward = {
    .schema = "clamped_swiglu_double_backward(Tensor grad_grad_x, Tensor? grad_out, Tensor? x, *,"
              " float limit, bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .parts = 2},
               {.name = "grad_out"},
               {.name = "x", .parts = 2}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2}},
                {.name = "grad_x", .like = 2, .reads = {0, 1, 2}, .parts = 2}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "clamped_swiglu_backward(Tensor grad_out, Tensor? x, *, float limit, bool[1] needs)"
              " -> Tensor",
    .inputs = {{.name = "grad_out"}, {.name = "x", .parts = 2}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1}, .parts = 2}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Pass kForward = {
    .schema = "clamped_swiglu(Tensor x, *, float limit=7) -> Tensor",
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
}  // namespace fusewise::ops::clamped_swiglu
