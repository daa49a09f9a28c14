// Generated from specs/bias/bias_add_residual.yaml by `fusewise generate`. Do not edit.
//
// out = x + bias + (other + other_bias)
//
// grad_x = grad_out
// grad_bias = grad_out
// grad_other = grad_out
// grad_other_bias = grad_out
//
// backward keeps nothing: 0 B of float32 an element, arithmetic 0
// double_backward keeps grad_out: 4 B of float32 an element, arithmetic 3
// forward: 4 read and 1 written for each element
// backward: 0 read and 0 written for each element; grad_x equals grad_out, grad_bias equals
//     grad_out, grad_other equals grad_out, grad_other_bias equals grad_out
// double_backward: 4 read and 1 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::bias_add_residual {

struct Forward {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 3;
  static constexpr unsigned kRowScalars = 10;
  static constexpr unsigned kRepeated = 10;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    const T bias = reads[1];
    const T other = reads[2];
    const T other_bias = reads[3];
    writes[0] = x + bias + (other + other_bias);
  }
};

struct Backward {
  static constexpr int kReads = 1;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kFull = 1;
  static constexpr unsigned kSummed = 4;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    writes[0] = grad_out;
    writes[1] = grad_out;
    writes[2] = grad_out;
    writes[3] = grad_out;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 3;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_bias = reads[1];
    const T grad_grad_other = reads[2];
    const T grad_grad_other_bias = reads[3];
    writes[0] = grad_grad_x + grad_grad_bias + grad_grad_other + grad_grad_other_bias;
  }
};

}  // namespace fusewise::ops::bias_add_residual
