// Generated from specs/softmax/scaled_softmax.yaml by `fusewise generate`. Do not edit.
//
// out = softmax(scale * x)
//
// sum0 = sum(grad_out * out)
// grad_x = out * (grad_out - sum0) * scale
//
// backward keeps out: 4 B of float32 an element, arithmetic 5
// double_backward keeps grad_out, out: 8 B of float32 an element, arithmetic 13
// forward: 1 read and 1 written for each element
// backward: 2 read and 1 written for each element
// double_backward: 3 read and 2 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::scaled_softmax {

struct ForwardTotals0 {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 1;
  static constexpr unsigned kRowScalars = 6;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T x = reads[0];
    const T scale = params[0];
    const T mul0 = scale * x;
    writes[0] = mul0;
  }
};

struct ForwardTotals1 {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 12;
  static constexpr unsigned kRowScalars = 6;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T x = reads[0];
    const T total0 = reads[1];
    const T scale = params[0];
    const T mul0 = scale * x;
    writes[0] = rt::exp_negative(mul0 - total0);
  }
};

struct ForwardElements {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 20;
  static constexpr unsigned kRowScalars = 6;
  static constexpr unsigned kHoistedFrom = 4;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T x = reads[0];
    const T total0 = reads[1];
    const T total1 = reads[2];
    const T scale = params[0];
    const T mul0 = scale * x;
    const T exp_negative1 = rt::exp_negative(mul0 - total0);
    writes[0] = rt::div_shared(exp_negative1, total1);
  }
};

struct ForwardHeldElements {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
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
  static constexpr int kParams = 2;
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
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 3;
  static constexpr unsigned kRowScalars = 4;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_out = reads[0];
    const T out = reads[1];
    const T total0 = reads[2];
    const T scale = params[0];
    writes[0] = out * (grad_out - total0) * scale;
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 2;
  static constexpr unsigned kRowScalars = 24;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_out = reads[1];
    const T out = reads[2];
    writes[0] = grad_out * out;
    writes[1] = grad_grad_x * out;
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 9;
  static constexpr unsigned kRowScalars = 24;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_out = reads[1];
    const T out = reads[2];
    const T total0 = reads[3];
    const T total1 = reads[4];
    const T scale = params[0];
    const T mul0 = grad_grad_x * scale;
    const T mul2 = scale * total1;
    writes[0] = mul0 * out - mul2 * out;
    writes[1] = mul0 * (grad_out - total0) - mul2 * grad_out;
  }
};

}  // namespace fusewise::ops::scaled_softmax
