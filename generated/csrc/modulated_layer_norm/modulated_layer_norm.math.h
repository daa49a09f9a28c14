// Generated from specs/norms/modulated_layer_norm.yaml by `fusewise generate`. Do not edit.
//
// rstd = rsqrt(var(x, 0) + eps)
// out = (x - mean(x)) * rstd * (1 + scale) + shift
//
// var0 = var(x, 0)
// rstd = rsqrt(var0 + eps)
// mean0 = mean(x)
// sub0 = x - mean0
// mul0 = grad_out * (1 + scale)
// sum0 = sum(mul0)
// sub1 = mul0 * rstd - rstd * sum0 / length
// sum1 = sum(mul0 * sub0)
// mul1 = sum1 * (-0.5 * rstd * (rstd * rstd))
// grad_x = sub1 + mul1 * (2 / length) * sub0
// grad_scale = grad_out * (sub0 * rstd)
// grad_shift = grad_out
//
// backward keeps x, scale: 8 B of float32 an element, arithmetic 65
// double_backward keeps grad_out, x, scale: 12 B of float32 an element, arithmetic 136
// forward: 3 read and 1 written for each element, 0 read and 2 written for each row
// backward: 3 read and 2 written for each element, 2 read and 0 written for each row; grad_shift
//     equals grad_out
// double_backward: 6 read and 3 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::modulated_layer_norm {

struct ForwardTotals0 {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 24;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    writes[0] = x;
  }
};

struct ForwardTotals1 {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 2;
  static constexpr unsigned kRowScalars = 24;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 8;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total0 = reads[3];
    const T length = params[1];
    hoisted[0] = total0 / length;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T x = reads[0];
    const T sub1 = x - hoisted[0];
    writes[0] = sub1 * sub1;
  }
};

struct ForwardRows {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 24;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T total0 = reads[3];
    const T total1 = reads[4];
    writes[0] = total0;
    writes[1] = total1;
  }
};

struct ForwardElements {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 5;
  static constexpr unsigned kRowScalars = 24;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 24;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total0 = reads[3];
    const T total1 = reads[4];
    const T eps = params[0];
    const T length = params[1];
    const T maximum0 = rt::maximum(length, T(0));
    const T rsqrt0 = rt::rsqrt(total1 / maximum0 + eps);
    hoisted[0] = total0 / length;
    hoisted[1] = rsqrt0;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T x = reads[0];
    const T scale = reads[1];
    const T shift = reads[2];
    const T rsqrt0 = hoisted[1];
    const T mul0 = (x - hoisted[0]) * rsqrt0 * (T(1) + scale);
    writes[0] = mul0 + shift;
  }
};

struct BackwardTotals0 {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 4;
  static constexpr unsigned kRowScalars = 120;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 8;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T kept_total0 = reads[3];
    const T length = params[1];
    hoisted[0] = kept_total0 / length;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T scale = reads[2];
    const T mul0 = grad_out * (T(1) + scale);
    const T sub0 = x - hoisted[0];
    writes[0] = mul0;
    writes[1] = mul0 * sub0;
  }
};

struct BackwardElements {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 9;
  static constexpr unsigned kRowScalars = 120;
  static constexpr unsigned kHoisted = 4;
  static constexpr unsigned kHoistedFrom = 120;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T kept_total0 = reads[3];
    const T kept_total1 = reads[4];
    const T total0 = reads[5];
    const T total1 = reads[6];
    const T eps = params[0];
    const T length = params[1];
    const T maximum0 = rt::maximum(length, T(0));
    const T rstd = rt::rsqrt(kept_total1 / maximum0 + eps);
    const T mul2 = total1 * (T(-0.5) * rstd * (rstd * rstd));
    hoisted[0] = kept_total0 / length;
    hoisted[1] = rstd;
    hoisted[2] = rstd * total0 / length;
    hoisted[3] = mul2 * (T(2) / length);
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T scale = reads[2];
    const T rstd = hoisted[1];
    const T mul0 = grad_out * (T(1) + scale);
    const T sub0 = x - hoisted[0];
    const T sub2 = mul0 * rstd - hoisted[2];
    writes[0] = sub2 + hoisted[3] * sub0;
    writes[1] = grad_out * (sub0 * rstd);
    writes[2] = grad_out;
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 14;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 3;
  static constexpr unsigned kRowScalars = 16320;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_scale = reads[1];
    const T grad_out = reads[3];
    const T x = reads[4];
    const T scale = reads[5];
    const T add0 = T(1) + scale;
    const T mul0 = grad_out * add0;
    const T mul4 = grad_grad_scale * grad_out;
    writes[0] = mul0;
    writes[1] = x;
    writes[2] = grad_grad_x;
    writes[3] = mul4;
  }
};

struct DoubleBackwardTotals1 {
  static constexpr int kReads = 14;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 12;
  static constexpr unsigned kRowScalars = 16320;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 128;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total1 = reads[7];
    const T length = params[3];
    hoisted[0] = total1 / length;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_scale = reads[1];
    const T grad_out = reads[3];
    const T x = reads[4];
    const T scale = reads[5];
    const rt::Mask<T> has_grad_grad_x = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_scale = params[2] != T(0);
    const T add0 = T(1) + scale;
    const T mul0 = grad_out * add0;
    const T where0 = rt::where(has_grad_grad_x, grad_grad_x * mul0, T(0));
    const T mul4 = grad_grad_scale * grad_out;
    const T sub1 = x - hoisted[0];
    const T where11 = rt::where(has_grad_grad_scale, mul4 * sub1, T(0));
    writes[0] = sub1 * sub1;
    writes[1] = mul0 * sub1;
    writes[2] = grad_grad_x * sub1;
    writes[3] = where0 + where11;
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 14;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 29;
  static constexpr unsigned kRowScalars = 16320;
  static constexpr unsigned kHoisted = 7;
  static constexpr unsigned kHoistedFrom = 16320;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total0 = reads[6];
    const T total1 = reads[7];
    const T total2 = reads[8];
    const T total3 = reads[9];
    const T total4 = reads[10];
    const T total5 = reads[11];
    const T total6 = reads[12];
    const T total7 = reads[13];
    const T eps = params[0];
    const rt::Mask<T> has_grad_grad_x = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_scale = params[2] != T(0);
    const T length = params[3];
    const T div0 = T(2) / length;
    const T maximum0 = rt::maximum(length, T(0));
    const rt::Mask<T> logical_or0 = has_grad_grad_x | has_grad_grad_scale;
    const T rsqrt0 = rt::rsqrt(total4 / maximum0 + eps);
    const T mul12 = T(-0.5) * rsqrt0;
    const T mul13 = rsqrt0 * rsqrt0;
    const T mul14 = mul12 * mul13;
    const T div2 = total2 / length;
    const T mul15 = total6 * div0;
    const T mul16 = mul15 * mul14;
    const T mul17 = mul15 * total5;
    const T mul18 = mul17 * mul12 * rsqrt0;
    const T add4 = mul18 + mul18 + mul17 * mul13 * T(-0.5);
    const T where11 = rt::where(has_grad_grad_x, add4 - div2 * total0, T(0));
    const T mul19 = T(-0.5) * total5 * rsqrt0 * rsqrt0 * rsqrt0 * div0;
    const T mul20 = T(-0.5) * total6 * div0 * rsqrt0 * rsqrt0 * rsqrt0;
    const T where16 = rt::where(has_grad_grad_x, mul19 * total2 + mul20 * total0, T(0));
    const T where17 = rt::where(has_grad_grad_scale, rsqrt0 * total3, T(0));
    const T where18 = rt::where(logical_or0, total7, T(0));
    hoisted[0] = total1 / length;
    hoisted[1] = rsqrt0;
    hoisted[2] = total5 * mul14 * div0;
    hoisted[3] = mul16;
    hoisted[4] = div2 * rsqrt0;
    hoisted[5] = (where16 + where17) / length;
    hoisted[6] = (where11 + where18) * mul14 * div0;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_scale = reads[1];
    const T grad_grad_shift = reads[2];
    const T grad_out = reads[3];
    const T x = reads[4];
    const T scale = reads[5];
    const rt::Mask<T> has_grad_grad_x = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_scale = params[2] != T(0);
    const T rsqrt0 = hoisted[1];
    const T mul16 = hoisted[3];
    const T add0 = T(1) + scale;
    const T mul0 = grad_out * add0;
    const T mul4 = grad_grad_scale * grad_out;
    const rt::Mask<T> logical_or0 = has_grad_grad_x | has_grad_grad_scale;
    const T sub1 = x - hoisted[0];
    const T add5 = grad_grad_x * hoisted[2] + mul16 * mul0;
    const T where12 = rt::where(has_grad_grad_x, add5, T(0));
    const T add6 = mul16 * sub1 - hoisted[4] + grad_grad_x * rsqrt0;
    const T where13 = rt::where(has_grad_grad_scale, grad_grad_scale * (sub1 * rsqrt0), T(0));
    const T where14 = rt::where(has_grad_grad_x, add6 * add0, T(0));
    const T where15 = rt::where(has_grad_grad_scale, mul4 * rsqrt0, T(0));
    const T mul21 = hoisted[6] * sub1;
    const T where19 = rt::where(logical_or0, mul21 - hoisted[5], T(0));
    writes[0] = grad_grad_shift + where13 + where14;
    writes[1] = where12 + where15 + where19;
    writes[2] = rt::where(has_grad_grad_x, add6 * grad_out, T(0));
  }
};

}  // namespace fusewise::ops::modulated_layer_norm
