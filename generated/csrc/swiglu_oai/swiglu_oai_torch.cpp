// Generated from specs/gated/swiglu_oai.yaml by `fusewise generate`. Do not edit.
// The formulas stand in swiglu_oai.math.h.
#include <ATen/ops/clamp.h>
#include <ATen/ops/detach.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/where.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::swiglu_oai {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& gate = reads[0];
  const Tensor& up = reads[1];
  const double alpha = params[0].as<double>();
  const double limit = params[1].as<double>();
  const Tensor bounded_gate = at::clamp(gate, -INFINITY, limit);
  const Tensor bounded_up = at::clamp(up, -limit, limit);
  const Tensor sigmoid0 = at::sigmoid(alpha * bounded_gate);
  writes[0] = (bounded_up + 1) * (bounded_gate * sigmoid0);
}

void backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_out = reads[0];
  const Tensor& gate = reads[1];
  const Tensor& up = reads[2];
  const double alpha = params[0].as<double>();
  const double limit = params[1].as<double>();
  const double neg0 = -limit;
  const Tensor logical_and0 = at::logical_and(up >= neg0, up <= limit);
  const Tensor le0 = gate <= limit;
  const Tensor stop_grad0 = at::detach(gate);
  const Tensor where0 = at::where(le0, gate, stop_grad0);
  const Tensor stop_grad1 = at::detach(up);
  const Tensor where1 = at::where(le0, up, stop_grad1);
  const Tensor clamp0 = at::clamp(where0, -INFINITY, limit);
  const Tensor clamp1 = at::clamp(where1, neg0, limit);
  const Tensor mul0 = alpha * clamp0;
  const Tensor sigmoid0 = at::sigmoid(mul0);
  const Tensor stop_grad2 = at::detach(grad_out);
  const Tensor where2 = at::where(le0, grad_out, stop_grad2);
  const Tensor mul1 = where2 * (clamp1 + 1);
  const Tensor where3 = at::where(logical_and0, gate, stop_grad0);
  const Tensor clamp2 = at::clamp(where3, -INFINITY, limit);
  const Tensor sigmoid1 = at::sigmoid(alpha * clamp2);
  const Tensor where4 = at::where(logical_and0, grad_out, stop_grad2);
  const Tensor sigmoid2 = at::sigmoid(-mul0);
  const Tensor mul2 = sigmoid0 * sigmoid2 * clamp0 * (mul1 * alpha);
  writes[0] = at::where(le0, mul1 * sigmoid0 + mul2, 0);
  writes[1] = at::where(logical_and0, where4 * (clamp2 * sigmoid1), 0);
}

void double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_gate = reads[0];
  const Tensor& grad_grad_up = reads[1];
  const Tensor& grad_out = reads[2];
  const Tensor& gate = reads[3];
  const Tensor& up = reads[4];
  const double alpha = params[0].as<double>();
  const double limit = params[1].as<double>();
  const double neg0 = -limit;
  const Tensor logical_and0 = at::logical_and(up >= neg0, up <= limit);
  const Tensor le0 = gate <= limit;
  const Tensor logical_or0 = at::logical_or(le0, logical_and0);
  const Tensor logical_or1 = at::logical_or(le0, logical_or0);
  const Tensor stop_grad0 = at::detach(gate);
  const Tensor where0 = at::where(le0, gate, stop_grad0);
  const Tensor stop_grad1 = at::detach(up);
  const Tensor where1 = at::where(le0, up, stop_grad1);
  const Tensor clamp0 = at::clamp(where0, -INFINITY, limit);
  const Tensor clamp1 = at::clamp(where1, neg0, limit);
  const Tensor mul0 = alpha * clamp0;
  const Tensor sigmoid0 = at::sigmoid(mul0);
  const Tensor stop_grad2 = at::detach(grad_out);
  const Tensor where2 = at::where(le0, grad_out, stop_grad2);
  const Tensor where3 = at::where(logical_and0, gate, stop_grad0);
  const Tensor clamp2 = at::clamp(where3, -INFINITY, limit);
  const Tensor sigmoid1 = at::sigmoid(alpha * clamp2);
  const Tensor where4 = at::where(logical_and0, grad_out, stop_grad2);
  const Tensor sigmoid2 = at::sigmoid(-mul0);
  const Tensor stop_grad3 = at::detach(grad_grad_up);
  const Tensor where5 = at::where(logical_and0, grad_grad_up, stop_grad3);
  const Tensor where6 = at::where(logical_and0, where5 * (clamp2 * sigmoid1), 0);
  const Tensor stop_grad4 = at::detach(grad_grad_gate);
  const Tensor where7 = at::where(le0, grad_grad_gate, stop_grad4);
  const Tensor where8 = at::where(le0, grad_grad_up, stop_grad3);
  const Tensor stop_grad5 = at::detach(where0);
  const Tensor where9 = at::where(le0, where0, stop_grad5);
  const Tensor stop_grad6 = at::detach(where1);
  const Tensor where10 = at::where(le0, where1, stop_grad6);
  const Tensor clamp3 = at::clamp(where9, -INFINITY, limit);
  const Tensor clamp4 = at::clamp(where10, neg0, limit);
  const Tensor mul1 = alpha * clamp3;
  const Tensor stop_grad7 = at::detach(where2);
  const Tensor where11 = at::where(le0, where2, stop_grad7);
  const Tensor stop_grad8 = at::detach(where7);
  const Tensor where12 = at::where(le0, where7, stop_grad8);
  const Tensor mul2 = where12 * (where11 * (clamp4 + 1) * alpha);
  const Tensor where13 = at::where(logical_and0, where0, stop_grad5);
  const Tensor clamp5 = at::clamp(where13, -INFINITY, limit);
  const Tensor sigmoid3 = at::sigmoid(alpha * clamp5);
  const Tensor where14 = at::where(logical_and0, where2, stop_grad7);
  const Tensor stop_grad9 = at::detach(where8);
  const Tensor where15 = at::where(logical_and0, where8, stop_grad9);
  const Tensor where16 = at::where(logical_and0, where15 * where14 * sigmoid3, 0);
  const Tensor where17 = at::where(logical_or1, where0, stop_grad5);
  const Tensor where18 = at::where(logical_or1, where1, stop_grad6);
  const Tensor where19 = at::where(logical_or1, where2, stop_grad7);
  const Tensor where20 = at::where(logical_or1, where7, stop_grad8);
  const Tensor where21 = at::where(logical_or1, where8, stop_grad9);
  const Tensor stop_grad10 = at::detach(where18);
  const Tensor where22 = at::where(le0, where18, stop_grad10);
  const Tensor clamp6 = at::clamp(where22, neg0, limit);
  const Tensor stop_grad11 = at::detach(where19);
  const Tensor where23 = at::where(le0, where19, stop_grad11);
  const Tensor stop_grad12 = at::detach(where20);
  const Tensor where24 = at::where(le0, where20, stop_grad12);
  const Tensor stop_grad13 = at::detach(where17);
  const Tensor stop_grad14 = at::detach(where21);
  const Tensor where25 = at::where(logical_or0, where17, stop_grad13);
  const Tensor where26 = at::where(logical_or0, where18, stop_grad10);
  const Tensor clamp7 = at::clamp(where25, -INFINITY, limit);
  const Tensor mul3 = alpha * clamp7;
  const Tensor where27 = at::where(logical_or0, where19, stop_grad11);
  const Tensor where28 = at::where(logical_or0, where20, stop_grad12);
  const Tensor where29 = at::where(logical_or0, where21, stop_grad14);
  const Tensor stop_grad15 = at::detach(where26);
  const Tensor where30 = at::where(le0, where26, stop_grad15);
  const Tensor clamp8 = at::clamp(where30, neg0, limit);
  const Tensor stop_grad16 = at::detach(where27);
  const Tensor where31 = at::where(le0, where27, stop_grad16);
  const Tensor stop_grad17 = at::detach(where28);
  const Tensor where32 = at::where(le0, where28, stop_grad17);
  const Tensor where33 = at::where(le0, where32 * (where31 * (clamp8 + 1)), 0);
  const Tensor stop_grad18 = at::detach(where25);
  const Tensor where34 = at::where(logical_and0, where25, stop_grad18);
  const Tensor clamp9 = at::clamp(where34, -INFINITY, limit);
  const Tensor where35 = at::where(logical_and0, where27, stop_grad16);
  const Tensor stop_grad19 = at::detach(where29);
  const Tensor where36 = at::where(logical_and0, where29, stop_grad19);
  const Tensor where37 = at::where(logical_and0, where36 * where35 * clamp9, 0);
  const Tensor where38 = at::where(le0, where17, stop_grad13);
  const Tensor clamp10 = at::clamp(where38, -INFINITY, limit);
  const Tensor mul4 = alpha * clamp10;
  const Tensor tanh0 = at::tanh(0.5 * mul4);
  const Tensor mul5 = tanh0 * where24 * where23 * (clamp6 + 1) * alpha;
  const Tensor where39 = at::where(logical_and0, grad_grad_gate, stop_grad4);
  const Tensor stop_grad20 = at::detach(where3);
  const Tensor where40 = at::where(le0, where3, stop_grad20);
  const Tensor clamp11 = at::clamp(where40, -INFINITY, limit);
  const Tensor mul6 = alpha * clamp11;
  const Tensor sigmoid4 = at::sigmoid(mul6);
  const Tensor stop_grad21 = at::detach(where4);
  const Tensor where41 = at::where(le0, where4, stop_grad21);
  const Tensor stop_grad22 = at::detach(where39);
  const Tensor where42 = at::where(le0, where39, stop_grad22);
  const Tensor mul7 = sigmoid0 * sigmoid2 * clamp0 * (where7 * alpha);
  const Tensor where43 = at::where(le0, (mul7 + where7 * sigmoid0) * (clamp1 + 1), 0);
  const Tensor sigmoid5 = at::sigmoid(mul1);
  const Tensor sigmoid6 = at::sigmoid(-mul1);
  const Tensor where44 = at::where(le0, mul2 * (sigmoid5 * sigmoid6), 0);
  const Tensor sigmoid7 = at::sigmoid(mul3);
  const Tensor sigmoid8 = at::sigmoid(-mul3);
  const Tensor where45 = at::where(logical_or0, (where33 + where37) * (sigmoid7 * sigmoid8), 0);
  const Tensor sigmoid9 = at::sigmoid(mul4);
  const Tensor sigmoid10 = at::sigmoid(-mul4);
  const Tensor where46 = at::where(le0, -(sigmoid9 * sigmoid10 * clamp10 * mul5), 0);
  const Tensor where47 = at::where(logical_or1, (where46 + where45) * alpha, 0);
  const Tensor sigmoid11 = at::sigmoid(-mul6);
  const Tensor mul8 = sigmoid4 * sigmoid11 * clamp11 * (where42 * alpha);
  const Tensor where48 = at::where(le0, (mul8 + where42 * sigmoid4) * where41, 0);
  writes[0] = where43 + where6;
  writes[1] = at::where(le0, where44 + where16 + where47, 0);
  writes[2] = at::where(logical_and0, where48, 0);
}

const Pass kDoubleBackward = {
    .schema = "swiglu_oai_double_backward(Tensor grad_grad_x, Tensor? grad_out, Tensor? x, *, "
              "float alpha, float limit, bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .parts = 2, .layout = Layout::kInterleaved},
               {.name = "grad_out"},
               {.name = "x", .parts = 2, .layout = Layout::kInterleaved}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2}},
                {.name = "grad_x", .like = 2, .reads = {0, 1, 2}, .parts = 2,
                 .layout = Layout::kInterleaved}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "swiglu_oai_backward(Tensor grad_out, Tensor? x, *, float alpha, float limit, "
              "bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_out"}, {.name = "x", .parts = 2, .layout = Layout::kInterleaved}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1}, .parts = 2,
                 .layout = Layout::kInterleaved}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Pass kForward = {
    .schema = "swiglu_oai(Tensor x, *, float alpha=1.702, float limit=7) -> Tensor",
    .inputs = {{.name = "x", .parts = 2, .layout = Layout::kInterleaved}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0},
    .gradients = {0},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::swiglu_oai
