// Generated from specs/activations/weighted_squared_relu.yaml by `fusewise generate`. Do not edit.
//
// out = square(relu(x)) * weight
//
// relu0 = relu(x)
// square0 = square(relu0)
// grad_x = 0 if relu0 <= 0 else grad_out * weight * (2 * relu0)
// grad_weight = grad_out * square0
//
// backward keeps x, weight: 8 B of float32 an element, arithmetic 9
// double_backward keeps grad_out, x, weight: 12 B of float32 an element, arithmetic 20
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#include <fusewise/cpu/elementwise.h>

#include "weighted_squared_relu.math.h"

namespace fusewise::ops::weighted_squared_relu {

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

}  // namespace fusewise::ops::weighted_squared_relu
