// Generated from specs/basics/clip_by_norm.yaml by `fusewise generate`. Do not edit.
//
// size = norm(x)
// out = x * minimum(max_norm / (size + eps), 1)
// total_norm = size
//
// size = norm(x)
// add0 = size + eps
// div0 = max_norm / add0
// minimum0 = minimum(div0, 1)
// where0 = grad_out * minimum0 if has_grad_out else 0
// sum0 = sum(grad_out * x)
// where1 = sum0 if has_grad_out else 0
// gt0 = div0 > 1
// where2 = sum0 * 0.5 if has_grad_out else 0
// where3 = where2 if div0 == 1 else where1
// where4 = -(div0 / add0 * where3) if has_grad_out else 0
// where5 = 0 if gt0 else where4
// where6 = 0 if size == 0 else (grad_total_norm + where5) / size
// where7 = x * where6 if has_grad_total_norm or not gt0 and has_grad_out else 0
// grad_x = where0 + where7
//
// backward keeps x: 4 B of float32 an element, arithmetic 61
// double_backward keeps grad_out, grad_total_norm, x: 12 B of float32 an element, arithmetic 170
// forward: 1 read and 1 written for each element, 0 read and 2 written for each row
// backward: 2 read and 1 written for each element, 2 read and 0 written for each row
// double_backward: 3 read and 2 written for each element, 1 read and 1 written for each row
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::clip_by_norm {

struct ForwardTotals0 {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 1;
  static constexpr unsigned kRowScalars = 2;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    writes[0] = x * x;
  }
};

struct ForwardRows {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 2;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 2;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T total0 = reads[1];
    hoisted[0] = rt::sqrt(total0);
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T total0 = reads[1];
    writes[0] = hoisted[0];
    writes[1] = total0;
  }
};

struct ForwardElements {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 1;
  static constexpr unsigned kRowScalars = 2;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 2;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total0 = reads[1];
    const T max_norm = params[0];
    const T eps = params[1];
    const T sqrt0 = rt::sqrt(total0);
    const T minimum1 = rt::minimum(max_norm / (sqrt0 + eps), T(1));
    hoisted[0] = minimum1;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T x = reads[0];
    const T minimum1 = hoisted[0];
    writes[0] = x * minimum1;
  }
};

struct BackwardTotals0 {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 5;
  static constexpr int kInstructions = 1;
  static constexpr unsigned kRowScalars = 26;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[2];
    writes[0] = grad_out * x;
  }
};

struct BackwardElements {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 5;
  static constexpr int kInstructions = 5;
  static constexpr unsigned kRowScalars = 26;
  static constexpr unsigned kHoisted = 3;
  static constexpr unsigned kHoistedFrom = 26;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T grad_total_norm = reads[1];
    const T kept_total0 = reads[3];
    const T total0 = reads[4];
    const T max_norm = params[0];
    const T eps = params[1];
    const rt::Mask<T> has_grad_out = params[2] != T(0);
    const rt::Mask<T> has_grad_total_norm = params[3] != T(0);
    const T size = rt::sqrt(kept_total0);
    const T add0 = size + eps;
    const T div0 = max_norm / add0;
    const T minimum0 = rt::minimum(div0, T(1));
    const rt::Mask<T> gt0 = div0 > T(1);
    const T where8 = rt::where(has_grad_out, total0, T(0));
    const T where9 = rt::where(has_grad_out, total0 * T(0.5), T(0));
    const T where10 = rt::where(div0 == T(1), where9, where8);
    const T where11 = rt::where(has_grad_out, -(div0 / add0 * where10), T(0));
    const T where12 = rt::where(gt0, T(0), where11);
    const T where13 = rt::where(size == T(0), T(0), (grad_total_norm + where12) / size);
    hoisted[0] = minimum0;
    hoisted[1] = rt::where(has_grad_total_norm | ((!gt0) & has_grad_out), T(1), T(0));
    hoisted[2] = where13;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[2];
    const rt::Mask<T> has_grad_out = params[2] != T(0);
    const T minimum0 = hoisted[0];
    const T where13 = hoisted[2];
    const T where2 = rt::where(has_grad_out, grad_out * minimum0, T(0));
    const T where14 = rt::where((hoisted[1] != T(0)), x * where13, T(0));
    writes[0] = where2 + where14;
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 5;
  static constexpr int kInstructions = 4;
  static constexpr unsigned kRowScalars = 244;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_out = reads[1];
    const T x = reads[3];
    writes[0] = grad_out * x;
    writes[1] = x * x;
    writes[2] = grad_grad_x * x;
    writes[3] = grad_grad_x * grad_out;
  }
};

struct DoubleBackwardRows {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 5;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 244;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 96;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T total1 = reads[5];
    const T total2 = reads[6];
    const T sqrt0 = rt::sqrt(total1);
    hoisted[0] = rt::where(sqrt0 == T(0), T(0), total2 / sqrt0);
  }

  template <class T>
  RT_FN static void apply(const T*, const T*, const T* hoisted, T* writes) {
    writes[0] = hoisted[0];
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 5;
  static constexpr int kInstructions = 14;
  static constexpr unsigned kRowScalars = 244;
  static constexpr unsigned kHoisted = 10;
  static constexpr unsigned kHoistedFrom = 244;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T grad_total_norm = reads[2];
    const T total0 = reads[4];
    const T total1 = reads[5];
    const T total2 = reads[6];
    const T total3 = reads[7];
    const T max_norm = params[0];
    const T eps = params[1];
    const rt::Mask<T> has_grad_out = params[2] != T(0);
    const rt::Mask<T> has_grad_total_norm = params[3] != T(0);
    const T where43 = rt::where(has_grad_out, total0, T(0));
    const T where44 = rt::where(has_grad_out, total0 * T(0.5), T(0));
    const T sqrt0 = rt::sqrt(total1);
    const T add1 = sqrt0 + eps;
    const T div4 = max_norm / add1;
    const T minimum1 = rt::minimum(div4, T(1));
    const rt::Mask<T> gt1 = div4 > T(1);
    const rt::Mask<T> eq2 = div4 == T(1);
    const T where45 = rt::where(eq2, where44, where43);
    const T div5 = div4 / add1;
    const T where46 = rt::where(has_grad_out, -(div5 * where45), T(0));
    const T where47 = rt::where(gt1, T(0), where46);
    const rt::Mask<T> logical_not2 = !gt1;
    const rt::Mask<T> logical_and3 = logical_not2 & has_grad_out;
    const rt::Mask<T> logical_or3 = has_grad_total_norm | logical_and3;
    const rt::Mask<T> eq3 = sqrt0 == T(0);
    const T div6 = (grad_total_norm + where47) / sqrt0;
    const T where48 = rt::where(has_grad_out, total3, T(0));
    const T where49 = rt::where(has_grad_out, total3 * T(0.5), T(0));
    const T div7 = total2 / sqrt0;
    const T where52 = rt::where(logical_or3, -(div6 / sqrt0 * total2), T(0));
    const T where53 = rt::where(eq3, T(0), where52);
    const T mul2 = div7 * where45;
    const T mul3 = div7 * div5;
    const T neg2 = -mul3;
    const T where54 = rt::where(logical_or3, neg2, T(0));
    const T where55 = rt::where(eq3, T(0), where54);
    const T where56 = rt::where(gt1, T(0), where55);
    const T where57 = rt::where(has_grad_out, where56, T(0));
    const T where58 = rt::where(logical_or3, -(mul2 / add1), T(0));
    const T where59 = rt::where(eq3, T(0), where58);
    const T where60 = rt::where(gt1, T(0), where59);
    const T where61 = rt::where(has_grad_out, where60, T(0));
    const T where62 = rt::where(logical_or3, div5 / add1 * mul2, T(0));
    const T where63 = rt::where(eq3, T(0), where62);
    const T where64 = rt::where(gt1, T(0), where63);
    const T where65 = rt::where(has_grad_out, where64, T(0));
    const T neg3 = -(mul3 * T(0.5));
    const T where66 = rt::where(logical_or3, neg3, T(0));
    const T where67 = rt::where(eq3, T(0), where66);
    const T where68 = rt::where(gt1, T(0), where67);
    const T where69 = rt::where(has_grad_out, where68, T(0));
    const T where70 = rt::where(eq2, where69, where57);
    const rt::Mask<T> logical_not3 = !eq3;
    const rt::Mask<T> logical_and4 = logical_not3 & logical_or3;
    const rt::Mask<T> logical_and5 = has_grad_out & (logical_not2 & logical_and4);
    const T where73 = rt::where(eq2, where49, where48);
    const T where74 = rt::where(gt1, T(0), where73);
    const rt::Mask<T> logical_or4 = logical_and5 | logical_and3;
    const T where75 = rt::where(logical_or4, -(div5 * (where61 + where74)), T(0));
    const T where76 = rt::where(eq3, T(0), (where53 + (where65 + where75)) / sqrt0);
    const rt::Mask<T> logical_or5 = has_grad_total_norm | logical_not2;
    const T where78 = rt::where(logical_or5, neg2, T(0));
    const T where79 = rt::where(eq3, T(0), where78);
    const T where80 = rt::where(gt1, T(0), where79);
    const T where81 = rt::where(logical_or5, neg3, T(0));
    const T where82 = rt::where(eq3, T(0), where81);
    const T where83 = rt::where(gt1, T(0), where82);
    const T where84 = rt::where(eq2, where83, where80);
    hoisted[0] = minimum1;
    hoisted[1] = rt::where(logical_or3, T(1), T(0));
    hoisted[2] = rt::where(eq3, T(1), T(0));
    hoisted[3] = div6;
    hoisted[4] = where70;
    hoisted[5] = rt::where(logical_and5, T(1), T(0));
    hoisted[6] = rt::where(logical_and4 | logical_or4, T(1), T(0));
    hoisted[7] = where76;
    hoisted[8] = where84;
    hoisted[9] = rt::where(logical_not2 & (logical_not3 & logical_or5), T(1), T(0));
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_out = reads[1];
    const T x = reads[3];
    const rt::Mask<T> has_grad_out = params[2] != T(0);
    const T minimum1 = hoisted[0];
    const rt::Mask<T> logical_or3 = hoisted[1] != T(0);
    const rt::Mask<T> eq3 = hoisted[2] != T(0);
    const T div6 = hoisted[3];
    const T where70 = hoisted[4];
    const rt::Mask<T> logical_and5 = hoisted[5] != T(0);
    const T where76 = hoisted[7];
    const T where84 = hoisted[8];
    const T where50 = rt::where(logical_or3, grad_grad_x * div6, T(0));
    const T where51 = rt::where(eq3, T(0), where50);
    const T where71 = rt::where(logical_and5, where70 * grad_out, T(0));
    const T where72 = rt::where(has_grad_out, where71, T(0));
    const T where77 = rt::where((hoisted[6] != T(0)), x * where76, T(0));
    const T where85 = rt::where((hoisted[9] != T(0)), where84 * x, T(0));
    writes[0] = where85 + grad_grad_x * minimum1;
    writes[1] = where51 + where72 + where77;
  }
};

}  // namespace fusewise::ops::clip_by_norm
