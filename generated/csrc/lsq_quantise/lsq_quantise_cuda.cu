// Generated from specs/quantised/lsq_quantise.yaml by `fusewise generate`. Do not edit.
//
// steps = x / step
// v = clamp(steps, low, high)
// inside = steps >= low and steps <= high
// level = straight_through(round(v), v)
// out = level * step
// grad_x = grad_out if inside else 0
// grad_step = grad_out * (level - v if inside else v)
//
// steps = x / step
// v = clamp(steps, low, high)
// inside = steps >= low and steps <= high
// round0 = round(v)
// level = straight_through(round0, v)
// where0 = level - v if inside else v
// grad_x = grad_out if inside else 0
// grad_step = grad_out * where0
//
// backward keeps x, step: 8 B of float32 an element, arithmetic 23
// double_backward keeps grad_out, x, step: 12 B of float32 an element, arithmetic 47
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#include <fusewise/cuda/reduce.cuh>

#include "lsq_quantise.math.h"

namespace fusewise::ops::lsq_quantise {

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

}  // namespace fusewise::ops::lsq_quantise
