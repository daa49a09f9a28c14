// Generated from specs/basics/d_sigmoid.yaml by `fusewise generate`. Do not edit.
//
// s = sigmoid(z)
// out = s * (1 - s)
//
// dsigmoid0 = dsigmoid(z)
// tanh0 = tanh(0.5 * z)
// grad_z = -(dsigmoid0 * tanh0 * grad_out)
//
// backward keeps z: 4 B of float32 an element, arithmetic 42
// double_backward keeps grad_out, z: 8 B of float32 an element, arithmetic 50
// forward: 1 read and 1 written for each element
// backward: 2 read and 1 written for each element
// double_backward: 3 read and 2 written for each element
#include <fusewise/cpu/elementwise.h>

#include "d_sigmoid.math.h"

namespace fusewise::ops::d_sigmoid {

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

}  // namespace fusewise::ops::d_sigmoid
