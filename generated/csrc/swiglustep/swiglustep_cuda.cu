// Generated from specs/gated/swiglustep.yaml by `fusewise generate`. Do not edit.
//
// out = clamp(silu(gate), -inf, limit) * clamp(up, -limit, limit)
//
// silu0 = silu(gate)
// clamp0 = clamp(silu0, -inf, limit)
// neg0 = -limit
// clamp1 = clamp(up, neg0, limit)
// sigmoid0 = sigmoid(gate)
// dsigmoid0 = dsigmoid(gate)
// mul0 = grad_out * clamp1 * (sigmoid0 + gate * dsigmoid0)
// grad_gate = mul0 if silu0 <= limit else 0
// grad_up = grad_out * clamp0 if up >= neg0 and up <= limit else 0
//
// backward keeps x: 8 B of float32 an element, arithmetic 47
// double_backward keeps grad_out, x: 12 B of float32 an element, arithmetic 81
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#include <fusewise/cuda/dense.cuh>

#include "swiglustep.math.h"

namespace fusewise::ops::swiglustep {

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

}  // namespace fusewise::ops::swiglustep
