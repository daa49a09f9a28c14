// Generated from specs/losses/cross_entropy_z_loss.yaml by `fusewise generate`. Do not edit.
//
// lse = logsumexp(logits)
// picked = sum(logits if index == target else 0)
// penalty = z_scale * square(lse)
// smooth = smoothing * mean(logits) if smoothing > 0 else 0
// smoothed = lse - (1 - smoothing) * picked - smooth
// ignored = target == ignore_index
// loss = 0 if ignored else smoothed + penalty
// z_loss = 0 if ignored else penalty
//
// lse = logsumexp(logits)
// ignored = target == ignore_index
// where0 = 0 if ignored else -(grad_loss * (1 - smoothing))
// where1 = 0 if ignored else -(grad_loss * smoothing)
// where2 = where1 if smoothing > 0 else 0
// add0 = grad_loss + (grad_z_loss + grad_loss) * z_scale * (2 * lse)
// where3 = 0 if ignored else add0
// where4 = where0 if index == target else 0
// exp0 = exp(logits - lse)
// grad_logits = where2 / length + where4 + where3 * exp0
//
// backward keeps logits, target: 8 B of float32 an element, arithmetic 67
// double_backward keeps grad_loss, grad_z_loss, logits, target: 16 B of float32 an element,
//     arithmetic 86
// forward: 2 read and 2 written for each element
// backward: 4 read and 1 written for each element
// double_backward: 5 read and 3 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::cross_entropy_z_loss {

struct ForwardTotals0 {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 4;
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
  static constexpr int kParams = 4;
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
  static constexpr int kWrites = 2;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 62;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 62;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T target = reads[1];
    const T total0 = reads[2];
    const T total1 = reads[3];
    const T total2 = reads[4];
    const T total3 = reads[5];
    const T z_scale = params[0];
    const T smoothing = params[1];
    const T ignore_index = params[2];
    const T length = params[3];
    const rt::Mask<T> ignored = target == ignore_index;
    const T abs1 = rt::abs(total1);
    const T where2 = rt::where(abs1 == T(INFINITY), T(0), total1);
    const T log1 = rt::log(total3);
    const T add0 = log1 + where2;
    const T mul0 = z_scale * (add0 * add0);
    const T where3 = rt::where(smoothing > T(0), smoothing * (total2 / length), T(0));
    const T add1 = add0 - (T(1) - smoothing) * total0 - where3 + mul0;
    hoisted[0] = rt::where(ignored, T(0), add1);
    hoisted[1] = rt::where(ignored, T(0), mul0);
  }

  template <class T>
  RT_FN static void apply(const T*, const T*, const T* hoisted, T* writes) {
    writes[0] = hoisted[0];
    writes[1] = hoisted[1];
  }
};

struct BackwardTotals0 {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 59;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T logits = reads[2];
    writes[0] = logits;
  }
};

struct BackwardTotals1 {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 14;
  static constexpr unsigned kRowScalars = 59;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T logits = reads[2];
    const T total0 = reads[4];
    const T abs1 = rt::abs(total0);
    const T where6 = rt::where(abs1 == T(INFINITY), T(0), total0);
    writes[0] = rt::exp(logits - where6);
  }
};

struct BackwardElements {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 21;
  static constexpr unsigned kRowScalars = 59;
  static constexpr unsigned kHoisted = 3;
  static constexpr unsigned kHoistedFrom = 59;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T grad_loss = reads[0];
    const T grad_z_loss = reads[1];
    const T target = reads[3];
    const T total0 = reads[4];
    const T total1 = reads[5];
    const T z_scale = params[0];
    const T smoothing = params[1];
    const T ignore_index = params[2];
    const T length = params[3];
    const rt::Mask<T> ignored = target == ignore_index;
    const T where1 = rt::where(ignored, T(0), -(grad_loss * smoothing));
    const T where2 = rt::where(smoothing > T(0), where1, T(0));
    const T abs1 = rt::abs(total0);
    const T where6 = rt::where(abs1 == T(INFINITY), T(0), total0);
    const T log1 = rt::log(total1);
    const T add1 = log1 + where6;
    const T add2 = grad_loss + (grad_z_loss + grad_loss) * z_scale * (T(2) * add1);
    const T where7 = rt::where(ignored, T(0), add2);
    hoisted[0] = where2 / length;
    hoisted[1] = add1;
    hoisted[2] = where7;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_loss = reads[0];
    const T logits = reads[2];
    const T target = reads[3];
    const T index = reads[6];
    const T smoothing = params[1];
    const T ignore_index = params[2];
    const T add1 = hoisted[1];
    const T where7 = hoisted[2];
    const rt::Mask<T> ignored = target == ignore_index;
    const T where0 = rt::where(ignored, T(0), -(grad_loss * (T(1) - smoothing)));
    const T where3 = rt::where(index == target, where0, T(0));
    const T exp2 = rt::exp(logits - add1);
    writes[0] = hoisted[0] + where3 + where7 * exp2;
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 12;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 2;
  static constexpr unsigned kRowScalars = 2038;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_logits = reads[0];
    const T logits = reads[3];
    const T target = reads[4];
    const T index = reads[11];
    const T where1 = rt::where(index == target, grad_grad_logits, T(0));
    writes[0] = logits;
    writes[1] = grad_grad_logits;
    writes[2] = where1;
  }
};

struct DoubleBackwardTotals1 {
  static constexpr int kReads = 12;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 14;
  static constexpr unsigned kRowScalars = 2038;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T logits = reads[3];
    const T total0 = reads[5];
    const T abs1 = rt::abs(total0);
    const T where6 = rt::where(abs1 == T(INFINITY), T(0), total0);
    writes[0] = rt::exp(logits - where6);
  }
};

struct DoubleBackwardTotals2 {
  static constexpr int kReads = 12;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 23;
  static constexpr unsigned kRowScalars = 2038;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 288;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T total0 = reads[5];
    const T total3 = reads[8];
    const T log1 = rt::log(total3);
    const T abs1 = rt::abs(total0);
    const T where6 = rt::where(abs1 == T(INFINITY), T(0), total0);
    const T add3 = log1 + where6;
    hoisted[0] = add3;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_grad_logits = reads[0];
    const T grad_loss = reads[1];
    const T grad_z_loss = reads[2];
    const T logits = reads[3];
    const T target = reads[4];
    const T z_scale = params[0];
    const T ignore_index = params[2];
    const T add3 = hoisted[0];
    const rt::Mask<T> ignored = target == ignore_index;
    const T add0 = grad_z_loss + grad_loss;
    const T exp2 = rt::exp(logits - add3);
    const T mul3 = grad_grad_logits * exp2;
    const T mul4 = exp2 * add3 * (T(2) * grad_grad_logits * add0 * z_scale);
    writes[0] = mul3;
    writes[1] = rt::where(ignored, T(0), -(mul3 * grad_loss + mul4));
  }
};

struct DoubleBackwardRows {
  static constexpr int kReads = 12;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 2038;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 1008;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T target = reads[4];
    const T total0 = reads[5];
    const T total1 = reads[6];
    const T total2 = reads[7];
    const T total3 = reads[8];
    const T total4 = reads[9];
    const T z_scale = params[0];
    const T smoothing = params[1];
    const T ignore_index = params[2];
    const T length = params[3];
    const rt::Mask<T> ignored = target == ignore_index;
    const T log1 = rt::log(total3);
    const T abs1 = rt::abs(total0);
    const T where6 = rt::where(abs1 == T(INFINITY), T(0), total0);
    const T where7 = rt::where(smoothing > T(0), -(total1 / length * smoothing), T(0));
    const T mul3 = total4 * (T(2) * (log1 + where6)) * z_scale;
    const T add3 = total4 + where7 - total2 * (T(1) - smoothing) + mul3;
    hoisted[0] = rt::where(ignored, T(0), mul3);
    hoisted[1] = rt::where(ignored, T(0), add3);
  }

  template <class T>
  RT_FN static void apply(const T*, const T*, const T* hoisted, T* writes) {
    writes[0] = hoisted[1];
    writes[1] = hoisted[0];
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 12;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 29;
  static constexpr unsigned kRowScalars = 2038;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 288;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T total0 = reads[5];
    const T total3 = reads[8];
    const T log1 = rt::log(total3);
    const T abs1 = rt::abs(total0);
    const T where6 = rt::where(abs1 == T(INFINITY), T(0), total0);
    const T add3 = log1 + where6;
    hoisted[0] = add3;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_grad_logits = reads[0];
    const T grad_loss = reads[1];
    const T grad_z_loss = reads[2];
    const T logits = reads[3];
    const T target = reads[4];
    const T total4 = reads[9];
    const T total5 = reads[10];
    const T z_scale = params[0];
    const T ignore_index = params[2];
    const T add3 = hoisted[0];
    const rt::Mask<T> ignored = target == ignore_index;
    const T add0 = grad_z_loss + grad_loss;
    const T exp2 = rt::exp(logits - add3);
    const T mul3 = exp2 * add3 * (T(2) * grad_grad_logits * add0 * z_scale);
    const T where7 = rt::where(ignored, T(0), total4 * (add0 * z_scale) * T(2));
    const T where8 = rt::where(ignored, T(0), grad_grad_logits * exp2 * grad_loss + mul3);
    writes[0] = where8 + (where7 + total5) * exp2;
  }
};

}  // namespace fusewise::ops::cross_entropy_z_loss
