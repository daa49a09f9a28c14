// Generated from specs/gated/swiglu_oai.yaml by `fusewise generate`. Do not edit.
//
// bounded_gate = clamp(gate, -inf, limit)
// bounded_up = clamp(up, -limit, limit)
// out = (bounded_up + 1) * (bounded_gate * sigmoid(alpha * bounded_gate))
//
// bounded_gate = clamp(gate, -inf, limit)
// neg0 = -limit
// bounded_up = clamp(up, neg0, limit)
// mul0 = alpha * bounded_gate
// sigmoid0 = sigmoid(mul0)
// mul1 = grad_out * (bounded_up + 1)
// dsigmoid0 = dsigmoid(mul0)
// logical_and0 = up >= neg0 and up <= limit
// add0 = mul1 * sigmoid0 + dsigmoid0 * bounded_gate * (mul1 * alpha)
// grad_gate = add0 if gate <= limit else 0
// grad_up = grad_out * (bounded_gate * sigmoid0) if logical_and0 else 0
//
// backward keeps x: 8 B of float32 an element, arithmetic 51
// double_backward keeps grad_out, x: 12 B of float32 an element, arithmetic 101
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#include <fusewise/cuda/dense.cuh>

#include "swiglu_oai.math.h"

namespace fusewise::ops::swiglu_oai {

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

}  // namespace fusewise::ops::swiglu_oai
