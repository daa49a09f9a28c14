// Generated from specs/activations/quick_gelu.yaml by `fusewise generate`. Do not edit.
//
// out = x * sigmoid(1.702 * x)
//
// mul0 = 1.702 * x
// sigmoid0 = sigmoid(mul0)
// dsigmoid0 = dsigmoid(mul0)
// grad_x = grad_out * sigmoid0 + dsigmoid0 * x * (1.702 * grad_out)
//
// backward keeps x: 4 B of float32 an element, arithmetic 31
// double_backward keeps grad_out, x: 8 B of float32 an element, arithmetic 62
// forward: 1 read and 1 written for each element
// backward: 2 read and 1 written for each element
// double_backward: 3 read and 2 written for each element
#include <fusewise/cpu/elementwise.h>

#include "quick_gelu.math.h"

namespace fusewise::ops::quick_gelu {

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

}  // namespace fusewise::ops::quick_gelu
