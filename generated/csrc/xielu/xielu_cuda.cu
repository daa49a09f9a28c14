// Generated from specs/activations/xielu.yaml by `fusewise generate`. Do not edit.
//
// curvature = softplus(alpha_p)
// decay = beta + softplus(alpha_n)
// out = curvature * square(x) + beta * x if x > 0 else decay * (expm1(x) - x) + beta * x
//
// curvature = softplus(alpha_p)
// softplus0 = softplus(alpha_n)
// decay = beta + softplus0
// gt0 = x > 0
// square0 = square(x)
// expm1_0 = expm1(x)
// exp_remainder0 = exp_remainder(x)
// where0 = 0 if gt0 else grad_out * decay * expm1_0
// where1 = grad_out * curvature * (2 * x) if gt0 else 0
// sigmoid0 = sigmoid(alpha_n)
// sigmoid1 = sigmoid(alpha_p)
// grad_x = where0 + grad_out * beta + where1
// grad_alpha_p = grad_out * square0 * sigmoid1 if gt0 else 0
// grad_alpha_n = 0 if gt0 else grad_out * exp_remainder0 * sigmoid0
//
// backward keeps x, alpha_p, alpha_n: 12 B of float32 an element, arithmetic 143
// double_backward keeps grad_out, x, alpha_p, alpha_n: 16 B of float32 an element, arithmetic 183
// forward: 3 read and 1 written for each element
// backward: 4 read and 3 written for each element
// double_backward: 7 read and 4 written for each element
#include <fusewise/cuda/reduce.cuh>

#include "xielu.math.h"

namespace fusewise::ops::xielu {

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

}  // namespace fusewise::ops::xielu
