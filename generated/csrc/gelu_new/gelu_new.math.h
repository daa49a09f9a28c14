// Generated from specs/activations/gelu_new.yaml by `fusewise generate`. Do not edit.
//
// out = gelu_tanh(x)
//
// dgelu_tanh0 = dgelu_tanh(x)
// grad_x = grad_out * dgelu_tanh0
//
// backward keeps x: 4 B of float32 an element, arithmetic 37
// double_backward keeps grad_out, x: 8 B of float32 an element, arithmetic 69
// forward: 1 read and 1 written for each element
// backward: 2 read and 1 written for each element
// double_backward: 3 read and 2 written for each element
#pragma once

#include <fusewise/math/math.h>

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
  static constexpr int kInstructions = 69;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_out = reads[1];
    const T x = reads[2];
    const T mul0 = x * (T(1.5957691216057308) + T(0.07135481627260025) * x * x);
    const T abs0 = rt::abs(mul0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul1 = exp0 * div_moderate0;
    const T where0 = rt::where(mul0 >= T(0), div_moderate0, mul1);
    const T mul2 = mul1 * div_moderate0;
    const T mul3 = x * mul2;
    const T mul4 = mul3 * x;
    const T add0 = where0 + mul3 * T(1.5957691216057308) + mul4 * x * T(0.21406444881780073);
    const T mul5 = T(0.5) * mul0;
    const T tanh_near_zero0 = rt::tanh_near_zero(mul5);
    const T mul6 = T(2) * mul1;
    const T where1 = rt::where(mul5 < T(0), mul6 - T(1), T(1) - mul6);
    const T where2 = rt::where(abs0 < T(1.2), tanh_near_zero0, where1);
    const T mul7 = x * (mul2 * T(1.5957691216057308) + mul4 * T(0.21406444881780073)) * where2;
    const T sub0 = T(3.1915382432114616) * mul2 + mul4 * T(0.8562577952712029) - mul7 *
        T(1.5957691216057308);
    const T sub1 = sub0 - mul7 * x * x * T(0.21406444881780073);
    writes[0] = grad_grad_x * add0;
    writes[1] = grad_grad_x * grad_out * sub1;
  }
};

}  // namespace fusewise::ops::gelu_new
