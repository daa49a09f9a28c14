// Generated from specs/losses/cross_entropy.yaml by `fusewise generate`. Do not edit.
//
// log_p = log_softmax(logits)
// picked = sum(log_p if index == target else 0)
// smooth = smoothing * mean(log_p) if smoothing > 0 else 0
// loss = 0 if target == ignore_index else -(1 - smoothing) * picked - smooth
//
// eq0 = target == ignore_index
// where0 = 0 if eq0 else -(grad_loss * (1 - smoothing))
// where1 = 0 if eq0 else -(grad_loss * smoothing / length)
// where2 = where1 if smoothing > 0 else 0
// where3 = where0 if index == target else 0
// add0 = where2 + where3
// softmax0 = softmax(logits)
// sum0 = sum(add0)
// grad_logits = add0 - softmax0 * sum0 if not eq0 else 0
//
// backward keeps logits, target: 8 B of float32 an element, arithmetic 47
// double_backward keeps grad_loss, logits, target: 12 B of float32 an element, arithmetic 76
// forward: 1 read and 0 written for each element, 1 read and 3 written for each row
// backward: 1 read and 1 written for each element, 4 read and 0 written for each row
// double_backward: 2 read and 1 written for each element, 2 read and 1 written for each row
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::cross_entropy {

struct ForwardTotals0 {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 62;
  static constexpr unsigned kCopied = 1;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T logits = reads[0];
    writes[0] = logits;
  }
};

struct ForwardTotals1 {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 13;
  static constexpr unsigned kRowScalars = 62;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T logits = reads[0];
    const T target = reads[1];
    const T total0 = reads[2];
    const T index = reads[6];
    const T sub2 = logits - total0;
    writes[0] = rt::where(index == target, sub2, T(0));
    writes[1] = sub2;
    writes[2] = rt::exp_negative(sub2);
  }
};

struct ForwardRescale {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 21;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T total1 = reads[0];
    const T total2 = reads[1];
    const T total3 = reads[2];
    const T total0 = reads[3];
    const T row_total0 = reads[4];
    const T tile_length = reads[5];
    const rt::Mask<T> logical_and0 = (row_total0 > -T(INFINITY)) & ((total0 == row_total0) | (total0
        == -T(INFINITY)));
    const T where0 = rt::where(logical_and0, T(0), total0 - row_total0);
    const T exp_negative0 = rt::exp_negative(where0);
    writes[0] = total1;
    writes[1] = total2 + where0 * tile_length;
    writes[2] = exp_negative0 * total3;
  }
};

struct ForwardRows {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 62;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 58;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T target = reads[1];
    const T total1 = reads[3];
    const T total2 = reads[4];
    const T total3 = reads[5];
    const T ignore_index = params[0];
    const T smoothing = params[1];
    const T length = params[2];
    const T where1 = rt::where((target >= T(0)) & (target < length), T(1), T(0));
    const T log1 = rt::log(total3);
    const T where3 = rt::where(where1 == T(0), T(0), where1 * log1);
    const T mul1 = smoothing * ((total2 - length * log1) / length);
    const T where4 = rt::where(smoothing > T(0), mul1, T(0));
    const T sub2 = -((T(1) - smoothing) * (total1 - where3)) - where4;
    hoisted[0] = rt::where(target == ignore_index, T(0), sub2);
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T total0 = reads[2];
    const T total3 = reads[5];
    writes[0] = hoisted[0];
    writes[1] = total0;
    writes[2] = total3;
  }
};

struct BackwardElements {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 31;
  static constexpr unsigned kRowScalars = 29;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 21;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T grad_loss = reads[0];
    const T target = reads[2];
    const T ignore_index = params[0];
    const T smoothing = params[1];
    const T length = params[2];
    const rt::Mask<T> eq0 = target == ignore_index;
    const T where0 = rt::where(eq0, T(0), -(grad_loss * (T(1) - smoothing)));
    const T where1 = rt::where(eq0, T(0), -(grad_loss * smoothing / length));
    const T where2 = rt::where(smoothing > T(0), where1, T(0));
    const T where4 = rt::where((target >= T(0)) & (target < length), where0, T(0));
    hoisted[0] = where2;
    hoisted[1] = length * where2 + where4;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_loss = reads[0];
    const T logits = reads[1];
    const T target = reads[2];
    const T kept_total0 = reads[3];
    const T kept_total1 = reads[4];
    const T index = reads[5];
    const T ignore_index = params[0];
    const T smoothing = params[1];
    const T where2 = hoisted[0];
    const rt::Mask<T> eq0 = target == ignore_index;
    const T where0 = rt::where(eq0, T(0), -(grad_loss * (T(1) - smoothing)));
    const T where3 = rt::where(index == target, where0, T(0));
    const T exp_negative0 = rt::exp_negative(logits - kept_total0);
    const T div_shared0 = rt::div_shared(exp_negative0, kept_total1);
    const T sub0 = where2 + where3 - div_shared0 * hoisted[1];
    writes[0] = rt::where(!eq0, sub0, T(0));
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 11;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 1018;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_logits = reads[0];
    const T logits = reads[2];
    writes[0] = logits;
    writes[1] = grad_grad_logits;
  }
};

struct DoubleBackwardTotals1 {
  static constexpr int kReads = 11;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 11;
  static constexpr unsigned kRowScalars = 1018;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T logits = reads[2];
    const T total0 = reads[4];
    writes[0] = rt::exp_negative(logits - total0);
  }
};

struct DoubleBackwardTotals2 {
  static constexpr int kReads = 11;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 23;
  static constexpr unsigned kRowScalars = 1018;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 74;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T grad_loss = reads[1];
    const T target = reads[3];
    const T ignore_index = params[0];
    const T smoothing = params[1];
    const T length = params[2];
    const rt::Mask<T> gt0 = smoothing > T(0);
    const rt::Mask<T> eq0 = target == ignore_index;
    const T sub0 = T(1) - smoothing;
    const T where0 = rt::where(eq0, T(0), -(grad_loss * sub0));
    const T where1 = rt::where(eq0, T(0), -(grad_loss * smoothing / length));
    const T where2 = rt::where(gt0, where1, T(0));
    const T where3 = rt::where((target >= T(0)) & (target < length), where0, T(0));
    hoisted[0] = length * where2 + where3;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T grad_grad_logits = reads[0];
    const T logits = reads[2];
    const T total0 = reads[4];
    const T total2 = reads[6];
    const T mul0 = grad_grad_logits * hoisted[0];
    const T exp_negative1 = rt::exp_negative(logits - total0);
    const T div_shared2 = rt::div_shared(exp_negative1, total2);
    writes[0] = grad_grad_logits * div_shared2;
    writes[1] = -(mul0 * div_shared2);
  }
};

struct DoubleBackwardTotals3 {
  static constexpr int kReads = 11;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 6;
  static constexpr unsigned kRowScalars = 1018;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_logits = reads[0];
    const T target = reads[3];
    const T total3 = reads[7];
    const T index = reads[10];
    const T ignore_index = params[0];
    const rt::Mask<T> eq0 = target == ignore_index;
    const rt::Mask<T> logical_not0 = !eq0;
    const T where8 = rt::where(logical_not0, grad_grad_logits - total3, T(0));
    writes[0] = rt::where(index == target, where8, T(0));
  }
};

struct DoubleBackwardRows {
  static constexpr int kReads = 11;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 1018;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 680;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T target = reads[3];
    const T total1 = reads[5];
    const T total3 = reads[7];
    const T total5 = reads[9];
    const T ignore_index = params[0];
    const T smoothing = params[1];
    const T length = params[2];
    const rt::Mask<T> gt0 = smoothing > T(0);
    const rt::Mask<T> eq0 = target == ignore_index;
    const T sub0 = T(1) - smoothing;
    const rt::Mask<T> logical_not0 = !eq0;
    const T div_shared2 = rt::div_shared(total1 - length * total3, length);
    const T where8 = rt::where(logical_not0, -(div_shared2 * smoothing), T(0));
    const T where9 = rt::where(gt0, where8, T(0));
    hoisted[0] = rt::where(eq0, T(0), where9 - total5 * sub0);
  }

  template <class T>
  RT_FN static void apply(const T*, const T*, const T* hoisted, T* writes) {
    writes[0] = hoisted[0];
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 11;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 26;
  static constexpr unsigned kRowScalars = 1018;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 74;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T grad_loss = reads[1];
    const T target = reads[3];
    const T ignore_index = params[0];
    const T smoothing = params[1];
    const T length = params[2];
    const rt::Mask<T> gt0 = smoothing > T(0);
    const rt::Mask<T> eq0 = target == ignore_index;
    const T sub0 = T(1) - smoothing;
    const T where0 = rt::where(eq0, T(0), -(grad_loss * sub0));
    const T where1 = rt::where(eq0, T(0), -(grad_loss * smoothing / length));
    const T where2 = rt::where(gt0, where1, T(0));
    const T where3 = rt::where((target >= T(0)) & (target < length), where0, T(0));
    hoisted[0] = length * where2 + where3;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_grad_logits = reads[0];
    const T logits = reads[2];
    const T target = reads[3];
    const T total0 = reads[4];
    const T total2 = reads[6];
    const T total4 = reads[8];
    const T ignore_index = params[0];
    const rt::Mask<T> eq0 = target == ignore_index;
    const rt::Mask<T> logical_not0 = !eq0;
    const T mul0 = grad_grad_logits * hoisted[0];
    const T exp_negative1 = rt::exp_negative(logits - total0);
    const T div_shared2 = rt::div_shared(exp_negative1, total2);
    writes[0] = rt::where(logical_not0, div_shared2 * (-mul0 - total4), T(0));
  }
};

}  // namespace fusewise::ops::cross_entropy
