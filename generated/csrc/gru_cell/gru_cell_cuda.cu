// Generated from specs/recurrent/gru_cell.yaml by `fusewise generate`. Do not edit.
//
// r = sigmoid(r_x + r_h)
// z = sigmoid(z_x + z_h)
// n = tanh(n_x + r * n_h)
// h_next = (1 - z) * n + z * h
//
// add0 = r_x + r_h
// r = sigmoid(add0)
// add1 = z_x + z_h
// z = sigmoid(add1)
// add2 = n_x + r * n_h
// n = tanh(add2)
// sigmoid0 = sigmoid(-add1)
// dsigmoid0 = dsigmoid(add1)
// sech2_0 = sech2(add2)
// mul0 = grad_h_next * sigmoid0 * sech2_0
// sub0 = grad_h_next * h * dsigmoid0 - grad_h_next * n * dsigmoid0
// dsigmoid1 = dsigmoid(add0)
// mul1 = sigmoid0 * sech2_0 * dsigmoid1 * n_h * grad_h_next
// grad_r_x = mul1
// grad_z_x = sub0
// grad_n_x = mul0
// grad_r_h = mul1
// grad_z_h = sub0
// grad_n_h = mul0 * r
// grad_h = grad_h_next * z
//
// backward keeps input_gates, hidden_gates, h: 28 B of float32 an element, arithmetic 110
// double_backward keeps grad_h_next, input_gates, hidden_gates, h: 32 B of float32 an element,
//     arithmetic 193
// forward: 7 read and 1 written for each element
// backward: 8 read and 7 written for each element
// double_backward: 15 read and 8 written for each element
#include <fusewise/cuda/reduce.cuh>

#include "gru_cell.math.h"

namespace fusewise::ops::gru_cell {

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

}  // namespace fusewise::ops::gru_cell
