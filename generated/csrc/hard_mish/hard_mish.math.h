// Generated from specs/activations/hard_mish.yaml by `fusewise generate`. Do not edit.
//
// out = 0.5 * x * clamp(x + 2, 0, 2)
// grad_x = 0 if x < -2 else grad_out * (x + 1 if x <= 0 else 1)
//
// where0 = x + 1 if x <= 0 else 1
// grad_x = 0 if x < -2 else grad_out * where0
//
// backward keeps x: 4 B of float32 an element, arithmetic 6
// double_backward keeps grad_out, x: 8 B of float32 an element, arithmetic 10
// forward: 1 read and 1 written for each element
// backward: 2 read and 1 written for each element
// double_backward: 3 read and 2 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::hard_mish {

struct Forward {
  static constexpr int kReads = 1;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 9;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    const T maximum0 = rt::maximum(x + T(2), T(0));
    const T minimum0 = rt::minimum(maximum0, T(2));
    writes[0] = T(0.5) * x * minimum0;
  }
};

struct Backward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 6;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T where0 = rt::where(x <= T(0), x + T(1), T(1));
    writes[0] = rt::where(x < T(-2), T(0), grad_out * where0);
  }
};

struct DoubleBackward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 10;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_out = reads[1];
    const T x = reads[2];
    const rt::Mask<T> lt0 = x < T(-2);
    const rt::Mask<T> le0 = x <= T(0);
    const T where0 = rt::where(lt0, T(0), grad_grad_x);
    const T where1 = rt::where(lt0, T(0), grad_grad_x * (x + T(1)));
    const T where2 = rt::where(lt0, T(0), grad_grad_x * grad_out);
    writes[0] = rt::where(le0, where1, where0);
    writes[1] = rt::where(le0, where2, T(0));
  }
};

}  // namespace fusewise::ops::hard_mish
