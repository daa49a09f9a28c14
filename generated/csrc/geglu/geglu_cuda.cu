// Generated from specs/gated/geglu.yaml by `fusewise generate`. Do not edit.
// The formulas stand in geglu.math.h.
#include <fusewise/cuda/reduction.cuh>

#include "geglu.math.h"

namespace fusewise::ops::geglu {

Status approximate_false_forward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_pointwise<ApproximateFalseForward, Floats>(loop, params, launch);
}

Status approximate_false_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction<ApproximateFalseBackward, Floats>(loop, params, launch);
}

Status approximate_false_double_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction_strided<ApproximateFalseDoubleBackward, Floats>(loop, params, launch);
}

Status approximate_true_forward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_pointwise<ApproximateTrueForward, Floats>(loop, params, launch);
}

Status approximate_true_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction<ApproximateTrueBackward, Floats>(loop, params, launch);
}

Status approximate_true_double_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction_strided<ApproximateTrueDoubleBackward, Floats>(loop, params, launch);
}

}  // namespace fusewise::ops::geglu
