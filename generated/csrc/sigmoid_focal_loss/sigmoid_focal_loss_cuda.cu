// Generated from specs/losses/sigmoid_focal_loss.yaml by `fusewise generate`. Do not edit.
// The formulas stand in sigmoid_focal_loss.math.h.
#include <fusewise/cuda/reduction.cuh>

#include "sigmoid_focal_loss.math.h"

namespace fusewise::ops::sigmoid_focal_loss {

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

}  // namespace fusewise::ops::sigmoid_focal_loss
