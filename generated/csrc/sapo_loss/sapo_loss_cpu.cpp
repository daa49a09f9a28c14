// Generated from specs/losses/sapo_loss.yaml by `fusewise generate`. Do not edit.
//
// a = stop_grad(advantage)
// tau = tau_positive if a > 0 else tau_negative
// ratio = exp(logp - stop_grad(old_logp))
// out = -a * (4 / tau) * sigmoid(tau * (ratio - 1))
// grad_logp = -4 * grad_out * a * ratio * dsigmoid(tau * (ratio - 1))
//
// a = stop_grad(advantage)
// tau = tau_positive if a > 0 else tau_negative
// stop_grad0 = stop_grad(old_logp)
// sub0 = logp - stop_grad0
// ratio = exp(sub0)
// expm1_0 = expm1(sub0)
// dsigmoid0 = dsigmoid(tau * expm1_0)
// grad_logp = dsigmoid0 * ratio * a * (-4 * grad_out)
//
// backward keeps logp, old_logp, advantage: 12 B of float32 an element, arithmetic 57
// double_backward keeps grad_out, logp, old_logp, advantage: 16 B of float32 an element, arithmetic
//     83
// forward: 3 read and 1 written for each element
// backward: 4 read and 1 written for each element
// double_backward: 5 read and 2 written for each element
#include <fusewise/cpu/elementwise.h>

#include "sapo_loss.math.h"

namespace fusewise::ops::sapo_loss {

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

}  // namespace fusewise::ops::sapo_loss
