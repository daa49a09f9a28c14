// Generated from specs/bias/bias_dropout_add.yaml by `fusewise generate`. Do not edit.
//
// out = residual + ((x + bias) / (1 - p) if keep else 0)
//
// where0 = grad_out / (1 - p) if keep else 0
// grad_x = where0
// grad_residual = grad_out
// grad_bias = where0
//
// backward keeps keep: 4 B of float32 an element, arithmetic 10
// double_backward keeps grad_out, keep: 8 B of float32 an element, arithmetic 12
// forward: 4 read and 1 written for each element
// backward: 2 read and 1 written for each element, grad_residual, grad_bias forwarded
// double_backward: 4 read and 1 written for each element
#include <fusewise/cuda/reduce.cuh>

#include "bias_dropout_add.math.h"

namespace fusewise::ops::bias_dropout_add {

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

}  // namespace fusewise::ops::bias_dropout_add
