// Generated from specs/basics/d_sigmoid.yaml by `fusewise generate`. Do not edit.
//
// s = sigmoid(z)
// out = s * (1 - s)
//
// dsigmoid0 = dsigmoid(z)
// tanh0 = tanh(0.5 * z)
// grad_z = -(dsigmoid0 * tanh0 * grad_out)
//
// backward keeps z: 4 B of float32 an element, arithmetic 42
// double_backward keeps grad_out, z: 8 B of float32 an element, arithmetic 50
// forward: 1 read and 1 written for each element
// backward: 2 read and 1 written for each element
// double_backward: 3 read and 2 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::d_sigmoid {

struct Forward {
  static constexpr int kReads = 1;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 23;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T z = reads[0];
    const T abs0 = rt::abs(z);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    writes[0] = exp0 * div_moderate0 * div_moderate0;
  }
};

struct Backward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 42;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T z = reads[1];
    const T mul0 = T(0.5) * z;
    const T abs0 = rt::abs(z);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul1 = exp0 * div_moderate0;
    const T tanh_near_zero0 = rt::tanh_near_zero(mul0);
    const T mul2 = T(2) * mul1;
    const T where0 = rt::where(mul0 < T(0), mul2 - T(1), T(1) - mul2);
    const T where1 = rt::where(abs0 < T(1.2), tanh_near_zero0, where0);
    writes[0] = -(mul1 * div_moderate0 * where1 * grad_out);
  }
};

struct DoubleBackward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 50;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_z = reads[0];
    const T grad_out = reads[1];
    const T z = reads[2];
    const T mul0 = T(0.5) * z;
    const T abs0 = rt::abs(z);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul1 = exp0 * div_moderate0;
    const T mul2 = mul1 * div_moderate0;
    const T tanh_near_zero0 = rt::tanh_near_zero(mul0);
    const T mul3 = T(2) * mul1;
    const T where0 = rt::where(mul0 < T(0), mul3 - T(1), T(1) - mul3);
    const T where1 = rt::where(abs0 < T(1.2), tanh_near_zero0, where0);
    const T mul4 = mul2 * where1;
    const T mul5 = grad_grad_z * grad_out;
    const T mul6 = mul5 * mul2 * (T(4) * mul2) * T(0.5);
    writes[0] = -(grad_grad_z * mul4);
    writes[1] = mul4 * (mul5 * where1) - mul6;
  }
};

}  // namespace fusewise::ops::d_sigmoid
