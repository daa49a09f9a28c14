// Generated from specs/softmax/masked_softmax.yaml by `fusewise generate`. Do not edit.
//
// out = softmax(scale * x if keep else -inf) if any(keep) else 0
//
// where0 = scale * x if keep else -inf
// softmax0 = softmax(where0)
// where1 = 1 if keep else 0
// sum0 = sum(where1)
// sum1 = sum(grad_out * softmax0)
// where2 = softmax0 * (grad_out - sum1) * scale if sum0 > 0 else 0
// grad_x = where2 if keep else 0
//
// backward keeps x, keep: 8 B of float32 an element, arithmetic 34
// double_backward keeps grad_out, x, keep: 12 B of float32 an element, arithmetic 50
// forward: 2 read and 1 written for each element, 0 read and 3 written for each row
// backward: 3 read and 1 written for each element, 3 read and 0 written for each row
// double_backward: 4 read and 2 written for each element
#pragma once

#include <fusewise/math/dtype.h>

namespace fusewise::ops::masked_softmax {

struct ForwardTotals0 {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 4;
  static constexpr unsigned kRowScalars = 28;
  static constexpr unsigned kIntegers = 2;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 1 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T x = reads[0];
    const rt::Mask<T> keep = reads[1] != T(0);
    const T scale = params[0];
    const T where0 = rt::where(keep, scale * x, -T(INFINITY));
    const T where1 = rt::where(keep, T(1), T(0));
    writes[0] = where1;
    writes[1] = where0;
  }
};

struct ForwardTotals1 {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 14;
  static constexpr unsigned kRowScalars = 28;
  static constexpr unsigned kIntegers = 2;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 1 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T x = reads[0];
    const rt::Mask<T> keep = reads[1] != T(0);
    const T total1 = reads[3];
    const T scale = params[0];
    const T where0 = rt::where(keep, scale * x, -T(INFINITY));
    writes[0] = rt::exp_negative(where0 - total1);
  }
};

struct ForwardRows {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 28;
  static constexpr unsigned kIntegers = 2;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 1 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T total0 = reads[2];
    const T total1 = reads[3];
    const T total2 = reads[4];
    writes[0] = total0;
    writes[1] = total1;
    writes[2] = total2;
  }
};

struct ForwardElements {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 24;
  static constexpr unsigned kRowScalars = 28;
  static constexpr unsigned kIntegers = 2;
  static constexpr unsigned kHoistedFrom = 16;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 1 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T x = reads[0];
    const rt::Mask<T> keep = reads[1] != T(0);
    const T total0 = reads[2];
    const T total1 = reads[3];
    const T total2 = reads[4];
    const T scale = params[0];
    const T where0 = rt::where(keep, scale * x, -T(INFINITY));
    const T exp_negative1 = rt::exp_negative(where0 - total1);
    const T div_shared1 = rt::div_shared(exp_negative1, total2);
    writes[0] = rt::where(total0 > T(0), div_shared1, T(0));
  }
};

struct ForwardHeldElements {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 10;
  static constexpr unsigned kRowScalars = 28;
  static constexpr unsigned kIntegers = 2;
  static constexpr unsigned kHoistedFrom = 16;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 1 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T total0 = reads[2];
    const T total2 = reads[4];
    const T term2 = reads[5];
    const T div_shared0 = rt::div_shared(term2, total2);
    writes[0] = rt::where(total0 > T(0), div_shared0, T(0));
  }
};

struct BackwardTotals0 {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 23;
  static constexpr unsigned kRowScalars = 120;
  static constexpr unsigned kIntegers = 4;
  static constexpr unsigned kHoistedFrom = 32;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 2 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const rt::Mask<T> keep = reads[2] != T(0);
    const T kept_total1 = reads[4];
    const T kept_total2 = reads[5];
    const T scale = params[0];
    const T where0 = rt::where(keep, scale * x, -T(INFINITY));
    const T exp_negative0 = rt::exp_negative(where0 - kept_total1);
    const T div_shared0 = rt::div_shared(exp_negative0, kept_total2);
    writes[0] = grad_out * div_shared0;
  }
};

struct BackwardElements {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 28;
  static constexpr unsigned kRowScalars = 120;
  static constexpr unsigned kIntegers = 4;
  static constexpr unsigned kHoistedFrom = 32;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 2 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const rt::Mask<T> keep = reads[2] != T(0);
    const T kept_total0 = reads[3];
    const T kept_total1 = reads[4];
    const T kept_total2 = reads[5];
    const T total0 = reads[6];
    const T scale = params[0];
    const T where0 = rt::where(keep, scale * x, -T(INFINITY));
    const T exp_negative0 = rt::exp_negative(where0 - kept_total1);
    const T div_shared0 = rt::div_shared(exp_negative0, kept_total2);
    const T where2 = rt::where(kept_total0 > T(0), div_shared0 * (grad_out - total0) * scale, T(0));
    writes[0] = rt::where(keep, where2, T(0));
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 10;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 4;
  static constexpr unsigned kRowScalars = 1008;
  static constexpr unsigned kIntegers = 8;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 3 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T x = reads[2];
    const rt::Mask<T> keep = reads[3] != T(0);
    const T scale = params[0];
    const T where0 = rt::where(keep, scale * x, -T(INFINITY));
    const T where1 = rt::where(keep, T(1), T(0));
    writes[0] = where1;
    writes[1] = where0;
  }
};

struct DoubleBackwardTotals1 {
  static constexpr int kReads = 10;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 14;
  static constexpr unsigned kRowScalars = 1008;
  static constexpr unsigned kIntegers = 8;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 3 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T x = reads[2];
    const rt::Mask<T> keep = reads[3] != T(0);
    const T total1 = reads[5];
    const T scale = params[0];
    const T where0 = rt::where(keep, scale * x, -T(INFINITY));
    writes[0] = rt::exp_negative(where0 - total1);
  }
};

struct DoubleBackwardTotals2 {
  static constexpr int kReads = 10;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 27;
  static constexpr unsigned kRowScalars = 1008;
  static constexpr unsigned kIntegers = 8;
  static constexpr unsigned kHoistedFrom = 64;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 3 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_out = reads[1];
    const T x = reads[2];
    const rt::Mask<T> keep = reads[3] != T(0);
    const T total1 = reads[5];
    const T total2 = reads[6];
    const T scale = params[0];
    const T where0 = rt::where(keep, scale * x, -T(INFINITY));
    const T mul0 = grad_grad_x * scale;
    const T exp_negative1 = rt::exp_negative(where0 - total1);
    const T div_shared1 = rt::div_shared(exp_negative1, total2);
    writes[0] = grad_out * div_shared1;
    writes[1] = rt::where(keep, -(mul0 * div_shared1), T(0));
  }
};

struct DoubleBackwardTotals3 {
  static constexpr int kReads = 10;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 29;
  static constexpr unsigned kRowScalars = 1008;
  static constexpr unsigned kIntegers = 8;
  static constexpr unsigned kHoistedFrom = 64;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 3 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_out = reads[1];
    const T x = reads[2];
    const rt::Mask<T> keep = reads[3] != T(0);
    const T total1 = reads[5];
    const T total2 = reads[6];
    const T total3 = reads[7];
    const T total4 = reads[8];
    const T scale = params[0];
    const T where0 = rt::where(keep, scale * x, -T(INFINITY));
    const T mul0 = grad_grad_x * scale;
    const T exp_negative1 = rt::exp_negative(where0 - total1);
    const T div_shared1 = rt::div_shared(exp_negative1, total2);
    const T where6 = rt::where(keep, mul0 * (grad_out - total3), T(0));
    writes[0] = (where6 + total4 * grad_out) * div_shared1;
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 10;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 39;
  static constexpr unsigned kRowScalars = 1008;
  static constexpr unsigned kIntegers = 8;
  static constexpr unsigned kHoistedFrom = 64;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 3 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_out = reads[1];
    const T x = reads[2];
    const rt::Mask<T> keep = reads[3] != T(0);
    const T total0 = reads[4];
    const T total1 = reads[5];
    const T total2 = reads[6];
    const T total3 = reads[7];
    const T total4 = reads[8];
    const T total5 = reads[9];
    const T scale = params[0];
    const T where0 = rt::where(keep, scale * x, -T(INFINITY));
    const T mul0 = grad_grad_x * scale;
    const T exp_negative1 = rt::exp_negative(where0 - total1);
    const rt::Mask<T> gt1 = total0 > T(0);
    const T div_shared1 = rt::div_shared(exp_negative1, total2);
    const T where6 = rt::where(keep, mul0 * (grad_out - total3), T(0));
    const T where7 = rt::where(keep, mul0 * div_shared1, T(0));
    const T mul2 = div_shared1 * (where6 + total4 * grad_out - total5) * scale;
    const T where8 = rt::where(gt1, mul2, T(0));
    writes[0] = rt::where(gt1, where7 + total4 * div_shared1, T(0));
    writes[1] = rt::where(keep, where8, T(0));
  }
};

}  // namespace fusewise::ops::masked_softmax
