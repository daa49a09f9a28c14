#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::lltm_cell {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

Value elu(const Value& x) { return aten::where(x > 0, x, aten::expm1(x)); }

void forward_decomposition(
    const Value* in, const Number*, const Dtype*, Value* out) {
  const Value& input_gate = in[0];
  const Value& output_gate = in[1];
  const Value& candidate = in[2];
  const Value& old_cell = in[3];
  const Value new_cell = old_cell + elu(candidate) * aten::sigmoid(input_gate);
  out[0] = aten::tanh(new_cell) * aten::sigmoid(output_gate);
  out[1] = new_cell;
}

void backward_decomposition(
    const Value* in, const Number*, const Dtype*, Value* out) {
  const Value& grad_new_h = in[0];
  const Value& grad_new_cell = in[1];
  const Value& input_gate = in[2];
  const Value& output_gate = in[3];
  const Value& candidate = in[4];
  const Value& new_cell = in[5];
  const Value i = aten::sigmoid(input_gate);
  const Value o = aten::sigmoid(output_gate);
  const Value elu0 = elu(candidate);
  const Value slope = aten::where(candidate > 0, 1.0, aten::exp(candidate));
  const Value t = aten::tanh(new_cell);
  const Value grad_old_cell = grad_new_cell + grad_new_h * o * (1 - t * t);
  out[0] = grad_old_cell * elu0 * i * (1 - i);
  out[1] = grad_new_h * t * o * (1 - o);
  out[2] = grad_old_cell * i * slope;
  out[3] = grad_old_cell;
}

void double_backward_decomposition(
    const Value* in, const Number*, const Dtype*, Value* out) {
  const Value& gg_input_gate = in[0];
  const Value& gg_output_gate = in[1];
  const Value& gg_candidate = in[2];
  const Value& gg_old_cell = in[3];
  const Value& grad_new_h = in[4];
  const Value& grad_new_cell = in[5];
  const Value& input_gate = in[6];
  const Value& output_gate = in[7];
  const Value& candidate = in[8];
  const Value& new_cell = in[9];
  const Value i = aten::sigmoid(input_gate);
  const Value o = aten::sigmoid(output_gate);
  const Value di = i * (1 - i);
  const Value dout = o * (1 - o);
  const Value elu0 = elu(candidate);
  const Value slope = aten::where(candidate > 0, 1.0, aten::exp(candidate));
  const Value bend = aten::where(candidate > 0, 0.0, aten::exp(candidate));
  const Value t = aten::tanh(new_cell);
  const Value dt = 1 - t * t;
  const Value d = grad_new_cell + grad_new_h * o * dt;
  const Value along = gg_old_cell + gg_input_gate * elu0 * di + gg_candidate * i * slope;
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
