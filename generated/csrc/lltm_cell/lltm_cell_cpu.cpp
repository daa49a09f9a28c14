// Generated from specs/recurrent/lltm_cell.yaml by `fusewise generate`. Do not edit.
//
// cell = old_cell + sigmoid(i) * elu(c)
// new_h = tanh(cell) * sigmoid(o)
// new_cell = cell
//
// sigmoid0 = sigmoid(i)
// elu0 = elu(c, 1)
// sigmoid1 = sigmoid(o)
// dsigmoid0 = dsigmoid(o)
// exp0 = exp(c)
// dsigmoid1 = dsigmoid(i)
// tanh0 = tanh(new_cell)
// sech2_0 = sech2(new_cell)
// add0 = grad_new_cell + grad_new_h * sigmoid1 * sech2_0
// mul0 = add0 * sigmoid0
// grad_i = add0 * elu0 * dsigmoid1
// grad_o = grad_new_h * tanh0 * dsigmoid0
// grad_c = mul0 * exp0 if c <= 0 else mul0
// grad_old_cell = add0
//
// backward keeps gates, new_cell: 16 B of float32 an element, arithmetic 126
// double_backward keeps grad_new_h, grad_new_cell, gates, new_cell: 24 B of float32 an element,
//     arithmetic 191
// forward: 4 read and 2 written for each element
// backward: 6 read and 4 written for each element
// double_backward: 10 read and 6 written for each element
#include <fusewise/cpu/elementwise.h>

#include "lltm_cell.math.h"

namespace fusewise::ops::lltm_cell {

RT_KERNEL Status forward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Forward, Floats>(loop, params, launch);
}

RT_KERNEL Status backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Backward, Floats>(loop, params, launch);
}

RT_KERNEL Status double_backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<DoubleBackward, Floats>(loop, params, launch);
}

}  // namespace fusewise::ops::lltm_cell
