// Generated from specs/gated/quick_geglu.yaml by `fusewise generate`. Do not edit.
//
// s = sigmoid(1.702 * gate)
// out = gate * s * (up + offset) * weight
// grad_gate = grad_out * weight * s * (1 + 1.702 * gate * (1 - s)) * (up + offset)
// grad_up = grad_out * weight * gate * s
// grad_weight = grad_out * gate * s * (up + offset)
//
// mul0 = 1.702 * gate
// s = sigmoid(mul0)
// mul1 = gate * s
// add0 = up + offset
// dsigmoid0 = dsigmoid(mul0)
// mul2 = grad_out * weight
// mul3 = dsigmoid0 * gate * (1.702 * grad_out * weight)
// grad_gate = (mul2 * s + mul3) * add0
// grad_up = mul1 * mul2
// grad_weight = mul1 * (grad_out * add0)
//
// backward keeps x, weight: 12 B of float32 an element, arithmetic 39
// double_backward keeps grad_out, x, weight: 16 B of float32 an element, arithmetic 96
// forward: 3 read and 1 written for each element
// backward: 4 read and 3 written for each element
// double_backward: 7 read and 4 written for each element
#include <fusewise/cpu/elementwise.h>

#include "quick_geglu.math.h"

namespace fusewise::ops::quick_geglu {

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

}  // namespace fusewise::ops::quick_geglu
