// Generated from specs/quantised/silu_and_mul_int8.yaml by `fusewise generate`. Do not edit.
//
// out = clamp(round(silu(gate) * up / scale), -128, 127)
// forward: 3 read and 1 written for each element
#pragma once

#include <fusewise/math/dtype.h>

namespace fusewise::ops::silu_and_mul_int8 {

struct Forward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 41;
  static constexpr unsigned kRowScalars = 4;
  static constexpr unsigned kHoistedFrom = 4;
  static constexpr unsigned kRepeated = 4;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 3 ? Dtype::kInt8 : others;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T gate = reads[0];
    const T up = reads[1];
    const T scale = reads[2];
    const T abs0 = rt::abs(gate);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T where0 = rt::where(gate >= T(0), div_moderate0, exp0 * div_moderate0);
    const T div_shared0 = rt::div_shared(gate * where0 * up, scale);
    const T round0 = rt::round(div_shared0);
    const T maximum0 = rt::maximum(round0, T(-128));
    writes[0] = rt::minimum(maximum0, T(127));
  }
};

}  // namespace fusewise::ops::silu_and_mul_int8
