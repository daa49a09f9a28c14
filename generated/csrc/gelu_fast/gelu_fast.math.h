// Generated from specs/activations/gelu_fast.yaml by `fusewise generate`. Do not edit.
//
// out = 0.5 * x * (1 + tanh(0.7978845608 * x * (1 + 0.044715 * x * x)))
//
// add0 = 1 + 0.044715 * x * x
// mul0 = 1.5957691216 * x * add0
// sigmoid0 = sigmoid(mul0)
// dsigmoid0 = dsigmoid(mul0)
// mul1 = dsigmoid0 * x
// add1 = grad_out * sigmoid0 + mul1 * add0 * (1.5957691216 * grad_out)
// mul2 = mul1 * x * x * (0.071354816272344 * grad_out)
// grad_x = add1 + mul2 + mul2
//
// backward keeps x: 4 B of float32 an element, arithmetic 42
// double_backward keeps grad_out, x: 8 B of float32 an element, arithmetic 92
// forward: 1 read and 1 written for each element
// backward: 2 read and 1 written for each element
// double_backward: 3 read and 2 written for each element
#pragma once

#include <fusewise/math.h>

namespace fusewise::ops::gelu_fast {

struct Forward {
  static constexpr int kReads = 1;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    const T mul0 = T(1.5957691216) * x * (T(1) + T(0.044715) * x * x);
    const T abs0 = rt::abs(mul0);
    const T exp0 = rt::exp(-abs0);
    const T div0 = T(1) / (T(1) + exp0);
    const T where0 = rt::where(mul0 >= T(0), div0, exp0 * div0);
    writes[0] = x * where0;
  }
};

struct Backward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T add0 = T(1) + T(0.044715) * x * x;
    const T mul0 = T(1.5957691216) * x * add0;
    const T abs0 = rt::abs(mul0);
    const T exp0 = rt::exp(-abs0);
    const T div0 = T(1) / (T(1) + exp0);
    const T mul1 = exp0 * div0;
    const T where0 = rt::where(mul0 >= T(0), div0, mul1);
    const T mul2 = mul1 * div0 * x;
    const T add1 = grad_out * where0 + mul2 * add0 * (T(1.5957691216) * grad_out);
    const T mul3 = mul2 * x * x * (T(0.071354816272344) * grad_out);
    writes[0] = add1 + mul3 + mul3;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 0;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_out = reads[1];
    const T x = reads[2];
    const T mul0 = T(0.044715) * x;
    const T add0 = T(1) + mul0 * x;
    const T tanh0 = rt::tanh(T(0.7978845608) * x * add0);
    const T mul1 = T(1.5957691216) * x;
    const T mul2 = mul1 * add0;
    const T abs0 = rt::abs(mul2);
    const T exp0 = rt::exp(-abs0);
    const T div0 = T(1) / (T(1) + exp0);
    const T mul3 = exp0 * div0;
    const T where0 = rt::where(mul2 >= T(0), div0, mul3);
    const T mul4 = mul3 * div0;
    const T mul5 = mul4 * x;
    const T mul6 = mul5 * x;
    const T add1 = grad_grad_x + grad_grad_x;
    const T mul7 = add1 * (T(0.071354816272344) * grad_out) * x * x;
    const T mul8 = T(0.071354816272344) * add1;
    const T mul9 = T(1.5957691216) * grad_grad_x;
    const T mul10 = (mul7 + grad_grad_x * (T(1.5957691216) * grad_out) * add0) * mul4;
    const T mul11 = mul6 * (mul8 * grad_out);
    const T add2 = mul6 * x * mul8 + mul5 * add0 * mul9;
    const T sub0 = grad_grad_x * grad_out * mul4 - mul10 * x * tanh0;
    const T add3 = mul5 * (mul9 * grad_out) + sub0 * mul1;
    const T add4 = mul11 + mul11 + mul10 + sub0 * add0 * T(1.5957691216);
    writes[0] = add2 + grad_grad_x * where0;
    writes[1] = add4 + add3 * mul0 + add3 * x * T(0.044715);
  }
};

}  // namespace fusewise::ops::gelu_fast
