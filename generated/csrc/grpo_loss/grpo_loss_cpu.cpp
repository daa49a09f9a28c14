// Generated from specs/losses/grpo_loss.yaml by `fusewise generate`. Do not edit.
//
// a = stop_grad(advantage)
// ratio = exp(logp - stop_grad(old_logp))
// bound = 1 + eps_high if a > 0 else 1 - eps_low
// is_clipped = ratio > bound if a > 0 else ratio < bound
// d = stop_grad(ref_logp) - logp
// divergence = expm1(d) - d
// loss = beta * divergence - (bound if is_clipped else ratio) * a
// kl = divergence
// clipped = is_clipped
//
// a = stop_grad(advantage)
// stop_grad0 = stop_grad(old_logp)
// ratio = exp(logp - stop_grad0)
// gt0 = a > 0
// bound = 1 + eps_high if gt0 else 1 - eps_low
// is_clipped = ratio > bound if gt0 else ratio < bound
// stop_grad1 = stop_grad(ref_logp)
// d = stop_grad1 - logp
// expm1_0 = expm1(d)
// where0 = 0 if is_clipped else -(grad_loss * a * ratio)
// grad_logp = where0 - (grad_kl + grad_loss * beta) * expm1_0
//
// backward keeps logp, old_logp, ref_logp, advantage: 16 B of float32 an element, arithmetic 44
// double_backward keeps grad_loss, grad_kl, logp, old_logp, ref_logp, advantage: 24 B of float32 an
//     element, arithmetic 64
// forward: 4 read and 3 written for each element
// backward: 6 read and 1 written for each element
// double_backward: 7 read and 3 written for each element
#include <fusewise/cpu/elementwise.h>

#include "grpo_loss.math.h"

namespace fusewise::ops::grpo_loss {

RT_KERNEL Status forward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Forward, Floats>(loop, params, launch);
}

RT_KERNEL Status backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Backward, Floats>(loop, params, launch);
}

RT_KERNEL Status double_backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<DoubleBackward, Floats>(loop, params, launch);
}

}  // namespace fusewise::ops::grpo_loss
