// Generated from specs/gated/bias_swiglu.yaml by `fusewise generate`. Do not edit.
//
// out = silu(gate + gate_bias) * (up + up_bias)
//
// add0 = gate + gate_bias
// silu0 = silu(add0)
// mul0 = grad_out * silu0
// sigmoid0 = sigmoid(add0)
// dsigmoid0 = dsigmoid(add0)
// mul1 = grad_out * (up + up_bias) * (sigmoid0 + add0 * dsigmoid0)
// grad_gate = mul1
// grad_up = mul0
// grad_gate_bias = mul1
// grad_up_bias = mul0
//
// backward keeps y, bias: 16 B of float32 an element, arithmetic 33
// double_backward keeps grad_out, y, bias: 20 B of float32 an element, arithmetic 65
// forward: 4 read and 1 written for each element
// backward: 5 read and 4 written for each element
// double_backward: 9 read and 5 written for each element
#include <fusewise/cpu/elementwise.h>

#include "bias_swiglu.math.h"

namespace fusewise::ops::bias_swiglu {

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

}  // namespace fusewise::ops::bias_swiglu
