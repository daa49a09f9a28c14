// Generated from specs/gated/situ_glu.yaml by `fusewise generate`. Do not edit.
//
// capped_gate = gate_cap * tanh(gate / gate_cap)
// capped_up = up_cap * tanh(up / up_cap)
// out = capped_gate * sigmoid(gate) * capped_up
//
// div0 = gate / gate_cap
// tanh0 = tanh(div0)
// capped_gate = gate_cap * tanh0
// div1 = up / up_cap
// tanh1 = tanh(div1)
// capped_up = up_cap * tanh1
// sigmoid0 = sigmoid(gate)
// mul0 = grad_out * capped_up
// dsigmoid0 = dsigmoid(gate)
// sech2_0 = sech2(div1)
// sech2_1 = sech2(div0)
// div2 = mul0 * sigmoid0 * gate_cap * sech2_1 / gate_cap
// grad_gate = mul0 * capped_gate * dsigmoid0 + div2
// grad_up = grad_out * (capped_gate * sigmoid0) * up_cap * sech2_0 / up_cap
//
// backward keeps x: 8 B of float32 an element, arithmetic 156
// double_backward keeps grad_out, x: 12 B of float32 an element, arithmetic 226
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#include <fusewise/elementwise.h>

#include "situ_glu.math.h"

namespace fusewise::ops::situ_glu {

const char* forward_cpu(
    const Loop& loop, const double* params, const Launch& launch) {
  return run_cpu<Forward, Floats>(loop, params, launch);
}

const char* backward_cpu(
    const Loop& loop, const double* params, const Launch& launch) {
  return run_cpu<Backward, Floats>(loop, params, launch);
}

const char* double_backward_cpu(
    const Loop& loop, const double* params, const Launch& launch) {
  return run_cpu<DoubleBackward, Floats>(loop, params, launch);
}

}  // namespace fusewise::ops::situ_glu
