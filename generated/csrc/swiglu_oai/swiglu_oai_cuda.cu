// Generated from specs/gated/swiglu_oai.yaml by `fusewise generate`. Do not edit.
// The formulas stand in swiglu_oai.math.h.
#include <fusewise/cuda/same_shape.cuh>

#include "swiglu_oai.math.h"

namespace fusewise::ops::swiglu_oai {

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

}  // namespace fusewise::ops::swiglu_oai
