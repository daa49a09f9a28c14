// Generated from specs/basics/addone.yaml by `fusewise generate`. Do not edit.
// The formulas stand in addone.math.h.
#include <fusewise/cuda/same_shape.cuh>

#include "addone.math.h"

namespace fusewise::ops::addone {

Status forward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_pointwise<Forward, Numbers>(loop, params, launch);
}

Status backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_same_shape<Backward, Floats>(loop, params, launch);
}

Status double_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_same_shape_strided<DoubleBackward, Floats>(loop, params, launch);
}

}  // namespace fusewise::ops::addone
