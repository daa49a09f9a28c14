// Generated from specs/quantised/gradient_reversal.yaml by `fusewise generate`. Do not edit.
//
// out = x
// grad_x = -strength * grad_out
//
// grad_x = -(strength * grad_out)
//
// backward keeps nothing: 0 B of float32 an element, arithmetic 2
// double_backward keeps grad_out: 4 B of float32 an element, arithmetic 2
// forward: 1 read and 1 written for each element
// backward: 1 read and 1 written for each element
// double_backward: 1 read and 1 written for each element
// The backward is a surrogate, on purpose not the derivative of the forward.
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::gradient_reversal {

struct Forward {
  static constexpr int kReads = 1;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 0;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    writes[0] = x;
  }
};

struct Backward {
  static constexpr int kReads = 1;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 2;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_out = reads[0];
    const T strength = params[0];
    writes[0] = -(strength * grad_out);
  }
};

struct DoubleBackward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 2;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T strength = params[0];
    writes[0] = -(grad_grad_x * strength);
  }
};

}  // namespace fusewise::ops::gradient_reversal
