// Generated from specs/bias/fused_bias_leakyrelu.yaml by `fusewise generate`. Do not edit.
//
// out = leaky_relu(x + bias, negative_slope) * scale
//
// mul0 = grad_out * scale
// where0 = mul0 if x + bias > 0 else mul0 * negative_slope
// grad_x = where0
// grad_bias = where0
//
// backward keeps x, bias: 8 B of float32 an element, arithmetic 5
// double_backward keeps grad_out, x, bias: 12 B of float32 an element, arithmetic 6
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 4 read and 1 written for each element
#include <fusewise/cpu/elementwise.h>

#include "fused_bias_leakyrelu.math.h"

namespace fusewise::ops::fused_bias_leakyrelu {

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

}  // namespace fusewise::ops::fused_bias_leakyrelu
