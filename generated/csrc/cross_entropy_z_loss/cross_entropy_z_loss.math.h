// Generated from specs/losses/cross_entropy_z_loss.yaml by `fusewise generate`. Do not edit.
//
// log_p = log_softmax(logits)
// picked = sum(log_p if index == target else 0)
// smooth = smoothing * mean(log_p) if smoothing > 0 else 0
// smoothed = -(1 - smoothing) * picked - smooth
// largest = stop_grad(amax(logits))
// lse = log(sum(exp(logits - largest))) + largest
// penalty = z_scale * square(lse)
// ignored = target == ignore_index
// loss = 0 if ignored else smoothed + penalty
// z_loss = 0 if ignored else penalty
//
// amax0 = amax(logits)
// largest = stop_grad(amax0)
// exp0 = exp(logits - largest)
// sum0 = sum(exp0)
// log0 = log(sum0)
// lse = log0 + largest
// ignored = target == ignore_index
// div0 = (grad_z_loss + grad_loss) * z_scale * (2 * lse) / sum0
// where0 = 0 if ignored else div0 * exp0
// where1 = -(grad_loss * (1 - smoothing)) if has_grad_loss else 0
// where2 = 0 if ignored else where1
// where3 = -(grad_loss * smoothing / length) if has_grad_loss else 0
// where4 = 0 if ignored else where3
// where5 = where4 if smoothing > 0 else 0
// where6 = where2 if index == target else 0
// add0 = where5 + where6
// softmax0 = softmax(logits)
// sum1 = sum(add0)
// where7 = add0 - softmax0 * sum1 if not ignored and has_grad_loss else 0
// grad_logits = where0 + where7
//
// backward keeps logits, target: 8 B of float32 an element, arithmetic 89
// double_backward keeps grad_loss, grad_z_loss, logits, target: 16 B of float32 an element,
//     arithmetic 158
// forward: 1 read and 0 written for each element, 1 read and 4 written for each row
// backward: 1 read and 1 written for each element, 5 read and 0 written for each row
// double_backward: 2 read and 1 written for each element, 3 read and 2 written for each row
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::cross_entropy_z_loss {

struct ForwardTotals0 {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 4;
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
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 13;
  static constexpr unsigned kRowScalars = 62;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T logits = reads[0];
    const T target = reads[1];
    const T total0 = reads[2];
    const T index = reads[6];
    const T sub1 = logits - total0;
    writes[0] = rt::where(index == target, sub1, T(0));
    writes[1] = sub1;
    writes[2] = rt::exp_negative(sub1);
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
  static constexpr int kWrites = 4;
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
    const T where1 = rt::where((target >= T(0)) & (target < length), T(1), T(0));
    const T log1 = rt::log(total3);
    const T where3 = rt::where(where1 == T(0), T(0), where1 * log1);
    const T mul1 = smoothing * ((total2 - length * log1) / length);
    const T where4 = rt::where(smoothing > T(0), mul1, T(0));
    const T sub1 = -((T(1) - smoothing) * (total1 - where3)) - where4;
    const T add0 = log1 + total0;
    const T mul2 = z_scale * (add0 * add0);
    hoisted[0] = rt::where(ignored, T(0), sub1 + mul2);
    hoisted[1] = rt::where(ignored, T(0), mul2);
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T total0 = reads[2];
    const T total3 = reads[5];
    writes[0] = hoisted[0];
    writes[1] = hoisted[1];
    writes[2] = total0;
    writes[3] = total3;
  }
};

struct BackwardElements {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 5;
  static constexpr int kInstructions = 36;
  static constexpr unsigned kRowScalars = 59;
  static constexpr unsigned kHoisted = 3;
  static constexpr unsigned kHoistedFrom = 59;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T grad_loss = reads[0];
    const T grad_z_loss = reads[1];
    const T target = reads[3];
    const T kept_total0 = reads[4];
    const T kept_total1 = reads[5];
    const T z_scale = params[0];
    const T smoothing = params[1];
    const T ignore_index = params[2];
    const rt::Mask<T> has_grad_loss = params[3] != T(0);
    const T length = params[4];
    const rt::Mask<T> ignored = target == ignore_index;
    const T where0 = rt::where(has_grad_loss, -(grad_loss * (T(1) - smoothing)), T(0));
    const T where1 = rt::where(ignored, T(0), where0);
    const T where2 = rt::where(has_grad_loss, -(grad_loss * smoothing / length), T(0));
    const T where3 = rt::where(ignored, T(0), where2);
    const T where4 = rt::where(smoothing > T(0), where3, T(0));
    const T where6 = rt::where((target >= T(0)) & (target < length), where1, T(0));
    const T log0 = rt::log(kept_total1);
    const T lse = log0 + kept_total0;
    const T div0 = (grad_z_loss + grad_loss) * z_scale * (T(2) * lse) / kept_total1;
    hoisted[0] = where4;
    hoisted[1] = length * where4 + where6;
    hoisted[2] = div0;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_loss = reads[0];
    const T logits = reads[2];
    const T target = reads[3];
    const T kept_total0 = reads[4];
    const T kept_total1 = reads[5];
    const T index = reads[6];
    const T smoothing = params[1];
    const T ignore_index = params[2];
    const rt::Mask<T> has_grad_loss = params[3] != T(0);
    const T where4 = hoisted[0];
    const T div0 = hoisted[2];
    const rt::Mask<T> ignored = target == ignore_index;
    const T where0 = rt::where(has_grad_loss, -(grad_loss * (T(1) - smoothing)), T(0));
    const T where1 = rt::where(ignored, T(0), where0);
    const T where5 = rt::where(index == target, where1, T(0));
    const T exp_negative0 = rt::exp_negative(logits - kept_total0);
    const T where7 = rt::where(ignored, T(0), div0 * exp_negative0);
    const T div_shared0 = rt::div_shared(exp_negative0, kept_total1);
    const T sub0 = where4 + where5 - div_shared0 * hoisted[1];
    const T where8 = rt::where((!ignored) & has_grad_loss, sub0, T(0));
    writes[0] = where7 + where8;
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 13;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 5;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 4086;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_logits = reads[0];
    const T logits = reads[3];
    writes[0] = logits;
    writes[1] = grad_grad_logits;
  }
};

struct DoubleBackwardTotals1 {
  static constexpr int kReads = 13;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 5;
  static constexpr int kInstructions = 12;
  static constexpr unsigned kRowScalars = 4086;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_logits = reads[0];
    const T logits = reads[3];
    const T total0 = reads[5];
    const T exp_negative1 = rt::exp_negative(logits - total0);
    writes[0] = exp_negative1;
    writes[1] = grad_grad_logits * exp_negative1;
  }
};

struct DoubleBackwardTotals2 {
  static constexpr int kReads = 13;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 5;
  static constexpr int kInstructions = 23;
  static constexpr unsigned kRowScalars = 4086;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 146;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T grad_loss = reads[1];
    const T target = reads[4];
    const T smoothing = params[1];
    const T ignore_index = params[2];
    const rt::Mask<T> has_grad_loss = params[3] != T(0);
    const T length = params[4];
    const rt::Mask<T> gt0 = smoothing > T(0);
    const T sub0 = T(1) - smoothing;
    const rt::Mask<T> ignored = target == ignore_index;
    const T where0 = rt::where(has_grad_loss, -(grad_loss * sub0), T(0));
    const T where1 = rt::where(ignored, T(0), where0);
    const T where2 = rt::where(has_grad_loss, -(grad_loss * smoothing / length), T(0));
    const T where3 = rt::where(ignored, T(0), where2);
    const T where4 = rt::where(gt0, where3, T(0));
    const T where5 = rt::where((target >= T(0)) & (target < length), where1, T(0));
    hoisted[0] = length * where4 + where5;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T grad_grad_logits = reads[0];
    const T logits = reads[3];
    const T total0 = reads[5];
    const T total2 = reads[7];
    const T mul2 = grad_grad_logits * hoisted[0];
    const T exp_negative1 = rt::exp_negative(logits - total0);
    const T div_shared2 = rt::div_shared(exp_negative1, total2);
    writes[0] = grad_grad_logits * div_shared2;
    writes[1] = -(mul2 * div_shared2);
  }
};

struct DoubleBackwardTotals3 {
  static constexpr int kReads = 13;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 5;
  static constexpr int kInstructions = 6;
  static constexpr unsigned kRowScalars = 4086;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_logits = reads[0];
    const T target = reads[4];
    const T total4 = reads[9];
    const T index = reads[12];
    const T ignore_index = params[2];
    const rt::Mask<T> ignored = target == ignore_index;
    const rt::Mask<T> logical_not0 = !ignored;
    const T where17 = rt::where(logical_not0, grad_grad_logits - total4, T(0));
    writes[0] = rt::where(index == target, where17, T(0));
  }
};

struct DoubleBackwardRows {
  static constexpr int kReads = 13;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 5;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 4086;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 3056;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T target = reads[4];
    const T total0 = reads[5];
    const T total1 = reads[6];
    const T total2 = reads[7];
    const T total3 = reads[8];
    const T total4 = reads[9];
    const T total6 = reads[11];
    const T z_scale = params[0];
    const T smoothing = params[1];
    const T ignore_index = params[2];
    const T length = params[4];
    const rt::Mask<T> gt0 = smoothing > T(0);
    const T sub0 = T(1) - smoothing;
    const rt::Mask<T> ignored = target == ignore_index;
    const rt::Mask<T> logical_not0 = !ignored;
    const T log1 = rt::log(total2);
    const T mul3 = total3 / total2 * (T(2) * (log1 + total0)) * z_scale;
    const T where17 = rt::where(logical_not0, mul3, T(0));
    const T div_shared2 = rt::div_shared(total1 - length * total4, length);
    const T where18 = rt::where(logical_not0, -(div_shared2 * smoothing), T(0));
    const T where19 = rt::where(gt0, where18, T(0));
    const T where20 = rt::where(logical_not0, -(total6 * sub0), T(0));
    const T where21 = rt::where(ignored, T(0), where19 + where20);
    hoisted[0] = where17;
    hoisted[1] = where21 + where17;
  }

  template <class T>
  RT_FN static void apply(const T*, const T*, const T* hoisted, T* writes) {
    const T where17 = hoisted[0];
    writes[0] = hoisted[1];
    writes[1] = where17;
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 13;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 5;
  static constexpr int kInstructions = 33;
  static constexpr unsigned kRowScalars = 4086;
  static constexpr unsigned kHoisted = 3;
  static constexpr unsigned kHoistedFrom = 438;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T grad_loss = reads[1];
    const T grad_z_loss = reads[2];
    const T target = reads[4];
    const T total0 = reads[5];
    const T total2 = reads[7];
    const T total3 = reads[8];
    const T z_scale = params[0];
    const T smoothing = params[1];
    const T ignore_index = params[2];
    const rt::Mask<T> has_grad_loss = params[3] != T(0);
    const T length = params[4];
    const rt::Mask<T> gt0 = smoothing > T(0);
    const T sub0 = T(1) - smoothing;
    const rt::Mask<T> ignored = target == ignore_index;
    const T mul0 = (grad_z_loss + grad_loss) * z_scale;
    const rt::Mask<T> logical_not0 = !ignored;
    const T where0 = rt::where(has_grad_loss, -(grad_loss * sub0), T(0));
    const T where1 = rt::where(ignored, T(0), where0);
    const T where2 = rt::where(has_grad_loss, -(grad_loss * smoothing / length), T(0));
    const T where3 = rt::where(ignored, T(0), where2);
    const T where4 = rt::where(gt0, where3, T(0));
    const T where5 = rt::where((target >= T(0)) & (target < length), where1, T(0));
    const T log1 = rt::log(total2);
    const T div3 = mul0 * (T(2) * (log1 + total0)) / total2;
    const T div4 = total3 / total2 * mul0 * T(2) / total2;
    const T where18 = rt::where(logical_not0, div4 - div3 / total2 * total3, T(0));
    hoisted[0] = length * where4 + where5;
    hoisted[1] = div3;
    hoisted[2] = where18;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_grad_logits = reads[0];
    const T logits = reads[3];
    const T target = reads[4];
    const T total0 = reads[5];
    const T total2 = reads[7];
    const T total5 = reads[10];
    const T ignore_index = params[2];
    const rt::Mask<T> has_grad_loss = params[3] != T(0);
    const T div3 = hoisted[1];
    const T where18 = hoisted[2];
    const rt::Mask<T> ignored = target == ignore_index;
    const rt::Mask<T> logical_not0 = !ignored;
    const T mul2 = grad_grad_logits * hoisted[0];
    const T exp_negative1 = rt::exp_negative(logits - total0);
    const T div_shared2 = rt::div_shared(exp_negative1, total2);
    const T where17 = rt::where(ignored, T(0), grad_grad_logits * div3);
    const T where19 = rt::where(logical_not0, (where17 + where18) * exp_negative1, T(0));
    const T where20 = rt::where(logical_not0 & has_grad_loss, div_shared2 * (-mul2 - total5), T(0));
    writes[0] = where20 + where19;
  }
};

}  // namespace fusewise::ops::cross_entropy_z_loss
