// Generated from specs/rotary/rope.yaml by `fusewise generate`. Do not edit.
//
// out = [x1 * cosine - x2 * sine, x2 * cosine + x1 * sine]
//
// grad_x1 = grad_out_1 * sine + grad_out_0 * cosine
// grad_x2 = grad_out_1 * cosine - grad_out_0 * sine
// grad_cosine = grad_out_1 * x2 + grad_out_0 * x1
// grad_sine = grad_out_1 * x1 - grad_out_0 * x2
//
// backward keeps x, cosine, sine: 16 B of float32 an element, arithmetic 12
// double_backward keeps grad_out, x, cosine, sine: 24 B of float32 an element, arithmetic 26
// forward: 4 read and 2 written for each element
// backward: 6 read and 4 written for each element
// double_backward: 10 read and 6 written for each element
#include <fusewise/cpu/elementwise.h>

#include "rope.math.h"

namespace fusewise::ops::rope {

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

}  // namespace fusewise::ops::rope
