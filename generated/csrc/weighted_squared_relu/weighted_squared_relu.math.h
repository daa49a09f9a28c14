// Generated from specs/activations/weighted_squared_relu.yaml by `fusewise generate`. Do not edit.
//
// out = square(relu(x)) * weight
//
// relu0 = relu(x)
// square0 = square(relu0)
// grad_x = 0 if relu0 <= 0 else grad_out * weight * (2 * relu0)
// grad_weight = grad_out * square0
//
// backward keeps x, weight: 8 B of float32 an element, arithmetic 9
// double_backward keeps grad_out, x, weight: 12 B of float32 an element, arithmetic 25
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::weighted_squared_relu {

struct Forward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 4;
  static constexpr unsigned kRowScalars = 2;
  static constexpr unsigned kRepeated = 2;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    const T weight = reads[1];
    const T where0 = rt::where(x <= T(0), T(0), x);
    writes[0] = where0 * where0 * weight;
  }
};

struct Backward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 9;
  static constexpr unsigned kFull = 11;
  static constexpr unsigned kRowScalars = 4;
  static constexpr unsigned kRepeated = 4;
  static constexpr unsigned kSummed = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T weight = reads[2];
    const T where0 = rt::where(x <= T(0), T(0), x);
    writes[0] = rt::where(where0 <= T(0), T(0), grad_out * weight * (T(2) * where0));
    writes[1] = grad_out * (where0 * where0);
  }
};

struct DoubleBackward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 25;
  static constexpr unsigned kRepeated = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_weight = reads[1];
    const T grad_out = reads[2];
    const T x = reads[3];
    const T weight = reads[4];
    const rt::Mask<T> has_grad_grad_x = params[0] != T(0);
    const rt::Mask<T> has_grad_grad_weight = params[1] != T(0);
    const T where0 = rt::where(x <= T(0), T(0), x);
    const T mul0 = T(2) * where0;
    const rt::Mask<T> le0 = where0 <= T(0);
    const T where1 = rt::where(has_grad_grad_x, grad_grad_x * (grad_out * weight) * T(2), T(0));
    const T mul1 = grad_grad_x * mul0;
    const T where2 = rt::where(le0, T(0), where1);
    const T where3 = rt::where(has_grad_grad_weight, grad_grad_weight * (where0 * where0), T(0));
    const T where4 = rt::where(has_grad_grad_x, mul1 * weight, T(0));
    const T where5 = rt::where(le0, T(0), where4);
    const T where6 = rt::where(has_grad_grad_x, mul1 * grad_out, T(0));
    const T where7 = rt::where(has_grad_grad_weight, grad_grad_weight * grad_out * mul0, T(0));
    writes[0] = where3 + where5;
    writes[1] = rt::where(le0, T(0), where2 + where7);
    writes[2] = rt::where(le0, T(0), where6);
  }
};

}  // namespace fusewise::ops::weighted_squared_relu
