// Generated from specs/gated/fatrelu_and_mul.yaml by `fusewise generate`. Do not edit.
//
// out = (0 if gate <= threshold else gate) * up
//
// le0 = gate <= threshold
// grad_gate = 0 if le0 else grad_out * up
// grad_up = 0 if le0 else grad_out * gate
//
// backward keeps x: 8 B of float32 an element, arithmetic 5
// double_backward keeps grad_out, x: 12 B of float32 an element, arithmetic 9
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#include <fusewise/cpu/elementwise.h>

#include "fatrelu_and_mul.math.h"

namespace fusewise::ops::fatrelu_and_mul {

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

}  // namespace fusewise::ops::fatrelu_and_mul
