// Generated from specs/activations/softcap.yaml by `fusewise generate`. Do not edit.
// The formulas stand in softcap.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::softcap {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const double cap = params[0].as<double>();
  const Value tanh0 = aten::tanh(x / cap);
  writes[0] = cap * tanh0;
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const double cap = params[0].as<double>();
  const Value mul0 = 2 * (x / cap);
  const Value sigmoid0 = aten::sigmoid(mul0);
  const Value sigmoid1 = aten::sigmoid(-mul0);
  writes[0] = grad_out * (4 * (sigmoid0 * sigmoid1));
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_out = reads[1];
  const Value& x = reads[2];
  const double cap = params[0].as<double>();
  const Value div0 = x / cap;
  const Value tanh0 = aten::tanh(div0);
  const Value mul0 = 2 * div0;
  const Value sigmoid0 = aten::sigmoid(mul0);
  const Value sigmoid1 = aten::sigmoid(-mul0);
  const Value mul1 = 4 * (sigmoid0 * sigmoid1);
  writes[0] = grad_grad_x * mul1;
  writes[1] = grad_grad_x * grad_out * (-2 * tanh0 * mul1) / cap;
}

const Pass kDoubleBackward = {
    .schema = "softcap_double_backward(Tensor grad_grad_x, Tensor? grad_out, Tensor? x, *, float "
              "cap, bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x"}, {.name = "grad_out"}, {.name = "x"}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2}},
                {.name = "grad_x", .like = 2, .reads = {0, 1, 2}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "softcap_backward(Tensor grad_out, Tensor? x, *, float cap, bool[1] needs) -> "
              "Tensor",
    .inputs = {{.name = "grad_out"}, {.name = "x"}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Pass kForward = {
    .schema = "softcap(Tensor x, *, float cap=30) -> Tensor",
    .inputs = {{.name = "x"}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0},
    .gradients = {0},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::softcap
