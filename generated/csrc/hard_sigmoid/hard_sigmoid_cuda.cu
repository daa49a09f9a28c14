// Generated from specs/activations/hard_sigmoid.yaml by `fusewise generate`. Do not edit.
//
// out = hardsigmoid(x)
//
// grad_x = grad_out * (1 / 6) if x > -3 and x < 3 else 0
//
// backward keeps x: 4 B of float32 an element, arithmetic 5
// double_backward keeps grad_out, x: 8 B of float32 an element, arithmetic 5
// forward: 1 read and 1 written for each element
// backward: 2 read and 1 written for each element
// double_backward: 2 read and 1 written for each element
#include <fusewise/cuda/dense.cuh>

#include "hard_sigmoid.math.h"

namespace fusewise::ops::hard_sigmoid {

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

}  // namespace fusewise::ops::hard_sigmoid
