// Generated from specs/losses/grpo_loss.yaml by `fusewise generate`. Do not edit.
// The formulas stand in grpo_loss.math.h.
#include <ATen/ops/detach.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/expm1.h>
#include <ATen/ops/where.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::grpo_loss {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& logp = reads[0];
  const Tensor& old_logp = reads[1];
  const Tensor& ref_logp = reads[2];
  const Tensor& advantage = reads[3];
  const double eps_low = params[0].as<double>();
  const double eps_high = params[1].as<double>();
  const double beta = params[2].as<double>();
  const Tensor a = at::detach(advantage);
  const Tensor stop_grad0 = at::detach(old_logp);
  const Tensor ratio = at::exp(logp - stop_grad0);
  const Tensor gt0 = a > 0;
  const double add0 = 1 + eps_high;
  const double sub0 = 1 - eps_low;
  const Tensor bound = at::where(gt0, constant(add0, reads[0]), constant(sub0, reads[0]));
  const Tensor where0 = at::where(gt0, ratio > bound, ratio < bound);
  const Tensor stop_grad1 = at::detach(ref_logp);
  const Tensor d = stop_grad1 - logp;
  const Tensor expm1_0 = at::expm1(d);
  const Tensor divergence = expm1_0 - d;
  const Tensor stop_grad2 = at::detach(logp);
  const Tensor where1 = at::where(gt0, logp, stop_grad2);
  const Tensor where2 = at::where(gt0, old_logp, stop_grad0);
  const Tensor where3 = at::where(gt0, advantage, a);
  const Tensor stop_grad3 = at::detach(where3);
  const Tensor stop_grad4 = at::detach(where2);
  const Tensor exp0 = at::exp(where1 - stop_grad4);
  const Tensor where4 = at::where(stop_grad3 > 0, constant(add0, reads[0]), constant(sub0,
      reads[0]));
  const Tensor where5 = at::where(gt0, stop_grad2, logp);
  const Tensor where6 = at::where(gt0, stop_grad0, old_logp);
  const Tensor where7 = at::where(gt0, a, advantage);
  const Tensor stop_grad5 = at::detach(where7);
  const Tensor stop_grad6 = at::detach(where6);
  const Tensor exp1 = at::exp(where5 - stop_grad6);
  const Tensor where8 = at::where(stop_grad5 > 0, constant(add0, reads[0]), constant(sub0,
      reads[0]));
  const Tensor is_clipped = at::where(gt0, exp0 > where4, exp1 < where8);
  const Tensor where9 = at::where(where0, advantage, a);
  const Tensor stop_grad7 = at::detach(where9);
  const Tensor where10 = at::where(stop_grad7 > 0, constant(add0, reads[0]), constant(sub0,
      reads[0]));
  const Tensor where11 = at::where(where0, stop_grad2, logp);
  const Tensor where12 = at::where(where0, stop_grad0, old_logp);
  const Tensor stop_grad8 = at::detach(where12);
  const Tensor exp2 = at::exp(where11 - stop_grad8);
  const Tensor where13 = at::where(where0, where10, exp2);
  writes[0] = beta * divergence - where13 * a;
  writes[1] = divergence;
  writes[2] = is_clipped;
}

void backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_loss = reads[0];
  const Tensor& grad_kl = reads[1];
  const Tensor& logp = reads[2];
  const Tensor& old_logp = reads[3];
  const Tensor& ref_logp = reads[4];
  const Tensor& advantage = reads[5];
  const double eps_low = params[0].as<double>();
  const double eps_high = params[1].as<double>();
  const double beta = params[2].as<double>();
  const Tensor a = at::detach(advantage);
  const Tensor stop_grad0 = at::detach(old_logp);
  const Tensor ratio = at::exp(logp - stop_grad0);
  const Tensor gt0 = a > 0;
  const Tensor bound = at::where(gt0, constant(1 + eps_high, reads[0]), constant(1 - eps_low,
      reads[0]));
  const Tensor where0 = at::where(gt0, ratio > bound, ratio < bound);
  const Tensor stop_grad1 = at::detach(ref_logp);
  const Tensor d = stop_grad1 - logp;
  const Tensor expm1_0 = at::expm1(d);
  const Tensor stop_grad2 = at::detach(logp);
  const Tensor where1 = at::where(where0, stop_grad2, logp);
  const Tensor where2 = at::where(where0, stop_grad0, old_logp);
  const Tensor stop_grad3 = at::detach(where2);
  const Tensor exp0 = at::exp(where1 - stop_grad3);
  const Tensor where3 = at::where(where0, a, advantage);
  const Tensor stop_grad4 = at::detach(where3);
  const Tensor stop_grad5 = at::detach(grad_loss);
  const Tensor where4 = at::where(where0, stop_grad5, grad_loss);
  const Tensor where5 = at::where(where0, 0, -(where4 * stop_grad4 * exp0));
  writes[0] = where5 - (grad_kl + grad_loss * beta) * expm1_0;
}

void double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_logp = reads[0];
  const Tensor& grad_loss = reads[1];
  const Tensor& grad_kl = reads[2];
  const Tensor& logp = reads[3];
  const Tensor& old_logp = reads[4];
  const Tensor& ref_logp = reads[5];
  const Tensor& advantage = reads[6];
  const double eps_low = params[0].as<double>();
  const double eps_high = params[1].as<double>();
  const double beta = params[2].as<double>();
  const Tensor a = at::detach(advantage);
  const Tensor stop_grad0 = at::detach(old_logp);
  const Tensor ratio = at::exp(logp - stop_grad0);
  const Tensor gt0 = a > 0;
  const Tensor bound = at::where(gt0, constant(1 + eps_high, reads[0]), constant(1 - eps_low,
      reads[0]));
  const Tensor where0 = at::where(gt0, ratio > bound, ratio < bound);
  const Tensor stop_grad1 = at::detach(ref_logp);
  const Tensor d = stop_grad1 - logp;
  const Tensor expm1_0 = at::expm1(d);
  const Tensor mul0 = grad_grad_logp * expm1_0;
  const Tensor exp0 = at::exp(d);
  const Tensor stop_grad2 = at::detach(logp);
  const Tensor where1 = at::where(where0, stop_grad2, logp);
  const Tensor where2 = at::where(where0, stop_grad0, old_logp);
  const Tensor stop_grad3 = at::detach(where2);
  const Tensor exp1 = at::exp(where1 - stop_grad3);
  const Tensor where3 = at::where(where0, a, advantage);
  const Tensor stop_grad4 = at::detach(where3);
  const Tensor stop_grad5 = at::detach(grad_loss);
  const Tensor where4 = at::where(where0, stop_grad5, grad_loss);
  const Tensor stop_grad6 = at::detach(grad_grad_logp);
  const Tensor where5 = at::where(where0, stop_grad6, grad_grad_logp);
  const Tensor where6 = at::where(where0, 0, -(where5 * exp1 * stop_grad4));
  const Tensor where7 = at::where(where0, 0, -(where5 * (where4 * stop_grad4) * exp1));
  writes[0] = where6 - mul0 * beta;
  writes[1] = -mul0;
  writes[2] = grad_grad_logp * (grad_kl + grad_loss * beta) * exp0 + where7;
}

const Pass kDoubleBackward = {
    .schema = "grpo_loss_double_backward(Tensor grad_grad_logp, Tensor? grad_loss, Tensor? "
              "grad_kl, Tensor? logp, Tensor? old_logp, Tensor? ref_logp, Tensor? advantage, *, "
              "float eps_low, float eps_high, float beta, bool[3] needs) -> (Tensor, Tensor, "
              "Tensor)",
    .inputs = {{.name = "grad_grad_logp"},
               {.name = "grad_loss", .optional = true},
               {.name = "grad_kl", .optional = true},
               {.name = "logp"},
               {.name = "old_logp"},
               {.name = "ref_logp"},
               {.name = "advantage"}},
    .outputs = {{.name = "grad_grad_loss", .like = 1, .reads = {0, 3, 4, 5, 6}},
                {.name = "grad_grad_kl", .like = 2, .reads = {0, 3, 5}},
                {.name = "grad_logp", .like = 3, .reads = {0, 1, 2, 3, 4, 5, 6}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "grpo_loss_backward(Tensor? grad_loss, Tensor? grad_kl, Tensor? logp, Tensor? "
              "old_logp, Tensor? ref_logp, Tensor? advantage, *, float eps_low, float eps_high, "
              "float beta, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_loss", .optional = true},
               {.name = "grad_kl", .optional = true},
               {.name = "logp"},
               {.name = "old_logp"},
               {.name = "ref_logp"},
               {.name = "advantage"}},
    .outputs = {{.name = "grad_logp", .like = 2, .reads = {0, 1, 2, 3, 4, 5}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3, 4, 5},
    .gradients = {0, 1, 2},
};

const Pass kForward = {
    .schema = "grpo_loss(Tensor logp, Tensor old_logp, Tensor ref_logp, Tensor advantage, *, "
              "float eps_low=0.2, float eps_high=0.2, float beta=0.04) -> (Tensor, Tensor, "
              "Tensor)",
    .inputs = {{.name = "logp"}, {.name = "old_logp"}, {.name = "ref_logp"}, {.name = "advantage"}},
    .outputs = {{.name = "loss"}, {.name = "kl"}, {.name = "clipped", .dtype = at::kBool}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::grpo_loss
