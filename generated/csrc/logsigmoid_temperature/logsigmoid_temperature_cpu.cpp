// Generated from specs/activations/logsigmoid_temperature.yaml by `fusewise generate`. Do not edit.
//
// out = logsigmoid(x) / temperature
//
// sigmoid0 = sigmoid(-x)
// grad_x = grad_out / temperature * sigmoid0
//
// backward keeps x: 4 B of float32 an element, arithmetic 34
// double_backward keeps grad_out, x: 8 B of float32 an element, arithmetic 46
// forward: 1 read and 1 written for each element
// backward: 2 read and 1 written for each element
// double_backward: 3 read and 2 written for each element
#include <fusewise/cpu/elementwise.h>

#include "logsigmoid_temperature.math.h"

namespace fusewise::ops::logsigmoid_temperature {

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

}  // namespace fusewise::ops::logsigmoid_temperature
