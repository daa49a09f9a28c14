// Generated from specs/activations/squared_relu.yaml by `fusewise generate`. Do not edit.
//
// out = square(relu(x))
// grad_x = grad_out * (2 * relu(x))
//
// relu0 = relu(x)
// grad_x = grad_out * (2 * relu0)
//
// backward keeps x: 4 B of float32 an element, arithmetic 4
// double_backward keeps grad_out, x: 8 B of float32 an element, arithmetic 8
// forward: 1 read and 1 written for each element
// backward: 2 read and 1 written for each element
// double_backward: 3 read and 2 written for each element
#include <fusewise/cuda/dense.cuh>

#include "squared_relu.math.h"

namespace fusewise::ops::squared_relu {

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

}  // namespace fusewise::ops::squared_relu
