// Generated from specs/gates/kda_gate.yaml by `fusewise generate`. Do not edit.
//
// rate = exp(a_log)
// out = lower_bound * sigmoid(rate * (g + dt_bias))
//
// rate = exp(a_log)
// add0 = g + dt_bias
// mul0 = grad_out * lower_bound
// dsigmoid0 = dsigmoid(rate * add0)
// mul1 = mul0 * dsigmoid0 * rate
// grad_g = mul1
// grad_a_log = dsigmoid0 * rate * add0 * mul0
// grad_dt_bias = mul1
//
// backward keeps g, a_log, dt_bias: 12 B of float32 an element, arithmetic 41
// double_backward keeps grad_out, g, a_log, dt_bias: 16 B of float32 an element, arithmetic 89
// forward: 3 read and 1 written for each element
// backward: 4 read and 2 written for each element; grad_dt_bias equals grad_g
// double_backward: 7 read and 3 written for each element; grad_dt_bias equals grad_g
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::kda_gate {

struct Forward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 27;
  static constexpr unsigned kRowScalars = 2;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 2;
  static constexpr unsigned kRepeated = 6;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T a_log = reads[1];
    const T rate = rt::exp(a_log);
    hoisted[0] = rate;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T g = reads[0];
    const T dt_bias = reads[2];
    const T lower_bound = params[0];
    const T rate = hoisted[0];
    const T mul0 = rate * (g + dt_bias);
    const T abs0 = rt::abs(mul0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T where0 = rt::where(mul0 >= T(0), div_moderate0, exp0 * div_moderate0);
    writes[0] = lower_bound * where0;
  }
};

struct Backward {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 31;
  static constexpr unsigned kFull = 19;
  static constexpr unsigned kRowScalars = 4;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 4;
  static constexpr unsigned kRepeated = 12;
  static constexpr unsigned kSummed = 96;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T a_log = reads[2];
    const T rate = rt::exp(a_log);
    hoisted[0] = rate;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_out = reads[0];
    const T g = reads[1];
    const T dt_bias = reads[3];
    const T lower_bound = params[0];
    const T rate = hoisted[0];
    const T add0 = g + dt_bias;
    const T mul0 = grad_out * lower_bound;
    const T abs0 = rt::abs(rate * add0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul1 = exp0 * div_moderate0 * div_moderate0;
    const T mul2 = mul0 * mul1 * rate;
    writes[0] = mul2;
    writes[1] = mul1 * rate * add0 * mul0;
    writes[2] = mul2;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 89;
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
    const T lower_bound = params[0];
    const rt::Mask<T> has_grad_grad_g = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_a_log = params[2] != T(0);
    const rt::Mask<T> has_grad_grad_dt_bias = params[3] != T(0);
    const T rate = rt::exp(a_log);
    const T add0 = g + dt_bias;
    const T mul0 = rate * add0;
    const T mul1 = grad_out * lower_bound;
    const T abs0 = rt::abs(mul0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul2 = exp0 * div_moderate0;
    const T mul3 = mul2 * div_moderate0;
    const T mul4 = mul3 * rate;
    const T add1 = grad_grad_g + grad_grad_dt_bias;
    const T mul5 = grad_grad_a_log * mul1;
    const T where0 = rt::where(has_grad_grad_a_log, mul5 * add0 * rate, T(0));
    const T mul6 = add1 * rate;
    const rt::Mask<T> logical_or0 = has_grad_grad_g | has_grad_grad_dt_bias;
    const T where1 = rt::where(logical_or0, mul6 * mul1, T(0));
    const T add2 = where0 + where1;
    const T mul7 = T(0.5) * mul0;
    const T where2 = rt::where(has_grad_grad_a_log, grad_grad_a_log * (mul4 * add0), T(0));
    const T where3 = rt::where(has_grad_grad_a_log, mul5 * mul4, T(0));
    const T where4 = rt::where(logical_or0, add1 * (mul1 * mul3), T(0));
    const T where5 = rt::where(logical_or0, mul6 * mul3, T(0));
    const T where6 = rt::where(has_grad_grad_a_log, mul3 * add0 * (grad_grad_a_log * grad_out *
        lower_bound), T(0));
    const T tanh_near_zero0 = rt::tanh_near_zero(mul7);
    const T mul8 = T(2) * mul2;
    const T where7 = rt::where(mul7 < T(0), mul8 - T(1), T(1) - mul8);
    const T where8 = rt::where(abs0 < T(1.2), tanh_near_zero0, where7);
    const T sub0 = where6 + where4 - mul3 * add2 * add0 * where8;
    const T sub1 = where3 - mul4 * add2 * where8;
    writes[0] = (where2 + where5) * lower_bound;
    writes[1] = sub1;
    writes[2] = sub0 * rate;
    writes[3] = sub1;
  }
};

}  // namespace fusewise::ops::kda_gate
