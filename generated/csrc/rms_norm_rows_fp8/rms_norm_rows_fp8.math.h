// Generated from specs/quantised/rms_norm_rows_fp8.yaml by `fusewise generate`. Do not edit.
//
// normed = x * rsqrt(mean(x * x) + eps) * weight
// s = maximum(amax(abs(normed)), smallest) / 448
// q = clamp(normed / s, -448, 448)
// scale = stop_grad(s)
// forward: 2 read and 1 written for each element, 0 read and 1 written for each row
#pragma once

#include <fusewise/math/dtype.h>

namespace fusewise::ops::rms_norm_rows_fp8 {

struct ForwardTotals0 {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 1;
  static constexpr unsigned kRowScalars = 12;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    writes[0] = x * x;
  }
};

struct ForwardTotals1 {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 3;
  static constexpr unsigned kRowScalars = 12;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 4;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total0 = reads[2];
    const T eps = params[0];
    const T length = params[2];
    const T rsqrt1 = rt::rsqrt(total0 / length + eps);
    hoisted[0] = rsqrt1;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T x = reads[0];
    const T weight = reads[1];
    const T rsqrt1 = hoisted[0];
    writes[0] = rt::abs(x * rsqrt1 * weight);
  }
};

struct ForwardRows {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 12;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 8;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total1 = reads[3];
    const T smallest = params[1];
    const T maximum2 = rt::maximum(total1, smallest);
    hoisted[0] = maximum2 / T(448);
  }

  template <class T>
  RT_FN static void apply(const T*, const T*, const T* hoisted, T* writes) {
    writes[0] = hoisted[0];
  }
};

struct ForwardElements {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 16;
  static constexpr unsigned kRowScalars = 12;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 12;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 4 ? Dtype::kFloat8E4M3FN : others;
  }

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total0 = reads[2];
    const T total1 = reads[3];
    const T eps = params[0];
    const T smallest = params[1];
    const T length = params[2];
    const T rsqrt1 = rt::rsqrt(total0 / length + eps);
    const T maximum2 = rt::maximum(total1, smallest);
    hoisted[0] = rsqrt1;
    hoisted[1] = maximum2 / T(448);
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T x = reads[0];
    const T weight = reads[1];
    const T rsqrt1 = hoisted[0];
    const T div_shared1 = rt::div_shared(x * rsqrt1 * weight, hoisted[1]);
    const T maximum3 = rt::maximum(div_shared1, T(-448));
    writes[0] = rt::minimum(maximum3, T(448));
  }
};

}  // namespace fusewise::ops::rms_norm_rows_fp8
