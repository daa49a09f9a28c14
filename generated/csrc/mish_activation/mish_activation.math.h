// Generated from specs/activations/mish_activation.yaml by `fusewise generate`. Do not edit.
//
// out = x * tanh(log(1 + exp(x)))
//
// tanh_softplus0 = tanh_softplus(x)
// dtanh_softplus0 = dtanh_softplus(x)
// grad_x = grad_out * (tanh_softplus0 + x * dtanh_softplus0)
//
// backward keeps x: 4 B of float32 an element, arithmetic 46
// double_backward keeps grad_out, x: 8 B of float32 an element, arithmetic 68
// forward: 1 read and 1 written for each element
// backward: 2 read and 1 written for each element
// double_backward: 3 read and 2 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::mish_activation {

struct Forward {
  static constexpr int kReads = 1;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 30;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    const rt::Mask<T> ge0 = x >= T(0);
    const T abs0 = rt::abs(x);
    const T exp0 = rt::exp(-abs0);
    const T mul0 = T(2) * exp0;
    const T where0 = rt::where(ge0, T(1) + mul0, exp0 * (T(2) + exp0));
    const T where1 = rt::where(ge0, mul0 * exp0, T(2));
    const T div_moderate0 = rt::div_moderate(where0, where0 + where1);
    writes[0] = x * div_moderate0;
  }
};

struct Backward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 46;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const rt::Mask<T> ge0 = x >= T(0);
    const T abs0 = rt::abs(x);
    const T exp0 = rt::exp(-abs0);
    const T mul0 = T(2) * exp0;
    const T where0 = rt::where(ge0, T(1) + mul0, exp0 * (T(2) + exp0));
    const T where1 = rt::where(ge0, mul0 * exp0, T(2));
    const T add0 = where0 + where1;
    const T div_moderate0 = rt::div_moderate(where0, add0);
    const T where2 = rt::where(ge0, exp0, T(1));
    const T mul1 = T(4) * exp0 * (T(1) + exp0) * where2;
    const T div_moderate1 = rt::div_moderate(mul1, add0 * add0);
    writes[0] = grad_out * (div_moderate0 + x * div_moderate1);
  }
};

struct DoubleBackward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 68;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_out = reads[1];
    const T x = reads[2];
    const rt::Mask<T> ge0 = x >= T(0);
    const T abs0 = rt::abs(x);
    const T exp0 = rt::exp(-abs0);
    const T mul0 = T(2) * exp0;
    const T where0 = rt::where(ge0, T(1) + mul0, exp0 * (T(2) + exp0));
    const T where1 = rt::where(ge0, mul0 * exp0, T(2));
    const T add0 = where0 + where1;
    const T div_moderate0 = rt::div_moderate(where0, add0);
    const T add1 = T(1) + exp0;
    const T where2 = rt::where(ge0, exp0, T(1));
    const T div_moderate1 = rt::div_moderate(T(4) * exp0 * add1 * where2, add0 * add0);
    const T mul1 = x * div_moderate1;
    const T mul2 = grad_grad_x * grad_out;
    const T mul3 = mul2 * div_moderate1;
    const T div_moderate2 = rt::div_moderate(T(1), add1);
    const T mul4 = exp0 * div_moderate2;
    const T where3 = rt::where(-x >= T(0), div_moderate2, mul4);
    const T where4 = rt::where(ge0, div_moderate2, mul4);
    const T mul5 = mul1 * (mul2 * (where3 - T(2) * div_moderate0 * where4));
    writes[0] = grad_grad_x * (div_moderate0 + mul1);
    writes[1] = mul3 + mul5 + mul3;
  }
};

}  // namespace fusewise::ops::mish_activation
