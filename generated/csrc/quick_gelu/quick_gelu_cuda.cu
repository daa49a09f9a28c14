// Generated from specs/activations/quick_gelu.yaml by `fusewise generate`. Do not edit.
//
// out = x * sigmoid(1.702 * x)
//
// mul0 = 1.702 * x
// sigmoid0 = sigmoid(mul0)
// dsigmoid0 = dsigmoid(mul0)
// grad_x = grad_out * sigmoid0 + dsigmoid0 * x * (1.702 * grad_out)
//
// backward keeps x: 4 B of float32 an element, arithmetic 31
// double_backward keeps grad_out, x: 8 B of float32 an element, arithmetic 62
// forward: 1 read and 1 written for each element
// backward: 2 read and 1 written for each element
// double_backward: 3 read and 2 written for each element
#include <fusewise/cuda/dense.cuh>

#include "quick_gelu.math.h"

namespace fusewise::ops::quick_gelu {

Status forward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda<Forward, Floats>(loop, params, launch);
}

Status backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_dense<Backward, Floats>(loop, params, launch);
}

Status double_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_dense_small<DoubleBackward, Floats>(loop, params, launch);
}

}  // namespace fusewise::ops::quick_gelu
