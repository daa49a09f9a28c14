// Generated from specs/bias/modulate_rounded.yaml by `fusewise generate`. Do not edit.
//
// out = round_to(x * round_to(1 + scale, scale), x) + shift
//
// round_to0 = round_to(1 + scale, scale)
// grad_x = grad_out * round_to0
// grad_shift = grad_out
// grad_scale = grad_out * x
//
// backward keeps x, scale: 8 B of float32 an element, arithmetic 4
// double_backward keeps grad_out, x, scale: 12 B of float32 an element, arithmetic 8
// forward: 3 read and 1 written for each element
// backward: 3 read and 2 written for each element, grad_shift forwarded
// double_backward: 6 read and 3 written for each element
#include <fusewise/cpu/elementwise.h>

#include "modulate_rounded.math.h"

namespace fusewise::ops::modulate_rounded {

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

}  // namespace fusewise::ops::modulate_rounded
