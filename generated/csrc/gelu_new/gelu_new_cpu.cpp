// Generated from specs/activations/gelu_new.yaml by `fusewise generate`. Do not edit.
//
// out = gelu_tanh(x)
//
// dgelu_tanh0 = dgelu_tanh(x)
// grad_x = grad_out * dgelu_tanh0
//
// backward keeps x: 4 B of float32 an element, arithmetic 37
// double_backward keeps grad_out, x: 8 B of float32 an element, arithmetic 69
// forward: 1 read and 1 written for each element
// backward: 2 read and 1 written for each element
// double_backward: 3 read and 2 written for each element
#include <fusewise/cpu/elementwise.h>

#include "gelu_new.math.h"

namespace fusewise::ops::gelu_new {

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

}  // namespace fusewise::ops::gelu_new
