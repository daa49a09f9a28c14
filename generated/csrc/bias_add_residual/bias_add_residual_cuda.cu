// Generated from specs/bias/bias_add_residual.yaml by `fusewise generate`. Do not edit.
// The formulas stand in bias_add_residual.math.h.
#include <fusewise/cuda/reduction.cuh>

#include "bias_add_residual.math.h"

namespace fusewise::ops::bias_add_residual {

Status forward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_pointwise<Forward, Floats>(loop, params, launch);
}

Status backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction<Backward, Floats>(loop, params, launch);
}

Status double_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction_strided<DoubleBackward, Floats>(loop, params, launch);
}

}  // namespace fusewise::ops::bias_add_residual
