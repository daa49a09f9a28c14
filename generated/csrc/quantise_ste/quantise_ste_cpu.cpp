// Generated from specs/quantised/quantise_ste.yaml by `fusewise generate`. Do not edit.
//
// step = stop_grad(scale)
// out = straight_through(clamp(round(x * step), -128, 127) / step, x)
//
// grad_x = grad_out
//
// backward keeps nothing: 0 B of float32 an element, arithmetic 0
// double_backward keeps grad_out: 4 B of float32 an element, arithmetic 0
// forward: 2 read and 1 written for each element
// backward: 0 read and 0 written for each element, grad_x forwarded
// double_backward: 0 read and 0 written for each element, grad_grad_out forwarded
#include <fusewise/cpu/elementwise.h>

#include "quantise_ste.math.h"

namespace fusewise::ops::quantise_ste {

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

}  // namespace fusewise::ops::quantise_ste
