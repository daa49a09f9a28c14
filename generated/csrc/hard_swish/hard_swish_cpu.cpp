// Generated from specs/activations/hard_swish.yaml by `fusewise generate`. Do not edit.
//
// out = hardswish(x)
//
// where0 = grad_out * (x / 3 + 0.5) if x < 3 else grad_out
// grad_x = 0 if x <= -3 else where0
//
// backward keeps x: 4 B of float32 an element, arithmetic 14
// double_backward keeps grad_out, x: 8 B of float32 an element, arithmetic 19
// forward: 1 read and 1 written for each element
// backward: 2 read and 1 written for each element
// double_backward: 3 read and 2 written for each element
#include <fusewise/cpu/elementwise.h>

#include "hard_swish.math.h"

namespace fusewise::ops::hard_swish {

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

}  // namespace fusewise::ops::hard_swish
