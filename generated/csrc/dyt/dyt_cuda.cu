// Generated from specs/activations/dyt.yaml by `fusewise generate`. Do not edit.
//
// t = tanh(alpha * x)
// out = gamma * t + beta
// grad_x = grad_out * gamma * (1 - t * t) * alpha
// grad_alpha = grad_out * gamma * (1 - t * t) * x
// grad_gamma = grad_out * t
// grad_beta = grad_out
//
// mul0 = alpha * x
// t = tanh(mul0)
// mul1 = grad_out * gamma
// sech2_0 = sech2(mul0)
// grad_x = sech2_0 * alpha * mul1
// grad_alpha = sech2_0 * x * mul1
// grad_gamma = grad_out * t
// grad_beta = grad_out
//
// backward keeps x, alpha, gamma: 12 B of float32 an element, arithmetic 47
// double_backward keeps grad_out, x, alpha, gamma: 16 B of float32 an element, arithmetic 69
// forward: 4 read and 1 written for each element
// backward: 4 read and 3 written for each element, grad_beta forwarded
// double_backward: 8 read and 4 written for each element
#include <fusewise/cuda/reduce.cuh>

#include "dyt.math.h"

namespace fusewise::ops::dyt {

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

}  // namespace fusewise::ops::dyt
