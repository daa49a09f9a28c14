// Generated from specs/quantised/clip_gradient.yaml by `fusewise generate`. Do not edit.
//
// out = x
// grad_x = clamp(grad_out, -limit, limit)
//
// grad_x = clamp(grad_out, -limit, limit)
//
// backward keeps nothing: 0 B of float32 an element, arithmetic 7
// double_backward keeps grad_out: 4 B of float32 an element, arithmetic 5
// forward: 1 read and 1 written for each element
// backward: 1 read and 1 written for each element
// double_backward: 2 read and 1 written for each element
// The backward is a surrogate, on purpose not the derivative of the forward.
#include <fusewise/cpu/elementwise.h>

#include "clip_gradient.math.h"

namespace fusewise::ops::clip_gradient {

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

}  // namespace fusewise::ops::clip_gradient
