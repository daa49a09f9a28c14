// Generated from specs/activations/dyt.yaml by `fusewise generate`. Do not edit.
//
// t = tanh(alpha * x)
// out = gamma * t + beta
// grad_x = grad_out * gamma * (1 - t * t) * alpha
// grad_alpha = grad_out * gamma * (1 - t * t) * x
// grad_gamma = grad_out * t
// grad_beta = grad_out
//
// mul0 = alpha * x
// t = tanh(mul0)
// mul1 = grad_out * gamma
// sech2_0 = sech2(mul0)
// grad_x = sech2_0 * alpha * mul1
// grad_alpha = sech2_0 * x * mul1
// grad_gamma = grad_out * t
// grad_beta = grad_out
//
// backward keeps x, alpha, gamma: 12 B of float32 an element, arithmetic 47
// double_backward keeps grad_out, x, alpha, gamma: 16 B of float32 an element, arithmetic 84
// forward: 4 read and 1 written for each element
// backward: 4 read and 3 written for each element; grad_beta equals grad_out
// double_backward: 8 read and 4 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::dyt {

struct Forward {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 21;
  static constexpr unsigned kRowScalars = 2;
  static constexpr unsigned kRepeated = 14;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    const T alpha = reads[1];
    const T gamma = reads[2];
    const T beta = reads[3];
    const T t = rt::tanh(alpha * x);
    writes[0] = gamma * t + beta;
  }
};

struct Backward {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 47;
  static constexpr unsigned kFull = 19;
  static constexpr unsigned kRowScalars = 4;
  static constexpr unsigned kRepeated = 12;
  static constexpr unsigned kSummed = 224;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T alpha = reads[2];
    const T gamma = reads[3];
    const T mul0 = alpha * x;
    const T mul1 = grad_out * gamma;
    const T abs0 = rt::abs(T(2) * mul0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul2 = exp0 * div_moderate0;
    const T mul3 = T(4) * (mul2 * div_moderate0);
    const T tanh_near_zero0 = rt::tanh_near_zero(mul0);
    const T mul4 = T(2) * mul2;
    const T where0 = rt::where(mul0 < T(0), mul4 - T(1), T(1) - mul4);
    const T t = rt::where(abs0 < T(1.2), tanh_near_zero0, where0);
    writes[0] = mul3 * alpha * mul1;
    writes[1] = mul3 * x * mul1;
    writes[2] = grad_out * t;
    writes[3] = grad_out;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 84;
  static constexpr unsigned kRepeated = 192;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_alpha = reads[1];
    const T grad_grad_gamma = reads[2];
    const T grad_grad_beta = reads[3];
    const T grad_out = reads[4];
    const T x = reads[5];
    const T alpha = reads[6];
    const T gamma = reads[7];
    const rt::Mask<T> has_grad_grad_x = params[0] != T(0);
    const rt::Mask<T> has_grad_grad_alpha = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_gamma = params[2] != T(0);
    const T mul0 = alpha * x;
    const T mul1 = grad_out * gamma;
    const T abs0 = rt::abs(T(2) * mul0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul2 = exp0 * div_moderate0;
    const T mul3 = T(4) * (mul2 * div_moderate0);
    const T tanh_near_zero0 = rt::tanh_near_zero(mul0);
    const T mul4 = T(2) * mul2;
    const T where0 = rt::where(mul0 < T(0), mul4 - T(1), T(1) - mul4);
    const T t = rt::where(abs0 < T(1.2), tanh_near_zero0, where0);
    const T mul5 = grad_grad_x * mul1;
    const T where1 = rt::where(has_grad_grad_x, mul5 * alpha, T(0));
    const T mul6 = grad_grad_alpha * mul1;
    const T where2 = rt::where(has_grad_grad_alpha, mul6 * x, T(0));
    const rt::Mask<T> logical_or0 = has_grad_grad_x | has_grad_grad_alpha;
    const rt::Mask<T> logical_or1 = logical_or0 | has_grad_grad_gamma;
    const T where3 = rt::where(has_grad_grad_x, grad_grad_x * (mul3 * alpha), T(0));
    const T where4 = rt::where(has_grad_grad_x, mul5 * mul3, T(0));
    const T where5 = rt::where(has_grad_grad_alpha, grad_grad_alpha * (mul3 * x), T(0));
    const T add0 = where3 + where5;
    const T where6 = rt::where(has_grad_grad_alpha, mul6 * mul3, T(0));
    const T where7 = rt::where(logical_or0, add0 * gamma, T(0));
    const T where8 = rt::where(has_grad_grad_gamma, grad_grad_gamma * grad_out * mul3, T(0));
    const T where9 = rt::where(has_grad_grad_gamma, grad_grad_gamma * t, T(0));
    const T where10 = rt::where(logical_or0, mul3 * (where1 + where2) * (T(-2) * t), T(0));
    const T add1 = where10 + where8;
    const T where11 = rt::where(logical_or1, add1 * x, T(0));
    const T where12 = rt::where(logical_or1, add1 * alpha, T(0));
    writes[0] = grad_grad_beta + where7 + where9;
    writes[1] = where6 + where12;
    writes[2] = where4 + where11;
    writes[3] = rt::where(logical_or0, add0 * grad_out, T(0));
  }
};

}  // namespace fusewise::ops::dyt
