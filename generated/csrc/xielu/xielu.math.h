// Generated from specs/activations/xielu.yaml by `fusewise generate`. Do not edit.
//
// curvature = softplus(alpha_p)
// decay = beta + softplus(alpha_n)
// out = curvature * square(x) + beta * x if x > 0 else decay * (expm1(x) - x) + beta * x
//
// curvature = softplus(alpha_p)
// softplus0 = softplus(alpha_n)
// decay = beta + softplus0
// gt0 = x > 0
// square0 = square(x)
// expm1_0 = expm1(x)
// exp_remainder0 = exp_remainder(x)
// mul0 = grad_out * curvature * (2 * x)
// where0 = mul0 if gt0 else grad_out * decay * expm1_0
// sigmoid0 = sigmoid(alpha_n)
// sigmoid1 = sigmoid(alpha_p)
// grad_x = where0 + grad_out * beta
// grad_alpha_p = grad_out * square0 * sigmoid1 if gt0 else 0
// grad_alpha_n = 0 if gt0 else grad_out * exp_remainder0 * sigmoid0
//
// backward keeps x, alpha_p, alpha_n: 12 B of float32 an element, arithmetic 141
// double_backward keeps grad_out, x, alpha_p, alpha_n: 16 B of float32 an element, arithmetic 193
// forward: 3 read and 1 written for each element
// backward: 4 read and 3 written for each element
// double_backward: 7 read and 4 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::xielu {

struct Forward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 38;
  static constexpr unsigned kRowScalars = 6;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 6;
  static constexpr unsigned kRepeated = 6;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T alpha_p = reads[1];
    const T alpha_n = reads[2];
    const T beta = params[0];
    const T maximum0 = rt::maximum(alpha_p, T(0));
    const T abs0 = rt::abs(alpha_p);
    const T exp0 = rt::exp(-abs0);
    const T log1p_unit0 = rt::log1p_unit(exp0);
    const T curvature = maximum0 + log1p_unit0;
    const T maximum1 = rt::maximum(alpha_n, T(0));
    const T abs1 = rt::abs(alpha_n);
    const T exp1 = rt::exp(-abs1);
    const T log1p_unit1 = rt::log1p_unit(exp1);
    const T decay = beta + (maximum1 + log1p_unit1);
    hoisted[0] = curvature;
    hoisted[1] = decay;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T x = reads[0];
    const T beta = params[0];
    const T curvature = hoisted[0];
    const T decay = hoisted[1];
    const T mul0 = beta * x;
    const T exp_remainder0 = rt::exp_remainder(x);
    const T add0 = curvature * (x * x) + mul0;
    writes[0] = rt::where(x > T(0), add0, decay * exp_remainder0 + mul0);
  }
};

struct Backward {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 60;
  static constexpr unsigned kFull = 19;
  static constexpr unsigned kRowScalars = 12;
  static constexpr unsigned kHoisted = 4;
  static constexpr unsigned kHoistedFrom = 12;
  static constexpr unsigned kRepeated = 12;
  static constexpr unsigned kSummed = 96;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T alpha_p = reads[2];
    const T alpha_n = reads[3];
    const T beta = params[0];
    const T maximum0 = rt::maximum(alpha_p, T(0));
    const T abs0 = rt::abs(alpha_p);
    const T exp0 = rt::exp(-abs0);
    const T log1p_unit0 = rt::log1p_unit(exp0);
    const T curvature = maximum0 + log1p_unit0;
    const T maximum1 = rt::maximum(alpha_n, T(0));
    const T abs1 = rt::abs(alpha_n);
    const T exp1 = rt::exp(-abs1);
    const T log1p_unit1 = rt::log1p_unit(exp1);
    const T decay = beta + (maximum1 + log1p_unit1);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp1);
    const T where1 = rt::where(alpha_n >= T(0), div_moderate0, exp1 * div_moderate0);
    const T div_moderate1 = rt::div_moderate(T(1), T(1) + exp0);
    const T where2 = rt::where(alpha_p >= T(0), div_moderate1, exp0 * div_moderate1);
    hoisted[0] = curvature;
    hoisted[1] = decay;
    hoisted[2] = where1;
    hoisted[3] = where2;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T beta = params[0];
    const T curvature = hoisted[0];
    const T decay = hoisted[1];
    const T where1 = hoisted[2];
    const T where2 = hoisted[3];
    const rt::Mask<T> gt0 = x > T(0);
    const T expm1_0 = rt::expm1(x);
    const T exp_remainder0 = rt::exp_remainder(x);
    const T mul0 = grad_out * curvature * (T(2) * x);
    const T where0 = rt::where(gt0, mul0, grad_out * decay * expm1_0);
    writes[0] = where0 + grad_out * beta;
    writes[1] = rt::where(gt0, grad_out * (x * x) * where2, T(0));
    writes[2] = rt::where(gt0, T(0), grad_out * exp_remainder0 * where1);
  }
};

struct DoubleBackward {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 193;
  static constexpr unsigned kRepeated = 96;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_alpha_p = reads[1];
    const T grad_grad_alpha_n = reads[2];
    const T grad_out = reads[3];
    const T x = reads[4];
    const T alpha_p = reads[5];
    const T alpha_n = reads[6];
    const T beta = params[0];
    const rt::Mask<T> has_grad_grad_x = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_alpha_p = params[2] != T(0);
    const rt::Mask<T> has_grad_grad_alpha_n = params[3] != T(0);
    const rt::Mask<T> gt0 = x > T(0);
    const T expm1_0 = rt::expm1(x);
    const T exp_remainder0 = rt::exp_remainder(x);
    const T mul0 = T(2) * x;
    const T maximum0 = rt::maximum(alpha_p, T(0));
    const T abs0 = rt::abs(alpha_p);
    const T exp0 = rt::exp(-abs0);
    const T log1p_unit0 = rt::log1p_unit(exp0);
    const T curvature = maximum0 + log1p_unit0;
    const T maximum1 = rt::maximum(alpha_n, T(0));
    const T abs1 = rt::abs(alpha_n);
    const T exp1 = rt::exp(-abs1);
    const T log1p_unit1 = rt::log1p_unit(exp1);
    const T decay = beta + (maximum1 + log1p_unit1);
    const T mul1 = x * x;
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp1);
    const T mul2 = exp1 * div_moderate0;
    const T where0 = rt::where(alpha_n >= T(0), div_moderate0, mul2);
    const T div_moderate1 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul3 = exp0 * div_moderate1;
    const T where1 = rt::where(alpha_p >= T(0), div_moderate1, mul3);
    const T mul4 = grad_grad_x * mul0;
    const T where2 = rt::where(has_grad_grad_x, grad_grad_x * beta, T(0));
    const T mul5 = grad_grad_x * expm1_0;
    const T exp2 = rt::exp(x);
    const T mul6 = grad_grad_alpha_p * where1;
    const T where3 = rt::where(has_grad_grad_alpha_p, grad_grad_alpha_p * (grad_out * mul1) * (mul3
        * div_moderate1), T(0));
    const T mul7 = grad_grad_alpha_n * where0;
    const T where4 = rt::where(has_grad_grad_alpha_n, grad_grad_alpha_n * (grad_out *
        exp_remainder0) * (mul2 * div_moderate0), T(0));
    const T where5 = rt::where(has_grad_grad_x, grad_grad_x * (grad_out * curvature) * T(2), T(0));
    const T where6 = rt::where(has_grad_grad_x, mul4 * curvature, T(0));
    const T where7 = rt::where(has_grad_grad_alpha_p, mul6 * mul1, T(0));
    const T where8 = rt::where(has_grad_grad_x, mul5 * decay, T(0));
    const T where9 = rt::where(has_grad_grad_alpha_n, mul7 * exp_remainder0, T(0));
    const T where10 = rt::where(gt0, where6 + where7, where8 + where9);
    const T where11 = rt::where(has_grad_grad_alpha_n, mul7 * grad_out * expm1_0, T(0));
    const T where12 = rt::where(has_grad_grad_x, grad_grad_x * (grad_out * decay) * exp2, T(0));
    const T where13 = rt::where(has_grad_grad_alpha_p, mul6 * grad_out * mul0, T(0));
    const T where14 = rt::where(has_grad_grad_x, mul5 * grad_out * where0, T(0));
    const T where15 = rt::where(has_grad_grad_x, mul4 * grad_out * where1, T(0));
    writes[0] = where10 + where2;
    writes[1] = rt::where(gt0, where5 + where13, where11 + where12);
    writes[2] = rt::where(gt0, where3 + where15, T(0));
    writes[3] = rt::where(gt0, T(0), where4 + where14);
  }
};

}  // namespace fusewise::ops::xielu
