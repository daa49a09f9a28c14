// Generated from specs/softmax/causal_softmax.yaml by `fusewise generate`. Do not edit.
//
// out = softmax(scale * x if index <= last else -inf)
//
// sum0 = sum(grad_out * out)
// grad_x = out * (grad_out - sum0) * scale if index <= last else 0
//
// backward keeps last, out: 8 B of float32 an element, arithmetic 7
// double_backward keeps grad_out, last, out: 12 B of float32 an element, arithmetic 16
// forward: 1 read and 1 written for each element, 1 read and 0 written for each row
// backward: 2 read and 1 written for each element, 1 read and 0 written for each row
// double_backward: 3 read and 2 written for each element, 1 read and 0 written for each row
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::causal_softmax {

struct ForwardTotals0 {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 4;
  static constexpr unsigned kRowScalars = 14;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T x = reads[0];
    const T last = reads[1];
    const T index = reads[4];
    const T scale = params[0];
    const T where0 = rt::where(index <= last, scale * x, -T(INFINITY));
    writes[0] = where0;
  }
};

struct ForwardTotals1 {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 15;
  static constexpr unsigned kRowScalars = 14;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T x = reads[0];
    const T last = reads[1];
    const T total0 = reads[2];
    const T index = reads[4];
    const T scale = params[0];
    const T where0 = rt::where(index <= last, scale * x, -T(INFINITY));
    writes[0] = rt::exp_negative(where0 - total0);
  }
};

struct ForwardElements {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 23;
  static constexpr unsigned kRowScalars = 14;
  static constexpr unsigned kHoistedFrom = 8;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T x = reads[0];
    const T last = reads[1];
    const T total0 = reads[2];
    const T total1 = reads[3];
    const T index = reads[4];
    const T scale = params[0];
    const T where0 = rt::where(index <= last, scale * x, -T(INFINITY));
    const T exp_negative1 = rt::exp_negative(where0 - total0);
    writes[0] = rt::div_shared(exp_negative1, total1);
  }
};

struct ForwardHeldElements {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 8;
  static constexpr unsigned kRowScalars = 14;
  static constexpr unsigned kHoistedFrom = 8;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T total1 = reads[3];
    const T term1 = reads[5];
    writes[0] = rt::div_shared(term1, total1);
  }
};

struct BackwardTotals0 {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 1;
  static constexpr unsigned kRowScalars = 10;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T out = reads[2];
    writes[0] = grad_out * out;
  }
};

struct BackwardElements {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 5;
  static constexpr unsigned kRowScalars = 10;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_out = reads[0];
    const T last = reads[1];
    const T out = reads[2];
    const T total0 = reads[3];
    const T index = reads[4];
    const T scale = params[0];
    writes[0] = rt::where(index <= last, out * (grad_out - total0) * scale, T(0));
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 6;
  static constexpr unsigned kRowScalars = 52;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_out = reads[1];
    const T last = reads[2];
    const T out = reads[3];
    const T index = reads[6];
    const T scale = params[0];
    const rt::Mask<T> le0 = index <= last;
    const T mul0 = grad_grad_x * scale;
    const T mul1 = mul0 * out;
    const T where2 = rt::where(le0, -mul1, T(0));
    writes[0] = grad_out * out;
    writes[1] = where2;
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 11;
  static constexpr unsigned kRowScalars = 52;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_out = reads[1];
    const T last = reads[2];
    const T out = reads[3];
    const T total0 = reads[4];
    const T total1 = reads[5];
    const T index = reads[6];
    const T scale = params[0];
    const rt::Mask<T> le0 = index <= last;
    const T mul0 = grad_grad_x * scale;
    const T mul1 = mul0 * out;
    const T where1 = rt::where(le0, mul1, T(0));
    const T where3 = rt::where(le0, mul0 * (grad_out - total0), T(0));
    writes[0] = where1 + total1 * out;
    writes[1] = where3 + total1 * grad_out;
  }
};

}  // namespace fusewise::ops::causal_softmax
