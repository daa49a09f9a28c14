// Generated from specs/losses/weighted_cross_entropy.yaml by `fusewise generate`. Do not edit.
//
// log_p = log_softmax(logits)
// picked = sum(log_p if index == target else 0)
// of_class = sum(stop_grad(weight) if index == target else 0)
// loss = 0 if target == ignore_index else -of_class * picked
//
// eq0 = index == target
// stop_grad0 = stop_grad(weight)
// where0 = stop_grad0 if eq0 else 0
// of_class = sum(where0)
// eq1 = target == ignore_index
// where1 = 0 if eq1 else -(grad_loss * of_class)
// where2 = where1 if eq0 else 0
// softmax0 = softmax(logits)
// sum0 = sum(where2)
// grad_logits = where2 - softmax0 * sum0 if not eq1 else 0
//
// backward keeps logits, target, weight: 12 B of float32 an element, arithmetic 35
// double_backward keeps grad_loss, logits, target, weight: 16 B of float32 an element, arithmetic
//     49
// forward: 2 read and 0 written for each element, 1 read and 4 written for each row
// backward: 1 read and 1 written for each element, 5 read and 0 written for each row
// double_backward: 3 read and 1 written for each element, 2 read and 1 written for each row
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::weighted_cross_entropy {

struct ForwardTotals0 {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 2;
  static constexpr unsigned kRowScalars = 122;
  static constexpr unsigned kCopied = 1;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T logits = reads[0];
    const T target = reads[1];
    const T weight = reads[2];
    const T index = reads[7];
    const rt::Mask<T> eq0 = index == target;
    const T where2 = rt::where(eq0, weight, T(0));
    writes[0] = logits;
    writes[1] = where2;
  }
};

struct ForwardTotals1 {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 13;
  static constexpr unsigned kRowScalars = 122;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T logits = reads[0];
    const T target = reads[1];
    const T total0 = reads[3];
    const T index = reads[7];
    const rt::Mask<T> eq0 = index == target;
    const T sub1 = logits - total0;
    writes[0] = rt::where(eq0, sub1, T(0));
    writes[1] = rt::exp_negative(sub1);
  }
};

struct ForwardRescale {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 19;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T total2 = reads[0];
    const T total3 = reads[1];
    const T total0 = reads[2];
    const T row_total0 = reads[4];
    const rt::Mask<T> logical_and0 = (row_total0 > -T(INFINITY)) & ((total0 == row_total0) | (total0
        == -T(INFINITY)));
    const T where0 = rt::where(logical_and0, T(0), total0 - row_total0);
    const T exp_negative0 = rt::exp_negative(where0);
    writes[0] = total2;
    writes[1] = exp_negative0 * total3;
  }
};

struct ForwardRows {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 122;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 114;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T target = reads[1];
    const T total1 = reads[4];
    const T total2 = reads[5];
    const T total3 = reads[6];
    const T ignore_index = params[0];
    const T length = params[1];
    const T where1 = rt::where((target >= T(0)) & (target < length), T(1), T(0));
    const T log1 = rt::log(total3);
    const T where4 = rt::where(where1 == T(0), T(0), where1 * log1);
    hoisted[0] = rt::where(target == ignore_index, T(0), -(total1 * (total2 - where4)));
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T total0 = reads[3];
    const T total1 = reads[4];
    const T total3 = reads[6];
    writes[0] = hoisted[0];
    writes[1] = total0;
    writes[2] = total1;
    writes[3] = total3;
  }
};

struct BackwardElements {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 29;
  static constexpr unsigned kRowScalars = 117;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 101;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T grad_loss = reads[0];
    const T target = reads[2];
    const T kept_total1 = reads[5];
    const T ignore_index = params[0];
    const T length = params[1];
    const rt::Mask<T> eq0 = target == ignore_index;
    const T where0 = rt::where(eq0, T(0), -(grad_loss * kept_total1));
    const T where2 = rt::where((target >= T(0)) & (target < length), where0, T(0));
    hoisted[0] = where2;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_loss = reads[0];
    const T logits = reads[1];
    const T target = reads[2];
    const T kept_total0 = reads[4];
    const T kept_total1 = reads[5];
    const T kept_total2 = reads[6];
    const T index = reads[7];
    const T ignore_index = params[0];
    const T where2 = hoisted[0];
    const rt::Mask<T> eq0 = target == ignore_index;
    const T exp_negative0 = rt::exp_negative(logits - kept_total0);
    const T where0 = rt::where(eq0, T(0), -(grad_loss * kept_total1));
    const T where1 = rt::where(index == target, where0, T(0));
    const T div_shared0 = rt::div_shared(exp_negative0, kept_total2);
    writes[0] = rt::where(!eq0, where1 - div_shared0 * where2, T(0));
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 12;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 2;
  static constexpr unsigned kRowScalars = 2026;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T logits = reads[2];
    const T target = reads[3];
    const T weight = reads[4];
    const T index = reads[11];
    const rt::Mask<T> eq0 = index == target;
    const T where0 = rt::where(eq0, weight, T(0));
    writes[0] = logits;
    writes[1] = where0;
  }
};

struct DoubleBackwardTotals1 {
  static constexpr int kReads = 12;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 11;
  static constexpr unsigned kRowScalars = 2026;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T logits = reads[2];
    const T total0 = reads[5];
    writes[0] = rt::exp_negative(logits - total0);
  }
};

struct DoubleBackwardTotals2 {
  static constexpr int kReads = 12;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 23;
  static constexpr unsigned kRowScalars = 2026;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 202;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T grad_loss = reads[1];
    const T target = reads[3];
    const T total1 = reads[6];
    const T ignore_index = params[0];
    const T length = params[1];
    const rt::Mask<T> eq1 = target == ignore_index;
    const T where5 = rt::where(eq1, T(0), -(grad_loss * total1));
    const T where6 = rt::where((target >= T(0)) & (target < length), where5, T(0));
    hoisted[0] = where6;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T grad_grad_logits = reads[0];
    const T logits = reads[2];
    const T total0 = reads[5];
    const T total2 = reads[7];
    const T where6 = hoisted[0];
    const T exp_negative1 = rt::exp_negative(logits - total0);
    const T div_shared1 = rt::div_shared(exp_negative1, total2);
    writes[0] = grad_grad_logits * div_shared1;
    writes[1] = -(grad_grad_logits * where6 * div_shared1);
  }
};

struct DoubleBackwardTotals3 {
  static constexpr int kReads = 12;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 6;
  static constexpr unsigned kRowScalars = 2026;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_logits = reads[0];
    const T target = reads[3];
    const T total3 = reads[8];
    const T index = reads[11];
    const T ignore_index = params[0];
    const rt::Mask<T> eq0 = index == target;
    const rt::Mask<T> eq1 = target == ignore_index;
    const rt::Mask<T> logical_not0 = !eq1;
    const T where5 = rt::where(logical_not0, grad_grad_logits - total3, T(0));
    writes[0] = rt::where(eq0, where5, T(0));
  }
};

struct DoubleBackwardRows {
  static constexpr int kReads = 12;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 4;
  static constexpr unsigned kRowScalars = 2026;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T target = reads[3];
    const T total1 = reads[6];
    const T total5 = reads[10];
    const T ignore_index = params[0];
    const rt::Mask<T> eq1 = target == ignore_index;
    writes[0] = rt::where(eq1, T(0), -(total5 * total1));
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 12;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 26;
  static constexpr unsigned kRowScalars = 2026;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 202;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T grad_loss = reads[1];
    const T target = reads[3];
    const T total1 = reads[6];
    const T ignore_index = params[0];
    const T length = params[1];
    const rt::Mask<T> eq1 = target == ignore_index;
    const T where5 = rt::where(eq1, T(0), -(grad_loss * total1));
    const T where6 = rt::where((target >= T(0)) & (target < length), where5, T(0));
    hoisted[0] = where6;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_grad_logits = reads[0];
    const T logits = reads[2];
    const T target = reads[3];
    const T total0 = reads[5];
    const T total2 = reads[7];
    const T total4 = reads[9];
    const T ignore_index = params[0];
    const T where6 = hoisted[0];
    const rt::Mask<T> eq1 = target == ignore_index;
    const rt::Mask<T> logical_not0 = !eq1;
    const T exp_negative1 = rt::exp_negative(logits - total0);
    const T div_shared1 = rt::div_shared(exp_negative1, total2);
    writes[0] = rt::where(logical_not0, div_shared1 * (-(grad_grad_logits * where6) - total4),
        T(0));
  }
};

}  // namespace fusewise::ops::weighted_cross_entropy
