// Generated from specs/norms/rms_norm_rounded.yaml by `fusewise generate`. Do not edit.
//
// rstd = rsqrt(mean(x * x) + eps)
// out = round_to(x * rstd, x) * weight
//
// mean0 = mean(x * x)
// rstd = rsqrt(mean0 + eps)
// round_to0 = round_to(x * rstd, x)
// mul0 = grad_out * weight
// sum0 = sum(mul0 * x)
// div0 = sum0 * (-0.5 * rstd * (rstd * rstd)) / length
// mul1 = div0 * x
// grad_x = mul0 * rstd + mul1 + mul1
// grad_weight = grad_out * round_to0
//
// backward keeps x, weight: 8 B of float32 an element, arithmetic 41
// double_backward keeps grad_out, x, weight: 12 B of float32 an element, arithmetic 93
// forward: 2 read and 1 written for each element, 0 read and 1 written for each row
// backward: 3 read and 2 written for each element, 1 read and 0 written for each row
// double_backward: 5 read and 3 written for each element
#pragma once

#include <fusewise/math/dtype.h>

namespace fusewise::ops::rms_norm_rounded {

struct ForwardTotals0 {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 1;
  static constexpr unsigned kRowScalars = 4;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    writes[0] = x * x;
  }
};

struct ForwardRows {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 4;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T total0 = reads[2];
    writes[0] = total0;
  }
};

struct ForwardElements {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 3;
  static constexpr unsigned kRowScalars = 4;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 4;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total0 = reads[2];
    const T eps = params[0];
    const T length = params[1];
    const T rsqrt0 = rt::rsqrt(total0 / length + eps);
    hoisted[0] = rsqrt0;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, const Dtype* types,
      T* writes) {
    const T x = reads[0];
    const T weight = reads[1];
    const T rsqrt0 = hoisted[0];
    const T round_to1 = rt::round_to(x * rsqrt0, types[0]);
    writes[0] = round_to1 * weight;
  }
};

struct BackwardTotals0 {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 2;
  static constexpr unsigned kRowScalars = 24;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T weight = reads[2];
    const T mul0 = grad_out * weight;
    writes[0] = mul0 * x;
  }
};

struct BackwardElements {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 8;
  static constexpr unsigned kRowScalars = 24;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 24;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T kept_total0 = reads[3];
    const T total0 = reads[4];
    const T eps = params[0];
    const T length = params[1];
    const T rstd = rt::rsqrt(kept_total0 / length + eps);
    const T div1 = total0 * (T(-0.5) * rstd * (rstd * rstd)) / length;
    hoisted[0] = rstd;
    hoisted[1] = div1;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, const Dtype* types,
      T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T weight = reads[2];
    const T rstd = hoisted[0];
    const T div1 = hoisted[1];
    const T mul0 = grad_out * weight;
    const T round_to0 = rt::round_to(x * rstd, types[1]);
    const T mul2 = div1 * x;
    writes[0] = mul0 * rstd + mul2 + mul2;
    writes[1] = grad_out * round_to0;
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 9;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 11;
  static constexpr unsigned kRowScalars = 480;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_weight = reads[1];
    const T grad_out = reads[2];
    const T x = reads[3];
    const T weight = reads[4];
    const rt::Mask<T> has_grad_grad_x = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_weight = params[2] != T(0);
    const T mul0 = grad_out * weight;
    const T add0 = grad_grad_x + grad_grad_x;
    const T where0 = rt::where(has_grad_grad_x, grad_grad_x * mul0, T(0));
    const T mul5 = grad_grad_weight * grad_out;
    const T where1 = rt::where(has_grad_grad_weight, mul5 * x, T(0));
    writes[0] = mul0 * x;
    writes[1] = x * x;
    writes[2] = add0 * x;
    writes[3] = where0 + where1;
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 9;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 25;
  static constexpr unsigned kRowScalars = 480;
  static constexpr unsigned kHoisted = 4;
  static constexpr unsigned kHoistedFrom = 480;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total0 = reads[5];
    const T total1 = reads[6];
    const T total2 = reads[7];
    const T total3 = reads[8];
    const T eps = params[0];
    const rt::Mask<T> has_grad_grad_x = params[1] != T(0);
    const T length = params[3];
    const T rsqrt0 = rt::rsqrt(total1 / length + eps);
    const T mul9 = T(-0.5) * rsqrt0;
    const T mul10 = rsqrt0 * rsqrt0;
    const T mul11 = mul9 * mul10;
    const T div1 = total2 / length;
    const T mul12 = div1 * total0;
    const T mul13 = div1 * mul11;
    const T mul14 = mul12 * mul9 * rsqrt0;
    const T where7 = rt::where(has_grad_grad_x, mul14 + mul14 + mul12 * mul10 * T(-0.5), T(0));
    hoisted[0] = rsqrt0;
    hoisted[1] = total0 * mul11 / length;
    hoisted[2] = mul13;
    hoisted[3] = (where7 + total3) * mul11 / length;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, const Dtype* types,
      T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_weight = reads[1];
    const T grad_out = reads[2];
    const T x = reads[3];
    const T weight = reads[4];
    const rt::Mask<T> has_grad_grad_x = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_weight = params[2] != T(0);
    const T rsqrt0 = hoisted[0];
    const T mul13 = hoisted[2];
    const T mul0 = grad_out * weight;
    const T add0 = grad_grad_x + grad_grad_x;
    const T mul5 = grad_grad_weight * grad_out;
    const T round_to1 = rt::round_to(x * rsqrt0, types[3]);
    const T add3 = add0 * hoisted[1] + mul13 * mul0;
    const T where8 = rt::where(has_grad_grad_x, add3, T(0));
    const T add4 = mul13 * x + grad_grad_x * rsqrt0;
    const T where9 = rt::where(has_grad_grad_weight, grad_grad_weight * round_to1, T(0));
    const T where10 = rt::where(has_grad_grad_x, add4 * weight, T(0));
    const T where11 = rt::where(has_grad_grad_weight, mul5 * rsqrt0, T(0));
    const T mul15 = hoisted[3] * x;
    writes[0] = where9 + where10;
    writes[1] = where8 + where11 + mul15 + mul15;
    writes[2] = rt::where(has_grad_grad_x, add4 * grad_out, T(0));
  }
};

}  // namespace fusewise::ops::rms_norm_rounded
