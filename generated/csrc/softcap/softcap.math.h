// Generated from specs/activations/softcap.yaml by `fusewise generate`. Do not edit.
//
// out = cap * tanh(x / cap)
// grad_x = grad_out * sech2(x / cap)
//
// sech2_0 = sech2(x / cap)
// grad_x = grad_out * sech2_0
//
// backward keeps x: 4 B of float32 an element, arithmetic 34
// double_backward keeps grad_out, x: 8 B of float32 an element, arithmetic 61
// forward: 1 read and 1 written for each element
// backward: 2 read and 1 written for each element
// double_backward: 3 read and 2 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::softcap {

struct Forward {
  static constexpr int kReads = 1;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 27;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T x = reads[0];
    const T cap = params[0];
    const T div_shared0 = rt::div_shared(x, cap);
    const T tanh0 = rt::tanh(div_shared0);
    writes[0] = cap * tanh0;
  }
};

struct Backward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 34;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T cap = params[0];
    const T div_shared0 = rt::div_shared(x, cap);
    const T abs0 = rt::abs(T(2) * div_shared0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    writes[0] = grad_out * (T(4) * (exp0 * div_moderate0 * div_moderate0));
  }
};

struct DoubleBackward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 61;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_out = reads[1];
    const T x = reads[2];
    const T cap = params[0];
    const T div_shared0 = rt::div_shared(x, cap);
    const T abs0 = rt::abs(T(2) * div_shared0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T mul1 = T(4) * (mul0 * div_moderate0);
    const T tanh_near_zero0 = rt::tanh_near_zero(div_shared0);
    const T mul2 = T(2) * mul0;
    const T where0 = rt::where(div_shared0 < T(0), mul2 - T(1), T(1) - mul2);
    const T where1 = rt::where(abs0 < T(1.2), tanh_near_zero0, where0);
    writes[0] = grad_grad_x * mul1;
    writes[1] = rt::div_shared(grad_grad_x * grad_out * (T(-2) * where1 * mul1), cap);
  }
};

}  // namespace fusewise::ops::softcap
