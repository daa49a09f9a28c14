// Generated from specs/quantised/quantise_rows_fp8.yaml by `fusewise generate`. Do not edit.
//
// s = maximum(amax(abs(x)), smallest) / 448
// q = clamp(x / s, -448, 448)
// scale = stop_grad(s)
// forward: 1 read and 1 written for each element, 0 read and 1 written for each row
#pragma once

#include <fusewise/math/dtype.h>

namespace fusewise::ops::quantise_rows_fp8 {

struct ForwardTotals0 {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 1;
  static constexpr unsigned kRowScalars = 2;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    const T abs0 = rt::abs(x);
    writes[0] = abs0;
  }
};

struct ForwardRows {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 2;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 2;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total0 = reads[1];
    const T smallest = params[0];
    const T maximum2 = rt::maximum(total0, smallest);
    hoisted[0] = maximum2 / T(448);
  }

  template <class T>
  RT_FN static void apply(const T*, const T*, const T* hoisted, T* writes) {
    writes[0] = hoisted[0];
  }
};

struct ForwardElements {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 14;
  static constexpr unsigned kRowScalars = 2;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 2;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 2 ? Dtype::kFloat8E4M3FN : others;
  }

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total0 = reads[1];
    const T smallest = params[0];
    const T maximum2 = rt::maximum(total0, smallest);
    hoisted[0] = maximum2 / T(448);
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T x = reads[0];
    const T div_shared1 = rt::div_shared(x, hoisted[0]);
    const T maximum3 = rt::maximum(div_shared1, T(-448));
    writes[0] = rt::minimum(maximum3, T(448));
  }
};

}  // namespace fusewise::ops::quantise_rows_fp8
