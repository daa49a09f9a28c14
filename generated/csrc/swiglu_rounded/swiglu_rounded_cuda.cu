// Generated from specs/gated/swiglu_rounded.yaml by `fusewise generate`. Do not edit.
// The formulas stand in swiglu_rounded.math.h.
#include <fusewise/cuda/reduction.cuh>

#include "swiglu_rounded.math.h"

namespace fusewise::ops::swiglu_rounded {

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

}  // namespace fusewise::ops::swiglu_rounded
