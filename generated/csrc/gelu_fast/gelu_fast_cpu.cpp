// Generated from specs/activations/gelu_fast.yaml by `fusewise generate`. Do not edit.
//
// out = 0.5 * x * (1 + tanh(0.7978845608 * x * (1 + 0.044715 * x * x)))
//
// mul0 = 1.5957691216 * x * (1 + 0.044715 * x * x)
// sigmoid0 = sigmoid(mul0)
// dsigmoid0 = dsigmoid(mul0)
// mul1 = dsigmoid0 * x
// mul2 = mul1 * x * x
// mul3 = (mul1 * grad_out + mul2 * (0.044715 * grad_out)) * 1.5957691216
// mul4 = mul2 * (0.071354816272344 * grad_out)
// grad_x = grad_out * sigmoid0 + mul3 + mul4 + mul4
//
// backward keeps x: 4 B of float32 an element, arithmetic 44
// double_backward keeps grad_out, x: 8 B of float32 an element, arithmetic 94
// forward: 1 read and 1 written for each element
// backward: 2 read and 1 written for each element
// double_backward: 3 read and 2 written for each element
#include <fusewise/cpu/elementwise.h>

#include "gelu_fast.math.h"

namespace fusewise::ops::gelu_fast {

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

}  // namespace fusewise::ops::gelu_fast
