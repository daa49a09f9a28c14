// Generated from specs/activations/squared_relu.yaml by `fusewise generate`. Do not edit.
//
// out = square(relu(x))
// grad_x = grad_out * (2 * relu(x))
//
// relu0 = relu(x)
// grad_x = grad_out * (2 * relu0)
//
// backward keeps x: 4 B of float32 an element, arithmetic 4
// double_backward keeps grad_out, x: 8 B of float32 an element, arithmetic 8
// forward: 1 read and 1 written for each element
// backward: 2 read and 1 written for each element
// double_backward: 3 read and 2 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::squared_relu {

struct Forward {
  static constexpr int kReads = 1;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 3;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    const T where0 = rt::where(x <= T(0), T(0), x);
    writes[0] = where0 * where0;
  }
};

struct Backward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 4;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T where0 = rt::where(x <= T(0), T(0), x);
    writes[0] = grad_out * (T(2) * where0);
  }
};

struct DoubleBackward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 8;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_out = reads[1];
    const T x = reads[2];
    const T where0 = rt::where(x <= T(0), T(0), x);
    writes[0] = grad_grad_x * (T(2) * where0);
    writes[1] = rt::where(where0 <= T(0), T(0), grad_grad_x * grad_out * T(2));
  }
};

}  // namespace fusewise::ops::squared_relu
