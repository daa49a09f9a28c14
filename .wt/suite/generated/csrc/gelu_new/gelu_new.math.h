// Generated from specs/activations/gelu_new.yaml by `fusewise generate`. Do not edit.
//
// out = gelu_tanh(x)
//
// mul0 = x * (1.5957691216057308 + 0.07135481627260025 * x * x)
// sigmoid0 = sigmoid(mul0)
// dsigmoid0 = dsigmoid(mul0)
// mul1 = x * dsigmoid0
// mul2 = mul1 * x * x * 0.21406444881780073
// grad_x = grad_out * (sigmoid0 + mul1 * 1.5957691216057308 + mul2)
//
// backward keeps x: 4 B of float32 an element, arithmetic 37
// double_backward keeps grad_out, x: 8 B of float32 an element, arithmetic 84
// forward: 1 read and 1 written for each element
// backward: 2 read and 1 written for each element
// double_backward: 3 read and 2 written for each element
#pragma once

#include <fusewise/math.h>

namespace fusewise::ops::gelu_new {

struct Forward {
  static constexpr int kReads = 1;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 29;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    const T mul0 = x * (T(1.5957691216057308) + T(0.07135481627260025) * x * x);
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
  static constexpr int kInstructions = 37;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T mul0 = x * (T(1.5957691216057308) + T(0.07135481627260025) * x * x);
    const T abs0 = rt::abs(mul0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul1 = exp0 * div_moderate0;
    const T where0 = rt::where(mul0 >= T(0), div_moderate0, mul1);
    const T mul2 = x * (mul1 * div_moderate0);
    const T mul3 = mul2 * x * x * T(0.21406444881780073);
    writes[0] = grad_out * (where0 + mul2 * T(1.5957691216057308) + mul3);
  }
};

struct DoubleBackward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 84;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_out = reads[1];
    const T x = reads[2];
    const T mul0 = T(0.07135481627260025) * x;
    const T add0 = T(1.5957691216057308) + mul0 * x;
    const T mul1 = x * add0;
    const T abs0 = rt::abs(mul1);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul2 = exp0 * div_moderate0;
    const T where0 = rt::where(mul1 >= T(0), div_moderate0, mul2);
    const T mul3 = mul2 * div_moderate0;
    const T mul4 = x * mul3;
    const T mul5 = mul4 * x;
    const T mul6 = mul5 * x;
    const T mul7 = grad_grad_x * grad_out;
    const T add1 = mul7 * T(0.21406444881780073) * x * x + mul7 * T(1.5957691216057308);
    const T mul8 = T(0.5) * mul1;
    const T mul9 = mul5 * (T(0.21406444881780073) * grad_grad_x * grad_out);
    const T tanh_near_zero0 = rt::tanh_near_zero(mul8);
    const T mul10 = T(2) * mul2;
    const T where1 = rt::where(mul8 < T(0), mul10 - T(1), T(1) - mul10);
    const T where2 = rt::where(abs0 < T(1.2), tanh_near_zero0, where1);
    const T mul11 = mul6 * (T(0.21406444881780073) * where2 * grad_grad_x * grad_out);
    const T add2 = mul11 + mul4 * (T(1.5957691216057308) * where2 * grad_grad_x * grad_out);
    const T sub0 = mul7 * mul3 - add2;
    const T add3 = mul9 + mul9 + add1 * mul3 + sub0 * add0;
    const T mul12 = sub0 * x;
    writes[0] = grad_grad_x * (where0 + mul4 * T(1.5957691216057308) + mul6 *
        T(0.21406444881780073));
    writes[1] = add3 + mul12 * mul0 + mul12 * x * T(0.07135481627260025);
  }
};

}  // namespace fusewise::ops::gelu_new
