// Generated from specs/gated/clamped_swiglu.yaml by `fusewise generate`. Do not edit.
// The formulas stand in clamped_swiglu.math.h.
#include <ATen/ops/clamp.h>
#include <ATen/ops/detach.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/where.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::clamped_swiglu {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& gate = reads[0];
  const Tensor& up = reads[1];
  const double limit = params[0].as<double>();
  const Tensor clamp0 = at::clamp(gate, -INFINITY, limit);
  const Tensor clamp1 = at::clamp(up, -limit, limit);
  const Tensor sigmoid0 = at::sigmoid(clamp0);
  writes[0] = clamp0 * sigmoid0 * clamp1;
}

void backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_out = reads[0];
  const Tensor& gate = reads[1];
  const Tensor& up = reads[2];
  const double limit = params[0].as<double>();
  const double neg0 = -limit;
  const Tensor logical_and0 = at::logical_and(up >= neg0, up <= limit);
  const Tensor le0 = gate <= limit;
  const Tensor stop_grad0 = at::detach(gate);
  const Tensor where0 = at::where(le0, gate, stop_grad0);
  const Tensor stop_grad1 = at::detach(up);
  const Tensor where1 = at::where(le0, up, stop_grad1);
  const Tensor clamp0 = at::clamp(where0, -INFINITY, limit);
  const Tensor clamp1 = at::clamp(where1, neg0, limit);
  const Tensor stop_grad2 = at::detach(grad_out);
  const Tensor where2 = at::where(le0, grad_out, stop_grad2);
  const Tensor sigmoid0 = at::sigmoid(clamp0);
  const Tensor where3 = at::where(logical_and0, gate, stop_grad0);
  const Tensor clamp2 = at::clamp(where3, -INFINITY, limit);
  const Tensor where4 = at::where(logical_and0, grad_out, stop_grad2);
  const Tensor sigmoid1 = at::sigmoid(-clamp0);
  const Tensor mul0 = where2 * clamp1 * (sigmoid0 + clamp0 * (sigmoid0 * sigmoid1));
  const Tensor sigmoid2 = at::sigmoid(clamp2);
  writes[0] = at::where(le0, mul0, 0);
  writes[1] = at::where(logical_and0, where4 * (clamp2 * sigmoid2), 0);
}

void double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_gate = reads[0];
  const Tensor& grad_grad_up = reads[1];
  const Tensor& grad_out = reads[2];
  const Tensor& gate = reads[3];
  const Tensor& up = reads[4];
  const double limit = params[0].as<double>();
  const double neg0 = -limit;
  const Tensor logical_and0 = at::logical_and(up >= neg0, up <= limit);
  const Tensor le0 = gate <= limit;
  const Tensor stop_grad0 = at::detach(gate);
  const Tensor where0 = at::where(le0, gate, stop_grad0);
  const Tensor stop_grad1 = at::detach(up);
  const Tensor where1 = at::where(le0, up, stop_grad1);
  const Tensor clamp0 = at::clamp(where0, -INFINITY, limit);
  const Tensor clamp1 = at::clamp(where1, neg0, limit);
  const Tensor stop_grad2 = at::detach(grad_out);
  const Tensor where2 = at::where(le0, grad_out, stop_grad2);
  const Tensor sigmoid0 = at::sigmoid(clamp0);
  const Tensor where3 = at::where(logical_and0, gate, stop_grad0);
  const Tensor clamp2 = at::clamp(where3, -INFINITY, limit);
  const Tensor where4 = at::where(logical_and0, grad_out, stop_grad2);
  const Tensor sigmoid1 = at::sigmoid(-clamp0);
  const Tensor sigmoid2 = at::sigmoid(clamp2);
  const Tensor stop_grad3 = at::detach(grad_grad_up);
  const Tensor where5 = at::where(logical_and0, grad_grad_up, stop_grad3);
  const Tensor stop_grad4 = at::detach(grad_grad_gate);
  const Tensor where6 = at::where(le0, grad_grad_gate, stop_grad4);
  const Tensor where7 = at::where(le0, grad_grad_up, stop_grad3);
  const Tensor stop_grad5 = at::detach(where0);
  const Tensor where8 = at::where(logical_and0, where0, stop_grad5);
  const Tensor clamp3 = at::clamp(where8, -INFINITY, limit);
  const Tensor stop_grad6 = at::detach(where2);
  const Tensor where9 = at::where(logical_and0, where2, stop_grad6);
  const Tensor sigmoid3 = at::sigmoid(clamp3);
  const Tensor stop_grad7 = at::detach(where7);
  const Tensor where10 = at::where(logical_and0, where7, stop_grad7);
  const Tensor where11 = at::where(le0, where0, stop_grad5);
  const Tensor stop_grad8 = at::detach(where1);
  const Tensor where12 = at::where(le0, where1, stop_grad8);
  const Tensor clamp4 = at::clamp(where11, -INFINITY, limit);
  const Tensor clamp5 = at::clamp(where12, neg0, limit);
  const Tensor where13 = at::where(le0, where2, stop_grad6);
  const Tensor stop_grad9 = at::detach(where6);
  const Tensor where14 = at::where(le0, where6, stop_grad9);
  const Tensor tanh0 = at::tanh(0.5 * clamp4);
  const Tensor where15 = at::where(logical_and0, grad_grad_gate, stop_grad4);
  const Tensor stop_grad10 = at::detach(where3);
  const Tensor where16 = at::where(le0, where3, stop_grad10);
  const Tensor clamp6 = at::clamp(where16, -INFINITY, limit);
  const Tensor stop_grad11 = at::detach(where4);
  const Tensor where17 = at::where(le0, where4, stop_grad11);
  const Tensor sigmoid4 = at::sigmoid(clamp6);
  const Tensor stop_grad12 = at::detach(where15);
  const Tensor where18 = at::where(le0, where15, stop_grad12);
  const Tensor where19 = at::where(logical_and0, where5 * (clamp2 * sigmoid2), 0);
  const Tensor mul0 = where6 * (sigmoid0 + clamp0 * (sigmoid0 * sigmoid1)) * clamp1;
  const Tensor where20 = at::where(le0, mul0, 0);
  const Tensor sigmoid5 = at::sigmoid(-clamp3);
  const Tensor mul1 = where10 * where9 * (sigmoid3 + clamp3 * (sigmoid3 * sigmoid5));
  const Tensor where21 = at::where(logical_and0, mul1, 0);
  const Tensor sigmoid6 = at::sigmoid(clamp4);
  const Tensor sigmoid7 = at::sigmoid(-clamp4);
  const Tensor mul2 = sigmoid6 * sigmoid7;
  const Tensor mul3 = where14 * (where13 * clamp5) * mul2;
  const Tensor mul4 = clamp4 * mul2 * (tanh0 * where14 * where13 * clamp5);
  const Tensor where22 = at::where(le0, mul3 - mul4 + mul3, 0);
  const Tensor sigmoid8 = at::sigmoid(-clamp6);
  const Tensor mul5 = where18 * (sigmoid4 + clamp6 * (sigmoid4 * sigmoid8)) * where17;
  const Tensor where23 = at::where(le0, mul5, 0);
  writes[0] = where19 + where20;
  writes[1] = at::where(le0, where22 + where21, 0);
  writes[2] = at::where(logical_and0, where23, 0);
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
