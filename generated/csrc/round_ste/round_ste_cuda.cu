// Generated from specs/quantised/round_ste.yaml by `fusewise generate`. Do not edit.
//
// out = round(x)
// grad_x = grad_out
//
// grad_x = grad_out
//
// backward keeps nothing: 0 B of float32 an element, arithmetic 0
// double_backward keeps grad_out: 4 B of float32 an element, arithmetic 0
// forward: 1 read and 1 written for each element
// backward: 0 read and 0 written for each element, grad_x forwarded
// double_backward: 0 read and 0 written for each element, grad_grad_out forwarded
// The backward is a surrogate, on purpose not the derivative of the forward.
#include <fusewise/cuda/dense.cuh>

#include "round_ste.math.h"

namespace fusewise::ops::round_ste {

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

}  // namespace fusewise::ops::round_ste
