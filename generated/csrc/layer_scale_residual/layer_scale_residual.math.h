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
// double_backward keeps grad_out, x, gamma, keep: 16 B of float32 an element, arithmetic 17
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
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 17;
  static constexpr unsigned kRepeated = 192;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_residual = reads[1];
    const T grad_grad_gamma = reads[2];
    const T grad_grad_keep = reads[3];
    const T grad_out = reads[4];
    const T x = reads[5];
    const T gamma = reads[6];
    const T keep = reads[7];
    const T mul0 = grad_out * keep;
    const T add0 = grad_grad_x * gamma + grad_grad_gamma * x;
    const T mul1 = grad_grad_keep * grad_out;
    writes[0] = grad_grad_residual + add0 * keep + grad_grad_keep * (gamma * x);
    writes[1] = grad_grad_gamma * mul0 + mul1 * gamma;
    writes[2] = grad_grad_x * mul0 + mul1 * x;
    writes[3] = add0 * grad_out;
  }
};

}  // namespace fusewise::ops::layer_scale_residual
