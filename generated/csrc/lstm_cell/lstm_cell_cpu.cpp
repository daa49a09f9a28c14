// Generated from specs/recurrent/lstm_cell.yaml by `fusewise generate`. Do not edit.
//
// c_next = sigmoid(f) * c + sigmoid(i) * tanh(g)
// h = sigmoid(o) * tanh(c_next)
// c_out = c_next
//
// sigmoid0 = sigmoid(f)
// sigmoid1 = sigmoid(i)
// tanh0 = tanh(g)
// c_next = sigmoid0 * c + sigmoid1 * tanh0
// sigmoid2 = sigmoid(o)
// tanh1 = tanh(c_next)
// sech2_0 = sech2(c_next)
// add0 = grad_c_out + grad_h * sigmoid2 * sech2_0
// dsigmoid0 = dsigmoid(o)
// sech2_1 = sech2(g)
// dsigmoid1 = dsigmoid(i)
// dsigmoid2 = dsigmoid(f)
// grad_i = add0 * tanh0 * dsigmoid1
// grad_f = add0 * c * dsigmoid2
// grad_g = add0 * sigmoid1 * sech2_1
// grad_o = grad_h * tanh1 * dsigmoid0
// grad_c = add0 * sigmoid0
//
// backward keeps gates, c: 20 B of float32 an element, arithmetic 170
// double_backward keeps grad_h, grad_c_out, gates, c: 28 B of float32 an element, arithmetic 269
// forward: 5 read and 2 written for each element
// backward: 7 read and 5 written for each element
// double_backward: 12 read and 7 written for each element
#include <fusewise/cpu/elementwise.h>

#include "lstm_cell.math.h"

namespace fusewise::ops::lstm_cell {

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

}  // namespace fusewise::ops::lstm_cell
