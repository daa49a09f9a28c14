// Generated from specs/quantised/silu_and_mul_rows_int8.yaml by `fusewise generate`. Do not edit.
//
// y = silu(gate) * up
// s = maximum(amax(abs(y)), smallest) / 127
// q = clamp(round(y / s), -127, 127)
// scale = stop_grad(s)
// forward: 2 read and 1 written for each element, 0 read and 1 written for each row
#pragma once

#include <fusewise/math/dtype.h>

namespace fusewise::ops::silu_and_mul_rows_int8 {

struct ForwardTotals0 {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 27;
  static constexpr unsigned kRowScalars = 4;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T gate = reads[0];
    const T up = reads[1];
    const T abs0 = rt::abs(gate);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T where0 = rt::where(gate >= T(0), div_moderate0, exp0 * div_moderate0);
    const T y = gate * where0 * up;
    const T abs1 = rt::abs(y);
    writes[0] = abs1;
  }
};

struct ForwardRows {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 4;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 4;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total0 = reads[2];
    const T smallest = params[0];
    const T maximum2 = rt::maximum(total0, smallest);
    hoisted[0] = maximum2 / T(127);
  }

  template <class T>
  RT_FN static void apply(const T*, const T*, const T* hoisted, T* writes) {
    writes[0] = hoisted[0];
  }
};

struct ForwardElements {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 41;
  static constexpr unsigned kRowScalars = 4;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 4;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 3 ? Dtype::kInt8 : others;
  }

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total0 = reads[2];
    const T smallest = params[0];
    const T maximum2 = rt::maximum(total0, smallest);
    hoisted[0] = maximum2 / T(127);
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T gate = reads[0];
    const T up = reads[1];
    const T abs0 = rt::abs(gate);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T where0 = rt::where(gate >= T(0), div_moderate0, exp0 * div_moderate0);
    const T y = gate * where0 * up;
    const T div_shared1 = rt::div_shared(y, hoisted[0]);
    const T round1 = rt::round(div_shared1);
    const T maximum3 = rt::maximum(round1, T(-127));
    writes[0] = rt::minimum(maximum3, T(127));
  }
};

}  // namespace fusewise::ops::silu_and_mul_rows_int8
