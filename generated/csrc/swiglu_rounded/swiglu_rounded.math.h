// Generated from specs/gated/swiglu_rounded.yaml by `fusewise generate`. Do not edit.
//
// out = round_to(silu(x), x) * y
//
// silu0 = silu(x)
// round_to0 = round_to(silu0, x)
// sigmoid0 = sigmoid(x)
// dsigmoid0 = dsigmoid(x)
// grad_x = grad_out * y * (sigmoid0 + x * dsigmoid0)
// grad_y = grad_out * round_to0
//
// backward keeps x, y: 8 B of float32 an element, arithmetic 32
// double_backward keeps grad_out, x, y: 12 B of float32 an element, arithmetic 67
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#pragma once

#include <fusewise/math/dtype.h>

namespace fusewise::ops::swiglu_rounded {

struct Forward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 27;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const Dtype* types, T* writes) {
    const T x = reads[0];
    const T y = reads[1];
    const T abs0 = rt::abs(x);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T where0 = rt::where(x >= T(0), div_moderate0, exp0 * div_moderate0);
    const T round_to0 = rt::round_to(x * where0, types[0]);
    writes[0] = round_to0 * y;
  }
};

struct Backward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 32;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const Dtype* types, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T y = reads[2];
    const T abs0 = rt::abs(x);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T where0 = rt::where(x >= T(0), div_moderate0, mul0);
    const T round_to0 = rt::round_to(x * where0, types[1]);
    writes[0] = grad_out * y * (where0 + x * (mul0 * div_moderate0));
    writes[1] = grad_out * round_to0;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 67;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const Dtype* types, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_y = reads[1];
    const T grad_out = reads[2];
    const T x = reads[3];
    const T y = reads[4];
    const rt::Mask<T> has_grad_grad_x = params[0] != T(0);
    const rt::Mask<T> has_grad_grad_y = params[1] != T(0);
    const T abs0 = rt::abs(x);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T where0 = rt::where(x >= T(0), div_moderate0, mul0);
    const T round_to0 = rt::round_to(x * where0, types[3]);
    const T mul1 = mul0 * div_moderate0;
    const T mul2 = x * mul1;
    const T add0 = where0 + mul2;
    const T mul3 = T(0.5) * x;
    const T mul4 = grad_grad_x * add0;
    const T mul5 = grad_grad_x * (grad_out * y) * mul1;
    const T where1 = rt::where(has_grad_grad_y, grad_grad_y * round_to0, T(0));
    const T where2 = rt::where(has_grad_grad_x, mul4 * y, T(0));
    const T where3 = rt::where(has_grad_grad_y, grad_grad_y * grad_out * add0, T(0));
    const T tanh_near_zero0 = rt::tanh_near_zero(mul3);
    const T mul6 = T(2) * mul0;
    const T where4 = rt::where(mul3 < T(0), mul6 - T(1), T(1) - mul6);
    const T where5 = rt::where(abs0 < T(1.2), tanh_near_zero0, where4);
    const T sub0 = mul5 - mul2 * (where5 * grad_grad_x * grad_out * y);
    const T where6 = rt::where(has_grad_grad_x, sub0 + mul5, T(0));
    writes[0] = where1 + where2;
    writes[1] = where6 + where3;
    writes[2] = rt::where(has_grad_grad_x, mul4 * grad_out, T(0));
  }
};

}  // namespace fusewise::ops::swiglu_rounded
