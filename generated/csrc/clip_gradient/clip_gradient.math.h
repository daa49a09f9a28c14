// Generated from specs/quantised/clip_gradient.yaml by `fusewise generate`. Do not edit.
//
// out = x
// grad_x = clamp(grad_out, -limit, limit)
//
// grad_x = clamp(grad_out, -limit, limit)
//
// backward keeps nothing: 0 B of float32 an element, arithmetic 7
// double_backward keeps grad_out: 4 B of float32 an element, arithmetic 5
// forward: 1 read and 1 written for each element
// backward: 1 read and 1 written for each element
// double_backward: 2 read and 1 written for each element
// The backward is a surrogate, on purpose not the derivative of the forward.
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::clip_gradient {

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
  static constexpr int kInstructions = 7;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_out = reads[0];
    const T limit = params[0];
    const T maximum0 = rt::maximum(grad_out, -limit);
    writes[0] = rt::minimum(maximum0, limit);
  }
};

struct DoubleBackward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 5;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_out = reads[1];
    const T limit = params[0];
    writes[0] = rt::where((grad_out >= -limit) & (grad_out <= limit), grad_grad_x, T(0));
  }
};

}  // namespace fusewise::ops::clip_gradient
