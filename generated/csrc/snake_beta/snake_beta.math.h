// Generated from specs/activations/snake_beta.yaml by `fusewise generate`. Do not edit.
//
// out = x + square(sin(alpha * x)) / beta
//
// mul0 = alpha * x
// sin0 = sin(mul0)
// sin_squared0 = sin_squared(mul0)
// cos0 = cos(mul0)
// mul1 = grad_out / beta * (2 * sin0 * cos0)
// grad_x = grad_out + mul1 * alpha
// grad_alpha = mul1 * x
// grad_beta = -(sin_squared0 / beta / beta * grad_out)
//
// backward keeps x, alpha, beta: 12 B of float32 an element, arithmetic 66
// double_backward keeps grad_out, x, alpha, beta: 16 B of float32 an element, arithmetic 131
// forward: 3 read and 1 written for each element
// backward: 4 read and 3 written for each element
// double_backward: 7 read and 4 written for each element
#pragma once

#include <fusewise/math.h>

namespace fusewise::ops::snake_beta {

struct Forward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 22;
  static constexpr unsigned kNumbers = 6;
  static constexpr unsigned kPreparedFrom = 4;

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
  static constexpr int kInstructions = 66;
  static constexpr unsigned kFull = 19;
  static constexpr unsigned kNumbers = 12;
  static constexpr unsigned kPreparedFrom = 8;
  static constexpr unsigned kSummed = 96;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T alpha = reads[2];
    const T beta = reads[3];
    const T mul0 = alpha * x;
    const T sin0 = rt::sin(mul0);
    const T cos0 = rt::cos(mul0);
    const T div_shared0 = rt::div_shared(grad_out, beta);
    const T mul1 = div_shared0 * (T(2) * sin0 * cos0);
    const T div_shared1 = rt::div_shared(sin0 * sin0, beta);
    const T div_shared2 = rt::div_shared(div_shared1, beta);
    writes[0] = grad_out + mul1 * alpha;
    writes[1] = mul1 * x;
    writes[2] = -(div_shared2 * grad_out);
  }
};

struct DoubleBackward {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 131;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_alpha = reads[1];
    const T grad_grad_beta = reads[2];
    const T grad_out = reads[3];
    const T x = reads[4];
    const T alpha = reads[5];
    const T beta = reads[6];
    const T mul0 = alpha * x;
    const T sin0 = rt::sin(mul0);
    const T div0 = grad_out / beta;
    const T cos0 = rt::cos(mul0);
    const T mul1 = T(2) * sin0 * cos0;
    const T mul2 = div0 * mul1;
    const T mul3 = sin0 * sin0;
    const T div1 = mul3 / beta / beta;
    const T add0 = grad_grad_x * alpha + grad_grad_alpha * x;
    const T mul4 = add0 * mul1;
    const T mul5 = grad_grad_beta * grad_out;
    const T div2 = mul5 / beta;
    const T mul6 = add0 * div0 * cos0 * T(2) * cos0;
    const T sub0 = div1 / beta * mul5 - div0 / beta * mul4;
    const T neg0 = -(T(2) * mul3 * add0 * div0);
    const T add1 = neg0 - div2 / beta * mul1 + mul6;
    writes[0] = grad_grad_x - grad_grad_beta * div1 + mul4 / beta;
    writes[1] = grad_grad_alpha * mul2 + add1 * alpha;
    writes[2] = grad_grad_x * mul2 + add1 * x;
    writes[3] = sub0 + div1 * div2;
  }
};

}  // namespace fusewise::ops::snake_beta
