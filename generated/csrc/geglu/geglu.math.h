// Generated from specs/gated/geglu.yaml by `fusewise generate`. Do not edit.
//
// out = (gelu_tanh(x) if approximate else gelu(x)) * y
//
// With approximate = false:
//
// gelu0 = gelu(x)
// normal_cdf0 = normal_cdf(x)
// normal_pdf0 = normal_pdf(x)
// grad_x = grad_out * y * (normal_cdf0 + x * normal_pdf0)
// grad_y = grad_out * gelu0
//
// backward keeps x, y: 8 B of float32 an element, arithmetic 56
// double_backward keeps grad_out, x, y: 12 B of float32 an element, arithmetic 75
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
//
// With approximate = true:
//
// gelu_tanh0 = gelu_tanh(x)
// dgelu_tanh0 = dgelu_tanh(x)
// grad_x = grad_out * y * dgelu_tanh0
// grad_y = grad_out * gelu_tanh0
//
// backward keeps x, y: 8 B of float32 an element, arithmetic 40
// double_backward keeps grad_out, x, y: 12 B of float32 an element, arithmetic 83
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::geglu {

struct ApproximateFalseForward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 36;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    const T y = reads[1];
    const T normal_cdf0 = rt::normal_cdf(x);
    writes[0] = x * normal_cdf0 * y;
  }
};

struct ApproximateFalseBackward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 56;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T y = reads[2];
    const T normal_cdf0 = rt::normal_cdf(x);
    const T exp_mul0 = rt::exp_mul(T(-0.5) * x, x);
    writes[0] = grad_out * y * (normal_cdf0 + x * (T(0.3989422804014327) * exp_mul0));
    writes[1] = grad_out * (x * normal_cdf0);
  }
};

struct ApproximateFalseDoubleBackward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 75;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_y = reads[1];
    const T grad_out = reads[2];
    const T x = reads[3];
    const T y = reads[4];
    const rt::Mask<T> has_grad_grad_x = params[0] != T(0);
    const rt::Mask<T> has_grad_grad_y = params[1] != T(0);
    const T normal_cdf0 = rt::normal_cdf(x);
    const T exp_mul0 = rt::exp_mul(T(-0.5) * x, x);
    const T mul0 = T(0.3989422804014327) * exp_mul0;
    const T mul1 = x * mul0;
    const T add0 = normal_cdf0 + mul1;
    const T mul2 = grad_grad_x * add0;
    const T mul3 = grad_grad_x * (grad_out * y) * mul0;
    const T where0 = rt::where(has_grad_grad_y, grad_grad_y * (x * normal_cdf0), T(0));
    const T where1 = rt::where(has_grad_grad_x, mul2 * y, T(0));
    const T where2 = rt::where(has_grad_grad_y, grad_grad_y * grad_out * add0, T(0));
    const T sub0 = mul3 - mul1 * x * (grad_grad_x * grad_out * y);
    const T where3 = rt::where(has_grad_grad_x, sub0 + mul3, T(0));
    writes[0] = where0 + where1;
    writes[1] = where3 + where2;
    writes[2] = rt::where(has_grad_grad_x, mul2 * grad_out, T(0));
  }
};

struct ApproximateTrueForward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 30;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    const T y = reads[1];
    const T mul0 = x * (T(1.5957691216057308) + T(0.07135481627260025) * x * x);
    const T abs0 = rt::abs(mul0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T where0 = rt::where(mul0 >= T(0), div_moderate0, exp0 * div_moderate0);
    writes[0] = x * where0 * y;
  }
};

struct ApproximateTrueBackward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 40;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T y = reads[2];
    const T mul0 = x * (T(1.5957691216057308) + T(0.07135481627260025) * x * x);
    const T abs0 = rt::abs(mul0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul1 = exp0 * div_moderate0;
    const T where0 = rt::where(mul0 >= T(0), div_moderate0, mul1);
    const T mul2 = x * (mul1 * div_moderate0);
    const T mul3 = mul2 * x * x * T(0.21406444881780073);
    writes[0] = grad_out * y * (where0 + mul2 * T(1.5957691216057308) + mul3);
    writes[1] = grad_out * (x * where0);
  }
};

struct ApproximateTrueDoubleBackward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 83;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_y = reads[1];
    const T grad_out = reads[2];
    const T x = reads[3];
    const T y = reads[4];
    const rt::Mask<T> has_grad_grad_x = params[0] != T(0);
    const rt::Mask<T> has_grad_grad_y = params[1] != T(0);
    const T mul0 = x * (T(1.5957691216057308) + T(0.07135481627260025) * x * x);
    const T abs0 = rt::abs(mul0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul1 = exp0 * div_moderate0;
    const T where0 = rt::where(mul0 >= T(0), div_moderate0, mul1);
    const T mul2 = mul1 * div_moderate0;
    const T mul3 = x * mul2;
    const T mul4 = mul3 * x;
    const T add0 = where0 + mul3 * T(1.5957691216057308) + mul4 * x * T(0.21406444881780073);
    const T mul5 = T(0.5) * mul0;
    const T mul6 = grad_grad_x * add0;
    const T where1 = rt::where(has_grad_grad_y, grad_grad_y * (x * where0), T(0));
    const T where2 = rt::where(has_grad_grad_x, mul6 * y, T(0));
    const T where3 = rt::where(has_grad_grad_y, grad_grad_y * grad_out * add0, T(0));
    const T tanh_near_zero0 = rt::tanh_near_zero(mul5);
    const T mul7 = T(2) * mul1;
    const T where4 = rt::where(mul5 < T(0), mul7 - T(1), T(1) - mul7);
    const T where5 = rt::where(abs0 < T(1.2), tanh_near_zero0, where4);
    const T mul8 = x * (mul2 * T(1.5957691216057308) + mul4 * T(0.21406444881780073)) * where5;
    const T sub0 = T(3.1915382432114616) * mul2 + mul4 * T(0.8562577952712029) - mul8 *
        T(1.5957691216057308);
    const T sub1 = sub0 - mul8 * x * x * T(0.21406444881780073);
    const T where6 = rt::where(has_grad_grad_x, grad_grad_x * (grad_out * y) * sub1, T(0));
    writes[0] = where1 + where2;
    writes[1] = where6 + where3;
    writes[2] = rt::where(has_grad_grad_x, mul6 * grad_out, T(0));
  }
};

}  // namespace fusewise::ops::geglu
