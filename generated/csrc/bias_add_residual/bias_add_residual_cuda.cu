// Generated from specs/bias/bias_add_residual.yaml by `fusewise generate`. Do not edit.
//
// out = x + bias + (other + other_bias)
//
// grad_x = grad_out
// grad_bias = grad_out
// grad_other = grad_out
// grad_other_bias = grad_out
//
// backward keeps nothing: 0 B of float32 an element, arithmetic 0
// double_backward keeps grad_out: 4 B of float32 an element, arithmetic 3
// forward: 4 read and 1 written for each element
// backward: 0 read and 0 written for each element, grad_x, grad_bias, grad_other, grad_other_bias
//     forwarded
// double_backward: 4 read and 1 written for each element
#include <fusewise/cuda/reduce.cuh>

#include "bias_add_residual.math.h"

namespace fusewise::ops::bias_add_residual {

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

}  // namespace fusewise::ops::bias_add_residual
