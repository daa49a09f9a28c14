// Generated from specs/rotary/rope_qk.yaml by `fusewise generate`. Do not edit.
//
// q_out = [q1 * cosine - q2 * sine, q2 * cosine + q1 * sine]
// k_out = [k1 * cosine - k2 * sine, k2 * cosine + k1 * sine]
//
// add0 = grad_k_out_1 * k1 - grad_k_out_0 * k2 + grad_q_out_1 * q1
// add1 = grad_k_out_1 * k2 + grad_k_out_0 * k1 + grad_q_out_1 * q2
// grad_q1 = grad_q_out_1 * sine + grad_q_out_0 * cosine
// grad_q2 = grad_q_out_1 * cosine - grad_q_out_0 * sine
// grad_k1 = grad_k_out_1 * sine + grad_k_out_0 * cosine
// grad_k2 = grad_k_out_1 * cosine - grad_k_out_0 * sine
// grad_cosine = add1 + grad_q_out_0 * q1
// grad_sine = add0 - grad_q_out_0 * q2
//
// backward keeps q, k, cosine, sine: 24 B of float32 an element, arithmetic 26
// double_backward keeps grad_q_out, grad_k_out, q, k, cosine, sine: 40 B of float32 an element,
//     arithmetic 54
// forward: 6 read and 4 written for each element
// backward: 10 read and 6 written for each element
// double_backward: 16 read and 10 written for each element
#include <fusewise/cpu/elementwise.h>

#include "rope_qk.math.h"

namespace fusewise::ops::rope_qk {

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

}  // namespace fusewise::ops::rope_qk
