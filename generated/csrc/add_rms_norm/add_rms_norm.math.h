// Generated from specs/norms/add_rms_norm.yaml by `fusewise generate`. Do not edit.
//
// s = x + residual
// rstd = rsqrt(mean(s * s) + eps)
// out = s * rstd * weight
// added = s
//
// mul0 = grad_out * weight
// mean0 = mean(added * added)
// rsqrt0 = rsqrt(mean0 + eps)
// sum0 = sum(mul0 * added)
// div0 = sum0 * (-0.5 * rsqrt0 * (rsqrt0 * rsqrt0)) / length
// mul1 = div0 * added
// where0 = mul0 * rsqrt0 + mul1 + mul1 if has_grad_out else 0
// add0 = grad_added + where0
// grad_x = add0
// grad_residual = add0
// grad_weight = grad_out * (added * rsqrt0) if has_grad_out else 0
//
// backward keeps weight, added: 8 B of float32 an element, arithmetic 43
// double_backward keeps grad_out, grad_added, weight, added: 16 B of float32 an element, arithmetic
//     113
// forward: 3 read and 2 written for each element
// backward: 4 read and 2 written for each element; grad_residual equals grad_x
// double_backward: 6 read and 4 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::add_rms_norm {

struct ForwardTotals0 {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 2;
  static constexpr unsigned kRowScalars = 8;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    const T residual = reads[1];
    const T s = x + residual;
    writes[0] = s * s;
  }
};

struct ForwardElements {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 3;
  static constexpr unsigned kRowScalars = 8;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 8;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total0 = reads[3];
    const T eps = params[0];
    const T length = params[1];
    const T rsqrt0 = rt::rsqrt(total0 / length + eps);
    hoisted[0] = rsqrt0;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T x = reads[0];
    const T residual = reads[1];
    const T weight = reads[2];
    const T rsqrt0 = hoisted[0];
    const T s = x + residual;
    writes[0] = s * rsqrt0 * weight;
    writes[1] = s;
  }
};

struct BackwardTotals0 {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 3;
  static constexpr unsigned kRowScalars = 48;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T weight = reads[2];
    const T added = reads[3];
    const T mul0 = grad_out * weight;
    writes[0] = mul0 * added;
    writes[1] = added * added;
  }
};

struct BackwardElements {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 10;
  static constexpr unsigned kRowScalars = 48;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 48;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total0 = reads[4];
    const T total1 = reads[5];
    const T eps = params[0];
    const T length = params[2];
    const T rsqrt1 = rt::rsqrt(total1 / length + eps);
    const T div1 = total0 * (T(-0.5) * rsqrt1 * (rsqrt1 * rsqrt1)) / length;
    hoisted[0] = rsqrt1;
    hoisted[1] = div1;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_out = reads[0];
    const T grad_added = reads[1];
    const T weight = reads[2];
    const T added = reads[3];
    const rt::Mask<T> has_grad_out = params[1] != T(0);
    const T rsqrt1 = hoisted[0];
    const T div1 = hoisted[1];
    const T mul0 = grad_out * weight;
    const T mul2 = div1 * added;
    const T where1 = rt::where(has_grad_out, mul0 * rsqrt1 + mul2 + mul2, T(0));
    const T add1 = grad_added + where1;
    writes[0] = add1;
    writes[1] = add1;
    writes[2] = rt::where(has_grad_out, grad_out * (added * rsqrt1), T(0));
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 11;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 6;
  static constexpr int kInstructions = 13;
  static constexpr unsigned kRowScalars = 1920;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_residual = reads[1];
    const T grad_grad_weight = reads[2];
    const T grad_out = reads[3];
    const T weight = reads[5];
    const T added = reads[6];
    const rt::Mask<T> has_grad_grad_x = params[2] != T(0);
    const rt::Mask<T> has_grad_grad_residual = params[3] != T(0);
    const rt::Mask<T> has_grad_grad_weight = params[4] != T(0);
    const T mul0 = grad_out * weight;
    const T add0 = grad_grad_x + grad_grad_residual;
    const T add1 = add0 + add0;
    const rt::Mask<T> logical_or0 = has_grad_grad_x | has_grad_grad_residual;
    const T where0 = rt::where(logical_or0, add0 * mul0, T(0));
    const T mul5 = grad_grad_weight * grad_out;
    const T where1 = rt::where(has_grad_grad_weight, mul5 * added, T(0));
    writes[0] = mul0 * added;
    writes[1] = added * added;
    writes[2] = add1 * added;
    writes[3] = where0 + where1;
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 11;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 6;
  static constexpr int kInstructions = 41;
  static constexpr unsigned kRowScalars = 1920;
  static constexpr unsigned kHoisted = 4;
  static constexpr unsigned kHoistedFrom = 1920;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total0 = reads[7];
    const T total1 = reads[8];
    const T total2 = reads[9];
    const T total3 = reads[10];
    const T eps = params[0];
    const rt::Mask<T> has_grad_out = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_x = params[2] != T(0);
    const rt::Mask<T> has_grad_grad_residual = params[3] != T(0);
    const rt::Mask<T> has_grad_grad_weight = params[4] != T(0);
    const T length = params[5];
    const rt::Mask<T> logical_or0 = has_grad_grad_x | has_grad_grad_residual;
    const rt::Mask<T> logical_and0 = has_grad_out & logical_or0;
    const rt::Mask<T> logical_and1 = has_grad_out & (logical_or0 | has_grad_grad_weight);
    const T rsqrt1 = rt::rsqrt(total1 / length + eps);
    const T mul9 = T(-0.5) * rsqrt1;
    const T mul10 = rsqrt1 * rsqrt1;
    const T mul11 = mul9 * mul10;
    const T div1 = total2 / length;
    const T mul12 = div1 * total0;
    const T where21 = rt::where(has_grad_out, total3, T(0));
    const T where22 = rt::where(logical_and1, where21, T(0));
    const T mul13 = div1 * mul11;
    const T mul14 = mul12 * mul9 * rsqrt1;
    const T where24 = rt::where(logical_or0, mul14 + mul14 + mul12 * mul10 * T(-0.5), T(0));
    const T where25 = rt::where(has_grad_out, where24, T(0));
    const T where26 = rt::where(logical_and0, where25, T(0));
    hoisted[0] = rsqrt1;
    hoisted[1] = total0 * mul11 / length;
    hoisted[2] = mul13;
    hoisted[3] = (where26 + where22) * mul11 / length;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_residual = reads[1];
    const T grad_grad_weight = reads[2];
    const T grad_out = reads[3];
    const T weight = reads[5];
    const T added = reads[6];
    const rt::Mask<T> has_grad_out = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_x = params[2] != T(0);
    const rt::Mask<T> has_grad_grad_residual = params[3] != T(0);
    const rt::Mask<T> has_grad_grad_weight = params[4] != T(0);
    const T rsqrt1 = hoisted[0];
    const T mul13 = hoisted[2];
    const T mul0 = grad_out * weight;
    const T add0 = grad_grad_x + grad_grad_residual;
    const T add1 = add0 + add0;
    const rt::Mask<T> logical_or0 = has_grad_grad_x | has_grad_grad_residual;
    const rt::Mask<T> logical_and0 = has_grad_out & logical_or0;
    const T mul5 = grad_grad_weight * grad_out;
    const rt::Mask<T> logical_and1 = has_grad_out & (logical_or0 | has_grad_grad_weight);
    const T where23 = rt::where(logical_or0, add1 * hoisted[1], T(0));
    const T where27 = rt::where(logical_or0, mul13 * added, T(0));
    const T where28 = rt::where(has_grad_out, where27, T(0));
    const T where29 = rt::where(logical_and0, where28, T(0));
    const T where30 = rt::where(logical_or0, mul13 * mul0, T(0));
    const T where31 = rt::where(has_grad_out, where30, T(0));
    const T where32 = rt::where(logical_and0, where31, T(0));
    const T where33 = rt::where(logical_or0, add0 * rsqrt1, T(0));
    const T where34 = rt::where(has_grad_out, where33, T(0));
    const T where35 = rt::where(has_grad_grad_weight, grad_grad_weight * (added * rsqrt1), T(0));
    const T where36 = rt::where(has_grad_grad_weight, mul5 * rsqrt1, T(0));
    const T where37 = rt::where(has_grad_out, where23 + where36, T(0));
    const T mul15 = hoisted[3] * added;
    const T where38 = rt::where(logical_and0 | logical_and1, mul15 + mul15, T(0));
    const T where39 = rt::where(logical_or0, (where27 + where33) * weight, T(0));
    writes[0] = where35 + where39;
    writes[1] = add0;
    writes[2] = rt::where(logical_and0, (where29 + where34) * grad_out, T(0));
    writes[3] = where37 + where32 + where38;
  }
};

}  // namespace fusewise::ops::add_rms_norm
