// Generated from specs/rotary/rope.yaml by `fusewise generate`. Do not edit.
//
// out = [x1 * cosine - x2 * sine, x2 * cosine + x1 * sine]
//
// grad_x1 = grad_out_1 * sine + grad_out_0 * cosine
// grad_x2 = grad_out_1 * cosine - grad_out_0 * sine
// grad_cosine = grad_out_1 * x2 + grad_out_0 * x1
// grad_sine = grad_out_1 * x1 - grad_out_0 * x2
//
// backward keeps x, cosine, sine: 16 B of float32 an element, arithmetic 12
// double_backward keeps grad_out, x, cosine, sine: 24 B of float32 an element, arithmetic 40
// forward: 4 read and 2 written for each element
// backward: 6 read and 4 written for each element
// double_backward: 10 read and 6 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::rope {

struct Forward {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 6;
  static constexpr unsigned kRepeated = 12;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x1 = reads[0];
    const T x2 = reads[1];
    const T cosine = reads[2];
    const T sine = reads[3];
    writes[0] = x1 * cosine - x2 * sine;
    writes[1] = x2 * cosine + x1 * sine;
  }
};

struct Backward {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 12;
  static constexpr unsigned kFull = 207;
  static constexpr unsigned kRepeated = 48;
  static constexpr unsigned kSummed = 768;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out_0 = reads[0];
    const T grad_out_1 = reads[1];
    const T x1 = reads[2];
    const T x2 = reads[3];
    const T cosine = reads[4];
    const T sine = reads[5];
    writes[0] = grad_out_1 * sine + grad_out_0 * cosine;
    writes[1] = grad_out_1 * cosine - grad_out_0 * sine;
    writes[2] = grad_out_1 * x2 + grad_out_0 * x1;
    writes[3] = grad_out_1 * x1 - grad_out_0 * x2;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 10;
  static constexpr int kWrites = 6;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 40;
  static constexpr unsigned kRepeated = 768;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x1 = reads[0];
    const T grad_grad_x2 = reads[1];
    const T grad_grad_cosine = reads[2];
    const T grad_grad_sine = reads[3];
    const T grad_out_0 = reads[4];
    const T grad_out_1 = reads[5];
    const T x1 = reads[6];
    const T x2 = reads[7];
    const T cosine = reads[8];
    const T sine = reads[9];
    const rt::Mask<T> has_grad_grad_x = params[0] != T(0);
    const rt::Mask<T> has_grad_grad_cosine = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_sine = params[2] != T(0);
    const T where0 = rt::where(has_grad_grad_cosine, grad_grad_cosine * x1, T(0));
    const T where1 = rt::where(has_grad_grad_cosine, grad_grad_cosine * grad_out_0, T(0));
    const T where2 = rt::where(has_grad_grad_sine, -(grad_grad_sine * x2), T(0));
    const T where3 = rt::where(has_grad_grad_sine, -(grad_grad_sine * grad_out_0), T(0));
    const T where4 = rt::where(has_grad_grad_x, grad_grad_x1 * cosine - grad_grad_x2 * sine, T(0));
    const T where5 = rt::where(has_grad_grad_cosine, grad_grad_cosine * x2, T(0));
    const T where6 = rt::where(has_grad_grad_cosine, grad_grad_cosine * grad_out_1, T(0));
    const T where7 = rt::where(has_grad_grad_sine, grad_grad_sine * x1, T(0));
    const T where8 = rt::where(has_grad_grad_sine, grad_grad_sine * grad_out_1, T(0));
    const T where9 = rt::where(has_grad_grad_x, grad_grad_x2 * cosine + grad_grad_x1 * sine, T(0));
    writes[0] = where0 + where4 + where2;
    writes[1] = where5 + where9 + where7;
    writes[2] = where1 + where8;
    writes[3] = where3 + where6;
    writes[4] = rt::where(has_grad_grad_x, grad_grad_x1 * grad_out_0 + grad_grad_x2 * grad_out_1,
        T(0));
    writes[5] = rt::where(has_grad_grad_x, grad_grad_x1 * grad_out_1 - grad_grad_x2 * grad_out_0,
        T(0));
  }
};

}  // namespace fusewise::ops::rope
