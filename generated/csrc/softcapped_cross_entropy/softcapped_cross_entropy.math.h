// Generated from specs/losses/softcapped_cross_entropy.yaml by `fusewise generate`. Do not edit.
//
// capped = cap * tanh(logits / cap)
// picked = sum(capped if index == target else 0)
// loss = 0 if target == ignore_index else logsumexp(capped) - picked
//
// div0 = logits / cap
// tanh0 = tanh(div0)
// capped = cap * tanh0
// eq0 = target == ignore_index
// logsumexp0 = logsumexp(capped)
// where0 = 0 if eq0 else grad_loss
// where1 = 0 if eq0 else -grad_loss
// exp0 = exp(capped - logsumexp0)
// where2 = where1 if index == target else 0
// sech2_0 = sech2(div0)
// grad_logits = (where0 * exp0 + where2) * cap * sech2_0 / cap
//
// backward keeps logits, target: 8 B of float32 an element, arithmetic 105
// double_backward keeps grad_loss, logits, target: 12 B of float32 an element, arithmetic 136
// forward: 2 read and 1 written for each element
// backward: 3 read and 1 written for each element
// double_backward: 4 read and 2 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::softcapped_cross_entropy {

struct ForwardTotals0 {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 29;
  static constexpr unsigned kRowScalars = 30;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T logits = reads[0];
    const T target = reads[1];
    const T index = reads[5];
    const T cap = params[0];
    const T div_shared0 = rt::div_shared(logits, cap);
    const T tanh0 = rt::tanh(div_shared0);
    const T capped = cap * tanh0;
    const T where0 = rt::where(index == target, capped, T(0));
    writes[0] = where0;
    writes[1] = capped;
  }
};

struct ForwardTotals1 {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 41;
  static constexpr unsigned kRowScalars = 30;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T logits = reads[0];
    const T total1 = reads[3];
    const T cap = params[0];
    const T div_shared0 = rt::div_shared(logits, cap);
    const T tanh0 = rt::tanh(div_shared0);
    const T capped = cap * tanh0;
    const T abs1 = rt::abs(total1);
    const T where2 = rt::where(abs1 == T(INFINITY), T(0), total1);
    writes[0] = rt::exp(capped - where2);
  }
};

struct ForwardRows {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 30;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 30;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T target = reads[1];
    const T total0 = reads[2];
    const T total1 = reads[3];
    const T total2 = reads[4];
    const T ignore_index = params[1];
    const T abs1 = rt::abs(total1);
    const T where2 = rt::where(abs1 == T(INFINITY), T(0), total1);
    const T log1 = rt::log(total2);
    hoisted[0] = rt::where(target == ignore_index, T(0), log1 + where2 - total0);
  }

  template <class T>
  RT_FN static void apply(const T*, const T*, const T* hoisted, T* writes) {
    writes[0] = hoisted[0];
  }
};

struct BackwardTotals0 {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 47;
  static constexpr unsigned kRowScalars = 29;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T logits = reads[1];
    const T cap = params[0];
    const T div_shared0 = rt::div_shared(logits, cap);
    const T abs0 = rt::abs(T(2) * div_shared0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T tanh_near_zero0 = rt::tanh_near_zero(div_shared0);
    const T mul1 = T(2) * mul0;
    const T where3 = rt::where(div_shared0 < T(0), mul1 - T(1), T(1) - mul1);
    const T where4 = rt::where(abs0 < T(1.2), tanh_near_zero0, where3);
    const T capped = cap * where4;
    writes[0] = capped;
  }
};

struct BackwardTotals1 {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 61;
  static constexpr unsigned kRowScalars = 29;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T logits = reads[1];
    const T total0 = reads[3];
    const T cap = params[0];
    const T div_shared0 = rt::div_shared(logits, cap);
    const T abs0 = rt::abs(T(2) * div_shared0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T tanh_near_zero0 = rt::tanh_near_zero(div_shared0);
    const T mul1 = T(2) * mul0;
    const T where3 = rt::where(div_shared0 < T(0), mul1 - T(1), T(1) - mul1);
    const T where4 = rt::where(abs0 < T(1.2), tanh_near_zero0, where3);
    const T capped = cap * where4;
    const T abs2 = rt::abs(total0);
    const T where6 = rt::where(abs2 == T(INFINITY), T(0), total0);
    writes[0] = rt::exp(capped - where6);
  }
};

struct BackwardElements {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 78;
  static constexpr unsigned kRowScalars = 29;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 24;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T total0 = reads[3];
    const T total1 = reads[4];
    const T abs2 = rt::abs(total0);
    const T where6 = rt::where(abs2 == T(INFINITY), T(0), total0);
    const T log1 = rt::log(total1);
    hoisted[0] = log1 + where6;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_loss = reads[0];
    const T logits = reads[1];
    const T target = reads[2];
    const T index = reads[5];
    const T cap = params[0];
    const T ignore_index = params[1];
    const rt::Mask<T> eq0 = target == ignore_index;
    const T where0 = rt::where(eq0, T(0), grad_loss);
    const T where1 = rt::where(eq0, T(0), -grad_loss);
    const T where2 = rt::where(index == target, where1, T(0));
    const T div_shared0 = rt::div_shared(logits, cap);
    const T abs0 = rt::abs(T(2) * div_shared0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T tanh_near_zero0 = rt::tanh_near_zero(div_shared0);
    const T mul1 = T(2) * mul0;
    const T where3 = rt::where(div_shared0 < T(0), mul1 - T(1), T(1) - mul1);
    const T where4 = rt::where(abs0 < T(1.2), tanh_near_zero0, where3);
    const T capped = cap * where4;
    const T exp3 = rt::exp(capped - hoisted[0]);
    const T mul3 = (where0 * exp3 + where2) * cap;
    writes[0] = rt::div_shared(mul3 * (T(4) * (mul0 * div_moderate0)), cap);
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 10;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 61;
  static constexpr unsigned kRowScalars = 506;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_logits = reads[0];
    const T logits = reads[2];
    const T target = reads[3];
    const T index = reads[9];
    const T cap = params[0];
    const rt::Mask<T> eq0 = index == target;
    const T div_shared0 = rt::div_shared(logits, cap);
    const T abs0 = rt::abs(T(2) * div_shared0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T mul1 = T(4) * (mul0 * div_moderate0);
    const T tanh_near_zero0 = rt::tanh_near_zero(div_shared0);
    const T mul2 = T(2) * mul0;
    const T where3 = rt::where(div_shared0 < T(0), mul2 - T(1), T(1) - mul2);
    const T where4 = rt::where(abs0 < T(1.2), tanh_near_zero0, where3);
    const T capped = cap * where4;
    const T div_shared1 = rt::div_shared(grad_grad_logits, cap);
    const T mul3 = div_shared1 * mul1;
    const T mul4 = mul3 * cap;
    const T where6 = rt::where(eq0, mul4, T(0));
    writes[0] = capped;
    writes[1] = where6;
  }
};

struct DoubleBackwardTotals1 {
  static constexpr int kReads = 10;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 61;
  static constexpr unsigned kRowScalars = 506;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T logits = reads[2];
    const T total0 = reads[4];
    const T cap = params[0];
    const T div_shared0 = rt::div_shared(logits, cap);
    const T abs0 = rt::abs(T(2) * div_shared0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T tanh_near_zero0 = rt::tanh_near_zero(div_shared0);
    const T mul2 = T(2) * mul0;
    const T where3 = rt::where(div_shared0 < T(0), mul2 - T(1), T(1) - mul2);
    const T where4 = rt::where(abs0 < T(1.2), tanh_near_zero0, where3);
    const T capped = cap * where4;
    const T abs2 = rt::abs(total0);
    const T where9 = rt::where(abs2 == T(INFINITY), T(0), total0);
    writes[0] = rt::exp(capped - where9);
  }
};

struct DoubleBackwardTotals2 {
  static constexpr int kReads = 10;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 76;
  static constexpr unsigned kRowScalars = 506;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 80;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T total0 = reads[4];
    const T total2 = reads[6];
    const T log1 = rt::log(total2);
    const T abs2 = rt::abs(total0);
    const T where9 = rt::where(abs2 == T(INFINITY), T(0), total0);
    hoisted[0] = log1 + where9;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_grad_logits = reads[0];
    const T grad_loss = reads[1];
    const T logits = reads[2];
    const T target = reads[3];
    const T cap = params[0];
    const T ignore_index = params[1];
    const rt::Mask<T> eq1 = target == ignore_index;
    const T div_shared0 = rt::div_shared(logits, cap);
    const T abs0 = rt::abs(T(2) * div_shared0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T mul1 = T(4) * (mul0 * div_moderate0);
    const T tanh_near_zero0 = rt::tanh_near_zero(div_shared0);
    const T mul2 = T(2) * mul0;
    const T where3 = rt::where(div_shared0 < T(0), mul2 - T(1), T(1) - mul2);
    const T where4 = rt::where(abs0 < T(1.2), tanh_near_zero0, where3);
    const T capped = cap * where4;
    const T div_shared1 = rt::div_shared(grad_grad_logits, cap);
    const T mul3 = div_shared1 * mul1;
    const T mul4 = mul3 * cap;
    const T exp3 = rt::exp(capped - hoisted[0]);
    writes[0] = mul3 * exp3;
    writes[1] = rt::where(eq1, T(0), -(mul4 * grad_loss * exp3));
  }
};

struct DoubleBackwardRows {
  static constexpr int kReads = 10;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 4;
  static constexpr unsigned kRowScalars = 506;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T target = reads[3];
    const T total1 = reads[5];
    const T total3 = reads[7];
    const T cap = params[0];
    const T ignore_index = params[1];
    const rt::Mask<T> eq1 = target == ignore_index;
    writes[0] = rt::where(eq1, T(0), cap * total3 - total1);
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 10;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 99;
  static constexpr unsigned kRowScalars = 506;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 80;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T total0 = reads[4];
    const T total2 = reads[6];
    const T log1 = rt::log(total2);
    const T abs2 = rt::abs(total0);
    const T where9 = rt::where(abs2 == T(INFINITY), T(0), total0);
    hoisted[0] = log1 + where9;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_grad_logits = reads[0];
    const T grad_loss = reads[1];
    const T logits = reads[2];
    const T target = reads[3];
    const T total4 = reads[8];
    const T index = reads[9];
    const T cap = params[0];
    const T ignore_index = params[1];
    const rt::Mask<T> eq0 = index == target;
    const rt::Mask<T> eq1 = target == ignore_index;
    const T where0 = rt::where(eq1, T(0), grad_loss);
    const T where1 = rt::where(eq1, T(0), -grad_loss);
    const T where2 = rt::where(eq0, where1, T(0));
    const T div_shared0 = rt::div_shared(logits, cap);
    const T abs0 = rt::abs(T(2) * div_shared0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T mul1 = T(4) * (mul0 * div_moderate0);
    const T tanh_near_zero0 = rt::tanh_near_zero(div_shared0);
    const T mul2 = T(2) * mul0;
    const T where3 = rt::where(div_shared0 < T(0), mul2 - T(1), T(1) - mul2);
    const T where4 = rt::where(abs0 < T(1.2), tanh_near_zero0, where3);
    const T capped = cap * where4;
    const T div_shared1 = rt::div_shared(grad_grad_logits, cap);
    const T mul3 = div_shared1 * mul1;
    const T mul4 = mul3 * cap;
    const T exp3 = rt::exp(capped - hoisted[0]);
    const T mul8 = div_shared1 * ((where0 * exp3 + where2) * cap);
    const T where10 = rt::where(eq1, T(0), mul4 * grad_loss * exp3);
    const T mul9 = (where10 + total4 * exp3) * cap * mul1;
    writes[0] = rt::div_shared(mul8 * (T(-2) * where4 * mul1) + mul9, cap);
  }
};

}  // namespace fusewise::ops::softcapped_cross_entropy
