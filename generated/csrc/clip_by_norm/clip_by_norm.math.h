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
// sum0 = sum(grad_out * x)
// where0 = sum0 * 0.5 if div0 == 1 else sum0
// where1 = 0 if div0 > 1 else -(div0 / add0 * where0)
// where2 = 0 if size == 0 else (grad_total_norm + where1) / size
// grad_x = grad_out * minimum0 + x * where2
//
// backward keeps x: 4 B of float32 an element, arithmetic 53
// double_backward keeps grad_out, grad_total_norm, x: 12 B of float32 an element, arithmetic 135
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
  static constexpr int kParams = 3;
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
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 3;
  static constexpr unsigned kRowScalars = 26;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 26;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T grad_total_norm = reads[1];
    const T kept_total0 = reads[3];
    const T total0 = reads[4];
    const T max_norm = params[0];
    const T eps = params[1];
    const T size = rt::sqrt(kept_total0);
    const T add0 = size + eps;
    const T div0 = max_norm / add0;
    const T minimum0 = rt::minimum(div0, T(1));
    const T where3 = rt::where(div0 == T(1), total0 * T(0.5), total0);
    const T where4 = rt::where(div0 > T(1), T(0), -(div0 / add0 * where3));
    const T where5 = rt::where(size == T(0), T(0), (grad_total_norm + where4) / size);
    hoisted[0] = minimum0;
    hoisted[1] = where5;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[2];
    const T minimum0 = hoisted[0];
    const T where5 = hoisted[1];
    writes[0] = grad_out * minimum0 + x * where5;
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 3;
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
  static constexpr int kParams = 3;
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
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 12;
  static constexpr unsigned kRowScalars = 244;
  static constexpr unsigned kHoisted = 7;
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
    const T sqrt0 = rt::sqrt(total1);
    const T add1 = sqrt0 + eps;
    const T div4 = max_norm / add1;
    const T minimum1 = rt::minimum(div4, T(1));
    const rt::Mask<T> gt1 = div4 > T(1);
    const rt::Mask<T> eq2 = div4 == T(1);
    const T where17 = rt::where(eq2, total0 * T(0.5), total0);
    const T div5 = div4 / add1;
    const T where18 = rt::where(gt1, T(0), -(div5 * where17));
    const rt::Mask<T> eq3 = sqrt0 == T(0);
    const T div6 = (grad_total_norm + where18) / sqrt0;
    const rt::Mask<T> logical_not2 = !gt1;
    const T div7 = total2 / sqrt0;
    const T where20 = rt::where(eq3, T(0), -(div6 / sqrt0 * total2));
    const T mul2 = div7 * where17;
    const T mul3 = div7 * div5;
    const T where21 = rt::where(eq3, T(0), -mul3);
    const T where22 = rt::where(gt1, T(0), where21);
    const T where23 = rt::where(eq3, T(0), -(mul2 / add1));
    const T where24 = rt::where(eq3, T(0), div5 / add1 * mul2);
    const T where25 = rt::where(eq3, T(0), -(mul3 * T(0.5)));
    const T where26 = rt::where(gt1, T(0), where25);
    const T where27 = rt::where(eq2, where26, where22);
    const rt::Mask<T> logical_not3 = !eq3;
    const rt::Mask<T> logical_and1 = logical_not2 & logical_not3;
    const T where30 = rt::where(eq2, total3 * T(0.5), total3);
    const T where31 = rt::where(gt1, T(0), where24 - div5 * (where23 + where30));
    const T where32 = rt::where(eq3, T(0), (where20 + where31) / sqrt0);
    hoisted[0] = minimum1;
    hoisted[1] = rt::where(eq3, T(1), T(0));
    hoisted[2] = div6;
    hoisted[3] = where27;
    hoisted[4] = rt::where(logical_and1, T(1), T(0));
    hoisted[5] = rt::where(logical_not3 | logical_not2, T(1), T(0));
    hoisted[6] = where32;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_out = reads[1];
    const T x = reads[3];
    const T minimum1 = hoisted[0];
    const rt::Mask<T> eq3 = hoisted[1] != T(0);
    const T div6 = hoisted[2];
    const T where27 = hoisted[3];
    const rt::Mask<T> logical_and1 = hoisted[4] != T(0);
    const T where32 = hoisted[6];
    const T where19 = rt::where(eq3, T(0), grad_grad_x * div6);
    const T where28 = rt::where(logical_and1, where27 * x, T(0));
    const T where29 = rt::where(logical_and1, where27 * grad_out, T(0));
    const T where33 = rt::where((hoisted[5] != T(0)), x * where32, T(0));
    writes[0] = where28 + grad_grad_x * minimum1;
    writes[1] = where19 + where29 + where33;
  }
};

}  // namespace fusewise::ops::clip_by_norm
