// Generated from specs/gates/gdn_gate.yaml by `fusewise generate`. Do not edit.
//
// out = -exp(a_log) * softplus(g + dt_bias)
//
// exp0 = exp(a_log)
// add0 = g + dt_bias
// softplus0 = softplus(add0)
// sigmoid0 = sigmoid(add0)
// neg0 = -(grad_out * exp0 * sigmoid0)
// grad_g = neg0
// grad_a_log = -(grad_out * softplus0 * exp0)
// grad_dt_bias = neg0
//
// backward keeps g, a_log, dt_bias: 12 B of float32 an element, arithmetic 57
// double_backward keeps grad_out, g, a_log, dt_bias: 16 B of float32 an element, arithmetic 82
// forward: 3 read and 1 written for each element
// backward: 4 read and 2 written for each element; grad_dt_bias equals grad_g
// double_backward: 7 read and 3 written for each element; grad_dt_bias equals grad_g
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::gdn_gate {

struct Forward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 41;
  static constexpr unsigned kRepeated = 6;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T g = reads[0];
    const T a_log = reads[1];
    const T dt_bias = reads[2];
    const T exp0 = rt::exp(a_log);
    const T add0 = g + dt_bias;
    const T maximum0 = rt::maximum(add0, T(0));
    const T abs0 = rt::abs(add0);
    const T exp1 = rt::exp(-abs0);
    const T log1p_unit0 = rt::log1p_unit(exp1);
    writes[0] = -(exp0 * (maximum0 + log1p_unit0));
  }
};

struct Backward {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 57;
  static constexpr unsigned kFull = 19;
  static constexpr unsigned kRepeated = 12;
  static constexpr unsigned kSummed = 96;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T g = reads[1];
    const T a_log = reads[2];
    const T dt_bias = reads[3];
    const T exp0 = rt::exp(a_log);
    const T add0 = g + dt_bias;
    const T maximum0 = rt::maximum(add0, T(0));
    const T abs0 = rt::abs(add0);
    const T exp1 = rt::exp(-abs0);
    const T log1p_unit0 = rt::log1p_unit(exp1);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp1);
    const T where0 = rt::where(add0 >= T(0), div_moderate0, exp1 * div_moderate0);
    const T neg0 = -(grad_out * exp0 * where0);
    writes[0] = neg0;
    writes[1] = -(grad_out * (maximum0 + log1p_unit0) * exp0);
    writes[2] = neg0;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 82;
  static constexpr unsigned kRepeated = 96;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_g = reads[0];
    const T grad_grad_a_log = reads[1];
    const T grad_grad_dt_bias = reads[2];
    const T grad_out = reads[3];
    const T g = reads[4];
    const T a_log = reads[5];
    const T dt_bias = reads[6];
    const rt::Mask<T> has_grad_grad_g = params[0] != T(0);
    const rt::Mask<T> has_grad_grad_a_log = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_dt_bias = params[2] != T(0);
    const T exp0 = rt::exp(a_log);
    const T add0 = g + dt_bias;
    const T maximum0 = rt::maximum(add0, T(0));
    const T abs0 = rt::abs(add0);
    const T exp1 = rt::exp(-abs0);
    const T log1p_unit0 = rt::log1p_unit(exp1);
    const T add1 = maximum0 + log1p_unit0;
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp1);
    const T mul0 = exp1 * div_moderate0;
    const T where0 = rt::where(add0 >= T(0), div_moderate0, mul0);
    const T add2 = grad_grad_g + grad_grad_dt_bias;
    const T mul1 = grad_grad_a_log * exp0;
    const rt::Mask<T> logical_or0 = has_grad_grad_g | has_grad_grad_dt_bias;
    const T where1 = rt::where(has_grad_grad_a_log, -(grad_grad_a_log * (grad_out * add1)), T(0));
    const T mul2 = add2 * where0;
    const T neg0 = -(add2 * (grad_out * exp0) * (mul0 * div_moderate0));
    const T where2 = rt::where(logical_or0, neg0, T(0));
    const T where3 = rt::where(logical_or0, -(mul2 * exp0), T(0));
    const T where4 = rt::where(logical_or0, -(mul2 * grad_out), T(0));
    const T where5 = rt::where(has_grad_grad_a_log, -(mul1 * add1), T(0));
    const T where6 = rt::where(has_grad_grad_a_log, -(mul1 * grad_out * where0), T(0));
    const T add3 = where2 + where6;
    writes[0] = where3 + where5;
    writes[1] = add3;
    writes[2] = (where1 + where4) * exp0;
    writes[3] = add3;
  }
};

}  // namespace fusewise::ops::gdn_gate
