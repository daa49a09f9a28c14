// Generated from specs/activations/weighted_squared_relu.yaml by `fusewise generate`. Do not edit.
// The formulas stand in weighted_squared_relu.math.h.
#include <fusewise/cuda/reduction.cuh>

#include "weighted_squared_relu.math.h"

namespace fusewise::ops::weighted_squared_relu {

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

}  // namespace fusewise::ops::weighted_squared_relu
