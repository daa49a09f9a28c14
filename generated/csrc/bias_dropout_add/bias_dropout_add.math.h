// Generated from specs/bias/bias_dropout_add.yaml by `fusewise generate`. Do not edit.
//
// out = residual + ((x + bias) / (1 - p) if keep else 0)
//
// where0 = grad_out / (1 - p) if keep else 0
// grad_x = where0
// grad_residual = grad_out
// grad_bias = where0
//
// backward keeps keep: 4 B of float32 an element, arithmetic 10
// double_backward keeps grad_out, keep: 8 B of float32 an element, arithmetic 14
// forward: 4 read and 1 written for each element
// backward: 2 read and 1 written for each element; grad_residual equals grad_out, grad_bias equals
//     grad_x
// double_backward: 4 read and 1 written for each element
#pragma once

#include <fusewise/math/dtype.h>

namespace fusewise::ops::bias_dropout_add {

struct Forward {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 12;
  static constexpr unsigned kIntegers = 4;
  static constexpr unsigned kRepeated = 8;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 2 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T x = reads[0];
    const T residual = reads[1];
    const rt::Mask<T> keep = reads[2] != T(0);
    const T bias = reads[3];
    const T p = params[0];
    const T div_shared0 = rt::div_shared(x + bias, T(1) - p);
    const T where0 = rt::where(keep, div_shared0, T(0));
    writes[0] = residual + where0;
  }
};

struct Backward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 10;
  static constexpr unsigned kFull = 7;
  static constexpr unsigned kIntegers = 2;
  static constexpr unsigned kSummed = 16;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 1 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_out = reads[0];
    const rt::Mask<T> keep = reads[1] != T(0);
    const T p = params[0];
    const T div_shared0 = rt::div_shared(grad_out, T(1) - p);
    const T where0 = rt::where(keep, div_shared0, T(0));
    writes[0] = where0;
    writes[1] = grad_out;
    writes[2] = where0;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 14;
  static constexpr unsigned kIntegers = 16;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 4 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_residual = reads[1];
    const T grad_grad_bias = reads[2];
    const rt::Mask<T> keep = reads[4] != T(0);
    const T p = params[0];
    const rt::Mask<T> has_grad_grad_x = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_bias = params[2] != T(0);
    const T div_shared0 = rt::div_shared(grad_grad_x + grad_grad_bias, T(1) - p);
    const T where0 = rt::where(has_grad_grad_x | has_grad_grad_bias, div_shared0, T(0));
    const T where1 = rt::where(keep, where0, T(0));
    writes[0] = grad_grad_residual + where1;
  }
};

}  // namespace fusewise::ops::bias_dropout_add
