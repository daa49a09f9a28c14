// Generated from specs/gates/kda_gate.yaml by `fusewise generate`. Do not edit.
//
// rate = exp(a_log)
// out = lower_bound * sigmoid(rate * (g + dt_bias))
//
// rate = exp(a_log)
// add0 = g + dt_bias
// mul0 = grad_out * lower_bound
// dsigmoid0 = dsigmoid(rate * add0)
// mul1 = mul0 * dsigmoid0 * rate
// grad_g = mul1
// grad_a_log = dsigmoid0 * rate * add0 * mul0
// grad_dt_bias = mul1
//
// backward keeps g, a_log, dt_bias: 12 B of float32 an element, arithmetic 41
// double_backward keeps grad_out, g, a_log, dt_bias: 16 B of float32 an element, arithmetic 82
// forward: 3 read and 1 written for each element
// backward: 4 read and 3 written for each element
// double_backward: 7 read and 4 written for each element
#include <fusewise/cpu/elementwise.h>

#include "kda_gate.math.h"

namespace fusewise::ops::kda_gate {

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

}  // namespace fusewise::ops::kda_gate
