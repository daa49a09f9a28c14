// Generated from specs/gated/quick_geglu.yaml by `fusewise generate`. Do not edit.
//
// s = sigmoid(1.702 * gate)
// out = gate * s * (up + offset) * weight
// grad_gate = grad_out * weight * s * (1 + 1.702 * gate * (1 - s)) * (up + offset)
// grad_up = grad_out * weight * gate * s
// grad_weight = grad_out * gate * s * (up + offset)
//
// mul0 = 1.702 * gate
// s = sigmoid(mul0)
// mul1 = gate * s
// add0 = up + offset
// dsigmoid0 = dsigmoid(mul0)
// mul2 = grad_out * weight
// mul3 = dsigmoid0 * gate * (1.702 * grad_out * weight)
// grad_gate = (mul2 * s + mul3) * add0
// grad_up = mul1 * mul2
// grad_weight = mul1 * (grad_out * add0)
//
// backward keeps x, weight: 12 B of float32 an element, arithmetic 39
// double_backward keeps grad_out, x, weight: 16 B of float32 an element, arithmetic 107
// forward: 3 read and 1 written for each element
// backward: 4 read and 3 written for each element
// double_backward: 7 read and 4 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::quick_geglu {

struct Forward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 29;
  static constexpr unsigned kRowScalars = 4;
  static constexpr unsigned kRepeated = 4;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T gate = reads[0];
    const T up = reads[1];
    const T weight = reads[2];
    const T offset = params[0];
    const T mul0 = T(1.702) * gate;
    const T abs0 = rt::abs(mul0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T s = rt::where(mul0 >= T(0), div_moderate0, exp0 * div_moderate0);
    writes[0] = gate * s * ((up + offset) * weight);
  }
};

struct Backward {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 39;
  static constexpr unsigned kFull = 55;
  static constexpr unsigned kRowScalars = 8;
  static constexpr unsigned kRepeated = 8;
  static constexpr unsigned kSummed = 64;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_out = reads[0];
    const T gate = reads[1];
    const T up = reads[2];
    const T weight = reads[3];
    const T offset = params[0];
    const T mul0 = T(1.702) * gate;
    const T add0 = up + offset;
    const T mul1 = grad_out * weight;
    const T abs0 = rt::abs(mul0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul2 = exp0 * div_moderate0;
    const T s = rt::where(mul0 >= T(0), div_moderate0, mul2);
    const T mul3 = mul2 * div_moderate0 * gate * (T(1.702) * grad_out * weight);
    const T mul4 = gate * s;
    writes[0] = (mul1 * s + mul3) * add0;
    writes[1] = mul4 * mul1;
    writes[2] = mul4 * (grad_out * add0);
  }
};

struct DoubleBackward {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 107;
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
    const T offset = params[0];
    const rt::Mask<T> has_grad_grad_x = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_weight = params[2] != T(0);
    const T mul0 = T(1.702) * gate;
    const T add0 = up + offset;
    const T mul1 = grad_out * weight;
    const T mul2 = T(1.702) * grad_out * weight;
    const T abs0 = rt::abs(mul0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul3 = exp0 * div_moderate0;
    const T s = rt::where(mul0 >= T(0), div_moderate0, mul3);
    const T mul4 = mul3 * div_moderate0;
    const T mul5 = mul4 * gate;
    const T mul6 = gate * s;
    const T mul7 = grad_grad_gate * add0;
    const T where0 = rt::where(has_grad_grad_weight, grad_grad_weight * (grad_out * add0), T(0));
    const T where1 = rt::where(has_grad_grad_x, grad_grad_up * mul1, T(0));
    const T add1 = where0 + where1;
    const T where2 = rt::where(has_grad_grad_x, mul7 * mul1, T(0));
    const T tanh0 = rt::tanh(T(0.851) * gate);
    const T mul8 = grad_grad_gate * T(1.702) * add0;
    const T mul9 = T(1.702) * tanh0 * grad_grad_gate * add0 * grad_out * weight;
    const T where3 = rt::where(has_grad_grad_x, grad_grad_gate * (mul1 * s + mul5 * mul2), T(0));
    const T where4 = rt::where(has_grad_grad_x, mul7 * mul2 * mul4, T(0));
    const T add2 = grad_grad_up * mul6 + mul7 * s;
    const T where5 = rt::where(has_grad_grad_weight, mul6 * (grad_grad_weight * add0), T(0));
    const T where6 = rt::where(has_grad_grad_weight, mul6 * (grad_grad_weight * grad_out), T(0));
    const T where7 = rt::where(has_grad_grad_x, mul5 * (mul8 * weight) + add2 * weight, T(0));
    const T where8 = rt::where(has_grad_grad_x, -(mul5 * mul9), T(0));
    const T mul10 = (where8 + (where2 + add1 * gate) * mul4) * T(1.702);
    writes[0] = where7 + where5;
    writes[1] = where4 + add1 * s + mul10;
    writes[2] = where3 + where6;
    writes[3] = rt::where(has_grad_grad_x, mul5 * (mul8 * grad_out) + add2 * grad_out, T(0));
  }
};

}  // namespace fusewise::ops::quick_geglu
