// Generated from specs/activations/hard_mish.yaml by `fusewise generate`. Do not edit.
//
// out = 0.5 * x * clamp(x + 2, 0, 2)
// grad_x = 0 if x < -2 else grad_out * (x + 1 if x <= 0 else 1)
//
// where0 = x + 1 if x <= 0 else 1
// grad_x = 0 if x < -2 else grad_out * where0
//
// backward keeps x: 4 B of float32 an element, arithmetic 6
// double_backward keeps grad_out, x: 8 B of float32 an element, arithmetic 10
// forward: 1 read and 1 written for each element
// backward: 2 read and 1 written for each element
// double_backward: 3 read and 2 written for each element
#include <fusewise/cuda/dense.cuh>

#include "hard_mish.math.h"

namespace fusewise::ops::hard_mish {

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

}  // namespace fusewise::ops::hard_mish
