// Generated from specs/losses/sigmoid_focal_loss.yaml by `fusewise generate`. Do not edit.
//
// z = x if target else -x
// weight = alpha if target else 1 - alpha
// modulation = exp(gamma * logsigmoid(-z))
// out = -weight * modulation * logsigmoid(z)
//
// z = x if target else -x
// weight = alpha if target else 1 - alpha
// neg0 = -z
// logsigmoid0 = logsigmoid(neg0)
// modulation = exp(gamma * logsigmoid0)
// logsigmoid1 = logsigmoid(z)
// sigmoid0 = sigmoid(neg0)
// sigmoid1 = sigmoid(z)
// mul0 = modulation * sigmoid1 * logsigmoid1 * weight * (grad_out * gamma)
// sub0 = mul0 - modulation * sigmoid0 * weight * grad_out
// grad_x = sub0 if target else -sub0
//
// backward keeps x, target: 8 B of float32 an element, arithmetic 73
// double_backward keeps grad_out, x, target: 12 B of float32 an element, arithmetic 94
// forward: 2 read and 1 written for each element
// backward: 3 read and 1 written for each element
// double_backward: 4 read and 2 written for each element
#include <fusewise/cpu/elementwise.h>

#include "sigmoid_focal_loss.math.h"

namespace fusewise::ops::sigmoid_focal_loss {

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

}  // namespace fusewise::ops::sigmoid_focal_loss
