// Generated from specs/bias/fused_bias_leakyrelu.yaml by `fusewise generate`. Do not edit.
// The formulas stand in fused_bias_leakyrelu.math.h.
#include <fusewise/cuda/reduction.cuh>

#include "fused_bias_leakyrelu.math.h"

namespace fusewise::ops::fused_bias_leakyrelu {

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

}  // namespace fusewise::ops::fused_bias_leakyrelu
