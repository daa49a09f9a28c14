#include <ATen/ops/elu.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/where.h>
#include <fusewise/torch/op.h>

namespace fusewise::lltm_cell {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* in, const Number*, const at::ScalarType*, Tensor* out) {
  const Tensor& input_gate = in[0];
  const Tensor& output_gate = in[1];
  const Tensor& candidate = in[2];
  const Tensor& old_cell = in[3];
  const Tensor new_cell = old_cell + at::elu(candidate) * at::sigmoid(input_gate);
  out[0] = at::tanh(new_cell) * at::sigmoid(output_gate);
  out[1] = new_cell;
}

void backward_decomposition(
    const Tensor* in, const Number*, const at::ScalarType*, Tensor* out) {
  const Tensor& grad_new_h = in[0];
  const Tensor& grad_new_cell = in[1];
  const Tensor& input_gate = in[2];
  const Tensor& output_gate = in[3];
  const Tensor& candidate = in[4];
  const Tensor& new_cell = in[5];
  const Tensor i = at::sigmoid(input_gate);
  const Tensor o = at::sigmoid(output_gate);
  const Tensor elu0 = at::elu(candidate);
  const Tensor slope = at::where(candidate > 0, 1.0, at::exp(candidate));
  const Tensor t = at::tanh(new_cell);
  const Tensor grad_old_cell = grad_new_cell + grad_new_h * o * (1 - t * t);
  out[0] = grad_old_cell * elu0 * i * (1 - i);
  out[1] = grad_new_h * t * o * (1 - o);
  out[2] = grad_old_cell * i * slope;
  out[3] = grad_old_cell;
}

void double_backward_decomposition(
    const Tensor* in, const Number*, const at::ScalarType*, Tensor* out) {
  const Tensor& gg_input_gate = in[0];
  const Tensor& gg_output_gate = in[1];
  const Tensor& gg_candidate = in[2];
  const Tensor& gg_old_cell = in[3];
  const Tensor& grad_new_h = in[4];
  const Tensor& grad_new_cell = in[5];
  const Tensor& input_gate = in[6];
  const Tensor& output_gate = in[7];
  const Tensor& candidate = in[8];
  const Tensor& new_cell = in[9];
  const Tensor i = at::sigmoid(input_gate);
  const Tensor o = at::sigmoid(output_gate);
  const Tensor di = i * (1 - i);
  const Tensor dout = o * (1 - o);
  const Tensor elu0 = at::elu(candidate);
  const Tensor slope = at::where(candidate > 0, 1.0, at::exp(candidate));
  const Tensor bend = at::where(candidate > 0, 0.0, at::exp(candidate));
  const Tensor t = at::tanh(new_cell);
  const Tensor dt = 1 - t * t;
  const Tensor d = grad_new_cell + grad_new_h * o * dt;
  const Tensor along = gg_old_cell + gg_input_gate * elu0 * di + gg_candidate * i * slope;
  out[0] = along * o * dt + gg_output_gate * t * dout;
  out[1] = along;
  out[2] = gg_input_gate * d * elu0 * di * (1 - 2 * i) + gg_candidate * d * di * slope;
  out[3] = along * grad_new_h * dt * dout + gg_output_gate * grad_new_h * t * dout * (1 - 2 * o);
  out[4] = gg_input_gate * d * slope * di + gg_candidate * d * i * bend;
  out[5] = gg_output_gate * grad_new_h * dout * dt - along * grad_new_h * o * 2 * t * dt;
}

const Pass kDoubleBackward = {
    .schema =
        "lltm_cell_double_backward(Tensor? grad_grad_gates, Tensor? grad_grad_old_cell, "
        "Tensor? grad_new_h, Tensor? grad_new_cell, Tensor? gates, Tensor? new_cell, bool[4] needs) "
        "-> (Tensor, Tensor, Tensor, Tensor)",
    .inputs = {
        {.name = "grad_grad_gates", .optional = true, .parts = 3},
        {.name = "grad_grad_old_cell", .optional = true},
        {.name = "grad_new_h", .optional = true},
        {.name = "grad_new_cell", .optional = true},
        {.name = "gates", .parts = 3},
        {.name = "new_cell"},
    },
    .outputs = {
        {.name = "grad_grad_new_h", .like = 2, .reads = {0, 1, 4, 5}},
        {.name = "grad_grad_new_cell", .like = 3, .reads = {0, 1, 4}},
        {.name = "grad_gates", .like = 4, .reads = {0, 1, 2, 3, 4, 5}, .parts = 3},
        {.name = "grad_new_cell", .like = 5, .reads = {0, 1, 2, 4, 5}},
    },
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema =
        "lltm_cell_backward(Tensor? grad_new_h, Tensor? grad_new_cell, Tensor? gates, "
        "Tensor? new_cell, Tensor? old_cell, bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {
        {.name = "grad_new_h", .optional = true},
        {.name = "grad_new_cell", .optional = true},
        {.name = "gates", .parts = 3},
        {.name = "new_cell"},
        {.name = "old_cell", .shape_only = true},
    },
    .outputs = {
        {.name = "grad_gates", .like = 2, .reads = {0, 1, 2, 3}, .parts = 3},
        {.name = "grad_old_cell", .like = 4, .reads = {0, 1, 2, 3}},
    },
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1, 2, 3},
};

const Pass kForward = {
    .schema = "lltm_cell(Tensor gates, Tensor old_cell) -> (Tensor, Tensor)",
    .inputs = {
        {.name = "gates", .parts = 3},
        {.name = "old_cell"},
    },
    .outputs = {
        {.name = "new_h"},
        {.name = "new_cell"},
    },
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0},
    .saved_outputs = {1},
    .saved_shapes = {1},
    .gradients = {0, 1},
};

const Registration kRegistration("fusewise_test", kForward);

}  // namespace
}  // namespace fusewise::lltm_cell
