// Generated from specs/bias/modulate_rounded.yaml by `fusewise generate`. Do not edit.
//
// out = round_to(x * round_to(1 + scale, scale), x) + shift
//
// round_to0 = round_to(1 + scale, scale)
// grad_x = grad_out * round_to0
// grad_shift = grad_out
// grad_scale = grad_out * x
//
// backward keeps x, scale: 8 B of float32 an element, arithmetic 4
// double_backward keeps grad_out, x, scale: 12 B of float32 an element, arithmetic 12
// forward: 3 read and 1 written for each element
// backward: 3 read and 2 written for each element; grad_shift equals grad_out
// double_backward: 6 read and 3 written for each element
#pragma once

#include <fusewise/math/dtype.h>

namespace fusewise::ops::modulate_rounded {

struct Forward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 5;
  static constexpr unsigned kRepeated = 6;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const Dtype* types, T* writes) {
    const T x = reads[0];
    const T shift = reads[1];
    const T scale = reads[2];
    const T round_to0 = rt::round_to(T(1) + scale, types[2]);
    const T round_to1 = rt::round_to(x * round_to0, types[0]);
    writes[0] = round_to1 + shift;
  }
};

struct Backward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 4;
  static constexpr unsigned kFull = 11;
  static constexpr unsigned kRepeated = 4;
  static constexpr unsigned kSummed = 48;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const Dtype* types, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T scale = reads[2];
    const T round_to0 = rt::round_to(T(1) + scale, types[2]);
    writes[0] = grad_out * round_to0;
    writes[1] = grad_out;
    writes[2] = grad_out * x;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 12;
  static constexpr unsigned kRepeated = 32;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const Dtype* types, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_shift = reads[1];
    const T grad_grad_scale = reads[2];
    const T grad_out = reads[3];
    const T x = reads[4];
    const T scale = reads[5];
    const rt::Mask<T> has_grad_grad_x = params[0] != T(0);
    const rt::Mask<T> has_grad_grad_scale = params[1] != T(0);
    const T round_to0 = rt::round_to(T(1) + scale, types[5]);
    const T where0 = rt::where(has_grad_grad_scale, grad_grad_scale * x, T(0));
    const T where1 = rt::where(has_grad_grad_x, grad_grad_x * round_to0, T(0));
    writes[0] = grad_grad_shift + where0 + where1;
    writes[1] = rt::where(has_grad_grad_scale, grad_grad_scale * grad_out, T(0));
    writes[2] = rt::where(has_grad_grad_x, grad_grad_x * grad_out, T(0));
  }
};

}  // namespace fusewise::ops::modulate_rounded
