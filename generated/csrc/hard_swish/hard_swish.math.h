// Generated from specs/activations/hard_swish.yaml by `fusewise generate`. Do not edit.
//
// out = hardswish(x)
//
// where0 = grad_out * (x / 3 + 0.5) if x < 3 else grad_out
// grad_x = 0 if x <= -3 else where0
//
// backward keeps x: 4 B of float32 an element, arithmetic 14
// double_backward keeps grad_out, x: 8 B of float32 an element, arithmetic 19
// forward: 1 read and 1 written for each element
// backward: 2 read and 1 written for each element
// double_backward: 3 read and 2 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::hard_swish {

struct Forward {
  static constexpr int kReads = 1;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 14;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    const T where0 = rt::where(x >= T(3), T(1), (x + T(3)) / T(6));
    const T where1 = rt::where(x <= T(-3), T(0), where0);
    writes[0] = x * where1;
  }
};

struct Backward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 14;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T where0 = rt::where(x < T(3), grad_out * (x / T(3) + T(0.5)), grad_out);
    writes[0] = rt::where(x <= T(-3), T(0), where0);
  }
};

struct DoubleBackward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 19;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_out = reads[1];
    const T x = reads[2];
    const rt::Mask<T> le0 = x <= T(-3);
    const rt::Mask<T> lt0 = x < T(3);
    const T where0 = rt::where(le0, T(0), grad_grad_x);
    const T where1 = rt::where(le0, T(0), grad_grad_x * (x / T(3) + T(0.5)));
    const T where2 = rt::where(le0, T(0), grad_grad_x * grad_out * T(0.3333333333333333));
    writes[0] = rt::where(lt0, where1, where0);
    writes[1] = rt::where(lt0, where2, T(0));
  }
};

}  // namespace fusewise::ops::hard_swish
