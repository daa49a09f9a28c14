// Generated from specs/gated/swiglu.yaml by `fusewise generate`. Do not edit.
//
// out = x * sigmoid(x) * y
//
// sigmoid0 = sigmoid(x)
// silu0 = silu(x)
// dsigmoid0 = dsigmoid(x)
// grad_x = grad_out * y * (sigmoid0 + x * dsigmoid0)
// grad_y = grad_out * silu0
//
// backward keeps x, y: 8 B of float32 an element, arithmetic 31
// double_backward keeps grad_out, x, y: 12 B of float32 an element, arithmetic 61
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#include <fusewise/cpu/elementwise.h>

#include "swiglu.math.h"

namespace fusewise::ops::swiglu {

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

}  // namespace fusewise::ops::swiglu
