// Generated from specs/gated/weighted_swiglu.yaml by `fusewise generate`. Do not edit.
//
// out = silu(gate) * up * weight
//
// silu0 = silu(gate)
// mul0 = grad_out * weight
// sigmoid0 = sigmoid(gate)
// dsigmoid0 = dsigmoid(gate)
// grad_gate = mul0 * up * (sigmoid0 + gate * dsigmoid0)
// grad_up = mul0 * silu0
// grad_weight = grad_out * (silu0 * up)
//
// backward keeps x, weight: 12 B of float32 an element, arithmetic 34
// double_backward keeps grad_out, x, weight: 16 B of float32 an element, arithmetic 81
// forward: 3 read and 1 written for each element
// backward: 4 read and 3 written for each element
// double_backward: 7 read and 4 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::weighted_swiglu {

struct Forward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 27;
  static constexpr unsigned kRowScalars = 4;
  static constexpr unsigned kRepeated = 4;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T gate = reads[0];
    const T up = reads[1];
    const T weight = reads[2];
    const T abs0 = rt::abs(gate);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T where0 = rt::where(gate >= T(0), div_moderate0, exp0 * div_moderate0);
    writes[0] = gate * where0 * up * weight;
  }
};

struct Backward {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 34;
  static constexpr unsigned kFull = 55;
  static constexpr unsigned kRowScalars = 8;
  static constexpr unsigned kRepeated = 8;
  static constexpr unsigned kSummed = 64;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T gate = reads[1];
    const T up = reads[2];
    const T weight = reads[3];
    const T mul0 = grad_out * weight;
    const T abs0 = rt::abs(gate);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul1 = exp0 * div_moderate0;
    const T where0 = rt::where(gate >= T(0), div_moderate0, mul1);
    const T mul2 = gate * where0;
    writes[0] = mul0 * up * (where0 + gate * (mul1 * div_moderate0));
    writes[1] = mul0 * mul2;
    writes[2] = grad_out * (mul2 * up);
  }
};

struct DoubleBackward {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 81;
  static constexpr unsigned kRepeated = 64;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_gate = reads[0];
    const T grad_grad_up = reads[1];
    const T grad_grad_weight = reads[2];
    const T grad_out = reads[3];
    const T gate = reads[4];
    const T up = reads[5];
    const T weight = reads[6];
    const rt::Mask<T> has_grad_grad_x = params[0] != T(0);
    const rt::Mask<T> has_grad_grad_weight = params[1] != T(0);
    const T mul0 = grad_out * weight;
    const T abs0 = rt::abs(gate);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul1 = exp0 * div_moderate0;
    const T where0 = rt::where(gate >= T(0), div_moderate0, mul1);
    const T mul2 = gate * where0;
    const T mul3 = mul1 * div_moderate0;
    const T mul4 = gate * mul3;
    const T add0 = where0 + mul4;
    const T mul5 = T(0.5) * gate;
    const T where1 = rt::where(has_grad_grad_x, grad_grad_up * mul0, T(0));
    const T mul6 = grad_grad_weight * grad_out;
    const T where2 = rt::where(has_grad_grad_weight, mul6 * up, T(0));
    const T mul7 = grad_grad_gate * add0;
    const T mul8 = grad_grad_gate * (mul0 * up) * mul3;
    const T add1 = grad_grad_up * mul2 + mul7 * up;
    const T where3 = rt::where(has_grad_grad_x, mul7 * mul0, T(0));
    const T where4 = rt::where(has_grad_grad_weight, grad_grad_weight * (mul2 * up), T(0));
    const T where5 = rt::where(has_grad_grad_x, add1 * weight, T(0));
    const T where6 = rt::where(has_grad_grad_weight, mul6 * mul2, T(0));
    const T tanh_near_zero0 = rt::tanh_near_zero(mul5);
    const T mul9 = T(2) * mul1;
    const T where7 = rt::where(mul5 < T(0), mul9 - T(1), T(1) - mul9);
    const T where8 = rt::where(abs0 < T(1.2), tanh_near_zero0, where7);
    const T mul10 = mul4 * (where8 * grad_grad_gate * grad_out * weight * up);
    const T where9 = rt::where(has_grad_grad_x, mul8 - mul10 + mul8, T(0));
    writes[0] = where4 + where5;
    writes[1] = where9 + (where1 + where2) * add0;
    writes[2] = where3 + where6;
    writes[3] = rt::where(has_grad_grad_x, add1 * grad_out, T(0));
  }
};

}  // namespace fusewise::ops::weighted_swiglu
