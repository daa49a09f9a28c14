// Generated from specs/bias/gated_residual.yaml by `fusewise generate`. Do not edit.
//
// out = residual + gate * x
//
// grad_x = grad_out * gate
// grad_residual = grad_out
// grad_gate = grad_out * x
//
// backward keeps x, gate: 8 B of float32 an element, arithmetic 2
// double_backward keeps grad_out, x, gate: 12 B of float32 an element, arithmetic 10
// forward: 3 read and 1 written for each element
// backward: 3 read and 2 written for each element; grad_residual equals grad_out
// double_backward: 6 read and 3 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::gated_residual {

struct Forward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 2;
  static constexpr unsigned kRepeated = 4;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    const T residual = reads[1];
    const T gate = reads[2];
    writes[0] = residual + gate * x;
  }
};

struct Backward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 2;
  static constexpr unsigned kFull = 11;
  static constexpr unsigned kRepeated = 4;
  static constexpr unsigned kSummed = 32;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T gate = reads[2];
    writes[0] = grad_out * gate;
    writes[1] = grad_out;
    writes[2] = grad_out * x;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 10;
  static constexpr unsigned kRepeated = 32;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_residual = reads[1];
    const T grad_grad_gate = reads[2];
    const T grad_out = reads[3];
    const T x = reads[4];
    const T gate = reads[5];
    const rt::Mask<T> has_grad_grad_x = params[0] != T(0);
    const rt::Mask<T> has_grad_grad_gate = params[1] != T(0);
    const T where0 = rt::where(has_grad_grad_x, grad_grad_x * gate, T(0));
    const T where1 = rt::where(has_grad_grad_gate, grad_grad_gate * x, T(0));
    writes[0] = grad_grad_residual + where0 + where1;
    writes[1] = rt::where(has_grad_grad_gate, grad_grad_gate * grad_out, T(0));
    writes[2] = rt::where(has_grad_grad_x, grad_grad_x * grad_out, T(0));
  }
};

}  // namespace fusewise::ops::gated_residual
