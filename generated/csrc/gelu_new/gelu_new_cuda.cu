// Generated from specs/activations/gelu_new.yaml by `fusewise generate`. Do not edit.
//
// out = gelu_tanh(x)
//
// dgelu_tanh0 = dgelu_tanh(x)
// grad_x = grad_out * dgelu_tanh0
//
// backward keeps x: 4 B of float32 an element, arithmetic 37
// double_backward keeps grad_out, x: 8 B of float32 an element, arithmetic 69
// forward: 1 read and 1 written for each element
// backward: 2 read and 1 written for each element
// double_backward: 3 read and 2 written for each element
#include <fusewise/cuda/dense.cuh>

#include "gelu_new.math.h"

namespace fusewise::ops::gelu_new {

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

}  // namespace fusewise::ops::gelu_new
