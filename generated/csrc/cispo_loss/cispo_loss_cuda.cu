// Generated from specs/losses/cispo_loss.yaml by `fusewise generate`. Do not edit.
//
// weight = stop_grad(minimum(exp(logp - old_logp), limit) * advantage)
// out = -weight * logp
//
// exp0 = exp(logp - old_logp)
// minimum0 = minimum(exp0, limit)
// weight = stop_grad(minimum0 * advantage)
// grad_logp = -(grad_out * weight)
//
// backward keeps logp, old_logp, advantage: 12 B of float32 an element, arithmetic 18
// double_backward keeps grad_out, logp, old_logp, advantage: 16 B of float32 an element, arithmetic
//     18
// forward: 3 read and 1 written for each element
// backward: 4 read and 1 written for each element
// double_backward: 4 read and 1 written for each element
#include <fusewise/cuda/reduce.cuh>

#include "cispo_loss.math.h"

namespace fusewise::ops::cispo_loss {

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

}  // namespace fusewise::ops::cispo_loss
