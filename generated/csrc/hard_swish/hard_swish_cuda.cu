// Generated from specs/activations/hard_swish.yaml by `fusewise generate`. Do not edit.
//
// out = hardswish(x)
//
// where0 = grad_out * (x / 3 + 0.5) if x < 3 else grad_out
// grad_x = 0 if x <= -3 else where0
//
// backward keeps x: 4 B of float32 an element, arithmetic 14
// double_backward keeps grad_out, x: 8 B of float32 an element, arithmetic 19
// forward: 1 read and 1 written for each element
// backward: 2 read and 1 written for each element
// double_backward: 3 read and 2 written for each element
#include <fusewise/cuda/dense.cuh>

#include "hard_swish.math.h"

namespace fusewise::ops::hard_swish {

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

}  // namespace fusewise::ops::hard_swish
