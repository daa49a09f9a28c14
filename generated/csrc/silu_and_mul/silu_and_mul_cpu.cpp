// Generated from specs/gated/silu_and_mul.yaml by `fusewise generate`. Do not edit.
//
// out = silu(gate) * up
//
// silu0 = silu(gate)
// sigmoid0 = sigmoid(gate)
// dsigmoid0 = dsigmoid(gate)
// grad_gate = grad_out * up * (sigmoid0 + gate * dsigmoid0)
// grad_up = grad_out * silu0
//
// backward keeps x: 8 B of float32 an element, arithmetic 31
// double_backward keeps grad_out, x: 12 B of float32 an element, arithmetic 61
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#include <fusewise/cpu/elementwise.h>

#include "silu_and_mul.math.h"

namespace fusewise::ops::silu_and_mul {

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

}  // namespace fusewise::ops::silu_and_mul
