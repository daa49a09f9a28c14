// Generated from specs/basics/weighted_sum.yaml by `fusewise generate`. Do not edit.
//
// out = sum(x * weight)
//
// grad_x = grad_out * weight
// grad_weight = grad_out * x
//
// backward keeps x, weight: 8 B of float32 an element, arithmetic 2
// double_backward keeps grad_out, x, weight: 12 B of float32 an element, arithmetic 10
// forward: 2 read and 0 written for each element, 0 read and 1 written for each row
// backward: 2 read and 2 written for each element, 1 read and 0 written for each row
// double_backward: 4 read and 2 written for each element, 1 read and 1 written for each row
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::weighted_sum {

struct ForwardTotals0 {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 1;
  static constexpr unsigned kRowScalars = 4;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    const T weight = reads[1];
    writes[0] = x * weight;
  }
};

struct ForwardRows {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 4;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T total0 = reads[2];
    writes[0] = total0;
  }
};

struct BackwardElements {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 2;
  static constexpr unsigned kRowScalars = 1;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T weight = reads[2];
    writes[0] = grad_out * weight;
    writes[1] = grad_out * x;
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 5;
  static constexpr unsigned kRowScalars = 36;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_weight = reads[1];
    const T x = reads[3];
    const T weight = reads[4];
    const rt::Mask<T> has_grad_grad_x = params[0] != T(0);
    const rt::Mask<T> has_grad_grad_weight = params[1] != T(0);
    const T where0 = rt::where(has_grad_grad_weight, grad_grad_weight * x, T(0));
    const T where1 = rt::where(has_grad_grad_x, grad_grad_x * weight, T(0));
    writes[0] = where0 + where1;
  }
};

struct DoubleBackwardRows {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 36;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T total0 = reads[5];
    writes[0] = total0;
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 4;
  static constexpr unsigned kRowScalars = 36;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_weight = reads[1];
    const T grad_out = reads[2];
    const rt::Mask<T> has_grad_grad_x = params[0] != T(0);
    const rt::Mask<T> has_grad_grad_weight = params[1] != T(0);
    writes[0] = rt::where(has_grad_grad_weight, grad_grad_weight * grad_out, T(0));
    writes[1] = rt::where(has_grad_grad_x, grad_grad_x * grad_out, T(0));
  }
};

}  // namespace fusewise::ops::weighted_sum
