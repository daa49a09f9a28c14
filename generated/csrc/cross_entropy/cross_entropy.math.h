// Generated from specs/losses/cross_entropy.yaml by `fusewise generate`. Do not edit.
//
// lse = logsumexp(logits)
// picked = sum(logits if index == target else 0)
// smooth = mean(logits)
// loss = 0 if target == ignore_index else lse - (1 - smoothing) * picked - smoothing * smooth
//
// lse = logsumexp(logits)
// eq0 = target == ignore_index
// where0 = 0 if eq0 else grad_loss
// where1 = 0 if eq0 else -(grad_loss * smoothing)
// where2 = 0 if eq0 else -(grad_loss * (1 - smoothing))
// where3 = where2 if index == target else 0
// exp0 = exp(logits - lse)
// grad_logits = where1 / length + where3 + where0 * exp0
//
// backward keeps logits, target: 8 B of float32 an element, arithmetic 60
// double_backward keeps grad_loss, logits, target: 12 B of float32 an element, arithmetic 68
// forward: 1 read and 0 written for each element, 1 read and 1 written for each row
// backward: 1 read and 1 written for each element, 2 read and 0 written for each row
// double_backward: 2 read and 1 written for each element, 2 read and 1 written for each row
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::cross_entropy {

struct ForwardTotals0 {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 2;
  static constexpr unsigned kRowScalars = 62;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T logits = reads[0];
    const T target = reads[1];
    const T index = reads[6];
    const T where0 = rt::where(index == target, logits, T(0));
    writes[0] = where0;
    writes[1] = logits;
    writes[2] = logits;
  }
};

struct ForwardTotals1 {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 14;
  static constexpr unsigned kRowScalars = 62;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T logits = reads[0];
    const T total1 = reads[3];
    const T abs1 = rt::abs(total1);
    const T where2 = rt::where(abs1 == T(INFINITY), T(0), total1);
    writes[0] = rt::exp(logits - where2);
  }
};

struct ForwardRows {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 62;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 62;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T target = reads[1];
    const T total0 = reads[2];
    const T total1 = reads[3];
    const T total2 = reads[4];
    const T total3 = reads[5];
    const T ignore_index = params[0];
    const T smoothing = params[1];
    const T length = params[2];
    const T abs1 = rt::abs(total1);
    const T where2 = rt::where(abs1 == T(INFINITY), T(0), total1);
    const T log1 = rt::log(total3);
    const T sub1 = log1 + where2 - (T(1) - smoothing) * total0;
    hoisted[0] = rt::where(target == ignore_index, T(0), sub1 - smoothing * (total2 / length));
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
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 29;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T logits = reads[1];
    writes[0] = logits;
  }
};

struct BackwardTotals1 {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 14;
  static constexpr unsigned kRowScalars = 29;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T logits = reads[1];
    const T total0 = reads[3];
    const T abs1 = rt::abs(total0);
    const T where5 = rt::where(abs1 == T(INFINITY), T(0), total0);
    writes[0] = rt::exp(logits - where5);
  }
};

struct BackwardElements {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 22;
  static constexpr unsigned kRowScalars = 29;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 29;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T grad_loss = reads[0];
    const T target = reads[2];
    const T total0 = reads[3];
    const T total1 = reads[4];
    const T ignore_index = params[0];
    const T smoothing = params[1];
    const T length = params[2];
    const rt::Mask<T> eq0 = target == ignore_index;
    const T where1 = rt::where(eq0, T(0), -(grad_loss * smoothing));
    const T abs1 = rt::abs(total0);
    const T where5 = rt::where(abs1 == T(INFINITY), T(0), total0);
    const T log1 = rt::log(total1);
    hoisted[0] = where1 / length;
    hoisted[1] = log1 + where5;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_loss = reads[0];
    const T logits = reads[1];
    const T target = reads[2];
    const T index = reads[5];
    const T ignore_index = params[0];
    const T smoothing = params[1];
    const rt::Mask<T> eq0 = target == ignore_index;
    const T where0 = rt::where(eq0, T(0), grad_loss);
    const T where2 = rt::where(eq0, T(0), -(grad_loss * (T(1) - smoothing)));
    const T where3 = rt::where(index == target, where2, T(0));
    const T exp2 = rt::exp(logits - hoisted[1]);
    writes[0] = hoisted[0] + where3 + where0 * exp2;
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 11;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 2;
  static constexpr unsigned kRowScalars = 1018;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_logits = reads[0];
    const T logits = reads[2];
    const T target = reads[3];
    const T index = reads[10];
    const T where1 = rt::where(index == target, grad_grad_logits, T(0));
    writes[0] = logits;
    writes[1] = grad_grad_logits;
    writes[2] = where1;
  }
};

struct DoubleBackwardTotals1 {
  static constexpr int kReads = 11;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 14;
  static constexpr unsigned kRowScalars = 1018;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T logits = reads[2];
    const T total0 = reads[4];
    const T abs1 = rt::abs(total0);
    const T where4 = rt::where(abs1 == T(INFINITY), T(0), total0);
    writes[0] = rt::exp(logits - where4);
  }
};

struct DoubleBackwardTotals2 {
  static constexpr int kReads = 11;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 17;
  static constexpr unsigned kRowScalars = 1018;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 144;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T total0 = reads[4];
    const T total3 = reads[7];
    const T log1 = rt::log(total3);
    const T abs1 = rt::abs(total0);
    const T where4 = rt::where(abs1 == T(INFINITY), T(0), total0);
    hoisted[0] = log1 + where4;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_grad_logits = reads[0];
    const T grad_loss = reads[1];
    const T logits = reads[2];
    const T target = reads[3];
    const T ignore_index = params[0];
    const rt::Mask<T> eq0 = target == ignore_index;
    const T exp2 = rt::exp(logits - hoisted[0]);
    writes[0] = grad_grad_logits * exp2;
    writes[1] = rt::where(eq0, T(0), -(grad_grad_logits * grad_loss * exp2));
  }
};

struct DoubleBackwardRows {
  static constexpr int kReads = 11;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 1018;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 360;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T target = reads[3];
    const T total1 = reads[5];
    const T total2 = reads[6];
    const T total4 = reads[8];
    const T ignore_index = params[0];
    const T smoothing = params[1];
    const T length = params[2];
    const rt::Mask<T> eq0 = target == ignore_index;
    const T neg1 = -(total2 * (T(1) - smoothing));
    hoisted[0] = rt::where(eq0, T(0), neg1 - total1 / length * smoothing + total4);
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
  static constexpr int kInstructions = 17;
  static constexpr unsigned kRowScalars = 1018;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 144;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T total0 = reads[4];
    const T total3 = reads[7];
    const T log1 = rt::log(total3);
    const T abs1 = rt::abs(total0);
    const T where4 = rt::where(abs1 == T(INFINITY), T(0), total0);
    hoisted[0] = log1 + where4;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_grad_logits = reads[0];
    const T grad_loss = reads[1];
    const T logits = reads[2];
    const T target = reads[3];
    const T total5 = reads[9];
    const T ignore_index = params[0];
    const rt::Mask<T> eq0 = target == ignore_index;
    const T exp2 = rt::exp(logits - hoisted[0]);
    const T where5 = rt::where(eq0, T(0), grad_grad_logits * grad_loss * exp2);
    writes[0] = where5 + total5 * exp2;
  }
};

}  // namespace fusewise::ops::cross_entropy
