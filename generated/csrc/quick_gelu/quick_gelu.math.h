// Generated from specs/activations/quick_gelu.yaml by `fusewise generate`. Do not edit.
//
// out = x * sigmoid(1.702 * x)
//
// mul0 = 1.702 * x
// sigmoid0 = sigmoid(mul0)
// dsigmoid0 = dsigmoid(mul0)
// grad_x = grad_out * sigmoid0 + dsigmoid0 * x * (1.702 * grad_out)
//
// backward keeps x: 4 B of float32 an element, arithmetic 31
// double_backward keeps grad_out, x: 8 B of float32 an element, arithmetic 62
// forward: 1 read and 1 written for each element
// backward: 2 read and 1 written for each element
// double_backward: 3 read and 2 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::quick_gelu {

struct Forward {
  static constexpr int kReads = 1;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 26;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    const T mul0 = T(1.702) * x;
    const T abs0 = rt::abs(mul0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T where0 = rt::where(mul0 >= T(0), div_moderate0, exp0 * div_moderate0);
    writes[0] = x * where0;
  }
};

struct Backward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 31;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T mul0 = T(1.702) * x;
    const T abs0 = rt::abs(mul0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul1 = exp0 * div_moderate0;
    const T where0 = rt::where(mul0 >= T(0), div_moderate0, mul1);
    const T mul2 = mul1 * div_moderate0 * x * (T(1.702) * grad_out);
    writes[0] = grad_out * where0 + mul2;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 62;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_out = reads[1];
    const T x = reads[2];
    const T mul0 = T(1.702) * x;
    const T abs0 = rt::abs(mul0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul1 = exp0 * div_moderate0;
    const T where0 = rt::where(mul0 >= T(0), div_moderate0, mul1);
    const T mul2 = mul1 * div_moderate0;
    const T mul3 = mul2 * x;
    const T tanh0 = rt::tanh(T(0.851) * x);
    const T mul4 = mul3 * (T(1.702) * tanh0 * grad_grad_x * grad_out);
    const T mul5 = (grad_grad_x * grad_out * mul2 - mul4) * T(1.702);
    writes[0] = mul3 * (T(1.702) * grad_grad_x) + grad_grad_x * where0;
    writes[1] = grad_grad_x * (T(1.702) * grad_out) * mul2 + mul5;
  }
};

}  // namespace fusewise::ops::quick_gelu
