// Generated from specs/losses/softcapped_cross_entropy.yaml by `fusewise generate`. Do not edit.
//
// log_p = log_softmax(cap * tanh(logits / cap))
// picked = sum(log_p if index == target else 0)
// loss = 0 if target == ignore_index else -picked
//
// div0 = logits / cap
// tanh0 = tanh(div0)
// eq0 = target == ignore_index
// where0 = 0 if eq0 else -grad_loss
// where1 = where0 if index == target else 0
// softmax0 = softmax(cap * tanh0)
// sum0 = sum(where1)
// sech2_0 = sech2(div0)
// div1 = (where1 - softmax0 * sum0) * cap * sech2_0 / cap
// grad_logits = div1 if not eq0 else 0
//
// backward keeps logits, target: 8 B of float32 an element, arithmetic 90
// double_backward keeps grad_loss, logits, target: 12 B of float32 an element, arithmetic 122
// forward: 1 read and 0 written for each element, 1 read and 3 written for each row
// backward: 1 read and 1 written for each element, 4 read and 0 written for each row
// double_backward: 2 read and 1 written for each element, 2 read and 1 written for each row
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::softcapped_cross_entropy {

struct ForwardTotals0 {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 47;
  static constexpr unsigned kRowScalars = 30;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T logits = reads[0];
    const T cap = params[0];
    const T div_shared0 = rt::div_shared(logits, cap);
    const T abs0 = rt::abs(T(2) * div_shared0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T tanh_near_zero0 = rt::tanh_near_zero(div_shared0);
    const T mul0 = T(2) * (exp0 * div_moderate0);
    const T where1 = rt::where(div_shared0 < T(0), mul0 - T(1), T(1) - mul0);
    const T where2 = rt::where(abs0 < T(1.2), tanh_near_zero0, where1);
    const T mul1 = cap * where2;
    writes[0] = mul1;
  }
};

struct ForwardTotals1 {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 60;
  static constexpr unsigned kRowScalars = 30;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T logits = reads[0];
    const T target = reads[1];
    const T total0 = reads[2];
    const T index = reads[5];
    const T cap = params[0];
    const T div_shared0 = rt::div_shared(logits, cap);
    const T abs0 = rt::abs(T(2) * div_shared0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T tanh_near_zero0 = rt::tanh_near_zero(div_shared0);
    const T mul0 = T(2) * (exp0 * div_moderate0);
    const T where1 = rt::where(div_shared0 < T(0), mul0 - T(1), T(1) - mul0);
    const T where2 = rt::where(abs0 < T(1.2), tanh_near_zero0, where1);
    const T mul1 = cap * where2;
    const T sub1 = mul1 - total0;
    writes[0] = rt::where(index == target, sub1, T(0));
    writes[1] = rt::exp_negative(sub1);
  }
};

struct ForwardRescale {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 19;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T total1 = reads[0];
    const T total2 = reads[1];
    const T total0 = reads[2];
    const T row_total0 = reads[3];
    const rt::Mask<T> logical_and0 = (row_total0 > -T(INFINITY)) & ((total0 == row_total0) | (total0
        == -T(INFINITY)));
    const T where0 = rt::where(logical_and0, T(0), total0 - row_total0);
    const T exp_negative0 = rt::exp_negative(where0);
    writes[0] = total1;
    writes[1] = exp_negative0 * total2;
  }
};

struct ForwardRows {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 30;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 26;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T target = reads[1];
    const T total1 = reads[3];
    const T total2 = reads[4];
    const T ignore_index = params[1];
    const T length = params[2];
    const T where0 = rt::where((target >= T(0)) & (target < length), T(1), T(0));
    const T log1 = rt::log(total2);
    const T where5 = rt::where(where0 == T(0), T(0), where0 * log1);
    hoisted[0] = rt::where(target == ignore_index, T(0), -(total1 - where5));
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T total0 = reads[2];
    const T total2 = reads[4];
    writes[0] = hoisted[0];
    writes[1] = total0;
    writes[2] = total2;
  }
};

struct BackwardElements {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 91;
  static constexpr unsigned kRowScalars = 29;
  static constexpr unsigned kHoistedFrom = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_loss = reads[0];
    const T logits = reads[1];
    const T target = reads[2];
    const T kept_total0 = reads[3];
    const T kept_total1 = reads[4];
    const T index = reads[5];
    const T cap = params[0];
    const T ignore_index = params[1];
    const T length = params[2];
    const rt::Mask<T> eq0 = target == ignore_index;
    const T where0 = rt::where(eq0, T(0), -grad_loss);
    const T where1 = rt::where(index == target, where0, T(0));
    const T where2 = rt::where((target >= T(0)) & (target < length), where0, T(0));
    const T div_shared0 = rt::div_shared(logits, cap);
    const T abs0 = rt::abs(T(2) * div_shared0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T tanh_near_zero0 = rt::tanh_near_zero(div_shared0);
    const T mul1 = T(2) * mul0;
    const T where3 = rt::where(div_shared0 < T(0), mul1 - T(1), T(1) - mul1);
    const T where4 = rt::where(abs0 < T(1.2), tanh_near_zero0, where3);
    const T exp_negative0 = rt::exp_negative(cap * where4 - kept_total0);
    const T div_shared1 = rt::div_shared(exp_negative0, kept_total1);
    const T mul2 = (where1 - div_shared1 * where2) * cap;
    const T div_shared2 = rt::div_shared(mul2 * (T(4) * (mul0 * div_moderate0)), cap);
    writes[0] = rt::where(!eq0, div_shared2, T(0));
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 10;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 47;
  static constexpr unsigned kRowScalars = 506;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T logits = reads[2];
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
    const T mul2 = cap * where4;
    writes[0] = mul2;
  }
};

struct DoubleBackwardTotals1 {
  static constexpr int kReads = 10;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 58;
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
    const T mul1 = T(2) * mul0;
    const T where3 = rt::where(div_shared0 < T(0), mul1 - T(1), T(1) - mul1);
    const T where4 = rt::where(abs0 < T(1.2), tanh_near_zero0, where3);
    const T mul2 = cap * where4;
    writes[0] = rt::exp_negative(mul2 - total0);
  }
};

struct DoubleBackwardTotals2 {
  static constexpr int kReads = 10;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 89;
  static constexpr unsigned kRowScalars = 506;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_logits = reads[0];
    const T grad_loss = reads[1];
    const T logits = reads[2];
    const T target = reads[3];
    const T total0 = reads[4];
    const T total1 = reads[5];
    const T cap = params[0];
    const T ignore_index = params[1];
    const T length = params[2];
    const rt::Mask<T> eq1 = target == ignore_index;
    const T where0 = rt::where(eq1, T(0), -grad_loss);
    const T where2 = rt::where((target >= T(0)) & (target < length), where0, T(0));
    const T div_shared0 = rt::div_shared(logits, cap);
    const T abs0 = rt::abs(T(2) * div_shared0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T tanh_near_zero0 = rt::tanh_near_zero(div_shared0);
    const T mul1 = T(2) * mul0;
    const T where3 = rt::where(div_shared0 < T(0), mul1 - T(1), T(1) - mul1);
    const T where4 = rt::where(abs0 < T(1.2), tanh_near_zero0, where3);
    const T mul2 = cap * where4;
    const T exp_negative1 = rt::exp_negative(mul2 - total0);
    const T mul3 = T(4) * (mul0 * div_moderate0);
    const T div_shared1 = rt::div_shared(grad_grad_logits, cap);
    const T mul4 = div_shared1 * mul3;
    const T mul5 = mul4 * cap;
    const T mul6 = mul5 * where2;
    const T div1 = exp_negative1 / total1;
    writes[0] = mul4 * div1;
    writes[1] = -(mul6 * div1);
  }
};

struct DoubleBackwardTotals3 {
  static constexpr int kReads = 10;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 50;
  static constexpr unsigned kRowScalars = 506;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_logits = reads[0];
    const T logits = reads[2];
    const T target = reads[3];
    const T total2 = reads[6];
    const T index = reads[9];
    const T cap = params[0];
    const T ignore_index = params[1];
    const rt::Mask<T> eq0 = index == target;
    const rt::Mask<T> eq1 = target == ignore_index;
    const rt::Mask<T> logical_not0 = !eq1;
    const T div_shared0 = rt::div_shared(logits, cap);
    const T abs0 = rt::abs(T(2) * div_shared0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T mul3 = T(4) * (mul0 * div_moderate0);
    const T div_shared1 = rt::div_shared(grad_grad_logits, cap);
    const T mul4 = div_shared1 * mul3;
    const T mul5 = mul4 * cap;
    const T where7 = rt::where(logical_not0, mul5 - cap * total2, T(0));
    writes[0] = rt::where(eq0, where7, T(0));
  }
};

struct DoubleBackwardRows {
  static constexpr int kReads = 10;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 3;
  static constexpr unsigned kRowScalars = 506;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T target = reads[3];
    const T total4 = reads[8];
    const T ignore_index = params[1];
    const rt::Mask<T> eq1 = target == ignore_index;
    writes[0] = rt::where(eq1, T(0), -total4);
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 10;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 111;
  static constexpr unsigned kRowScalars = 506;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_logits = reads[0];
    const T grad_loss = reads[1];
    const T logits = reads[2];
    const T target = reads[3];
    const T total0 = reads[4];
    const T total1 = reads[5];
    const T total3 = reads[7];
    const T index = reads[9];
    const T cap = params[0];
    const T ignore_index = params[1];
    const T length = params[2];
    const rt::Mask<T> eq0 = index == target;
    const rt::Mask<T> eq1 = target == ignore_index;
    const T where0 = rt::where(eq1, T(0), -grad_loss);
    const T where1 = rt::where(eq0, where0, T(0));
    const rt::Mask<T> logical_not0 = !eq1;
    const T where2 = rt::where((target >= T(0)) & (target < length), where0, T(0));
    const T div_shared0 = rt::div_shared(logits, cap);
    const T abs0 = rt::abs(T(2) * div_shared0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T tanh_near_zero0 = rt::tanh_near_zero(div_shared0);
    const T mul1 = T(2) * mul0;
    const T where3 = rt::where(div_shared0 < T(0), mul1 - T(1), T(1) - mul1);
    const T where4 = rt::where(abs0 < T(1.2), tanh_near_zero0, where3);
    const T mul2 = cap * where4;
    const T exp_negative1 = rt::exp_negative(mul2 - total0);
    const T mul3 = T(4) * (mul0 * div_moderate0);
    const T div_shared1 = rt::div_shared(grad_grad_logits, cap);
    const T mul4 = div_shared1 * mul3;
    const T mul5 = mul4 * cap;
    const T mul6 = mul5 * where2;
    const T div1 = exp_negative1 / total1;
    const T mul9 = div_shared1 * ((where1 - div1 * where2) * cap);
    const T mul10 = div1 * (-mul6 - total3) * cap * mul3;
    const T div_shared3 = rt::div_shared(mul9 * (T(-2) * where4 * mul3) + mul10, cap);
    writes[0] = rt::where(logical_not0, div_shared3, T(0));
  }
};

}  // namespace fusewise::ops::softcapped_cross_entropy
