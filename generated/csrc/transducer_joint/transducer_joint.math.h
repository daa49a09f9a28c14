// Generated from specs/bias/transducer_joint.yaml by `fusewise generate`. Do not edit.
//
// out = relu(f + g)
//
// where0 = 0 if out <= 0 else grad_out
// grad_f = where0
// grad_g = where0
//
// backward keeps out: 4 B of float32 an element, arithmetic 2
// double_backward keeps grad_out, out: 8 B of float32 an element, arithmetic 3
// forward: 2 read and 1 written for each element
// backward: 2 read and 1 written for each element; grad_g equals grad_f
// double_backward: 3 read and 1 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::transducer_joint {

struct Forward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 3;
  static constexpr unsigned kRepeated = 3;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T f = reads[0];
    const T g = reads[1];
    const T add0 = f + g;
    writes[0] = rt::where(add0 <= T(0), T(0), add0);
  }
};

struct Backward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 2;
  static constexpr unsigned kTwoAxis = 1;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T out = reads[1];
    const T where0 = rt::where(out <= T(0), T(0), grad_out);
    writes[0] = where0;
    writes[1] = where0;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 3;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_f = reads[0];
    const T grad_grad_g = reads[1];
    const T out = reads[3];
    writes[0] = rt::where(out <= T(0), T(0), grad_grad_f + grad_grad_g);
  }
};

}  // namespace fusewise::ops::transducer_joint
