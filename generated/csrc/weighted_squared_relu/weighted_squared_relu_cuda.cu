// Generated from specs/activations/weighted_squared_relu.yaml by `fusewise generate`. Do not edit.
//
// out = square(relu(x)) * weight
//
// relu0 = relu(x)
// square0 = square(relu0)
// grad_x = 0 if relu0 <= 0 else grad_out * weight * (2 * relu0)
// grad_weight = grad_out * square0
//
// backward keeps x, weight: 8 B of float32 an element, arithmetic 9
// double_backward keeps grad_out, x, weight: 12 B of float32 an element, arithmetic 20
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#include <fusewise/cuda/reduce.cuh>

#include "weighted_squared_relu.math.h"

namespace fusewise::ops::weighted_squared_relu {

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

}  // namespace fusewise::ops::weighted_squared_relu
