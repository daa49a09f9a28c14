// Generated from specs/bias/fused_bias_leakyrelu.yaml by `fusewise generate`. Do not edit.
//
// out = leaky_relu(x + bias, negative_slope) * scale
//
// mul0 = grad_out * scale
// where0 = mul0 if x + bias > 0 else mul0 * negative_slope
// grad_x = where0
// grad_bias = where0
//
// backward keeps x, bias: 8 B of float32 an element, arithmetic 5
// double_backward keeps grad_out, x, bias: 12 B of float32 an element, arithmetic 6
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 4 read and 1 written for each element
#include <fusewise/cuda/reduce.cuh>

#include "fused_bias_leakyrelu.math.h"

namespace fusewise::ops::fused_bias_leakyrelu {

Status forward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda<Forward, Floats>(loop, params, launch);
}

Status backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reducing<Backward, Floats>(loop, params, launch);
}

Status double_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reducing_small<DoubleBackward, Floats>(loop, params, launch);
}

}  // namespace fusewise::ops::fused_bias_leakyrelu
