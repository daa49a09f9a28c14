// Generated from specs/bias/fused_bias_leakyrelu.yaml by `fusewise generate`. Do not edit.
//
// out = leaky_relu(x + bias, negative_slope) * scale
//
// mul0 = grad_out * scale
// where0 = mul0 if x + bias > 0 else mul0 * negative_slope
// grad_x = where0
// grad_bias = where0
//
// backward keeps x, bias: 8 B of float32 an element, arithmetic 5
// double_backward keeps grad_out, x, bias: 12 B of float32 an element, arithmetic 11
// forward: 2 read and 1 written for each element
// backward: 3 read and 1 written for each element; grad_bias equals grad_x
// double_backward: 4 read and 1 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::fused_bias_leakyrelu {

struct Forward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 5;
  static constexpr unsigned kRowScalars = 2;
  static constexpr unsigned kRepeated = 2;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T x = reads[0];
    const T bias = reads[1];
    const T negative_slope = params[0];
    const T scale = params[1];
    const T add0 = x + bias;
    const T where0 = rt::where(add0 > T(0), add0, negative_slope * add0);
    writes[0] = where0 * scale;
  }
};

struct Backward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 5;
  static constexpr unsigned kFull = 11;
  static constexpr unsigned kRowScalars = 4;
  static constexpr unsigned kRepeated = 4;
  static constexpr unsigned kSummed = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T bias = reads[2];
    const T negative_slope = params[0];
    const T scale = params[1];
    const T mul0 = grad_out * scale;
    const T where0 = rt::where(x + bias > T(0), mul0, mul0 * negative_slope);
    writes[0] = where0;
    writes[1] = where0;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 11;
  static constexpr unsigned kRepeated = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_bias = reads[1];
    const T x = reads[3];
    const T bias = reads[4];
    const T negative_slope = params[0];
    const T scale = params[1];
    const rt::Mask<T> has_grad_grad_x = params[2] != T(0);
    const rt::Mask<T> has_grad_grad_bias = params[3] != T(0);
    const rt::Mask<T> gt0 = x + bias > T(0);
    const T add0 = grad_grad_x + grad_grad_bias;
    const T where0 = rt::where(gt0, add0, add0 * negative_slope);
    const rt::Mask<T> logical_or0 = (gt0 & (has_grad_grad_x | has_grad_grad_bias)) | (!gt0);
    writes[0] = rt::where(logical_or0, where0 * scale, T(0));
  }
};

}  // namespace fusewise::ops::fused_bias_leakyrelu
