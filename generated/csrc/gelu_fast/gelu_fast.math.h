// Generated from specs/activations/gelu_fast.yaml by `fusewise generate`. Do not edit.
//
// out = 0.5 * x * (1 + tanh(0.7978845608 * x * (1 + 0.044715 * x * x)))
//
// mul0 = 1.5957691216 * x * (1 + 0.044715 * x * x)
// sigmoid0 = sigmoid(mul0)
// dsigmoid0 = dsigmoid(mul0)
// mul1 = dsigmoid0 * x
// mul2 = mul1 * x * x
// mul3 = (mul1 * grad_out + mul2 * (0.044715 * grad_out)) * 1.5957691216
// mul4 = mul2 * (0.071354816272344 * grad_out)
// grad_x = grad_out * sigmoid0 + mul3 + mul4 + mul4
//
// backward keeps x: 4 B of float32 an element, arithmetic 44
// double_backward keeps grad_out, x: 8 B of float32 an element, arithmetic 94
// forward: 1 read and 1 written for each element
// backward: 2 read and 1 written for each element
// double_backward: 3 read and 2 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::gelu_fast {

struct Forward {
  static constexpr int kReads = 1;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 30;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    const T mul0 = T(1.5957691216) * x * (T(1) + T(0.044715) * x * x);
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
  static constexpr int kInstructions = 44;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T mul0 = T(1.5957691216) * x * (T(1) + T(0.044715) * x * x);
    const T abs0 = rt::abs(mul0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul1 = exp0 * div_moderate0;
    const T where0 = rt::where(mul0 >= T(0), div_moderate0, mul1);
    const T mul2 = mul1 * div_moderate0 * x;
    const T mul3 = mul2 * x * x;
    const T mul4 = (mul2 * grad_out + mul3 * (T(0.044715) * grad_out)) * T(1.5957691216);
    const T mul5 = mul3 * (T(0.071354816272344) * grad_out);
    writes[0] = grad_out * where0 + mul4 + mul5 + mul5;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 94;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_out = reads[1];
    const T x = reads[2];
    const T add0 = T(1) + T(0.044715) * x * x;
    const T tanh0 = rt::tanh(T(0.7978845608) * x * add0);
    const T mul0 = T(1.5957691216) * x * add0;
    const T abs0 = rt::abs(mul0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul1 = exp0 * div_moderate0;
    const T where0 = rt::where(mul0 >= T(0), div_moderate0, mul1);
    const T mul2 = mul1 * div_moderate0;
    const T mul3 = mul2 * x;
    const T mul4 = mul3 * x;
    const T mul5 = mul4 * x;
    const T add1 = grad_grad_x + grad_grad_x;
    const T mul6 = grad_grad_x * T(1.5957691216);
    const T mul7 = T(0.071354816272344) * grad_grad_x;
    const T add2 = add1 * (T(0.071354816272344) * grad_out) + mul7 * grad_out;
    const T add3 = mul5 * (T(0.071354816272344) * add1) + mul5 * mul7;
    const T mul8 = add2 * mul4;
    const T mul9 = (add2 * x * x + mul6 * grad_out) * mul2;
    const T mul10 = mul3 * (T(1.5957691216) * tanh0 * grad_grad_x * grad_out);
    const T add4 = mul5 * (tanh0 * add2) + mul10;
    const T sub0 = grad_grad_x * grad_out * mul2 - add4;
    const T add5 = mul8 + mul8 + mul9 + sub0 * add0 * T(1.5957691216);
    const T mul11 = T(0.071354816272344) * sub0 * x * x;
    writes[0] = add3 + mul6 * mul3 + grad_grad_x * where0;
    writes[1] = add5 + mul11 + mul11;
  }
};

}  // namespace fusewise::ops::gelu_fast
