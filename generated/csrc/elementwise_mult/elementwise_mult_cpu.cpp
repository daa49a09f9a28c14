// Generated from specs/basics/elementwise_mult.yaml by `fusewise generate`. Do not edit.
//
// out = a * b
//
// grad_a = grad_out * b
// grad_b = grad_out * a
//
// backward keeps a, b: 8 B of float32 an element, arithmetic 2
// double_backward keeps grad_out, a, b: 12 B of float32 an element, arithmetic 5
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#include <fusewise/cpu/elementwise.h>

#include "elementwise_mult.math.h"

namespace fusewise::ops::elementwise_mult {

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

}  // namespace fusewise::ops::elementwise_mult
