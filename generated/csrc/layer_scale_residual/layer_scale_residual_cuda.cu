// Generated from specs/bias/layer_scale_residual.yaml by `fusewise generate`. Do not edit.
// The formulas stand in layer_scale_residual.math.h.
#include <fusewise/cuda/reduction.cuh>

#include "layer_scale_residual.math.h"

namespace fusewise::ops::layer_scale_residual {

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

}  // namespace fusewise::ops::layer_scale_residual
