// Generated from specs/gated/weighted_swiglu.yaml by `fusewise generate`. Do not edit.
//
// out = silu(gate) * up * weight
//
// silu0 = silu(gate)
// mul0 = grad_out * weight
// sigmoid0 = sigmoid(gate)
// dsigmoid0 = dsigmoid(gate)
// grad_gate = mul0 * up * (sigmoid0 + gate * dsigmoid0)
// grad_up = mul0 * silu0
// grad_weight = grad_out * (silu0 * up)
//
// backward keeps x, weight: 12 B of float32 an element, arithmetic 34
// double_backward keeps grad_out, x, weight: 16 B of float32 an element, arithmetic 73
// forward: 3 read and 1 written for each element
// backward: 4 read and 3 written for each element
// double_backward: 7 read and 4 written for each element
#include <fusewise/cuda/reduce.cuh>

#include "weighted_swiglu.math.h"

namespace fusewise::ops::weighted_swiglu {

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

}  // namespace fusewise::ops::weighted_swiglu
