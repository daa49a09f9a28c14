// Generated from specs/basics/elementwise_mult.yaml by `fusewise generate`. Do not edit.
//
// out = a * b
//
// grad_a = grad_out * b
// grad_b = grad_out * a
//
// backward keeps a, b: 8 B of float32 an element, arithmetic 2
// double_backward keeps grad_out, a, b: 12 B of float32 an element, arithmetic 5
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#include <fusewise/cuda/reduce.cuh>

#include "elementwise_mult.math.h"

namespace fusewise::ops::elementwise_mult {

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

}  // namespace fusewise::ops::elementwise_mult
