// Generated from specs/losses/grpo_loss.yaml by `fusewise generate`. Do not edit.
// The formulas stand in grpo_loss.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::grpo_loss {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& logp = reads[0];
  const Value& old_logp = reads[1];
  const Value& ref_logp = reads[2];
  const Value& advantage = reads[3];
  const double eps_low = params[0].as<double>();
  const double eps_high = params[1].as<double>();
  const double beta = params[2].as<double>();
  const Value a = aten::detach(advantage);
  const Value stop_grad0 = aten::detach(old_logp);
  const Value ratio = aten::exp(logp - stop_grad0);
  const Value gt0 = a > 0;
  const double add0 = 1 + eps_high;
  const double sub0 = 1 - eps_low;
  const Value bound = aten::where(gt0, constant(add0, reads[0]), constant(sub0, reads[0]));
  const Value where0 = aten::where(gt0, ratio > bound, ratio < bound);
  const Value stop_grad1 = aten::detach(ref_logp);
  const Value d = stop_grad1 - logp;
  const Value expm1_0 = aten::expm1(d);
  const Value divergence = expm1_0 - d;
  const Value stop_grad2 = aten::detach(logp);
  const Value where1 = aten::where(gt0, logp, stop_grad2);
  const Value where2 = aten::where(gt0, old_logp, stop_grad0);
  const Value where3 = aten::where(gt0, advantage, a);
  const Value stop_grad3 = aten::detach(where3);
  const Value stop_grad4 = aten::detach(where2);
  const Value exp0 = aten::exp(where1 - stop_grad4);
  const Value where4 = aten::where(stop_grad3 > 0, constant(add0, reads[0]), constant(sub0,
      reads[0]));
  const Value where5 = aten::where(gt0, stop_grad2, logp);
  const Value where6 = aten::where(gt0, stop_grad0, old_logp);
  const Value where7 = aten::where(gt0, a, advantage);
  const Value stop_grad5 = aten::detach(where7);
  const Value stop_grad6 = aten::detach(where6);
  const Value exp1 = aten::exp(where5 - stop_grad6);
  const Value where8 = aten::where(stop_grad5 > 0, constant(add0, reads[0]), constant(sub0,
      reads[0]));
  const Value is_clipped = aten::where(gt0, exp0 > where4, exp1 < where8);
  const Value where9 = aten::where(where0, advantage, a);
  const Value stop_grad7 = aten::detach(where9);
  const Value where10 = aten::where(stop_grad7 > 0, constant(add0, reads[0]), constant(sub0,
      reads[0]));
  const Value where11 = aten::where(where0, stop_grad2, logp);
  const Value where12 = aten::where(where0, stop_grad0, old_logp);
  const Value stop_grad8 = aten::detach(where12);
  const Value exp2 = aten::exp(where11 - stop_grad8);
  const Value where13 = aten::where(where0, where10, exp2);
  writes[0] = beta * divergence - where13 * a;
  writes[1] = divergence;
  writes[2] = is_clipped;
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_loss = reads[0];
  const Value& grad_kl = reads[1];
  const Value& logp = reads[2];
  const Value& old_logp = reads[3];
  const Value& ref_logp = reads[4];
  const Value& advantage = reads[5];
  const double eps_low = params[0].as<double>();
  const double eps_high = params[1].as<double>();
  const double beta = params[2].as<double>();
  const bool has_grad_loss = params[3].as<bool>();
  const Value a = aten::detach(advantage);
  const Value stop_grad0 = aten::detach(old_logp);
  const Value ratio = aten::exp(logp - stop_grad0);
  const Value gt0 = a > 0;
  const Value bound = aten::where(gt0, constant(1 + eps_high, reads[0]), constant(1 - eps_low,
      reads[0]));
  const Value where0 = aten::where(gt0, ratio > bound, ratio < bound);
  const Value stop_grad1 = aten::detach(ref_logp);
  const Value d = stop_grad1 - logp;
  const Value expm1_0 = aten::expm1(d);
  const Value where1 = aten::where(condition(has_grad_loss, reads[0]), grad_loss * beta, 0);
  const Value stop_grad2 = aten::detach(logp);
  const Value where2 = aten::where(where0, stop_grad2, logp);
  const Value where3 = aten::where(where0, stop_grad0, old_logp);
  const Value stop_grad3 = aten::detach(where3);
  const Value stop_grad4 = aten::detach(grad_loss);
  const Value where4 = aten::where(where0, a, advantage);
  const Value stop_grad5 = aten::detach(where4);
  const Value where5 = aten::where(where0, stop_grad4, grad_loss);
  const Value stop_grad6 = aten::detach(where2);
  const Value where6 = aten::where(condition(has_grad_loss, reads[0]), where2, stop_grad6);
  const Value where7 = aten::where(condition(has_grad_loss, reads[0]), where3, stop_grad3);
  const Value where8 = aten::where(condition(has_grad_loss, reads[0]), where4, stop_grad5);
  const Value stop_grad7 = aten::detach(where8);
  const Value stop_grad8 = aten::detach(where7);
  const Value exp0 = aten::exp(where6 - stop_grad8);
  const Value stop_grad9 = aten::detach(where5);
  const Value where9 = aten::where(condition(has_grad_loss, reads[0]), where5, stop_grad9);
  const Value where10 = aten::where(condition(has_grad_loss, reads[0]), -(where9 * stop_grad7 *
      exp0), 0);
  const Value where11 = aten::where(where0, 0, where10);
  writes[0] = where11 - (grad_kl + where1) * expm1_0;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_logp = reads[0];
  const Value& grad_loss = reads[1];
  const Value& grad_kl = reads[2];
  const Value& logp = reads[3];
  const Value& old_logp = reads[4];
  const Value& ref_logp = reads[5];
  const Value& advantage = reads[6];
  const double eps_low = params[0].as<double>();
  const double eps_high = params[1].as<double>();
  const double beta = params[2].as<double>();
  const bool has_grad_loss = params[3].as<bool>();
  const Value a = aten::detach(advantage);
  const Value stop_grad0 = aten::detach(old_logp);
  const Value ratio = aten::exp(logp - stop_grad0);
  const Value gt0 = a > 0;
  const Value bound = aten::where(gt0, constant(1 + eps_high, reads[0]), constant(1 - eps_low,
      reads[0]));
  const Value where0 = aten::where(gt0, ratio > bound, ratio < bound);
  const Value stop_grad1 = aten::detach(ref_logp);
  const Value d = stop_grad1 - logp;
  const Value expm1_0 = aten::expm1(d);
  const Value where1 = aten::where(condition(has_grad_loss, reads[0]), grad_loss * beta, 0);
  const Value mul0 = grad_grad_logp * expm1_0;
  const Value exp0 = aten::exp(d);
  const Value stop_grad2 = aten::detach(logp);
  const Value where2 = aten::where(where0, stop_grad2, logp);
  const Value where3 = aten::where(where0, stop_grad0, old_logp);
  const Value stop_grad3 = aten::detach(where3);
  const Value exp1 = aten::exp(where2 - stop_grad3);
  const Value where4 = aten::where(condition(has_grad_loss, reads[0]), logp, stop_grad2);
  const Value where5 = aten::where(condition(has_grad_loss, reads[0]), old_logp, stop_grad0);
  const Value where6 = aten::where(condition(has_grad_loss, reads[0]), advantage, a);
  const Value stop_grad4 = aten::detach(where6);
  const Value stop_grad5 = aten::detach(where5);
  const Value stop_grad6 = aten::detach(grad_loss);
  const Value where7 = aten::where(condition(has_grad_loss, reads[0]), grad_loss, stop_grad6);
  const Value where8 = aten::where(where0, a, advantage);
  const Value stop_grad7 = aten::detach(where8);
  const Value stop_grad8 = aten::detach(grad_grad_logp);
  const Value where9 = aten::where(where0, stop_grad8, grad_grad_logp);
  const Value where10 = aten::where(where0, 0, -(where9 * exp1 * stop_grad7));
  const Value stop_grad9 = aten::detach(where4);
  const Value where11 = aten::where(condition(has_grad_loss, reads[0]), grad_grad_logp, stop_grad8);
  const Value where12 = aten::where(where0, stop_grad9, where4);
  const Value where13 = aten::where(where0, stop_grad5, where5);
  const Value where14 = aten::where(where0, stop_grad4, where6);
  const Value stop_grad10 = aten::detach(where14);
  const Value stop_grad11 = aten::detach(where13);
  const Value exp2 = aten::exp(where12 - stop_grad11);
  const Value stop_grad12 = aten::detach(where7);
  const Value where15 = aten::where(where0, stop_grad12, where7);
  const Value stop_grad13 = aten::detach(where11);
  const Value where16 = aten::where(where0, stop_grad13, where11);
  const Value where17 = aten::where(where0, 0, -(where16 * (where15 * stop_grad10) * exp2));
  const Value where18 = aten::where(condition(has_grad_loss, reads[0]), where17, 0);
  writes[0] = where10 - mul0 * beta;
  writes[1] = -mul0;
  writes[2] = grad_grad_logp * (grad_kl + where1) * exp0 + where18;
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
    .arrivals = {1},
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
    .arrivals = {0},
};

const Pass kForward = {
    .schema = "grpo_loss(Tensor logp, Tensor old_logp, Tensor ref_logp, Tensor advantage, *, "
              "float eps_low=0.2, float eps_high=0.2, float beta=0.04) -> (Tensor, Tensor, "
              "Tensor)",
    .inputs = {{.name = "logp"}, {.name = "old_logp"}, {.name = "ref_logp"}, {.name = "advantage"}},
    .outputs = {{.name = "loss"}, {.name = "kl"}, {.name = "clipped", .dtype = Dtype::kBool}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::grpo_loss
