// Generated from specs/bias/transducer_joint.yaml by `fusewise generate`. Do not edit.
//
// out = relu(f + g)
//
// where0 = 0 if out <= 0 else grad_out
// grad_f = where0
// grad_g = where0
//
// backward keeps out: 4 B of float32 an element, arithmetic 2
// double_backward keeps grad_out, out: 8 B of float32 an element, arithmetic 3
// forward: 2 read and 1 written for each element
// backward: 2 read and 1 written for each element, grad_g forwarded
// double_backward: 3 read and 1 written for each element
#include <fusewise/cpu/elementwise.h>

#include "transducer_joint.math.h"

namespace fusewise::ops::transducer_joint {

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

}  // namespace fusewise::ops::transducer_joint
