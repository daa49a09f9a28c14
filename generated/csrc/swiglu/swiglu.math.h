// Generated from specs/swiglu.yaml by `fusewise generate`. Do not edit.
//
// out = x * sigmoid(x) * y
//
// sigmoid0 = sigmoid(x)
// mul0 = grad_out * y
// dsigmoid0 = dsigmoid(x)
// grad_x = mul0 * sigmoid0 + mul0 * x * dsigmoid0
// grad_y = grad_out * (x * sigmoid0)
//
// backward keeps x, y: 8 B of float32 an element, arithmetic 32
// double_backward keeps grad_out, x, y: 12 B of float32 an element, arithmetic 68
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#pragma once

#include <fusewise/math.h>

namespace fusewise::ops::swiglu {

struct Forward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    const T y = reads[1];
    const T abs0 = rt::abs(x);
    const T exp0 = rt::exp(-abs0);
    const T div0 = T(1) / (T(1) + exp0);
    const T where0 = rt::where(x >= T(0), div0, exp0 * div0);
    writes[0] = x * where0 * y;
  }
};

struct Backward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 0;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T y = reads[2];
    const T mul0 = grad_out * y;
    const T abs0 = rt::abs(x);
    const T exp0 = rt::exp(-abs0);
    const T div0 = T(1) / (T(1) + exp0);
    const T mul1 = exp0 * div0;
    const T where0 = rt::where(x >= T(0), div0, mul1);
    writes[0] = mul0 * where0 + mul0 * x * (mul1 * div0);
    writes[1] = grad_out * (x * where0);
  }
};

struct DoubleBackward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 0;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_y = reads[1];
    const T grad_out = reads[2];
    const T x = reads[3];
    const T y = reads[4];
    const T mul0 = grad_out * y;
    const T abs0 = rt::abs(x);
    const T exp0 = rt::exp(-abs0);
    const T div0 = T(1) / (T(1) + exp0);
    const T mul1 = exp0 * div0;
    const T where0 = rt::where(x >= T(0), div0, mul1);
    const T mul2 = mul1 * div0;
    const T tanh0 = rt::tanh(T(0.5) * x);
    const T mul3 = grad_grad_y * grad_out;
    const T mul4 = grad_grad_x * mul2;
    const T mul5 = mul2 * tanh0 * (grad_grad_x * (mul0 * x));
    const T add0 = mul4 * x + grad_grad_x * where0;
    const T add1 = mul4 * mul0 - mul5 + mul3 * where0;
    writes[0] = grad_grad_y * (x * where0) + add0 * y;
    writes[1] = add1 + (grad_grad_x * mul0 + mul3 * x) * mul2;
    writes[2] = add0 * grad_out;
  }
};

}  // namespace fusewise::ops::swiglu
