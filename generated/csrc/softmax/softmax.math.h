// Generated from specs/softmax/softmax.yaml by `fusewise generate`. Do not edit.
//
// out = softmax(x)
//
// sum0 = sum(grad_out * out)
// grad_x = out * (grad_out - sum0)
//
// backward keeps out: 4 B of float32 an element, arithmetic 4
// double_backward keeps grad_out, out: 8 B of float32 an element, arithmetic 10
// forward: 1 read and 1 written for each element
// backward: 2 read and 1 written for each element
// double_backward: 3 read and 2 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::softmax {

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

struct ForwardElements {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 19;
  static constexpr unsigned kRowScalars = 6;
  static constexpr unsigned kHoistedFrom = 4;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    const T total0 = reads[1];
    const T total1 = reads[2];
    const T exp_negative1 = rt::exp_negative(x - total0);
    writes[0] = rt::div_shared(exp_negative1, total1);
  }
};

struct ForwardHeldElements {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 8;
  static constexpr unsigned kRowScalars = 6;
  static constexpr unsigned kHoistedFrom = 4;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T total1 = reads[2];
    const T term1 = reads[3];
    writes[0] = rt::div_shared(term1, total1);
  }
};

struct BackwardTotals0 {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 1;
  static constexpr unsigned kRowScalars = 4;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T out = reads[1];
    writes[0] = grad_out * out;
  }
};

struct BackwardElements {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 2;
  static constexpr unsigned kRowScalars = 4;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T out = reads[1];
    const T total0 = reads[2];
    writes[0] = out * (grad_out - total0);
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 2;
  static constexpr unsigned kRowScalars = 24;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_out = reads[1];
    const T out = reads[2];
    const T mul0 = grad_grad_x * out;
    writes[0] = grad_out * out;
    writes[1] = mul0;
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 7;
  static constexpr unsigned kRowScalars = 24;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_out = reads[1];
    const T out = reads[2];
    const T total0 = reads[3];
    const T total1 = reads[4];
    const T mul0 = grad_grad_x * out;
    writes[0] = mul0 - total1 * out;
    writes[1] = grad_grad_x * (grad_out - total0) - total1 * grad_out;
  }
};

}  // namespace fusewise::ops::softmax
