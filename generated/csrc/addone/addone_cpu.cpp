// Generated from specs/basics/addone.yaml by `fusewise generate`. Do not edit.
//
// out = x + 1
//
// grad_x = grad_out
//
// backward keeps nothing: 0 B of float32 an element, arithmetic 0
// double_backward keeps grad_out: 4 B of float32 an element, arithmetic 0
// forward: 1 read and 1 written for each element
// backward: 0 read and 0 written for each element, grad_x forwarded
// double_backward: 0 read and 0 written for each element, grad_grad_out forwarded
#include <fusewise/cpu/elementwise.h>

#include "addone.math.h"

namespace fusewise::ops::addone {

RT_KERNEL Status forward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Forward, Numbers>(loop, params, launch);
}

RT_KERNEL Status backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Backward, Floats>(loop, params, launch);
}

RT_KERNEL Status double_backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<DoubleBackward, Floats>(loop, params, launch);
}

}  // namespace fusewise::ops::addone
