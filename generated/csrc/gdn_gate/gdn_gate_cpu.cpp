// Generated from specs/gates/gdn_gate.yaml by `fusewise generate`. Do not edit.
//
// out = -exp(a_log) * softplus(g + dt_bias)
//
// exp0 = exp(a_log)
// add0 = g + dt_bias
// softplus0 = softplus(add0)
// sigmoid0 = sigmoid(add0)
// neg0 = -(grad_out * exp0 * sigmoid0)
// grad_g = neg0
// grad_a_log = -(grad_out * softplus0 * exp0)
// grad_dt_bias = neg0
//
// backward keeps g, a_log, dt_bias: 12 B of float32 an element, arithmetic 57
// double_backward keeps grad_out, g, a_log, dt_bias: 16 B of float32 an element, arithmetic 72
// forward: 3 read and 1 written for each element
// backward: 4 read and 3 written for each element
// double_backward: 7 read and 4 written for each element
#include <fusewise/cpu/elementwise.h>

#include "gdn_gate.math.h"

namespace fusewise::ops::gdn_gate {

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

}  // namespace fusewise::ops::gdn_gate
