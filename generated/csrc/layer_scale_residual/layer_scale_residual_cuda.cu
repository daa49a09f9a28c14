// Generated from specs/bias/layer_scale_residual.yaml by `fusewise generate`. Do not edit.
//
// out = residual + keep * (gamma * x)
//
// mul0 = grad_out * keep
// grad_x = mul0 * gamma
// grad_residual = grad_out
// grad_gamma = mul0 * x
// grad_keep = grad_out * (gamma * x)
//
// backward keeps x, gamma, keep: 12 B of float32 an element, arithmetic 5
// double_backward keeps grad_out, x, gamma, keep: 16 B of float32 an element, arithmetic 17
// forward: 4 read and 1 written for each element
// backward: 4 read and 3 written for each element, grad_residual forwarded
// double_backward: 8 read and 4 written for each element
#include <fusewise/cuda/reduce.cuh>

#include "layer_scale_residual.math.h"

namespace fusewise::ops::layer_scale_residual {

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

}  // namespace fusewise::ops::layer_scale_residual
