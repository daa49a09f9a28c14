// Generated from specs/softmax/log_softmax.yaml by `fusewise generate`. Do not edit.
//
// out = log_softmax(x)
//
// softmax0 = softmax(x)
// sum0 = sum(grad_out)
// grad_x = grad_out - softmax0 * sum0
//
// backward keeps x: 4 B of float32 an element, arithmetic 24
// double_backward keeps grad_out, x: 8 B of float32 an element, arithmetic 32
// forward: 1 read and 1 written for each element, 0 read and 2 written for each row
// backward: 2 read and 1 written for each element, 2 read and 0 written for each row
// double_backward: 3 read and 2 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::log_softmax {

struct ForwardTotals0 {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 6;
  static constexpr unsigned kCopied = 1;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    writes[0] = x;
  }
};

struct ForwardTotals1 {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 11;
  static constexpr unsigned kRowScalars = 6;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    const T total0 = reads[1];
    writes[0] = rt::exp_negative(x - total0);
  }
};

struct ForwardRows {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 6;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T total0 = reads[1];
    const T total1 = reads[2];
    writes[0] = total0;
    writes[1] = total1;
  }
};

struct ForwardElements {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 2;
  static constexpr unsigned kRowScalars = 6;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 4;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T total1 = reads[2];
    const T log1 = rt::log(total1);
    hoisted[0] = log1;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T x = reads[0];
    const T total0 = reads[1];
    const T log1 = hoisted[0];
    writes[0] = x - total0 - log1;
  }
};

struct BackwardTotals0 {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 28;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    writes[0] = grad_out;
  }
};

struct BackwardElements {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 21;
  static constexpr unsigned kRowScalars = 28;
  static constexpr unsigned kHoistedFrom = 8;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T kept_total0 = reads[2];
    const T kept_total1 = reads[3];
    const T total0 = reads[4];
    const T exp_negative0 = rt::exp_negative(x - kept_total0);
    const T div_shared0 = rt::div_shared(exp_negative0, kept_total1);
    writes[0] = grad_out - div_shared0 * total0;
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 248;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[1];
    const T x = reads[2];
    writes[0] = grad_out;
    writes[1] = x;
  }
};

struct DoubleBackwardTotals1 {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 11;
  static constexpr unsigned kRowScalars = 248;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[2];
    const T total1 = reads[4];
    writes[0] = rt::exp_negative(x - total1);
  }
};

struct DoubleBackwardTotals2 {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 23;
  static constexpr unsigned kRowScalars = 248;
  static constexpr unsigned kHoistedFrom = 32;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_x = reads[0];
    const T x = reads[2];
    const T total0 = reads[3];
    const T total1 = reads[4];
    const T total2 = reads[5];
    const T exp_negative1 = rt::exp_negative(x - total1);
    const T div_shared1 = rt::div_shared(exp_negative1, total2);
    writes[0] = grad_grad_x * div_shared1;
    writes[1] = -(grad_grad_x * total0 * div_shared1);
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 24;
  static constexpr unsigned kRowScalars = 248;
  static constexpr unsigned kHoistedFrom = 32;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_x = reads[0];
    const T x = reads[2];
    const T total0 = reads[3];
    const T total1 = reads[4];
    const T total2 = reads[5];
    const T total3 = reads[6];
    const T total4 = reads[7];
    const T exp_negative1 = rt::exp_negative(x - total1);
    const T div_shared1 = rt::div_shared(exp_negative1, total2);
    writes[0] = grad_grad_x - total3;
    writes[1] = div_shared1 * (-(grad_grad_x * total0) - total4);
  }
};

}  // namespace fusewise::ops::log_softmax
