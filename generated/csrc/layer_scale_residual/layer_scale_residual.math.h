// Generated from specs/bias/layer_scale_residual.yaml by `fusewise generate`. Do not edit.
//
// out = residual + keep * (gamma * x)
//
// mul0 = grad_out * keep
// grad_x = mul0 * gamma
// grad_residual = grad_out
// grad_gamma = mul0 * x
// grad_keep = grad_out * (gamma * x)
//
// backward keeps x, gamma, keep: 12 B of float32 an element, arithmetic 5
// double_backward keeps grad_out, x, gamma, keep: 16 B of float32 an element, arithmetic 27
// forward: 4 read and 1 written for each element
// backward: 4 read and 3 written for each element; grad_residual equals grad_out
// double_backward: 8 read and 4 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::layer_scale_residual {

struct Forward {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 3;
  static constexpr unsigned kRowScalars = 8;
  static constexpr unsigned kRepeated = 12;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    const T residual = reads[1];
    const T gamma = reads[2];
    const T keep = reads[3];
    writes[0] = residual + keep * (gamma * x);
  }
};

struct Backward {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 5;
  static constexpr unsigned kFull = 19;
  static constexpr unsigned kRowScalars = 8;
  static constexpr unsigned kRepeated = 12;
  static constexpr unsigned kSummed = 192;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T gamma = reads[2];
    const T keep = reads[3];
    const T mul0 = grad_out * keep;
    writes[0] = mul0 * gamma;
    writes[1] = grad_out;
    writes[2] = mul0 * x;
    writes[3] = grad_out * (gamma * x);
  }
};

struct DoubleBackward {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 27;
  static constexpr unsigned kRepeated = 192;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_residual = reads[1];
    const T grad_grad_gamma = reads[2];
    const T grad_grad_keep = reads[3];
    const T grad_out = reads[4];
    const T x = reads[5];
    const T gamma = reads[6];
    const T keep = reads[7];
    const rt::Mask<T> has_grad_grad_x = params[0] != T(0);
    const rt::Mask<T> has_grad_grad_gamma = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_keep = params[2] != T(0);
    const T mul0 = grad_out * keep;
    const T where0 = rt::where(has_grad_grad_x, grad_grad_x * gamma, T(0));
    const T where1 = rt::where(has_grad_grad_x, grad_grad_x * mul0, T(0));
    const T where2 = rt::where(has_grad_grad_gamma, grad_grad_gamma * x, T(0));
    const T add0 = where0 + where2;
    const T where3 = rt::where(has_grad_grad_gamma, grad_grad_gamma * mul0, T(0));
    const rt::Mask<T> logical_or0 = has_grad_grad_x | has_grad_grad_gamma;
    const T where4 = rt::where(logical_or0, add0 * keep, T(0));
    const T where5 = rt::where(has_grad_grad_keep, grad_grad_keep * (gamma * x), T(0));
    const T mul1 = grad_grad_keep * grad_out;
    const T where6 = rt::where(has_grad_grad_keep, mul1 * x, T(0));
    const T where7 = rt::where(has_grad_grad_keep, mul1 * gamma, T(0));
    writes[0] = grad_grad_residual + where4 + where5;
    writes[1] = where3 + where7;
    writes[2] = where1 + where6;
    writes[3] = rt::where(logical_or0, add0 * grad_out, T(0));
  }
};

}  // namespace fusewise::ops::layer_scale_residual
