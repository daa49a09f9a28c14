// Generated from specs/gated/silu_and_mul.yaml by `fusewise generate`. Do not edit.
//
// out = silu(gate) * up
//
// silu0 = silu(gate)
// sigmoid0 = sigmoid(gate)
// dsigmoid0 = dsigmoid(gate)
// grad_gate = grad_out * up * (sigmoid0 + gate * dsigmoid0)
// grad_up = grad_out * silu0
//
// backward keeps x: 8 B of float32 an element, arithmetic 31
// double_backward keeps grad_out, x: 12 B of float32 an element, arithmetic 61
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::silu_and_mul {

struct Forward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 26;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T gate = reads[0];
    const T up = reads[1];
    const T abs0 = rt::abs(gate);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T where0 = rt::where(gate >= T(0), div_moderate0, exp0 * div_moderate0);
    writes[0] = gate * where0 * up;
  }
};

struct Backward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 31;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T gate = reads[1];
    const T up = reads[2];
    const T abs0 = rt::abs(gate);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T where0 = rt::where(gate >= T(0), div_moderate0, mul0);
    writes[0] = grad_out * up * (where0 + gate * (mul0 * div_moderate0));
    writes[1] = grad_out * (gate * where0);
  }
};

struct DoubleBackward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 61;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_gate = reads[0];
    const T grad_grad_up = reads[1];
    const T grad_out = reads[2];
    const T gate = reads[3];
    const T up = reads[4];
    const T abs0 = rt::abs(gate);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T where0 = rt::where(gate >= T(0), div_moderate0, mul0);
    const T mul1 = mul0 * div_moderate0;
    const T mul2 = gate * mul1;
    const T add0 = where0 + mul2;
    const T mul3 = T(0.5) * gate;
    const T mul4 = grad_grad_gate * add0;
    const T mul5 = grad_grad_gate * (grad_out * up) * mul1;
    const T tanh_near_zero0 = rt::tanh_near_zero(mul3);
    const T mul6 = T(2) * mul0;
    const T where1 = rt::where(mul3 < T(0), mul6 - T(1), T(1) - mul6);
    const T where2 = rt::where(abs0 < T(1.2), tanh_near_zero0, where1);
    const T sub0 = mul5 - mul2 * (where2 * grad_grad_gate * grad_out * up);
    writes[0] = grad_grad_up * (gate * where0) + mul4 * up;
    writes[1] = sub0 + mul5 + grad_grad_up * grad_out * add0;
    writes[2] = mul4 * grad_out;
  }
};

}  // namespace fusewise::ops::silu_and_mul
