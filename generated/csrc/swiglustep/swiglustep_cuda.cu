// Generated from specs/gated/swiglustep.yaml by `fusewise generate`. Do not edit.
// The formulas stand in swiglustep.math.h.
#include <fusewise/cuda/same_shape.cuh>

#include "swiglustep.math.h"

namespace fusewise::ops::swiglustep {

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

}  // namespace fusewise::ops::swiglustep
