// Generated from specs/norms/l2_normalize.yaml by `fusewise generate`. Do not edit.
//
// out = x / maximum(norm(x), eps)
//
// norm0 = norm(x)
// maximum0 = maximum(norm0, eps)
// sum0 = sum(x / maximum0 / maximum0 * grad_out)
// where0 = -(sum0 * 0.5) if norm0 == eps else -sum0
// where1 = 0 if norm0 == 0 else where0 / norm0
// where2 = 0 if norm0 < eps else x * where1
// grad_x = grad_out / maximum0 + where2
//
// backward keeps x: 4 B of float32 an element, arithmetic 58
// double_backward keeps grad_out, x: 8 B of float32 an element, arithmetic 162
// forward: 1 read and 1 written for each element, 0 read and 1 written for each row
// backward: 2 read and 1 written for each element, 1 read and 0 written for each row
// double_backward: 3 read and 2 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::l2_normalize {

struct ForwardTotals0 {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
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
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 2;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T total0 = reads[1];
    writes[0] = total0;
  }
};

struct ForwardElements {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 8;
  static constexpr unsigned kRowScalars = 2;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 2;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total0 = reads[1];
    const T eps = params[0];
    const T sqrt1 = rt::sqrt(total0);
    const T maximum1 = rt::maximum(sqrt1, eps);
    hoisted[0] = maximum1;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T x = reads[0];
    const T maximum1 = hoisted[0];
    writes[0] = rt::div_shared(x, maximum1);
  }
};

struct BackwardTotals0 {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 17;
  static constexpr unsigned kRowScalars = 12;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 4;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T kept_total0 = reads[2];
    const T eps = params[0];
    const T sqrt0 = rt::sqrt(kept_total0);
    const T maximum0 = rt::maximum(sqrt0, eps);
    hoisted[0] = maximum0;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T maximum0 = hoisted[0];
    const T div_shared0 = rt::div_shared(x, maximum0);
    const T div_shared2 = rt::div_shared(div_shared0, maximum0);
    writes[0] = div_shared2 * grad_out;
  }
};

struct BackwardElements {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 11;
  static constexpr unsigned kRowScalars = 12;
  static constexpr unsigned kHoisted = 3;
  static constexpr unsigned kHoistedFrom = 12;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T kept_total0 = reads[2];
    const T total0 = reads[3];
    const T eps = params[0];
    const T sqrt0 = rt::sqrt(kept_total0);
    const T maximum0 = rt::maximum(sqrt0, eps);
    const T where3 = rt::where(sqrt0 == eps, -(total0 * T(0.5)), -total0);
    const T div_shared4 = rt::div_shared(where3, sqrt0);
    const T where4 = rt::where(sqrt0 == T(0), T(0), div_shared4);
    hoisted[0] = maximum0;
    hoisted[1] = rt::where(sqrt0 < eps, T(1), T(0));
    hoisted[2] = where4;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T maximum0 = hoisted[0];
    const T where4 = hoisted[2];
    const T div_shared1 = rt::div_shared(grad_out, maximum0);
    const T where5 = rt::where((hoisted[1] != T(0)), T(0), x * where4);
    writes[0] = div_shared1 + where5;
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 2;
  static constexpr unsigned kRowScalars = 120;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_x = reads[0];
    const T x = reads[2];
    writes[0] = x * x;
    writes[1] = grad_grad_x * x;
  }
};

struct DoubleBackwardTotals1 {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 59;
  static constexpr unsigned kRowScalars = 120;
  static constexpr unsigned kHoisted = 3;
  static constexpr unsigned kHoistedFrom = 24;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total0 = reads[3];
    const T total1 = reads[4];
    const T eps = params[0];
    const T sqrt1 = rt::sqrt(total0);
    const T maximum1 = rt::maximum(sqrt1, eps);
    const rt::Mask<T> eq2 = sqrt1 == T(0);
    const rt::Mask<T> logical_not1 = !(sqrt1 < eps);
    const T div1 = total1 / sqrt1;
    const T where18 = rt::where(logical_not1, -div1, T(0));
    const T where19 = rt::where(eq2, T(0), where18);
    const T where20 = rt::where(logical_not1, -(div1 * T(0.5)), T(0));
    const T where21 = rt::where(eq2, T(0), where20);
    const T where22 = rt::where(sqrt1 == eps, where21, where19);
    const rt::Mask<T> logical_and1 = (!eq2) & logical_not1;
    hoisted[0] = maximum1;
    hoisted[1] = where22;
    hoisted[2] = rt::where(logical_and1, T(1), T(0));
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_out = reads[1];
    const T x = reads[2];
    const T maximum1 = hoisted[0];
    const T where22 = hoisted[1];
    const rt::Mask<T> logical_and1 = hoisted[2] != T(0);
    const T div_shared11 = rt::div_shared(x, maximum1);
    const T mul1 = where22 * grad_out;
    const T div_shared12 = rt::div_shared(grad_out, maximum1);
    const T div_shared13 = rt::div_shared(div_shared11, maximum1);
    const T div_shared14 = rt::div_shared(mul1, maximum1);
    const T div_shared15 = rt::div_shared(div_shared13, maximum1);
    const T where23 = rt::where(logical_and1, -(div_shared15 * mul1), T(0));
    const T div_shared16 = rt::div_shared(div_shared12, maximum1);
    const T where24 = rt::where(logical_and1, -(div_shared13 * div_shared14), T(0));
    writes[0] = div_shared13 * grad_out;
    writes[1] = where23 - div_shared16 * grad_grad_x + where24;
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 52;
  static constexpr unsigned kRowScalars = 120;
  static constexpr unsigned kHoisted = 8;
  static constexpr unsigned kHoistedFrom = 120;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total0 = reads[3];
    const T total1 = reads[4];
    const T total2 = reads[5];
    const T total3 = reads[6];
    const T eps = params[0];
    const T sqrt1 = rt::sqrt(total0);
    const T maximum1 = rt::maximum(sqrt1, eps);
    const rt::Mask<T> lt1 = sqrt1 < eps;
    const rt::Mask<T> eq2 = sqrt1 == eps;
    const rt::Mask<T> eq3 = sqrt1 == T(0);
    const rt::Mask<T> logical_not1 = !lt1;
    const T div1 = total1 / sqrt1;
    const T where18 = rt::where(logical_not1, -div1, T(0));
    const T where19 = rt::where(eq3, T(0), where18);
    const T where20 = rt::where(logical_not1, -(div1 * T(0.5)), T(0));
    const T where21 = rt::where(eq3, T(0), where20);
    const T where22 = rt::where(eq2, where21, where19);
    const rt::Mask<T> logical_and1 = (!eq3) & logical_not1;
    const T where23 = rt::where(eq2, -(total2 * T(0.5)), -total2);
    const T div_shared14 = rt::div_shared(where23, sqrt1);
    const T div_shared15 = rt::div_shared(div_shared14, sqrt1);
    const T where26 = rt::where(logical_not1, -(div_shared15 * total1), T(0));
    const T where27 = rt::where(eq3, T(0), where26);
    const T where30 = rt::where(eq2, total3 * T(0.5), total3);
    const T where31 = rt::where(lt1, T(0), where30);
    const T div_shared18 = rt::div_shared(where27 + where31, sqrt1);
    const T where32 = rt::where(eq3, T(0), div_shared18);
    hoisted[0] = maximum1;
    hoisted[1] = rt::where(lt1, T(1), T(0));
    hoisted[2] = rt::where(eq3, T(1), T(0));
    hoisted[3] = rt::where(logical_not1, T(1), T(0));
    hoisted[4] = where22;
    hoisted[5] = rt::where(logical_and1, T(1), T(0));
    hoisted[6] = div_shared14;
    hoisted[7] = where32;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_out = reads[1];
    const T x = reads[2];
    const T maximum1 = hoisted[0];
    const rt::Mask<T> lt1 = hoisted[1] != T(0);
    const rt::Mask<T> eq3 = hoisted[2] != T(0);
    const rt::Mask<T> logical_not1 = hoisted[3] != T(0);
    const T where22 = hoisted[4];
    const rt::Mask<T> logical_and1 = hoisted[5] != T(0);
    const T div_shared14 = hoisted[6];
    const T where32 = hoisted[7];
    const T div_shared11 = rt::div_shared(x, maximum1);
    const T div_shared12 = rt::div_shared(div_shared11, maximum1);
    const T div_shared13 = rt::div_shared(where22 * grad_out, maximum1);
    const T where24 = rt::where(lt1, T(0), grad_grad_x * div_shared14);
    const T where25 = rt::where(eq3, T(0), where24);
    const T where28 = rt::where(logical_and1, where22 * div_shared12, T(0));
    const T div_shared16 = rt::div_shared(grad_grad_x, maximum1);
    const T div_shared17 = rt::div_shared(div_shared13, maximum1);
    const T where29 = rt::where(logical_and1, div_shared17, T(0));
    const T where33 = rt::where(logical_not1, x * where32, T(0));
    writes[0] = where28 + div_shared16;
    writes[1] = where25 + where29 + where33;
  }
};

}  // namespace fusewise::ops::l2_normalize
