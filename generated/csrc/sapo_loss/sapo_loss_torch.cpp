// Generated from specs/losses/sapo_loss.yaml by `fusewise generate`. Do not edit.
// The formulas stand in sapo_loss.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::sapo_loss {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& logp = reads[0];
  const Value& old_logp = reads[1];
  const Value& advantage = reads[2];
  const double tau_positive = params[0].as<double>();
  const double tau_negative = params[1].as<double>();
  const Value a = aten::detach(advantage);
  const Value tau = aten::where(a > 0, constant(tau_positive, reads[0]), constant(tau_negative,
      reads[0]));
  const Value stop_grad0 = aten::detach(old_logp);
  const Value expm1_0 = aten::expm1(logp - stop_grad0);
  const Value sigmoid0 = aten::sigmoid(tau * expm1_0);
  writes[0] = -(sigmoid0 * a * (4 / tau));
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& logp = reads[1];
  const Value& old_logp = reads[2];
  const Value& advantage = reads[3];
  const double tau_positive = params[0].as<double>();
  const double tau_negative = params[1].as<double>();
  const Value a = aten::detach(advantage);
  const Value tau = aten::where(a > 0, constant(tau_positive, reads[0]), constant(tau_negative,
      reads[0]));
  const Value stop_grad0 = aten::detach(old_logp);
  const Value sub0 = logp - stop_grad0;
  const Value ratio = aten::exp(sub0);
  const Value expm1_0 = aten::expm1(sub0);
  const Value mul0 = tau * expm1_0;
  const Value sigmoid0 = aten::sigmoid(mul0);
  const Value sigmoid1 = aten::sigmoid(-mul0);
  writes[0] = sigmoid0 * sigmoid1 * ratio * a * (-4 * grad_out);
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_logp = reads[0];
  const Value& grad_out = reads[1];
  const Value& logp = reads[2];
  const Value& old_logp = reads[3];
  const Value& advantage = reads[4];
  const double tau_positive = params[0].as<double>();
  const double tau_negative = params[1].as<double>();
  const Value a = aten::detach(advantage);
  const Value tau = aten::where(a > 0, constant(tau_positive, reads[0]), constant(tau_negative,
      reads[0]));
  const Value stop_grad0 = aten::detach(old_logp);
  const Value sub0 = logp - stop_grad0;
  const Value ratio = aten::exp(sub0);
  const Value expm1_0 = aten::expm1(sub0);
  const Value mul0 = tau * expm1_0;
  const Value sigmoid0 = aten::sigmoid(mul0);
  const Value tanh0 = aten::tanh(0.5 * mul0);
  const Value mul1 = -4 * grad_grad_logp;
  const Value sigmoid1 = aten::sigmoid(-mul0);
  const Value mul2 = sigmoid0 * sigmoid1 * ratio;
  const Value mul3 = mul2 * a;
  const Value mul4 = mul2 * ratio * a * tau;
  const Value mul5 = mul4 * (-4 * tanh0 * grad_grad_logp * grad_out);
  writes[0] = mul3 * mul1;
  writes[1] = mul3 * (mul1 * grad_out) - mul5;
}

const Pass kDoubleBackward = {
    .schema = "sapo_loss_double_backward(Tensor grad_grad_logp, Tensor? grad_out, Tensor? logp, "
              "Tensor? old_logp, Tensor? advantage, *, float tau_positive, float tau_negative, "
              "bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_logp"},
               {.name = "grad_out"},
               {.name = "logp"},
               {.name = "old_logp"},
               {.name = "advantage"}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2, 3, 4}},
                {.name = "grad_logp", .like = 2, .reads = {0, 1, 2, 3, 4}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "sapo_loss_backward(Tensor grad_out, Tensor? logp, Tensor? old_logp, Tensor? "
              "advantage, *, float tau_positive, float tau_negative, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_out"}, {.name = "logp"}, {.name = "old_logp"}, {.name = "advantage"}},
    .outputs = {{.name = "grad_logp", .like = 1, .reads = {0, 1, 2, 3}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1},
};

const Pass kForward = {
    .schema = "sapo_loss(Tensor logp, Tensor old_logp, Tensor advantage, *, float tau_positive=1,"
              " float tau_negative=1.05) -> Tensor",
    .inputs = {{.name = "logp"}, {.name = "old_logp"}, {.name = "advantage"}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::sapo_loss
