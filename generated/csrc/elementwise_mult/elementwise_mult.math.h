// Generated from specs/basics/elementwise_mult.yaml by `fusewise generate`. Do not edit.
//
// out = a * b
//
// grad_a = grad_out * b
// grad_b = grad_out * a
//
// backward keeps a, b: 8 B of float32 an element, arithmetic 2
// double_backward keeps grad_out, a, b: 12 B of float32 an element, arithmetic 9
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::elementwise_mult {

struct Forward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 1;
  static constexpr unsigned kRepeated = 2;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T a = reads[0];
    const T b = reads[1];
    writes[0] = a * b;
  }
};

struct Backward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 2;
  static constexpr unsigned kFull = 11;
  static constexpr unsigned kRepeated = 4;
  static constexpr unsigned kSummed = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T a = reads[1];
    const T b = reads[2];
    writes[0] = grad_out * b;
    writes[1] = grad_out * a;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 9;
  static constexpr unsigned kRepeated = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_a = reads[0];
    const T grad_grad_b = reads[1];
    const T grad_out = reads[2];
    const T a = reads[3];
    const T b = reads[4];
    const rt::Mask<T> has_grad_grad_a = params[0] != T(0);
    const rt::Mask<T> has_grad_grad_b = params[1] != T(0);
    const T where0 = rt::where(has_grad_grad_b, grad_grad_b * a, T(0));
    const T where1 = rt::where(has_grad_grad_a, grad_grad_a * b, T(0));
    writes[0] = where0 + where1;
    writes[1] = rt::where(has_grad_grad_b, grad_grad_b * grad_out, T(0));
    writes[2] = rt::where(has_grad_grad_a, grad_grad_a * grad_out, T(0));
  }
};

}  // namespace fusewise::ops::elementwise_mult
