// Generated from specs/losses/cispo_loss.yaml by `fusewise generate`. Do not edit.
//
// weight = stop_grad(minimum(exp(logp - old_logp), limit) * advantage)
// out = -weight * logp
//
// exp0 = exp(logp - old_logp)
// minimum0 = minimum(exp0, limit)
// weight = stop_grad(minimum0 * advantage)
// grad_logp = -(grad_out * weight)
//
// backward keeps logp, old_logp, advantage: 12 B of float32 an element, arithmetic 18
// double_backward keeps grad_out, logp, old_logp, advantage: 16 B of float32 an element, arithmetic
//     18
// forward: 3 read and 1 written for each element
// backward: 4 read and 1 written for each element
// double_backward: 4 read and 1 written for each element
#include <fusewise/cpu/elementwise.h>

#include "cispo_loss.math.h"

namespace fusewise::ops::cispo_loss {

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

}  // namespace fusewise::ops::cispo_loss
