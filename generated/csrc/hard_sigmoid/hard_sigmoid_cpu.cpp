// Generated from specs/activations/hard_sigmoid.yaml by `fusewise generate`. Do not edit.
//
// out = hardsigmoid(x)
//
// grad_x = grad_out * (1 / 6) if x > -3 and x < 3 else 0
//
// backward keeps x: 4 B of float32 an element, arithmetic 5
// double_backward keeps grad_out, x: 8 B of float32 an element, arithmetic 5
// forward: 1 read and 1 written for each element
// backward: 2 read and 1 written for each element
// double_backward: 2 read and 1 written for each element
#include <fusewise/cpu/elementwise.h>

#include "hard_sigmoid.math.h"

namespace fusewise::ops::hard_sigmoid {

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

}  // namespace fusewise::ops::hard_sigmoid
