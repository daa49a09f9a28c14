// Generated from specs/activations/snake_beta.yaml by `fusewise generate`. Do not edit.
//
// out = x + square(sin(alpha * x)) / beta
//
// mul0 = alpha * x
// sin_squared0 = sin_squared(mul0)
// sin_doubled0 = sin_doubled(mul0)
// mul1 = grad_out / beta * sin_doubled0
// grad_x = grad_out + mul1 * alpha
// grad_alpha = mul1 * x
// grad_beta = -(sin_squared0 / beta / beta * grad_out)
//
// backward keeps x, alpha, beta: 12 B of float32 an element, arithmetic 53
// double_backward keeps grad_out, x, alpha, beta: 16 B of float32 an element, arithmetic 113
// forward: 3 read and 1 written for each element
// backward: 4 read and 3 written for each element
// double_backward: 7 read and 4 written for each element
#include <fusewise/cpu/elementwise.h>

#include "snake_beta.math.h"

namespace fusewise::ops::snake_beta {

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

}  // namespace fusewise::ops::snake_beta
