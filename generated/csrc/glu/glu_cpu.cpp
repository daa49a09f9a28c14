// Generated from specs/gated/glu.yaml by `fusewise generate`. Do not edit.
//
// out = value * sigmoid(gate)
//
// sigmoid0 = sigmoid(gate)
// dsigmoid0 = dsigmoid(gate)
// grad_value = grad_out * sigmoid0
// grad_gate = grad_out * value * dsigmoid0
//
// backward keeps x: 8 B of float32 an element, arithmetic 28
// double_backward keeps grad_out, x: 12 B of float32 an element, arithmetic 53
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#include <fusewise/cpu/elementwise.h>

#include "glu.math.h"

namespace fusewise::ops::glu {

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

}  // namespace fusewise::ops::glu
