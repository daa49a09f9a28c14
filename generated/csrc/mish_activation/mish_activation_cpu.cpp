// Generated from specs/activations/mish_activation.yaml by `fusewise generate`. Do not edit.
//
// out = x * tanh(log(1 + exp(x)))
//
// tanh_softplus0 = tanh_softplus(x)
// dtanh_softplus0 = dtanh_softplus(x)
// grad_x = grad_out * (tanh_softplus0 + x * dtanh_softplus0)
//
// backward keeps x: 4 B of float32 an element, arithmetic 46
// double_backward keeps grad_out, x: 8 B of float32 an element, arithmetic 68
// forward: 1 read and 1 written for each element
// backward: 2 read and 1 written for each element
// double_backward: 3 read and 2 written for each element
#include <fusewise/cpu/elementwise.h>

#include "mish_activation.math.h"

namespace fusewise::ops::mish_activation {

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

}  // namespace fusewise::ops::mish_activation
