// Generated from specs/norms/add_layer_norm.yaml by `fusewise generate`. Do not edit.
//
// s = x + residual
// rstd = rsqrt(var(s, 0) + eps)
// out = (s - mean(s)) * rstd * weight + bias
// added = s
//
// mul0 = grad_out * weight
// sum0 = sum(mul0)
// var0 = var(added, 0)
// rsqrt0 = rsqrt(var0 + eps)
// mean0 = mean(added)
// sub0 = added - mean0
// sub1 = mul0 * rsqrt0 - rsqrt0 * sum0 / length
// sum1 = sum(mul0 * sub0)
// mul1 = sum1 * (-0.5 * rsqrt0 * (rsqrt0 * rsqrt0))
// where0 = sub1 + mul1 * (2 / length) * sub0 if has_grad_out else 0
// add0 = grad_added + where0
// grad_x = add0
// grad_residual = add0
// grad_weight = grad_out * (sub0 * rsqrt0) if has_grad_out else 0
// grad_bias = grad_out
//
// backward keeps weight, added: 8 B of float32 an element, arithmetic 67
// double_backward keeps grad_out, grad_added, weight, added: 16 B of float32 an element, arithmetic
//     161
// forward: 4 read and 2 written for each element
// backward: 4 read and 2 written for each element; grad_residual equals grad_x, grad_bias equals
//     grad_out
// double_backward: 7 read and 4 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::add_layer_norm {

struct ForwardTotals0 {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 1;
  static constexpr unsigned kRowScalars = 48;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    const T residual = reads[1];
    const T s = x + residual;
    writes[0] = s;
  }
};

struct ForwardTotals1 {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 3;
  static constexpr unsigned kRowScalars = 48;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 16;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total0 = reads[4];
    const T length = params[1];
    hoisted[0] = total0 / length;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T x = reads[0];
    const T residual = reads[1];
    const T s = x + residual;
    const T sub1 = s - hoisted[0];
    writes[0] = sub1 * sub1;
  }
};

struct ForwardElements {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 5;
  static constexpr unsigned kRowScalars = 48;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 48;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total0 = reads[4];
    const T total1 = reads[5];
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
    const T residual = reads[1];
    const T weight = reads[2];
    const T bias = reads[3];
    const T rsqrt0 = hoisted[1];
    const T s = x + residual;
    writes[0] = (s - hoisted[0]) * rsqrt0 * weight + bias;
    writes[1] = s;
  }
};

struct BackwardTotals0 {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 1;
  static constexpr unsigned kRowScalars = 240;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T weight = reads[2];
    const T added = reads[3];
    const T mul0 = grad_out * weight;
    writes[0] = mul0;
    writes[1] = added;
  }
};

struct BackwardTotals1 {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 4;
  static constexpr unsigned kRowScalars = 240;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 32;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total1 = reads[5];
    const T length = params[2];
    hoisted[0] = total1 / length;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T grad_out = reads[0];
    const T weight = reads[2];
    const T added = reads[3];
    const T mul0 = grad_out * weight;
    const T sub2 = added - hoisted[0];
    writes[0] = sub2 * sub2;
    writes[1] = mul0 * sub2;
  }
};

struct BackwardElements {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 11;
  static constexpr unsigned kRowScalars = 240;
  static constexpr unsigned kHoisted = 4;
  static constexpr unsigned kHoistedFrom = 240;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total0 = reads[4];
    const T total1 = reads[5];
    const T total2 = reads[6];
    const T total3 = reads[7];
    const T eps = params[0];
    const T length = params[2];
    const T maximum0 = rt::maximum(length, T(0));
    const T rsqrt1 = rt::rsqrt(total2 / maximum0 + eps);
    const T mul2 = total3 * (T(-0.5) * rsqrt1 * (rsqrt1 * rsqrt1));
    hoisted[0] = total1 / length;
    hoisted[1] = rsqrt1;
    hoisted[2] = rsqrt1 * total0 / length;
    hoisted[3] = mul2 * (T(2) / length);
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_out = reads[0];
    const T grad_added = reads[1];
    const T weight = reads[2];
    const T added = reads[3];
    const rt::Mask<T> has_grad_out = params[1] != T(0);
    const T rsqrt1 = hoisted[1];
    const T mul0 = grad_out * weight;
    const T sub2 = added - hoisted[0];
    const T sub3 = mul0 * rsqrt1 - hoisted[2];
    const T where1 = rt::where(has_grad_out, sub3 + hoisted[3] * sub2, T(0));
    const T add1 = grad_added + where1;
    writes[0] = add1;
    writes[1] = add1;
    writes[2] = rt::where(has_grad_out, grad_out * (sub2 * rsqrt1), T(0));
    writes[3] = grad_out;
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 16;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 6;
  static constexpr int kInstructions = 3;
  static constexpr unsigned kRowScalars = 65280;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_residual = reads[1];
    const T grad_grad_weight = reads[2];
    const T grad_out = reads[4];
    const T weight = reads[6];
    const T added = reads[7];
    const T mul0 = grad_out * weight;
    const T add0 = grad_grad_x + grad_grad_residual;
    const T mul4 = grad_grad_weight * grad_out;
    writes[0] = mul0;
    writes[1] = added;
    writes[2] = add0;
    writes[3] = mul4;
  }
};

struct DoubleBackwardTotals1 {
  static constexpr int kReads = 16;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 6;
  static constexpr int kInstructions = 13;
  static constexpr unsigned kRowScalars = 65280;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 512;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total1 = reads[9];
    const T length = params[5];
    hoisted[0] = total1 / length;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_residual = reads[1];
    const T grad_grad_weight = reads[2];
    const T grad_out = reads[4];
    const T weight = reads[6];
    const T added = reads[7];
    const rt::Mask<T> has_grad_grad_x = params[2] != T(0);
    const rt::Mask<T> has_grad_grad_residual = params[3] != T(0);
    const rt::Mask<T> has_grad_grad_weight = params[4] != T(0);
    const T mul0 = grad_out * weight;
    const T add0 = grad_grad_x + grad_grad_residual;
    const rt::Mask<T> logical_or0 = has_grad_grad_x | has_grad_grad_residual;
    const T where0 = rt::where(logical_or0, add0 * mul0, T(0));
    const T mul4 = grad_grad_weight * grad_out;
    const T sub2 = added - hoisted[0];
    const T where29 = rt::where(has_grad_grad_weight, mul4 * sub2, T(0));
    writes[0] = sub2 * sub2;
    writes[1] = mul0 * sub2;
    writes[2] = add0 * sub2;
    writes[3] = where0 + where29;
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 16;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 6;
  static constexpr int kInstructions = 44;
  static constexpr unsigned kRowScalars = 65280;
  static constexpr unsigned kHoisted = 7;
  static constexpr unsigned kHoistedFrom = 65280;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total0 = reads[8];
    const T total1 = reads[9];
    const T total2 = reads[10];
    const T total3 = reads[11];
    const T total4 = reads[12];
    const T total5 = reads[13];
    const T total6 = reads[14];
    const T total7 = reads[15];
    const T eps = params[0];
    const rt::Mask<T> has_grad_out = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_x = params[2] != T(0);
    const rt::Mask<T> has_grad_grad_residual = params[3] != T(0);
    const rt::Mask<T> has_grad_grad_weight = params[4] != T(0);
    const T length = params[5];
    const T div0 = T(2) / length;
    const T maximum0 = rt::maximum(length, T(0));
    const rt::Mask<T> logical_or0 = has_grad_grad_x | has_grad_grad_residual;
    const rt::Mask<T> logical_and0 = has_grad_out & logical_or0;
    const rt::Mask<T> logical_and1 = has_grad_out & (logical_or0 | has_grad_grad_weight);
    const T rsqrt1 = rt::rsqrt(total4 / maximum0 + eps);
    const T mul12 = T(-0.5) * rsqrt1;
    const T mul13 = rsqrt1 * rsqrt1;
    const T mul14 = mul12 * mul13;
    const T div2 = total2 / length;
    const T mul15 = total6 * div0;
    const T mul16 = mul15 * mul14;
    const T mul17 = mul15 * total5;
    const T mul18 = mul17 * mul12 * rsqrt1;
    const T where30 = rt::where(logical_or0, mul18 + mul18 + mul17 * mul13 * T(-0.5), T(0));
    const T where31 = rt::where(has_grad_out, where30 - div2 * total0, T(0));
    const T where32 = rt::where(logical_and0, where31, T(0));
    const T mul19 = T(-0.5) * total5 * rsqrt1 * rsqrt1 * rsqrt1 * div0;
    const T where42 = rt::where(logical_or0, mul19 * total2, T(0));
    const T mul20 = T(-0.5) * total6 * div0 * rsqrt1 * rsqrt1 * rsqrt1;
    const T where43 = rt::where(logical_or0, mul20 * total0, T(0));
    const T where44 = rt::where(has_grad_out, where43, T(0));
    const T where45 = rt::where(logical_and0, where44, T(0));
    const T where46 = rt::where(has_grad_grad_weight, rsqrt1 * total3, T(0));
    const T where47 = rt::where(has_grad_out, where42 + where46, T(0));
    const T where48 = rt::where(logical_and1 | logical_and0, -((where47 + where45) / length), T(0));
    const T where49 = rt::where(has_grad_out, total7, T(0));
    const T where50 = rt::where(logical_and1, where49, T(0));
    hoisted[0] = total1 / length;
    hoisted[1] = rsqrt1;
    hoisted[2] = total5 * mul14 * div0;
    hoisted[3] = mul16;
    hoisted[4] = div2 * rsqrt1;
    hoisted[5] = where48;
    hoisted[6] = (where32 + where50) * mul14 * div0;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_residual = reads[1];
    const T grad_grad_weight = reads[2];
    const T grad_grad_bias = reads[3];
    const T grad_out = reads[4];
    const T weight = reads[6];
    const T added = reads[7];
    const rt::Mask<T> has_grad_out = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_x = params[2] != T(0);
    const rt::Mask<T> has_grad_grad_residual = params[3] != T(0);
    const rt::Mask<T> has_grad_grad_weight = params[4] != T(0);
    const T rsqrt1 = hoisted[1];
    const T mul16 = hoisted[3];
    const T where48 = hoisted[5];
    const T mul0 = grad_out * weight;
    const T add0 = grad_grad_x + grad_grad_residual;
    const rt::Mask<T> logical_or0 = has_grad_grad_x | has_grad_grad_residual;
    const rt::Mask<T> logical_and0 = has_grad_out & logical_or0;
    const T mul4 = grad_grad_weight * grad_out;
    const rt::Mask<T> logical_and1 = has_grad_out & (logical_or0 | has_grad_grad_weight);
    const T sub2 = added - hoisted[0];
    const T where29 = rt::where(logical_or0, add0 * hoisted[2], T(0));
    const T where33 = rt::where(logical_or0, mul16 * sub2, T(0));
    const T where34 = rt::where(logical_or0, mul16 * mul0, T(0));
    const T where35 = rt::where(has_grad_out, where34, T(0));
    const T where36 = rt::where(logical_and0, where35, T(0));
    const T where37 = rt::where(logical_or0, add0 * rsqrt1, T(0));
    const T where38 = rt::where(has_grad_out, where37, T(0));
    const T where39 = rt::where(has_grad_grad_weight, grad_grad_weight * (sub2 * rsqrt1), T(0));
    const T where40 = rt::where(has_grad_grad_weight, mul4 * rsqrt1, T(0));
    const T where41 = rt::where(has_grad_out, where29 + where40, T(0));
    const T mul21 = hoisted[6] * sub2;
    const T where51 = rt::where(logical_and0 | logical_and1, mul21, T(0));
    const T sub3 = where33 - hoisted[4];
    const T where52 = rt::where(has_grad_out, sub3, T(0));
    const T where53 = rt::where(logical_and0, where52, T(0));
    const T where54 = rt::where(logical_or0, sub3, T(0));
    const T where55 = rt::where(logical_or0, (where54 + where37) * weight, T(0));
    writes[0] = grad_grad_bias + where39 + where55;
    writes[1] = add0;
    writes[2] = rt::where(logical_and0, (where53 + where38) * grad_out, T(0));
    writes[3] = where41 + where36 + where48 + where51;
  }
};

}  // namespace fusewise::ops::add_layer_norm
