// Generated from specs/bias/modulate.yaml by `fusewise generate`. Do not edit.
//
// out = x * (1 + scale) + shift
//
// grad_x = grad_out * (1 + scale)
// grad_shift = grad_out
// grad_scale = grad_out * x
//
// backward keeps x, scale: 8 B of float32 an element, arithmetic 3
// double_backward keeps grad_out, x, scale: 12 B of float32 an element, arithmetic 11
// forward: 3 read and 1 written for each element
// backward: 3 read and 2 written for each element; grad_shift equals grad_out
// double_backward: 6 read and 3 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::modulate {

struct Forward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 3;
  static constexpr unsigned kRepeated = 6;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    const T shift = reads[1];
    const T scale = reads[2];
    writes[0] = x * (T(1) + scale) + shift;
  }
};

struct Backward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 3;
  static constexpr unsigned kFull = 11;
  static constexpr unsigned kRepeated = 4;
  static constexpr unsigned kSummed = 48;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T scale = reads[2];
    writes[0] = grad_out * (T(1) + scale);
    writes[1] = grad_out;
    writes[2] = grad_out * x;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 11;
  static constexpr unsigned kRepeated = 32;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_shift = reads[1];
    const T grad_grad_scale = reads[2];
    const T grad_out = reads[3];
    const T x = reads[4];
    const T scale = reads[5];
    const rt::Mask<T> has_grad_grad_x = params[0] != T(0);
    const rt::Mask<T> has_grad_grad_scale = params[1] != T(0);
    const T where0 = rt::where(has_grad_grad_scale, grad_grad_scale * x, T(0));
    const T where1 = rt::where(has_grad_grad_x, grad_grad_x * (T(1) + scale), T(0));
    writes[0] = grad_grad_shift + where0 + where1;
    writes[1] = rt::where(has_grad_grad_scale, grad_grad_scale * grad_out, T(0));
    writes[2] = rt::where(has_grad_grad_x, grad_grad_x * grad_out, T(0));
  }
};

}  // namespace fusewise::ops::modulate
