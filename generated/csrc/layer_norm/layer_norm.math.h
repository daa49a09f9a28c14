// Generated from specs/norms/layer_norm.yaml by `fusewise generate`. Do not edit.
//
// centred = x - mean(x)
// rstd = rsqrt(mean(centred * centred) + eps)
// out = centred * rstd * weight + bias
//
// mean0 = mean(x)
// centred = x - mean0
// mean1 = mean(centred * centred)
// rstd = rsqrt(mean1 + eps)
// mul0 = grad_out * weight
// sum0 = sum(mul0 * centred)
// div0 = sum0 * (-0.5 * rstd * (rstd * rstd)) / length
// mul1 = div0 * centred
// sum1 = sum(mul0)
// sum2 = sum(centred)
// mul2 = div0 * sum2
// div1 = (rstd * sum1 + mul2 + mul2) / length
// grad_x = mul0 * rstd + mul1 + mul1 - div1
// grad_weight = grad_out * (centred * rstd)
// grad_bias = grad_out
//
// backward keeps x, weight: 8 B of float32 an element, arithmetic 65
// double_backward keeps grad_out, x, weight: 12 B of float32 an element, arithmetic 141
// forward: 3 read and 1 written for each element
// backward: 3 read and 2 written for each element; grad_bias equals grad_out
// double_backward: 6 read and 3 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::layer_norm {

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
    const T sub0 = x - hoisted[0];
    writes[0] = sub0 * sub0;
  }
};

struct ForwardElements {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 4;
  static constexpr unsigned kRowScalars = 24;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 24;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total0 = reads[3];
    const T total1 = reads[4];
    const T eps = params[0];
    const T length = params[1];
    const T rsqrt0 = rt::rsqrt(total1 / length + eps);
    hoisted[0] = total0 / length;
    hoisted[1] = rsqrt0;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T x = reads[0];
    const T weight = reads[1];
    const T bias = reads[2];
    const T rsqrt0 = hoisted[1];
    writes[0] = (x - hoisted[0]) * rsqrt0 * weight + bias;
  }
};

struct BackwardTotals0 {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 1;
  static constexpr unsigned kRowScalars = 248;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T weight = reads[2];
    const T mul0 = grad_out * weight;
    writes[0] = mul0;
    writes[1] = x;
  }
};

struct BackwardTotals1 {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 4;
  static constexpr unsigned kRowScalars = 248;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 16;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total1 = reads[4];
    const T length = params[1];
    hoisted[0] = total1 / length;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T weight = reads[2];
    const T mul0 = grad_out * weight;
    const T sub0 = x - hoisted[0];
    writes[0] = sub0 * sub0;
    writes[1] = mul0 * sub0;
    writes[2] = sub0;
  }
};

struct BackwardElements {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 9;
  static constexpr unsigned kRowScalars = 248;
  static constexpr unsigned kHoisted = 4;
  static constexpr unsigned kHoistedFrom = 248;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total0 = reads[3];
    const T total1 = reads[4];
    const T total2 = reads[5];
    const T total3 = reads[6];
    const T total4 = reads[7];
    const T eps = params[0];
    const T length = params[1];
    const T rsqrt0 = rt::rsqrt(total2 / length + eps);
    const T div2 = total3 * (T(-0.5) * rsqrt0 * (rsqrt0 * rsqrt0)) / length;
    const T mul4 = div2 * total4;
    const T div3 = (rsqrt0 * total0 + mul4 + mul4) / length;
    hoisted[0] = total1 / length;
    hoisted[1] = rsqrt0;
    hoisted[2] = div2;
    hoisted[3] = div3;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T weight = reads[2];
    const T rsqrt0 = hoisted[1];
    const T div2 = hoisted[2];
    const T div3 = hoisted[3];
    const T mul0 = grad_out * weight;
    const T sub0 = x - hoisted[0];
    const T mul3 = div2 * sub0;
    writes[0] = mul0 * rsqrt0 + mul3 + mul3 - div3;
    writes[1] = grad_out * (sub0 * rsqrt0);
    writes[2] = grad_out;
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 16;
  static constexpr int kWrites = 5;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 3;
  static constexpr unsigned kRowScalars = 65472;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_weight = reads[1];
    const T grad_out = reads[3];
    const T x = reads[4];
    const T weight = reads[5];
    const T mul0 = grad_out * weight;
    const T add0 = grad_grad_x + grad_grad_x;
    const T mul4 = grad_grad_weight * grad_out;
    writes[0] = mul0;
    writes[1] = x;
    writes[2] = grad_grad_x;
    writes[3] = add0;
    writes[4] = mul4;
  }
};

struct DoubleBackwardTotals1 {
  static constexpr int kReads = 16;
  static constexpr int kWrites = 5;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 10;
  static constexpr unsigned kRowScalars = 65472;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 128;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total1 = reads[7];
    const T length = params[1];
    hoisted[0] = total1 / length;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_weight = reads[1];
    const T grad_out = reads[3];
    const T x = reads[4];
    const T weight = reads[5];
    const T mul0 = grad_out * weight;
    const T add0 = grad_grad_x + grad_grad_x;
    const T mul4 = grad_grad_weight * grad_out;
    const T sub1 = x - hoisted[0];
    writes[0] = sub1 * sub1;
    writes[1] = mul0 * sub1;
    writes[2] = sub1;
    writes[3] = add0 * sub1;
    writes[4] = grad_grad_x * mul0 + mul4 * sub1;
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 16;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 24;
  static constexpr unsigned kRowScalars = 65472;
  static constexpr unsigned kHoisted = 8;
  static constexpr unsigned kHoistedFrom = 65472;

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
    const T total8 = reads[14];
    const T total9 = reads[15];
    const T eps = params[0];
    const T length = params[1];
    const T div5 = total2 / length;
    const T rsqrt0 = rt::rsqrt(total5 / length + eps);
    const T mul13 = T(-0.5) * rsqrt0;
    const T mul14 = rsqrt0 * rsqrt0;
    const T mul15 = mul13 * mul14;
    const T div6 = total6 * mul15 / length;
    const T sub2 = -div5 - div5;
    const T mul16 = sub2 * div6;
    const T div7 = (sub2 * total7 + total8) / length;
    const T mul17 = div7 * mul15;
    const T mul18 = div7 * total6;
    const T mul19 = mul18 * mul13 * rsqrt0;
    const T add5 = mul19 - div5 * total0 + mul19;
    const T mul20 = (add5 + mul18 * mul14 * T(-0.5) + total9) * mul15;
    const T div8 = mul20 / length;
    const T mul22 = T(-0.5) * div7 * rsqrt0 * rsqrt0 * rsqrt0 * total0;
    const T add8 = length * mul16 + div6 * total3 + mul22;
    const T mul23 = div8 * total7;
    const T div9 = (add8 + rsqrt0 * total4 + mul23 + mul23) / length;
    hoisted[0] = total1 / length;
    hoisted[1] = rsqrt0;
    hoisted[2] = div6;
    hoisted[3] = mul16;
    hoisted[4] = div5 * rsqrt0;
    hoisted[5] = mul17;
    hoisted[6] = div8;
    hoisted[7] = div9;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_weight = reads[1];
    const T grad_grad_bias = reads[2];
    const T grad_out = reads[3];
    const T x = reads[4];
    const T weight = reads[5];
    const T rsqrt0 = hoisted[1];
    const T div6 = hoisted[2];
    const T mul16 = hoisted[3];
    const T mul17 = hoisted[5];
    const T div8 = hoisted[6];
    const T div9 = hoisted[7];
    const T mul0 = grad_out * weight;
    const T add0 = grad_grad_x + grad_grad_x;
    const T mul4 = grad_grad_weight * grad_out;
    const T sub1 = x - hoisted[0];
    const T add6 = mul16 + add0 * div6 + mul17 * mul0;
    const T add7 = mul17 * sub1 - hoisted[4] + grad_grad_x * rsqrt0;
    const T mul21 = div8 * sub1;
    writes[0] = grad_grad_bias + grad_grad_weight * (sub1 * rsqrt0) + add7 * weight;
    writes[1] = add6 + mul4 * rsqrt0 + mul21 + mul21 - div9;
    writes[2] = add7 * grad_out;
  }
};

}  // namespace fusewise::ops::layer_norm
