// Generated from specs/gated/sreglu.yaml by `fusewise generate`. Do not edit.
//
// out = square(relu(gate)) * up
//
// relu0 = relu(gate)
// square0 = square(relu0)
// grad_gate = 0 if relu0 <= 0 else grad_out * up * (2 * relu0)
// grad_up = grad_out * square0
//
// backward keeps x: 8 B of float32 an element, arithmetic 9
// double_backward keeps grad_out, x: 12 B of float32 an element, arithmetic 20
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#include <fusewise/cuda/dense.cuh>

#include "sreglu.math.h"

namespace fusewise::ops::sreglu {

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

}  // namespace fusewise::ops::sreglu
