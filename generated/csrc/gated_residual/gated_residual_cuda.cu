// Generated from specs/bias/gated_residual.yaml by `fusewise generate`. Do not edit.
//
// out = residual + gate * x
//
// grad_x = grad_out * gate
// grad_residual = grad_out
// grad_gate = grad_out * x
//
// backward keeps x, gate: 8 B of float32 an element, arithmetic 2
// double_backward keeps grad_out, x, gate: 12 B of float32 an element, arithmetic 6
// forward: 3 read and 1 written for each element
// backward: 3 read and 2 written for each element, grad_residual forwarded
// double_backward: 6 read and 3 written for each element
#include <fusewise/cuda/reduce.cuh>

#include "gated_residual.math.h"

namespace fusewise::ops::gated_residual {

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

}  // namespace fusewise::ops::gated_residual
