// Generated from specs/gated/fatrelu_and_mul.yaml by `fusewise generate`. Do not edit.
//
// out = (0 if gate <= threshold else gate) * up
//
// le0 = gate <= threshold
// grad_gate = 0 if le0 else grad_out * up
// grad_up = 0 if le0 else grad_out * gate
//
// backward keeps x: 8 B of float32 an element, arithmetic 5
// double_backward keeps grad_out, x: 12 B of float32 an element, arithmetic 9
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::fatrelu_and_mul {

struct Forward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 3;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T gate = reads[0];
    const T up = reads[1];
    const T threshold = params[0];
    const T where0 = rt::where(gate <= threshold, T(0), gate);
    writes[0] = where0 * up;
  }
};

struct Backward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 5;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_out = reads[0];
    const T gate = reads[1];
    const T up = reads[2];
    const T threshold = params[0];
    const rt::Mask<T> le0 = gate <= threshold;
    writes[0] = rt::where(le0, T(0), grad_out * up);
    writes[1] = rt::where(le0, T(0), grad_out * gate);
  }
};

struct DoubleBackward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 9;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_gate = reads[0];
    const T grad_grad_up = reads[1];
    const T grad_out = reads[2];
    const T gate = reads[3];
    const T up = reads[4];
    const T threshold = params[0];
    const rt::Mask<T> le0 = gate <= threshold;
    writes[0] = rt::where(le0, T(0), grad_grad_up * gate + grad_grad_gate * up);
    writes[1] = rt::where(le0, T(0), grad_grad_up * grad_out);
    writes[2] = rt::where(le0, T(0), grad_grad_gate * grad_out);
  }
};

}  // namespace fusewise::ops::fatrelu_and_mul
