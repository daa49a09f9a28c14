// Generated from specs/losses/cispo_loss.yaml by `fusewise generate`. Do not edit.
// The formulas stand in cispo_loss.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::cispo_loss {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& logp = reads[0];
  const Value& old_logp = reads[1];
  const Value& advantage = reads[2];
  const double limit = params[0].as<double>();
  const Value exp0 = aten::exp(logp - old_logp);
  const Value minimum0 = aten::minimum(exp0, constant(limit, reads[0]));
  const Value weight = aten::detach(minimum0 * advantage);
  writes[0] = -(weight * logp);
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& logp = reads[1];
  const Value& old_logp = reads[2];
  const Value& advantage = reads[3];
  const double limit = params[0].as<double>();
  const Value exp0 = aten::exp(logp - old_logp);
  const Value minimum0 = aten::minimum(exp0, constant(limit, reads[0]));
  const Value weight = aten::detach(minimum0 * advantage);
  writes[0] = -(grad_out * weight);
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_logp = reads[0];
  const Value& logp = reads[2];
  const Value& old_logp = reads[3];
  const Value& advantage = reads[4];
  const double limit = params[0].as<double>();
  const Value exp0 = aten::exp(logp - old_logp);
  const Value minimum0 = aten::minimum(exp0, constant(limit, reads[0]));
  const Value weight = aten::detach(minimum0 * advantage);
  writes[0] = -(grad_grad_logp * weight);
}

const Pass kDoubleBackward = {
    .schema = "cispo_loss_double_backward(Tensor grad_grad_logp, Tensor? grad_out, Tensor? logp, "
              "Tensor? old_logp, Tensor? advantage, *, float limit, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_grad_logp"},
               {.name = "grad_out"},
               {.name = "logp"},
               {.name = "old_logp"},
               {.name = "advantage"}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2, 3, 4}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "cispo_loss_backward(Tensor grad_out, Tensor? logp, Tensor? old_logp, Tensor? "
              "advantage, *, float limit, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_out"}, {.name = "logp"}, {.name = "old_logp"}, {.name = "advantage"}},
    .outputs = {{.name = "grad_logp", .like = 1, .reads = {0, 1, 2, 3}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0},
};

const Pass kForward = {
    .schema = "cispo_loss(Tensor logp, Tensor old_logp, Tensor advantage, *, float limit=5) -> "
              "Tensor",
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
}  // namespace fusewise::ops::cispo_loss
