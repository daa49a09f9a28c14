// Generated from specs/activations/snake_beta.yaml by `fusewise generate`. Do not edit.
//
// out = x + square(sin(alpha * x)) / beta
//
// mul0 = alpha * x
// sin_squared0 = sin_squared(mul0)
// sin_doubled0 = sin_doubled(mul0)
// mul1 = grad_out / beta * sin_doubled0
// grad_x = grad_out + mul1 * alpha
// grad_alpha = mul1 * x
// grad_beta = -(sin_squared0 / beta / beta * grad_out)
//
// backward keeps x, alpha, beta: 12 B of float32 an element, arithmetic 53
// double_backward keeps grad_out, x, alpha, beta: 16 B of float32 an element, arithmetic 127
// forward: 3 read and 1 written for each element
// backward: 4 read and 3 written for each element
// double_backward: 7 read and 4 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::snake_beta {

struct Forward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 22;
  static constexpr unsigned kRowScalars = 6;
  static constexpr unsigned kHoistedFrom = 4;
  static constexpr unsigned kRepeated = 6;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    const T alpha = reads[1];
    const T beta = reads[2];
    const T sin_squared0 = rt::sin_squared(alpha * x);
    const T div_shared0 = rt::div_shared(sin_squared0, beta);
    writes[0] = x + div_shared0;
  }
};

struct Backward {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 53;
  static constexpr unsigned kFull = 19;
  static constexpr unsigned kRowScalars = 12;
  static constexpr unsigned kHoistedFrom = 8;
  static constexpr unsigned kRepeated = 12;
  static constexpr unsigned kSummed = 96;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T alpha = reads[2];
    const T beta = reads[3];
    const T mul0 = alpha * x;
    const T sin_squared0 = rt::sin_squared(mul0);
    const T sin_doubled0 = rt::sin_doubled(mul0);
    const T div_shared0 = rt::div_shared(sin_squared0, beta);
    const T div_shared1 = rt::div_shared(grad_out, beta);
    const T div_shared2 = rt::div_shared(div_shared0, beta);
    const T mul1 = div_shared1 * sin_doubled0;
    writes[0] = grad_out + mul1 * alpha;
    writes[1] = mul1 * x;
    writes[2] = -(div_shared2 * grad_out);
  }
};

struct DoubleBackward {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 127;
  static constexpr unsigned kRepeated = 96;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_alpha = reads[1];
    const T grad_grad_beta = reads[2];
    const T grad_out = reads[3];
    const T x = reads[4];
    const T alpha = reads[5];
    const T beta = reads[6];
    const rt::Mask<T> has_grad_grad_x = params[0] != T(0);
    const rt::Mask<T> has_grad_grad_alpha = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_beta = params[2] != T(0);
    const T mul0 = alpha * x;
    const T sin_squared0 = rt::sin_squared(mul0);
    const T div0 = grad_out / beta;
    const T div1 = sin_squared0 / beta / beta;
    const T sin_doubled0 = rt::sin_doubled(mul0);
    const T mul1 = div0 * sin_doubled0;
    const T where0 = rt::where(has_grad_grad_x, grad_grad_x * alpha, T(0));
    const T where1 = rt::where(has_grad_grad_x, grad_grad_x * mul1, T(0));
    const T where2 = rt::where(has_grad_grad_alpha, grad_grad_alpha * x, T(0));
    const T add0 = where0 + where2;
    const T where3 = rt::where(has_grad_grad_alpha, grad_grad_alpha * mul1, T(0));
    const T mul2 = add0 * sin_doubled0;
    const rt::Mask<T> logical_or0 = has_grad_grad_x | has_grad_grad_alpha;
    const T where4 = rt::where(logical_or0, add0 * div0 * (T(2) - T(4) * sin_squared0), T(0));
    const T mul3 = grad_grad_beta * grad_out;
    const T where5 = rt::where(has_grad_grad_beta, -(grad_grad_beta * div1), T(0));
    const T div2 = mul3 / beta;
    const T where6 = rt::where(logical_or0, mul2 / beta, T(0));
    const T where7 = rt::where(logical_or0, -(div0 / beta * mul2), T(0));
    const T where8 = rt::where(has_grad_grad_beta, div1 / beta * mul3 + div1 * div2, T(0));
    const T where9 = rt::where(has_grad_grad_beta, -(div2 / beta * sin_doubled0), T(0));
    const T add1 = where4 + where9;
    writes[0] = grad_grad_x + where5 + where6;
    writes[1] = where3 + add1 * alpha;
    writes[2] = where1 + add1 * x;
    writes[3] = where8 + where7;
  }
};

}  // namespace fusewise::ops::snake_beta
