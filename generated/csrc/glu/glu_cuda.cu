// Generated from specs/gated/glu.yaml by `fusewise generate`. Do not edit.
// The formulas stand in glu.math.h.
#include <fusewise/cuda/same_shape.cuh>

#include "glu.math.h"

namespace fusewise::ops::glu {

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

}  // namespace fusewise::ops::glu
