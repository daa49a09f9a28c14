// Generated from specs/activations/gelu_new.yaml by `fusewise generate`. Do not edit.
//
// out = gelu_tanh(x)
//
// mul0 = x * (1.5957691216057308 + 0.07135481627260025 * x * x)
// sigmoid0 = sigmoid(mul0)
// dsigmoid0 = dsigmoid(mul0)
// mul1 = x * dsigmoid0
// mul2 = mul1 * x * x * 0.21406444881780073
// grad_x = grad_out * (sigmoid0 + mul1 * 1.5957691216057308 + mul2)
//
// backward keeps x: 4 B of float32 an element, arithmetic 37
// double_backward keeps grad_out, x: 8 B of float32 an element, arithmetic 84
// forward: 1 read and 1 written for each element
// backward: 2 read and 1 written for each element
// double_backward: 3 read and 2 written for each element
#include <fusewise/dense.cuh>

#include "gelu_new.math.h"

namespace fusewise::ops::gelu_new {

const char* forward_cuda(
    const Loop& loop, const double* params, const Launch& launch) {
  return run_cuda<Forward, Floats>(loop, params, launch);
}

const char* backward_cuda(
    const Loop& loop, const double* params, const Launch& launch) {
  return run_cuda_dense<Backward, Floats>(loop, params, launch);
}

const char* double_backward_cuda(
    const Loop& loop, const double* params, const Launch& launch) {
  return run_cuda_dense_small<DoubleBackward, Floats>(loop, params, launch);
}

}  // namespace fusewise::ops::gelu_new
