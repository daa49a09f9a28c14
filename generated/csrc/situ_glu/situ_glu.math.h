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
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::situ_glu {

struct Forward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 80;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T gate = reads[0];
    const T up = reads[1];
    const T gate_cap = params[0];
    const T up_cap = params[1];
    const T abs0 = rt::abs(gate);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T s = rt::where(gate >= T(0), div_moderate0, exp0 * div_moderate0);
    const T div_shared0 = rt::div_shared(gate, gate_cap);
    const T tanh0 = rt::tanh(div_shared0);
    const T capped_gate = gate_cap * tanh0;
    const T div_shared1 = rt::div_shared(up, up_cap);
    const T tanh1 = rt::tanh(div_shared1);
    const T capped_up = up_cap * tanh1;
    writes[0] = capped_gate * s * capped_up;
  }
};

struct Backward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 131;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_out = reads[0];
    const T gate = reads[1];
    const T up = reads[2];
    const T gate_cap = params[0];
    const T up_cap = params[1];
    const T abs0 = rt::abs(gate);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T s = rt::where(gate >= T(0), div_moderate0, mul0);
    const T div_shared0 = rt::div_shared(gate, gate_cap);
    const T div_shared1 = rt::div_shared(up, up_cap);
    const T abs1 = rt::abs(T(2) * div_shared0);
    const T exp1 = rt::exp(-abs1);
    const T div_moderate1 = rt::div_moderate(T(1), T(1) + exp1);
    const T mul1 = exp1 * div_moderate1;
    const T mul2 = T(4) * (mul1 * div_moderate1) * s;
    const T tanh_near_zero0 = rt::tanh_near_zero(div_shared0);
    const T mul3 = T(2) * mul1;
    const T where0 = rt::where(div_shared0 < T(0), mul3 - T(1), T(1) - mul3);
    const T where1 = rt::where(abs1 < T(1.2), tanh_near_zero0, where0);
    const T capped_gate = gate_cap * where1;
    const T abs2 = rt::abs(T(2) * div_shared1);
    const T tanh_near_zero1 = rt::tanh_near_zero(div_shared1);
    const T exp2 = rt::exp(-abs2);
    const T div_moderate2 = rt::div_moderate(T(1), T(1) + exp2);
    const T mul4 = exp2 * div_moderate2;
    const T mul5 = T(2) * mul4;
    const T where2 = rt::where(div_shared1 < T(0), mul5 - T(1), T(1) - mul5);
    const T where3 = rt::where(abs2 < T(1.2), tanh_near_zero1, where2);
    const T capped_up = up_cap * where3;
    writes[0] = grad_out * capped_up * (mul2 + capped_gate * (mul0 * div_moderate0));
    writes[1] = grad_out * capped_gate * s * (T(4) * (mul4 * div_moderate2));
  }
};

struct DoubleBackward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 195;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_gate = reads[0];
    const T grad_grad_up = reads[1];
    const T grad_out = reads[2];
    const T gate = reads[3];
    const T up = reads[4];
    const T gate_cap = params[0];
    const T up_cap = params[1];
    const T abs0 = rt::abs(gate);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T s = rt::where(gate >= T(0), div_moderate0, mul0);
    const T mul1 = mul0 * div_moderate0;
    const T mul2 = T(0.5) * gate;
    const T tanh_near_zero0 = rt::tanh_near_zero(mul2);
    const T mul3 = T(2) * mul0;
    const T where0 = rt::where(mul2 < T(0), mul3 - T(1), T(1) - mul3);
    const T where1 = rt::where(abs0 < T(1.2), tanh_near_zero0, where0);
    const T div_shared0 = rt::div_shared(gate, gate_cap);
    const T div_shared1 = rt::div_shared(up, up_cap);
    const T abs1 = rt::abs(T(2) * div_shared0);
    const T exp1 = rt::exp(-abs1);
    const T div_moderate1 = rt::div_moderate(T(1), T(1) + exp1);
    const T mul4 = exp1 * div_moderate1;
    const T mul5 = T(4) * (mul4 * div_moderate1);
    const T tanh_near_zero1 = rt::tanh_near_zero(div_shared0);
    const T mul6 = T(2) * mul4;
    const T where2 = rt::where(div_shared0 < T(0), mul6 - T(1), T(1) - mul6);
    const T where3 = rt::where(abs1 < T(1.2), tanh_near_zero1, where2);
    const T capped_gate = gate_cap * where3;
    const T abs2 = rt::abs(T(2) * div_shared1);
    const T tanh_near_zero2 = rt::tanh_near_zero(div_shared1);
    const T exp2 = rt::exp(-abs2);
    const T div_moderate2 = rt::div_moderate(T(1), T(1) + exp2);
    const T mul7 = exp2 * div_moderate2;
    const T mul8 = T(2) * mul7;
    const T where4 = rt::where(div_shared1 < T(0), mul8 - T(1), T(1) - mul8);
    const T where5 = rt::where(abs2 < T(1.2), tanh_near_zero2, where4);
    const T mul9 = T(4) * (mul7 * div_moderate2);
    const T capped_up = up_cap * where5;
    const T mul10 = grad_out * capped_gate;
    const T mul11 = grad_grad_up * mul9;
    const T mul12 = mul11 * s;
    const T mul13 = grad_grad_gate * (grad_out * capped_up);
    const T mul14 = grad_grad_up * (mul10 * s) * (T(-2) * where5 * mul9);
    const T mul15 = grad_grad_gate * (mul5 * s + capped_gate * mul1);
    const T mul16 = (mul11 * mul10 + mul13 * mul5) * mul1;
    const T mul17 = (mul13 * mul1 + mul12 * grad_out) * gate_cap * mul5;
    const T add0 = mul13 * s * (T(-2) * where3 * mul5) + mul17;
    const T div_shared2 = rt::div_shared(add0, gate_cap);
    writes[0] = mul12 * capped_gate + mul15 * capped_up;
    writes[1] = mul16 - mul1 * where1 * (mul13 * capped_gate) + div_shared2;
    writes[2] = rt::div_shared(mul14 + mul15 * grad_out * up_cap * mul9, up_cap);
  }
};

}  // namespace fusewise::ops::situ_glu
