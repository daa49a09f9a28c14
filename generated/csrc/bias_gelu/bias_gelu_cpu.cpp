// Generated from specs/bias/bias_gelu.yaml by `fusewise generate`. Do not edit.
//
// out = gelu_tanh(x + bias)
//
// dgelu_tanh0 = dgelu_tanh(x + bias)
// mul0 = grad_out * dgelu_tanh0
// grad_x = mul0
// grad_bias = mul0
//
// backward keeps x, bias: 8 B of float32 an element, arithmetic 38
// double_backward keeps grad_out, x, bias: 12 B of float32 an element, arithmetic 71
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#include <fusewise/cpu/elementwise.h>

#include "bias_gelu.math.h"

namespace fusewise::ops::bias_gelu {

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

}  // namespace fusewise::ops::bias_gelu
