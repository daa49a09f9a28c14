// Generated from specs/losses/sigmoid_focal_loss.yaml by `fusewise generate`. Do not edit.
//
// z = x if target else -x
// weight = alpha if target else 1 - alpha
// modulation = exp(gamma * logsigmoid(-z))
// out = -weight * modulation * logsigmoid(z)
//
// z = x if target else -x
// weight = alpha if target else 1 - alpha
// neg0 = -z
// logsigmoid0 = logsigmoid(neg0)
// modulation = exp(gamma * logsigmoid0)
// logsigmoid1 = logsigmoid(z)
// sigmoid0 = sigmoid(neg0)
// sigmoid1 = sigmoid(z)
// mul0 = modulation * sigmoid1 * logsigmoid1 * weight * (grad_out * gamma)
// sub0 = mul0 - modulation * sigmoid0 * weight * grad_out
// grad_x = sub0 if target else -sub0
//
// backward keeps x, target: 8 B of float32 an element, arithmetic 73
// double_backward keeps grad_out, x, target: 12 B of float32 an element, arithmetic 94
// forward: 2 read and 1 written for each element
// backward: 3 read and 1 written for each element
// double_backward: 4 read and 2 written for each element
#pragma once

#include <fusewise/math/dtype.h>

namespace fusewise::ops::sigmoid_focal_loss {

struct Forward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 51;
  static constexpr unsigned kIntegers = 2;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 1 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T x = reads[0];
    const rt::Mask<T> target = reads[1] != T(0);
    const T gamma = params[0];
    const T alpha = params[1];
    const T z = rt::where(target, x, -x);
    const T weight = rt::where(target, alpha, T(1) - alpha);
    const T minimum0 = rt::minimum(-z, T(0));
    const T abs0 = rt::abs(z);
    const T exp0 = rt::exp(-abs0);
    const T log1p_unit0 = rt::log1p_unit(exp0);
    const T modulation = rt::exp(gamma * (minimum0 - log1p_unit0));
    const T minimum1 = rt::minimum(z, T(0));
    writes[0] = -(weight * modulation * (minimum1 - log1p_unit0));
  }
};

struct Backward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 73;
  static constexpr unsigned kIntegers = 4;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 2 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const rt::Mask<T> target = reads[2] != T(0);
    const T gamma = params[0];
    const T alpha = params[1];
    const T z = rt::where(target, x, -x);
    const T weight = rt::where(target, alpha, T(1) - alpha);
    const T neg0 = -z;
    const T minimum0 = rt::minimum(neg0, T(0));
    const T abs0 = rt::abs(z);
    const T exp0 = rt::exp(-abs0);
    const T log1p_unit0 = rt::log1p_unit(exp0);
    const T modulation = rt::exp(gamma * (minimum0 - log1p_unit0));
    const T minimum1 = rt::minimum(z, T(0));
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T where0 = rt::where(neg0 >= T(0), div_moderate0, mul0);
    const T where1 = rt::where(z >= T(0), div_moderate0, mul0);
    const T mul1 = modulation * where0 * weight * grad_out;
    const T mul2 = modulation * where1 * (minimum1 - log1p_unit0) * weight;
    const T sub0 = mul2 * (grad_out * gamma) - mul1;
    writes[0] = rt::where(target, sub0, -sub0);
  }
};

struct DoubleBackward {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 94;
  static constexpr unsigned kIntegers = 8;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 3 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_out = reads[1];
    const T x = reads[2];
    const rt::Mask<T> target = reads[3] != T(0);
    const T gamma = params[0];
    const T alpha = params[1];
    const T z = rt::where(target, x, -x);
    const T weight = rt::where(target, alpha, T(1) - alpha);
    const T neg0 = -z;
    const T mul0 = grad_out * gamma;
    const T minimum0 = rt::minimum(neg0, T(0));
    const T abs0 = rt::abs(z);
    const T exp0 = rt::exp(-abs0);
    const T log1p_unit0 = rt::log1p_unit(exp0);
    const T modulation = rt::exp(gamma * (minimum0 - log1p_unit0));
    const T minimum1 = rt::minimum(z, T(0));
    const T sub0 = minimum1 - log1p_unit0;
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul1 = exp0 * div_moderate0;
    const T where0 = rt::where(neg0 >= T(0), div_moderate0, mul1);
    const T where1 = rt::where(z >= T(0), div_moderate0, mul1);
    const T where2 = rt::where(target, grad_grad_x, -grad_grad_x);
    const T mul2 = modulation * where1 * where2;
    const T mul3 = modulation * where0 * where2 * weight;
    const T mul4 = modulation * (mul1 * div_moderate0) * where2 * weight;
    const T mul5 = mul2 * weight * sub0 * (mul0 * gamma);
    const T sub1 = (mul5 - mul3 * mul0) * where1 - mul4 * grad_out;
    const T sub2 = mul4 * sub0 * mul0 + mul4 * mul0 - sub1;
    writes[0] = mul2 * sub0 * weight * gamma - mul3;
    writes[1] = rt::where(target, sub2, -sub2);
  }
};

}  // namespace fusewise::ops::sigmoid_focal_loss
