// Generated from specs/gated/geglu.yaml by `fusewise generate`. Do not edit.
//
// out = (gelu_tanh(x) if approximate else gelu(x)) * y
//
// With approximate = false:
//
// gelu0 = gelu(x)
// normal_cdf0 = normal_cdf(x)
// normal_pdf0 = normal_pdf(x)
// grad_x = grad_out * y * (normal_cdf0 + x * normal_pdf0)
// grad_y = grad_out * gelu0
//
// backward keeps x, y: 8 B of float32 an element, arithmetic 56
// double_backward keeps grad_out, x, y: 12 B of float32 an element, arithmetic 70
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
//
// With approximate = true:
//
// gelu_tanh0 = gelu_tanh(x)
// dgelu_tanh0 = dgelu_tanh(x)
// grad_x = grad_out * y * dgelu_tanh0
// grad_y = grad_out * gelu_tanh0
//
// backward keeps x, y: 8 B of float32 an element, arithmetic 40
// double_backward keeps grad_out, x, y: 12 B of float32 an element, arithmetic 78
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#include <fusewise/cuda/reduce.cuh>

#include "geglu.math.h"

namespace fusewise::ops::geglu {

Status approximate_false_forward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda<ApproximateFalseForward, Floats>(loop, params, launch);
}

Status approximate_false_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reducing<ApproximateFalseBackward, Floats>(loop, params, launch);
}

Status approximate_false_double_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reducing_small<ApproximateFalseDoubleBackward, Floats>(loop, params, launch);
}

Status approximate_true_forward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda<ApproximateTrueForward, Floats>(loop, params, launch);
}

Status approximate_true_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reducing<ApproximateTrueBackward, Floats>(loop, params, launch);
}

Status approximate_true_double_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reducing_small<ApproximateTrueDoubleBackward, Floats>(loop, params, launch);
}

}  // namespace fusewise::ops::geglu
