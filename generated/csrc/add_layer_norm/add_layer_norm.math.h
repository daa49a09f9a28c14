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
// sub1 = grad_added + mul0 * rsqrt0 - rsqrt0 * sum0 / length
// sum1 = sum(mul0 * sub0)
// mul1 = sum1 * (-0.5 * rsqrt0 * (rsqrt0 * rsqrt0))
// add0 = sub1 + mul1 * (2 / length) * sub0
// grad_x = add0
// grad_residual = add0
// grad_weight = grad_out * (sub0 * rsqrt0)
// grad_bias = grad_out
//
// backward keeps weight, added: 8 B of float32 an element, arithmetic 65
// double_backward keeps grad_out, grad_added, weight, added: 16 B of float32 an element, arithmetic
//     123
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
  static constexpr int kParams = 2;
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
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 4;
  static constexpr unsigned kRowScalars = 240;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 32;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total1 = reads[5];
    const T length = params[1];
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
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 9;
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
    const T length = params[1];
    const T maximum0 = rt::maximum(length, T(0));
    const T rsqrt1 = rt::rsqrt(total2 / maximum0 + eps);
    const T mul2 = total3 * (T(-0.5) * rsqrt1 * (rsqrt1 * rsqrt1));
    hoisted[0] = total1 / length;
    hoisted[1] = rsqrt1;
    hoisted[2] = rsqrt1 * total0 / length;
    hoisted[3] = mul2 * (T(2) / length);
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T grad_out = reads[0];
    const T grad_added = reads[1];
    const T weight = reads[2];
    const T added = reads[3];
    const T rsqrt1 = hoisted[1];
    const T mul0 = grad_out * weight;
    const T sub2 = added - hoisted[0];
    const T sub3 = grad_added + mul0 * rsqrt1 - hoisted[2];
    const T add1 = sub3 + hoisted[3] * sub2;
    writes[0] = add1;
    writes[1] = add1;
    writes[2] = grad_out * (sub2 * rsqrt1);
    writes[3] = grad_out;
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 16;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 2;
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
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 10;
  static constexpr unsigned kRowScalars = 65280;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 512;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total1 = reads[9];
    const T length = params[1];
    hoisted[0] = total1 / length;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_residual = reads[1];
    const T grad_grad_weight = reads[2];
    const T grad_out = reads[4];
    const T weight = reads[6];
    const T added = reads[7];
    const T mul0 = grad_out * weight;
    const T add0 = grad_grad_x + grad_grad_residual;
    const T mul4 = grad_grad_weight * grad_out;
    const T sub3 = added - hoisted[0];
    writes[0] = sub3 * sub3;
    writes[1] = mul0 * sub3;
    writes[2] = add0 * sub3;
    writes[3] = add0 * mul0 + mul4 * sub3;
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 16;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 22;
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
    const T length = params[1];
    const T div0 = T(2) / length;
    const T maximum0 = rt::maximum(length, T(0));
    const T rsqrt1 = rt::rsqrt(total4 / maximum0 + eps);
    const T mul12 = T(-0.5) * rsqrt1;
    const T mul13 = rsqrt1 * rsqrt1;
    const T mul14 = mul12 * mul13;
    const T div2 = total2 / length;
    const T mul15 = total6 * div0;
    const T mul16 = mul15 * mul14;
    const T mul17 = mul15 * total5;
    const T mul18 = mul17 * mul12 * rsqrt1;
    const T add4 = mul18 + mul18 + mul17 * mul13 * T(-0.5);
    const T mul19 = T(-0.5) * total5 * rsqrt1 * rsqrt1 * rsqrt1 * div0;
    const T mul20 = T(-0.5) * total6 * div0 * rsqrt1 * rsqrt1 * rsqrt1;
    const T add6 = mul19 * total2 + mul20 * total0 + rsqrt1 * total3;
    const T mul21 = (add4 - div2 * total0 + total7) * mul14 * div0;
    hoisted[0] = total1 / length;
    hoisted[1] = rsqrt1;
    hoisted[2] = total5 * mul14 * div0;
    hoisted[3] = mul16;
    hoisted[4] = div2 * rsqrt1;
    hoisted[5] = add6 / length;
    hoisted[6] = mul21;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_residual = reads[1];
    const T grad_grad_weight = reads[2];
    const T grad_grad_bias = reads[3];
    const T grad_out = reads[4];
    const T weight = reads[6];
    const T added = reads[7];
    const T rsqrt1 = hoisted[1];
    const T mul16 = hoisted[3];
    const T mul21 = hoisted[6];
    const T mul0 = grad_out * weight;
    const T add0 = grad_grad_x + grad_grad_residual;
    const T mul4 = grad_grad_weight * grad_out;
    const T sub3 = added - hoisted[0];
    const T add5 = add0 * hoisted[2] + mul16 * mul0;
    const T sub4 = add5 + mul4 * rsqrt1 - hoisted[5];
    const T sub5 = mul16 * sub3 + add0 * rsqrt1 - hoisted[4];
    writes[0] = grad_grad_bias + grad_grad_weight * (sub3 * rsqrt1) + sub5 * weight;
    writes[1] = add0;
    writes[2] = sub5 * grad_out;
    writes[3] = sub4 + mul21 * sub3;
  }
};

}  // namespace fusewise::ops::add_layer_norm
