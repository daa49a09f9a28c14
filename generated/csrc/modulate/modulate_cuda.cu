// Generated from specs/bias/modulate.yaml by `fusewise generate`. Do not edit.
//
// out = x * (1 + scale) + shift
//
// grad_x = grad_out * (1 + scale)
// grad_shift = grad_out
// grad_scale = grad_out * x
//
// backward keeps x, scale: 8 B of float32 an element, arithmetic 3
// double_backward keeps grad_out, x, scale: 12 B of float32 an element, arithmetic 7
// forward: 3 read and 1 written for each element
// backward: 3 read and 2 written for each element, grad_shift forwarded
// double_backward: 6 read and 3 written for each element
#include <fusewise/cuda/reduce.cuh>

#include "modulate.math.h"

namespace fusewise::ops::modulate {

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

}  // namespace fusewise::ops::modulate
