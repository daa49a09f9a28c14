// Generated from specs/activations/hard_sigmoid.yaml by `fusewise generate`. Do not edit.
// The formulas stand in hard_sigmoid.math.h.
#include <fusewise/cuda/same_shape.cuh>

#include "hard_sigmoid.math.h"

namespace fusewise::ops::hard_sigmoid {

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

}  // namespace fusewise::ops::hard_sigmoid
