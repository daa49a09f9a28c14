// Generated from specs/norms/gated_rms_norm.yaml by `fusewise generate`. Do not edit.
//
// rstd = rsqrt(mean(x * x) + eps)
// out = x * rstd * weight * silu(gate)
//
// mean0 = mean(x * x)
// rstd = rsqrt(mean0 + eps)
// mul0 = x * rstd
// silu0 = silu(gate)
// mul1 = grad_out * silu0
// sigmoid0 = sigmoid(gate)
// dsigmoid0 = dsigmoid(gate)
// mul2 = mul1 * weight
// sum0 = sum(mul2 * x)
// div0 = sum0 * (-0.5 * rstd * (rstd * rstd)) / length
// mul3 = div0 * x
// grad_x = mul2 * rstd + mul3 + mul3
// grad_gate = grad_out * (mul0 * weight) * (sigmoid0 + gate * dsigmoid0)
// grad_weight = mul1 * mul0
//
// backward keeps x, gate, weight: 12 B of float32 an element, arithmetic 72
// double_backward keeps grad_out, x, gate, weight: 16 B of float32 an element, arithmetic 170
// forward: 3 read and 1 written for each element, 0 read and 1 written for each row
// backward: 4 read and 3 written for each element, 1 read and 0 written for each row
// double_backward: 7 read and 4 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::gated_rms_norm {

struct ForwardTotals0 {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 1;
  static constexpr unsigned kRowScalars = 8;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    writes[0] = x * x;
  }
};

struct ForwardRows {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 8;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T total0 = reads[3];
    writes[0] = total0;
  }
};

struct ForwardElements {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 28;
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
    const T gate = reads[1];
    const T weight = reads[2];
    const T rsqrt0 = hoisted[0];
    const T abs0 = rt::abs(gate);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T where0 = rt::where(gate >= T(0), div_moderate0, exp0 * div_moderate0);
    writes[0] = x * rsqrt0 * weight * (gate * where0);
  }
};

struct BackwardTotals0 {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 28;
  static constexpr unsigned kRowScalars = 48;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T gate = reads[2];
    const T weight = reads[3];
    const T abs0 = rt::abs(gate);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T where0 = rt::where(gate >= T(0), div_moderate0, mul0);
    const T mul1 = grad_out * (gate * where0);
    const T mul2 = mul1 * weight;
    writes[0] = mul2 * x;
  }
};

struct BackwardElements {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 39;
  static constexpr unsigned kRowScalars = 48;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 48;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T kept_total0 = reads[4];
    const T total0 = reads[5];
    const T eps = params[0];
    const T length = params[1];
    const T rstd = rt::rsqrt(kept_total0 / length + eps);
    const T div1 = total0 * (T(-0.5) * rstd * (rstd * rstd)) / length;
    hoisted[0] = rstd;
    hoisted[1] = div1;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T gate = reads[2];
    const T weight = reads[3];
    const T rstd = hoisted[0];
    const T div1 = hoisted[1];
    const T abs0 = rt::abs(gate);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T where0 = rt::where(gate >= T(0), div_moderate0, mul0);
    const T mul1 = grad_out * (gate * where0);
    const T add0 = where0 + gate * (mul0 * div_moderate0);
    const T mul2 = mul1 * weight;
    const T mul3 = x * rstd;
    const T mul5 = div1 * x;
    writes[0] = mul2 * rstd + mul5 + mul5;
    writes[1] = grad_out * (mul3 * weight) * add0;
    writes[2] = mul1 * mul3;
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 11;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 5;
  static constexpr int kInstructions = 47;
  static constexpr unsigned kRowScalars = 1920;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_gate = reads[1];
    const T grad_grad_weight = reads[2];
    const T grad_out = reads[3];
    const T x = reads[4];
    const T gate = reads[5];
    const T weight = reads[6];
    const rt::Mask<T> has_grad_grad_x = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_gate = params[2] != T(0);
    const rt::Mask<T> has_grad_grad_weight = params[3] != T(0);
    const T abs0 = rt::abs(gate);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul2 = exp0 * div_moderate0;
    const T where0 = rt::where(gate >= T(0), div_moderate0, mul2);
    const T mul3 = gate * where0;
    const T mul4 = grad_out * mul3;
    const T mul5 = mul2 * div_moderate0;
    const T mul6 = gate * mul5;
    const T add0 = where0 + mul6;
    const T mul7 = mul4 * weight;
    const T add1 = grad_grad_x + grad_grad_x;
    const rt::Mask<T> logical_or1 = has_grad_grad_weight | has_grad_grad_gate;
    const T where3 = rt::where(has_grad_grad_x, grad_grad_x * mul7, T(0));
    const T where5 = rt::where(has_grad_grad_weight, grad_grad_weight * mul4, T(0));
    const T mul15 = grad_grad_gate * add0;
    const T mul17 = mul15 * grad_out;
    const T where11 = rt::where(has_grad_grad_gate, mul17 * weight, T(0));
    const T add5 = where5 + where11;
    const T where14 = rt::where(logical_or1, add5 * x, T(0));
    writes[0] = x * x;
    writes[1] = mul7 * x;
    writes[2] = add1 * x;
    writes[3] = where3 + where14;
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 11;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 5;
  static constexpr int kInstructions = 102;
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
    const rt::Mask<T> has_grad_grad_x = params[1] != T(0);
    const T length = params[4];
    const T rsqrt0 = rt::rsqrt(total0 / length + eps);
    const T mul23 = T(-0.5) * rsqrt0;
    const T mul24 = rsqrt0 * rsqrt0;
    const T mul25 = mul23 * mul24;
    const T div1 = total2 / length;
    const T mul26 = div1 * mul25;
    const T mul27 = div1 * total1;
    const T mul28 = mul27 * mul23 * rsqrt0;
    const T where18 = rt::where(has_grad_grad_x, mul28 + mul28 + mul27 * mul24 * T(-0.5), T(0));
    hoisted[0] = rsqrt0;
    hoisted[1] = total1 * mul25 / length;
    hoisted[2] = mul26;
    hoisted[3] = (where18 + total3) * mul25 / length;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_gate = reads[1];
    const T grad_grad_weight = reads[2];
    const T grad_out = reads[3];
    const T x = reads[4];
    const T gate = reads[5];
    const T weight = reads[6];
    const rt::Mask<T> has_grad_grad_x = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_gate = params[2] != T(0);
    const rt::Mask<T> has_grad_grad_weight = params[3] != T(0);
    const T rsqrt0 = hoisted[0];
    const T mul26 = hoisted[2];
    const T abs0 = rt::abs(gate);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul2 = exp0 * div_moderate0;
    const T where0 = rt::where(gate >= T(0), div_moderate0, mul2);
    const T mul3 = gate * where0;
    const T mul4 = grad_out * mul3;
    const T mul5 = mul2 * div_moderate0;
    const T mul6 = gate * mul5;
    const T add0 = where0 + mul6;
    const T mul7 = mul4 * weight;
    const T add1 = grad_grad_x + grad_grad_x;
    const T mul11 = T(0.5) * gate;
    const rt::Mask<T> logical_or0 = has_grad_grad_weight | has_grad_grad_x;
    const rt::Mask<T> logical_or1 = has_grad_grad_weight | has_grad_grad_gate;
    const T where5 = rt::where(has_grad_grad_weight, grad_grad_weight * mul4, T(0));
    const T mul15 = grad_grad_gate * add0;
    const T mul17 = mul15 * grad_out;
    const T where11 = rt::where(has_grad_grad_gate, mul17 * weight, T(0));
    const T add5 = where5 + where11;
    const T tanh_near_zero0 = rt::tanh_near_zero(mul11);
    const T mul19 = T(2) * mul2;
    const T where15 = rt::where(mul11 < T(0), mul19 - T(1), T(1) - mul19);
    const T where16 = rt::where(abs0 < T(1.2), tanh_near_zero0, where15);
    const T mul21 = x * rsqrt0;
    const T mul22 = mul21 * weight;
    const T add6 = add1 * hoisted[1] + mul26 * mul7;
    const T where19 = rt::where(has_grad_grad_x, add6, T(0));
    const T add7 = mul26 * x + grad_grad_x * rsqrt0;
    const T where20 = rt::where(has_grad_grad_weight, grad_grad_weight * mul21, T(0));
    const T where21 = rt::where(has_grad_grad_x, add7 * weight, T(0));
    const T add8 = where20 + where21;
    const T where22 = rt::where(has_grad_grad_x, add7 * mul4, T(0));
    const T mul29 = grad_grad_gate * (grad_out * mul22) * mul5;
    const T where23 = rt::where(has_grad_grad_gate, mul15 * mul22, T(0));
    const T where24 = rt::where(logical_or0, add8 * mul3, T(0));
    const T where25 = rt::where(logical_or0, add8 * grad_out * add0, T(0));
    const T where26 = rt::where(has_grad_grad_gate, mul17 * mul21, T(0));
    const T where27 = rt::where(logical_or1, add5 * rsqrt0, T(0));
    const T mul30 = hoisted[3] * x;
    const T mul31 = where16 * grad_grad_gate * grad_out * x * rsqrt0 * weight;
    const T where28 = rt::where(has_grad_grad_gate, mul29 - mul6 * mul31 + mul29, T(0));
    writes[0] = where23 + where24;
    writes[1] = where19 + where27 + mul30 + mul30;
    writes[2] = where28 + where25;
    writes[3] = where22 + where26;
  }
};

}  // namespace fusewise::ops::gated_rms_norm
