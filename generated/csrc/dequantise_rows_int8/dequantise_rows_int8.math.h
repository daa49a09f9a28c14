// Generated from specs/quantised/dequantise_rows_int8.yaml by `fusewise generate`. Do not edit.
//
// out = x * scale * weight_scale + bias
//
// grad_scale = sum(grad_out * weight_scale * x)
// grad_weight_scale = grad_out * (x * scale)
// grad_bias = grad_out
//
// backward keeps x, scale, weight_scale: 12 B of float32 an element, arithmetic 5
// double_backward keeps grad_out, x, scale, weight_scale: 16 B of float32 an element, arithmetic 14
// forward: 3 read and 1 written for each element, 1 read and 0 written for each row
// backward: 3 read and 1 written for each element, 1 read and 1 written for each row; grad_bias
//     equals grad_out
// double_backward: 5 read and 2 written for each element, 2 read and 1 written for each row
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::dequantise_rows_int8 {

struct ForwardElements {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 3;
  static constexpr unsigned kRowScalars = 2;
  static constexpr unsigned kIntegers = 1;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    const T scale = reads[1];
    const T weight_scale = reads[2];
    const T bias = reads[3];
    writes[0] = x * scale * weight_scale + bias;
  }
};

struct BackwardTotals0 {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 2;
  static constexpr unsigned kRowScalars = 20;
  static constexpr unsigned kIntegers = 2;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T weight_scale = reads[3];
    writes[0] = grad_out * weight_scale * x;
  }
};

struct BackwardRows {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 20;
  static constexpr unsigned kIntegers = 2;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T total0 = reads[4];
    writes[0] = total0;
  }
};

struct BackwardElements {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 2;
  static constexpr unsigned kRowScalars = 20;
  static constexpr unsigned kIntegers = 2;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T scale = reads[2];
    writes[0] = grad_out * (x * scale);
    writes[1] = grad_out;
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 2;
  static constexpr unsigned kRowScalars = 161;
  static constexpr unsigned kIntegers = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_weight_scale = reads[1];
    const T grad_out = reads[3];
    const T x = reads[4];
    writes[0] = grad_grad_weight_scale * grad_out * x;
  }
};

struct DoubleBackwardRows {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 1;
  static constexpr unsigned kRowScalars = 161;
  static constexpr unsigned kIntegers = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T total0 = reads[7];
    const rt::Mask<T> has_grad_grad_weight_scale = params[1] != T(0);
    writes[0] = rt::where(has_grad_grad_weight_scale, total0, T(0));
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 10;
  static constexpr unsigned kRowScalars = 161;
  static constexpr unsigned kIntegers = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_scale = reads[0];
    const T grad_grad_weight_scale = reads[1];
    const T grad_grad_bias = reads[2];
    const T grad_out = reads[3];
    const T x = reads[4];
    const T scale = reads[5];
    const T weight_scale = reads[6];
    const rt::Mask<T> has_grad_grad_scale = params[0] != T(0);
    const rt::Mask<T> has_grad_grad_weight_scale = params[1] != T(0);
    const T mul0 = grad_grad_scale * x;
    const T where0 = rt::where(has_grad_grad_weight_scale, grad_grad_weight_scale * (x * scale),
        T(0));
    const T where1 = rt::where(has_grad_grad_scale, mul0 * weight_scale, T(0));
    writes[0] = grad_grad_bias + where0 + where1;
    writes[1] = rt::where(has_grad_grad_scale, mul0 * grad_out, T(0));
  }
};

}  // namespace fusewise::ops::dequantise_rows_int8
