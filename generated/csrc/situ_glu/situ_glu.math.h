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
// backward keeps x: 8 B of float32 an element, arithmetic 137
// double_backward keeps grad_out, x: 12 B of float32 an element, arithmetic 204
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#pragma once

#include <fusewise/math.h>

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
    const T tanh0 = rt::tanh(gate / gate_cap);
    const T capped_gate = gate_cap * tanh0;
    const T tanh1 = rt::tanh(up / up_cap);
    const T capped_up = up_cap * tanh1;
    const T abs0 = rt::abs(gate);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T s = rt::where(gate >= T(0), div_moderate0, exp0 * div_moderate0);
    writes[0] = capped_gate * s * capped_up;
  }
};

struct Backward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 137;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_out = reads[0];
    const T gate = reads[1];
    const T up = reads[2];
    const T gate_cap = params[0];
    const T up_cap = params[1];
    const T div0 = gate / gate_cap;
    const T tanh0 = rt::tanh(div0);
    const T capped_gate = gate_cap * tanh0;
    const T div1 = up / up_cap;
    const T tanh1 = rt::tanh(div1);
    const T capped_up = up_cap * tanh1;
    const T abs0 = rt::abs(gate);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T s = rt::where(gate >= T(0), div_moderate0, mul0);
    const T abs1 = rt::abs(T(2) * div0);
    const T exp1 = rt::exp(-abs1);
    const T div_moderate1 = rt::div_moderate(T(1), T(1) + exp1);
    const T mul1 = T(4) * (exp1 * div_moderate1 * div_moderate1) * s;
    const T abs2 = rt::abs(T(2) * div1);
    const T exp2 = rt::exp(-abs2);
    const T div_moderate2 = rt::div_moderate(T(1), T(1) + exp2);
    const T mul2 = T(4) * (exp2 * div_moderate2 * div_moderate2);
    writes[0] = grad_out * capped_up * (mul1 + capped_gate * (mul0 * div_moderate0));
    writes[1] = grad_out * capped_gate * s * mul2;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 204;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_gate = reads[0];
    const T grad_grad_up = reads[1];
    const T grad_out = reads[2];
    const T gate = reads[3];
    const T up = reads[4];
    const T gate_cap = params[0];
    const T up_cap = params[1];
    const T div0 = gate / gate_cap;
    const T tanh0 = rt::tanh(div0);
    const T capped_gate = gate_cap * tanh0;
    const T div1 = up / up_cap;
    const T tanh1 = rt::tanh(div1);
    const T capped_up = up_cap * tanh1;
    const T mul0 = grad_out * capped_gate;
    const T abs0 = rt::abs(gate);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul1 = exp0 * div_moderate0;
    const T s = rt::where(gate >= T(0), div_moderate0, mul1);
    const T mul2 = mul1 * div_moderate0;
    const T abs1 = rt::abs(T(2) * div0);
    const T exp1 = rt::exp(-abs1);
    const T div_moderate1 = rt::div_moderate(T(1), T(1) + exp1);
    const T mul3 = T(4) * (exp1 * div_moderate1 * div_moderate1);
    const T abs2 = rt::abs(T(2) * div1);
    const T exp2 = rt::exp(-abs2);
    const T div_moderate2 = rt::div_moderate(T(1), T(1) + exp2);
    const T mul4 = T(4) * (exp2 * div_moderate2 * div_moderate2);
    const T tanh2 = rt::tanh(T(0.5) * gate);
    const T mul5 = grad_grad_gate * (grad_out * capped_up);
    const T mul6 = grad_grad_up * mul4;
    const T mul7 = mul6 * s;
    const T mul8 = grad_grad_up * (mul0 * s) * (T(-2) * tanh1 * mul4);
    const T mul9 = grad_grad_gate * (mul3 * s + capped_gate * mul2);
    const T mul10 = (mul6 * mul0 + mul5 * mul3) * mul2;
    const T sub0 = mul10 - mul2 * tanh2 * (mul5 * capped_gate);
    const T mul11 = (mul5 * mul2 + mul7 * grad_out) * gate_cap * mul3;
    const T add0 = mul5 * s * (T(-2) * tanh0 * mul3) + mul11;
    writes[0] = mul7 * capped_gate + mul9 * capped_up;
    writes[1] = sub0 + add0 / gate_cap;
    writes[2] = (mul8 + mul9 * grad_out * up_cap * mul4) / up_cap;
  }
};

}  // namespace fusewise::ops::situ_glu
