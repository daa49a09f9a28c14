// Generated from specs/activations/hard_sigmoid.yaml by `fusewise generate`. Do not edit.
//
// out = hardsigmoid(x)
//
// grad_x = grad_out * (1 / 6) if x > -3 and x < 3 else 0
//
// backward keeps x: 4 B of float32 an element, arithmetic 5
// double_backward keeps grad_out, x: 8 B of float32 an element, arithmetic 5
// forward: 1 read and 1 written for each element
// backward: 2 read and 1 written for each element
// double_backward: 2 read and 1 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::hard_sigmoid {

struct Forward {
  static constexpr int kReads = 1;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 13;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    const T where0 = rt::where(x >= T(3), T(1), (x + T(3)) / T(6));
    writes[0] = rt::where(x <= T(-3), T(0), where0);
  }
};

struct Backward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 5;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    writes[0] = rt::where((x > T(-3)) & (x < T(3)), grad_out * T(0.16666666666666666), T(0));
  }
};

struct DoubleBackward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 5;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_x = reads[0];
    const T x = reads[2];
    writes[0] = rt::where((x > T(-3)) & (x < T(3)), grad_grad_x * T(0.16666666666666666), T(0));
  }
};

}  // namespace fusewise::ops::hard_sigmoid
