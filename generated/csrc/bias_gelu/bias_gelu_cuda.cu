// Generated from specs/bias/bias_gelu.yaml by `fusewise generate`. Do not edit.
//
// out = gelu_tanh(x + bias)
//
// dgelu_tanh0 = dgelu_tanh(x + bias)
// mul0 = grad_out * dgelu_tanh0
// grad_x = mul0
// grad_bias = mul0
//
// backward keeps x, bias: 8 B of float32 an element, arithmetic 38
// double_backward keeps grad_out, x, bias: 12 B of float32 an element, arithmetic 71
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#include <fusewise/cuda/reduce.cuh>

#include "bias_gelu.math.h"

namespace fusewise::ops::bias_gelu {

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

}  // namespace fusewise::ops::bias_gelu
