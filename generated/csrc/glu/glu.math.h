// Generated from specs/gated/glu.yaml by `fusewise generate`. Do not edit.
//
// out = value * sigmoid(gate)
//
// sigmoid0 = sigmoid(gate)
// dsigmoid0 = dsigmoid(gate)
// grad_value = grad_out * sigmoid0
// grad_gate = grad_out * value * dsigmoid0
//
// backward keeps x: 8 B of float32 an element, arithmetic 28
// double_backward keeps grad_out, x: 12 B of float32 an element, arithmetic 53
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::glu {

struct Forward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 25;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T value = reads[0];
    const T gate = reads[1];
    const T abs0 = rt::abs(gate);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T where0 = rt::where(gate >= T(0), div_moderate0, exp0 * div_moderate0);
    writes[0] = value * where0;
  }
};

struct Backward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 28;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T value = reads[1];
    const T gate = reads[2];
    const T abs0 = rt::abs(gate);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T where0 = rt::where(gate >= T(0), div_moderate0, mul0);
    writes[0] = grad_out * where0;
    writes[1] = grad_out * value * (mul0 * div_moderate0);
  }
};

struct DoubleBackward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 53;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_value = reads[0];
    const T grad_grad_gate = reads[1];
    const T grad_out = reads[2];
    const T value = reads[3];
    const T gate = reads[4];
    const T abs0 = rt::abs(gate);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T where0 = rt::where(gate >= T(0), div_moderate0, mul0);
    const T mul1 = mul0 * div_moderate0;
    const T mul2 = T(0.5) * gate;
    const T mul3 = grad_grad_gate * mul1;
    const T tanh_near_zero0 = rt::tanh_near_zero(mul2);
    const T mul4 = T(2) * mul0;
    const T where1 = rt::where(mul2 < T(0), mul4 - T(1), T(1) - mul4);
    const T where2 = rt::where(abs0 < T(1.2), tanh_near_zero0, where1);
    const T mul5 = mul1 * where2 * (grad_grad_gate * (grad_out * value));
    writes[0] = mul3 * value + grad_grad_value * where0;
    writes[1] = mul3 * grad_out;
    writes[2] = grad_grad_value * grad_out * mul1 - mul5;
  }
};

}  // namespace fusewise::ops::glu
