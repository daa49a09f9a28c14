// Generated from specs/gated/geglu.yaml by `fusewise generate`. Do not edit.
// The formulas stand in geglu.math.h.
#include <fusewise/cpu/row_loop.h>

#include "geglu.math.h"

namespace fusewise::ops::geglu {

RT_KERNEL Status approximate_false_forward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<ApproximateFalseForward, Floats>(loop, params, launch);
}

RT_KERNEL Status approximate_false_backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<ApproximateFalseBackward, Floats>(loop, params, launch);
}

RT_KERNEL Status approximate_false_double_backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<ApproximateFalseDoubleBackward, Floats>(loop, params, launch);
}

RT_KERNEL Status approximate_true_forward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<ApproximateTrueForward, Floats>(loop, params, launch);
}

RT_KERNEL Status approximate_true_backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<ApproximateTrueBackward, Floats>(loop, params, launch);
}

RT_KERNEL Status approximate_true_double_backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<ApproximateTrueDoubleBackward, Floats>(loop, params, launch);
}

}  // namespace fusewise::ops::geglu
