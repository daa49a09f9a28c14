// Generated from specs/gated/bias_geglu.yaml by `fusewise generate`. Do not edit.
//
// out = gelu_tanh(gate + gate_bias) * (up + up_bias)
//
// add0 = gate + gate_bias
// gelu_tanh0 = gelu_tanh(add0)
// mul0 = grad_out * gelu_tanh0
// dgelu_tanh0 = dgelu_tanh(add0)
// mul1 = grad_out * (up + up_bias) * dgelu_tanh0
// grad_gate = mul1
// grad_up = mul0
// grad_gate_bias = mul1
// grad_up_bias = mul0
//
// backward keeps y, bias: 16 B of float32 an element, arithmetic 42
// double_backward keeps grad_out, y, bias: 20 B of float32 an element, arithmetic 82
// forward: 4 read and 1 written for each element
// backward: 5 read and 4 written for each element
// double_backward: 9 read and 5 written for each element
#include <fusewise/cuda/reduce.cuh>

#include "bias_geglu.math.h"

namespace fusewise::ops::bias_geglu {

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

}  // namespace fusewise::ops::bias_geglu
