// Generated from specs/quantised/gradient_reversal.yaml by `fusewise generate`. Do not edit.
//
// out = x
// grad_x = -strength * grad_out
//
// grad_x = -(strength * grad_out)
//
// backward keeps nothing: 0 B of float32 an element, arithmetic 2
// double_backward keeps grad_out: 4 B of float32 an element, arithmetic 2
// forward: 1 read and 1 written for each element
// backward: 1 read and 1 written for each element
// double_backward: 1 read and 1 written for each element
// The backward is a surrogate, on purpose not the derivative of the forward.
#include <fusewise/cuda/dense.cuh>

#include "gradient_reversal.math.h"

namespace fusewise::ops::gradient_reversal {

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

}  // namespace fusewise::ops::gradient_reversal
