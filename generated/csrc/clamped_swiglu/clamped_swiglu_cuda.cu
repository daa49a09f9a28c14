// Generated from specs/gated/clamped_swiglu.yaml by `fusewise generate`. Do not edit.
// The formulas stand in clamped_swiglu.math.h.
#include <fusewise/cuda/same_shape.cuh>

#include "clamped_swiglu.math.h"

namespace fusewise::ops::clamped_swiglu {

Status forward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_pointwise<Forward, Floats>(loop, params, launch);
}

Status backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_same_shape<Backward, Floats>(loop, params, launch);
}

Status double_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_same_shape_strided<DoubleBackward, Floats>(loop, params, launch);
}

}  // namespace fusewise::ops::clamped_swiglu
