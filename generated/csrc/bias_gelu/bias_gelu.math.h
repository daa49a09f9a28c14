// Generated from specs/bias/bias_gelu.yaml by `fusewise generate`. Do not edit.
//
// out = gelu_tanh(x + bias)
//
// dgelu_tanh0 = dgelu_tanh(x + bias)
// mul0 = grad_out * dgelu_tanh0
// grad_x = mul0
// grad_bias = mul0
//
// backward keeps x, bias: 8 B of float32 an element, arithmetic 38
// double_backward keeps grad_out, x, bias: 12 B of float32 an element, arithmetic 71
// forward: 2 read and 1 written for each element
// backward: 3 read and 1 written for each element; grad_bias equals grad_x
// double_backward: 5 read and 2 written for each element; grad_bias equals grad_x
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::bias_gelu {

struct Forward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 30;
  static constexpr unsigned kRepeated = 2;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    const T bias = reads[1];
    const T add0 = x + bias;
    const T mul0 = add0 * (T(1.5957691216057308) + T(0.07135481627260025) * add0 * add0);
    const T abs0 = rt::abs(mul0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T where0 = rt::where(mul0 >= T(0), div_moderate0, exp0 * div_moderate0);
    writes[0] = add0 * where0;
  }
};

struct Backward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 38;
  static constexpr unsigned kFull = 11;
  static constexpr unsigned kRepeated = 4;
  static constexpr unsigned kSummed = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T bias = reads[2];
    const T add0 = x + bias;
    const T mul0 = add0 * (T(1.5957691216057308) + T(0.07135481627260025) * add0 * add0);
    const T abs0 = rt::abs(mul0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul1 = exp0 * div_moderate0;
    const T where0 = rt::where(mul0 >= T(0), div_moderate0, mul1);
    const T mul2 = add0 * (mul1 * div_moderate0);
    const T mul3 = mul2 * add0 * add0 * T(0.21406444881780073);
    const T mul4 = grad_out * (where0 + mul2 * T(1.5957691216057308) + mul3);
    writes[0] = mul4;
    writes[1] = mul4;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 71;
  static constexpr unsigned kRepeated = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_bias = reads[1];
    const T grad_out = reads[2];
    const T x = reads[3];
    const T bias = reads[4];
    const T add0 = x + bias;
    const T mul0 = add0 * (T(1.5957691216057308) + T(0.07135481627260025) * add0 * add0);
    const T abs0 = rt::abs(mul0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul1 = exp0 * div_moderate0;
    const T where0 = rt::where(mul0 >= T(0), div_moderate0, mul1);
    const T mul2 = mul1 * div_moderate0;
    const T mul3 = add0 * mul2;
    const T mul4 = mul3 * add0;
    const T add1 = where0 + mul3 * T(1.5957691216057308) + mul4 * add0 * T(0.21406444881780073);
    const T add2 = grad_grad_x + grad_grad_bias;
    const T mul5 = T(0.5) * mul0;
    const T tanh_near_zero0 = rt::tanh_near_zero(mul5);
    const T mul6 = T(2) * mul1;
    const T where1 = rt::where(mul5 < T(0), mul6 - T(1), T(1) - mul6);
    const T where2 = rt::where(abs0 < T(1.2), tanh_near_zero0, where1);
    const T mul7 = add0 * (mul2 * T(1.5957691216057308) + mul4 * T(0.21406444881780073)) * where2;
    const T sub0 = T(3.1915382432114616) * mul2 + mul4 * T(0.8562577952712029) - mul7 *
        T(1.5957691216057308);
    const T sub1 = sub0 - mul7 * add0 * add0 * T(0.21406444881780073);
    const T mul8 = add2 * grad_out * sub1;
    writes[0] = add2 * add1;
    writes[1] = mul8;
    writes[2] = mul8;
  }
};

}  // namespace fusewise::ops::bias_gelu
