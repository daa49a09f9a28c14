// Generated from specs/gated/situ_glu.yaml by `fusewise generate`. Do not edit.
// The formulas stand in situ_glu.math.h.
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::situ_glu {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& gate = reads[0];
  const Tensor& up = reads[1];
  const double gate_cap = params[0].as<double>();
  const double up_cap = params[1].as<double>();
  const Tensor tanh0 = at::tanh(gate / gate_cap);
  const Tensor capped_gate = gate_cap * tanh0;
  const Tensor tanh1 = at::tanh(up / up_cap);
  const Tensor capped_up = up_cap * tanh1;
  const Tensor s = at::sigmoid(gate);
  writes[0] = capped_gate * s * capped_up;
}

void backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_out = reads[0];
  const Tensor& gate = reads[1];
  const Tensor& up = reads[2];
  const double gate_cap = params[0].as<double>();
  const double up_cap = params[1].as<double>();
  const Tensor div0 = gate / gate_cap;
  const Tensor tanh0 = at::tanh(div0);
  const Tensor capped_gate = gate_cap * tanh0;
  const Tensor div1 = up / up_cap;
  const Tensor tanh1 = at::tanh(div1);
  const Tensor capped_up = up_cap * tanh1;
  const Tensor s = at::sigmoid(gate);
  const Tensor sigmoid0 = at::sigmoid(-gate);
  const Tensor mul0 = 2 * div0;
  const Tensor mul1 = 2 * div1;
  const Tensor sigmoid1 = at::sigmoid(mul1);
  const Tensor sigmoid2 = at::sigmoid(-mul1);
  const Tensor sigmoid3 = at::sigmoid(mul0);
  const Tensor sigmoid4 = at::sigmoid(-mul0);
  const Tensor mul2 = 4 * (sigmoid3 * sigmoid4) * s;
  writes[0] = grad_out * capped_up * (mul2 + capped_gate * (s * sigmoid0));
  writes[1] = grad_out * capped_gate * s * (4 * (sigmoid1 * sigmoid2));
}

void double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_gate = reads[0];
  const Tensor& grad_grad_up = reads[1];
  const Tensor& grad_out = reads[2];
  const Tensor& gate = reads[3];
  const Tensor& up = reads[4];
  const double gate_cap = params[0].as<double>();
  const double up_cap = params[1].as<double>();
  const Tensor div0 = gate / gate_cap;
  const Tensor tanh0 = at::tanh(div0);
  const Tensor capped_gate = gate_cap * tanh0;
  const Tensor div1 = up / up_cap;
  const Tensor tanh1 = at::tanh(div1);
  const Tensor capped_up = up_cap * tanh1;
  const Tensor s = at::sigmoid(gate);
  const Tensor mul0 = grad_out * capped_gate;
  const Tensor sigmoid0 = at::sigmoid(-gate);
  const Tensor mul1 = 2 * div0;
  const Tensor mul2 = 2 * div1;
  const Tensor tanh2 = at::tanh(0.5 * gate);
  const Tensor mul3 = grad_grad_gate * (grad_out * capped_up);
  const Tensor mul4 = s * sigmoid0;
  const Tensor sigmoid1 = at::sigmoid(mul2);
  const Tensor sigmoid2 = at::sigmoid(-mul2);
  const Tensor mul5 = 4 * (sigmoid1 * sigmoid2);
  const Tensor sigmoid3 = at::sigmoid(mul1);
  const Tensor sigmoid4 = at::sigmoid(-mul1);
  const Tensor mul6 = 4 * (sigmoid3 * sigmoid4);
  const Tensor mul7 = grad_grad_up * mul5;
  const Tensor mul8 = mul7 * s;
  const Tensor mul9 = grad_grad_up * (mul0 * s) * (-2 * tanh1 * mul5);
  const Tensor mul10 = grad_grad_gate * (mul6 * s + capped_gate * mul4);
  const Tensor mul11 = (mul7 * mul0 + mul3 * mul6) * mul4;
  const Tensor sub0 = mul11 - mul4 * tanh2 * (mul3 * capped_gate);
  const Tensor mul12 = (mul3 * mul4 + mul8 * grad_out) * gate_cap * mul6;
  const Tensor add0 = mul3 * s * (-2 * tanh0 * mul6) + mul12;
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
