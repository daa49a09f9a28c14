// Generated from specs/rotary/rope.yaml by `fusewise generate`. Do not edit.
// The formulas stand in rope.math.h.
#include <fusewise/cuda/reduction.cuh>

#include "rope.math.h"

namespace fusewise::ops::rope {

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

}  // namespace fusewise::ops::rope
