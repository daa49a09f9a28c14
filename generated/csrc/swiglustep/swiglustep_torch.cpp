// Generated from specs/gated/swiglustep.yaml by `fusewise generate`. Do not edit.
// The formulas stand in swiglustep.math.h.
#include <ATen/ops/clamp.h>
#include <ATen/ops/detach.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/where.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::swiglustep {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& gate = reads[0];
  const Tensor& up = reads[1];
  const double limit = params[0].as<double>();
  const Tensor clamp0 = at::clamp(up, -limit, limit);
  const Tensor sigmoid0 = at::sigmoid(gate);
  const Tensor clamp1 = at::clamp(gate * sigmoid0, -INFINITY, limit);
  writes[0] = clamp1 * clamp0;
}

void backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_out = reads[0];
  const Tensor& gate = reads[1];
  const Tensor& up = reads[2];
  const double limit = params[0].as<double>();
  const double neg0 = -limit;
  const Tensor logical_and0 = at::logical_and(up >= neg0, up <= limit);
  const Tensor sigmoid0 = at::sigmoid(gate);
  const Tensor stop_grad0 = at::detach(gate);
  const Tensor stop_grad1 = at::detach(up);
  const Tensor stop_grad2 = at::detach(grad_out);
  const Tensor where0 = at::where(logical_and0, gate, stop_grad0);
  const Tensor where1 = at::where(logical_and0, grad_out, stop_grad2);
  const Tensor le0 = gate * sigmoid0 <= limit;
  const Tensor where2 = at::where(le0, gate, stop_grad0);
  const Tensor where3 = at::where(le0, up, stop_grad1);
  const Tensor clamp0 = at::clamp(where3, neg0, limit);
  const Tensor where4 = at::where(le0, grad_out, stop_grad2);
  const Tensor sigmoid1 = at::sigmoid(where2);
  const Tensor sigmoid2 = at::sigmoid(-where2);
  const Tensor mul0 = where4 * clamp0 * (sigmoid1 + where2 * (sigmoid1 * sigmoid2));
  const Tensor sigmoid3 = at::sigmoid(where0);
  const Tensor clamp1 = at::clamp(where0 * sigmoid3, -INFINITY, limit);
  writes[0] = at::where(le0, mul0, 0);
  writes[1] = at::where(logical_and0, where1 * clamp1, 0);
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
  const Tensor sigmoid0 = at::sigmoid(gate);
  const Tensor stop_grad0 = at::detach(gate);
  const Tensor stop_grad1 = at::detach(up);
  const Tensor stop_grad2 = at::detach(grad_out);
  const Tensor where0 = at::where(logical_and0, gate, stop_grad0);
  const Tensor where1 = at::where(logical_and0, grad_out, stop_grad2);
  const Tensor le0 = gate * sigmoid0 <= limit;
  const Tensor where2 = at::where(le0, gate, stop_grad0);
  const Tensor where3 = at::where(le0, up, stop_grad1);
  const Tensor clamp0 = at::clamp(where3, neg0, limit);
  const Tensor where4 = at::where(le0, grad_out, stop_grad2);
  const Tensor sigmoid1 = at::sigmoid(where2);
  const Tensor sigmoid2 = at::sigmoid(-where2);
  const Tensor mul0 = sigmoid1 * sigmoid2;
  const Tensor mul1 = where2 * mul0;
  const Tensor sigmoid3 = at::sigmoid(where0);
  const Tensor clamp1 = at::clamp(where0 * sigmoid3, -INFINITY, limit);
  const Tensor stop_grad3 = at::detach(grad_grad_up);
  const Tensor where5 = at::where(logical_and0, grad_grad_up, stop_grad3);
  const Tensor stop_grad4 = at::detach(grad_grad_gate);
  const Tensor where6 = at::where(logical_and0, grad_grad_gate, stop_grad4);
  const Tensor stop_grad5 = at::detach(where0);
  const Tensor stop_grad6 = at::detach(where1);
  const Tensor stop_grad7 = at::detach(where6);
  const Tensor where7 = at::where(logical_and0, where5 * clamp1, 0);
  const Tensor where8 = at::where(le0, grad_grad_gate, stop_grad4);
  const Tensor where9 = at::where(le0, where8 * (sigmoid1 + mul1) * clamp0, 0);
  const Tensor where10 = at::where(le0, grad_grad_up, stop_grad3);
  const Tensor mul2 = where8 * (where4 * clamp0) * mul0;
  const Tensor tanh0 = at::tanh(0.5 * where2);
  const Tensor stop_grad8 = at::detach(where2);
  const Tensor where11 = at::where(logical_and0, where2, stop_grad8);
  const Tensor stop_grad9 = at::detach(where4);
  const Tensor where12 = at::where(logical_and0, where4, stop_grad9);
  const Tensor sigmoid4 = at::sigmoid(where11);
  const Tensor sigmoid5 = at::sigmoid(-where11);
  const Tensor stop_grad10 = at::detach(where10);
  const Tensor where13 = at::where(logical_and0, where10, stop_grad10);
  const Tensor mul3 = where13 * where12 * (sigmoid4 + where11 * (sigmoid4 * sigmoid5));
  const Tensor where14 = at::where(logical_and0, mul3, 0);
  const Tensor sub0 = mul2 - mul1 * (tanh0 * where8 * where4 * clamp0);
  const Tensor where15 = at::where(le0, where0, stop_grad5);
  const Tensor where16 = at::where(le0, where1, stop_grad6);
  const Tensor sigmoid6 = at::sigmoid(where15);
  const Tensor sigmoid7 = at::sigmoid(-where15);
  const Tensor where17 = at::where(le0, where6, stop_grad7);
  const Tensor mul4 = where17 * (sigmoid6 + where15 * (sigmoid6 * sigmoid7)) * where16;
  const Tensor where18 = at::where(le0, mul4, 0);
  writes[0] = where7 + where9;
  writes[1] = at::where(le0, sub0 + mul2 + where14, 0);
  writes[2] = at::where(logical_and0, where18, 0);
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
