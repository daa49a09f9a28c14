// Generated from specs/bias/bias_gelu.yaml by `fusewise generate`. Do not edit.
//
// out = gelu_tanh(x + bias)
//
// add0 = x + bias
// mul0 = add0 * (1.5957691216057308 + 0.07135481627260025 * add0 * add0)
// sigmoid0 = sigmoid(mul0)
// dsigmoid0 = dsigmoid(mul0)
// mul1 = add0 * dsigmoid0
// mul2 = mul1 * add0 * add0 * 0.21406444881780073
// mul3 = grad_out * (sigmoid0 + mul1 * 1.5957691216057308 + mul2)
// grad_x = mul3
// grad_bias = mul3
//
// backward keeps x, bias: 8 B of float32 an element, arithmetic 38
// double_backward keeps grad_out, x, bias: 12 B of float32 an element, arithmetic 86
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#pragma once

#include <fusewise/math.h>

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
  static constexpr int kInstructions = 86;
  static constexpr unsigned kRepeated = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_bias = reads[1];
    const T grad_out = reads[2];
    const T x = reads[3];
    const T bias = reads[4];
    const T add0 = x + bias;
    const T mul0 = T(0.07135481627260025) * add0;
    const T add1 = T(1.5957691216057308) + mul0 * add0;
    const T mul1 = add0 * add1;
    const T abs0 = rt::abs(mul1);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul2 = exp0 * div_moderate0;
    const T where0 = rt::where(mul1 >= T(0), div_moderate0, mul2);
    const T mul3 = mul2 * div_moderate0;
    const T mul4 = add0 * mul3;
    const T mul5 = mul4 * add0;
    const T mul6 = mul5 * add0;
    const T add2 = grad_grad_x + grad_grad_bias;
    const T mul7 = add2 * grad_out;
    const T add3 = mul7 * T(0.21406444881780073) * add0 * add0 + mul7 * T(1.5957691216057308);
    const T mul8 = T(0.5) * mul1;
    const T mul9 = mul5 * (T(0.21406444881780073) * add2 * grad_out);
    const T tanh_near_zero0 = rt::tanh_near_zero(mul8);
    const T mul10 = T(2) * mul2;
    const T where1 = rt::where(mul8 < T(0), mul10 - T(1), T(1) - mul10);
    const T where2 = rt::where(abs0 < T(1.2), tanh_near_zero0, where1);
    const T mul11 = mul6 * (T(0.21406444881780073) * where2 * add2 * grad_out);
    const T add4 = mul11 + mul4 * (T(1.5957691216057308) * where2 * add2 * grad_out);
    const T sub0 = mul7 * mul3 - add4;
    const T add5 = mul9 + mul9 + add3 * mul3 + sub0 * add1;
    const T mul12 = sub0 * add0;
    const T add6 = add5 + mul12 * mul0 + mul12 * add0 * T(0.07135481627260025);
    writes[0] = add2 * (where0 + mul4 * T(1.5957691216057308) + mul6 * T(0.21406444881780073));
    writes[1] = add6;
    writes[2] = add6;
  }
};

}  // namespace fusewise::ops::bias_gelu
