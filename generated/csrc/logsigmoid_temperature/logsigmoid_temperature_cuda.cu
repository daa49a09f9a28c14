// Generated from specs/activations/logsigmoid_temperature.yaml by `fusewise generate`. Do not edit.
//
// out = logsigmoid(x) / temperature
//
// sigmoid0 = sigmoid(-x)
// grad_x = grad_out / temperature * sigmoid0
//
// backward keeps x: 4 B of float32 an element, arithmetic 34
// double_backward keeps grad_out, x: 8 B of float32 an element, arithmetic 46
// forward: 1 read and 1 written for each element
// backward: 2 read and 1 written for each element
// double_backward: 3 read and 2 written for each element
#include <fusewise/cuda/dense.cuh>

#include "logsigmoid_temperature.math.h"

namespace fusewise::ops::logsigmoid_temperature {

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

}  // namespace fusewise::ops::logsigmoid_temperature
