// Generated from specs/gated/situ_glu.yaml by `fusewise generate`. Do not edit.
//
// capped_gate = gate_cap * tanh(gate / gate_cap)
// capped_up = up_cap * tanh(up / up_cap)
// s = sigmoid(gate)
// out = capped_gate * s * capped_up
// grad_gate = grad_out * capped_up * (sech2(gate / gate_cap) * s + capped_gate * s * (1 - s))
// grad_up = grad_out * capped_gate * s * sech2(up / up_cap)
//
// div0 = gate / gate_cap
// tanh0 = tanh(div0)
// capped_gate = gate_cap * tanh0
// div1 = up / up_cap
// tanh1 = tanh(div1)
// capped_up = up_cap * tanh1
// s = sigmoid(gate)
// dsigmoid0 = dsigmoid(gate)
// sech2_0 = sech2(div1)
// sech2_1 = sech2(div0)
// grad_gate = grad_out * capped_up * (sech2_1 * s + capped_gate * dsigmoid0)
// grad_up = grad_out * capped_gate * s * sech2_0
//
// backward keeps x: 8 B of float32 an element, arithmetic 131
// double_backward keeps grad_out, x: 12 B of float32 an element, arithmetic 195
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#include <fusewise/cpu/elementwise.h>

#include "situ_glu.math.h"

namespace fusewise::ops::situ_glu {

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

}  // namespace fusewise::ops::situ_glu
