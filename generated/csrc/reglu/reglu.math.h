// Generated from specs/gated/reglu.yaml by `fusewise generate`. Do not edit.
//
// out = relu(gate) * up
//
// relu0 = relu(gate)
// grad_gate = 0 if relu0 <= 0 else grad_out * up
// grad_up = grad_out * relu0
//
// backward keeps x: 8 B of float32 an element, arithmetic 6
// double_backward keeps grad_out, x: 12 B of float32 an element, arithmetic 11
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::reglu {

struct Forward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 3;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T gate = reads[0];
    const T up = reads[1];
    const T where0 = rt::where(gate <= T(0), T(0), gate);
    writes[0] = where0 * up;
  }
};

struct Backward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 6;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T gate = reads[1];
    const T up = reads[2];
    const T where0 = rt::where(gate <= T(0), T(0), gate);
    writes[0] = rt::where(where0 <= T(0), T(0), grad_out * up);
    writes[1] = grad_out * where0;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 11;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_gate = reads[0];
    const T grad_grad_up = reads[1];
    const T grad_out = reads[2];
    const T gate = reads[3];
    const T up = reads[4];
    const T where0 = rt::where(gate <= T(0), T(0), gate);
    const rt::Mask<T> le0 = where0 <= T(0);
    const T where1 = rt::where(le0, T(0), grad_grad_gate * up);
    writes[0] = grad_grad_up * where0 + where1;
    writes[1] = rt::where(le0, T(0), grad_grad_up * grad_out);
    writes[2] = rt::where(le0, T(0), grad_grad_gate * grad_out);
  }
};

}  // namespace fusewise::ops::reglu
