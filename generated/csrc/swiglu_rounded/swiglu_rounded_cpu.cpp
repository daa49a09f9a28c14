// Generated from specs/gated/swiglu_rounded.yaml by `fusewise generate`. Do not edit.
//
// out = round_to(silu(x), x) * y
//
// silu0 = silu(x)
// round_to0 = round_to(silu0, x)
// sigmoid0 = sigmoid(x)
// dsigmoid0 = dsigmoid(x)
// grad_x = grad_out * y * (sigmoid0 + x * dsigmoid0)
// grad_y = grad_out * round_to0
//
// backward keeps x, y: 8 B of float32 an element, arithmetic 32
// double_backward keeps grad_out, x, y: 12 B of float32 an element, arithmetic 62
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#include <fusewise/cpu/elementwise.h>

#include "swiglu_rounded.math.h"

namespace fusewise::ops::swiglu_rounded {

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

}  // namespace fusewise::ops::swiglu_rounded
