// Generated from specs/losses/sapo_loss.yaml by `fusewise generate`. Do not edit.
//
// a = stop_grad(advantage)
// tau = tau_positive if a > 0 else tau_negative
// ratio = exp(logp - stop_grad(old_logp))
// out = -a * (4 / tau) * sigmoid(tau * (ratio - 1))
// grad_logp = -4 * grad_out * a * ratio * dsigmoid(tau * (ratio - 1))
//
// a = stop_grad(advantage)
// tau = tau_positive if a > 0 else tau_negative
// stop_grad0 = stop_grad(old_logp)
// sub0 = logp - stop_grad0
// ratio = exp(sub0)
// expm1_0 = expm1(sub0)
// dsigmoid0 = dsigmoid(tau * expm1_0)
// grad_logp = dsigmoid0 * ratio * a * (-4 * grad_out)
//
// backward keeps logp, old_logp, advantage: 12 B of float32 an element, arithmetic 57
// double_backward keeps grad_out, logp, old_logp, advantage: 16 B of float32 an element, arithmetic
//     83
// forward: 3 read and 1 written for each element
// backward: 4 read and 1 written for each element
// double_backward: 5 read and 2 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::sapo_loss {

struct Forward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 45;
  static constexpr unsigned kRowScalars = 4;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 4;
  static constexpr unsigned kRepeated = 4;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T advantage = reads[2];
    const T tau_positive = params[0];
    const T tau_negative = params[1];
    const T tau = rt::where(advantage > T(0), tau_positive, tau_negative);
    hoisted[0] = T(4) / tau;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T logp = reads[0];
    const T old_logp = reads[1];
    const T advantage = reads[2];
    const T tau_positive = params[0];
    const T tau_negative = params[1];
    const T tau = rt::where(advantage > T(0), tau_positive, tau_negative);
    const T expm1_0 = rt::expm1(logp - old_logp);
    const T mul0 = tau * expm1_0;
    const T abs0 = rt::abs(mul0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T where0 = rt::where(mul0 >= T(0), div_moderate0, exp0 * div_moderate0);
    writes[0] = -(where0 * advantage * hoisted[0]);
  }
};

struct Backward {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 55;
  static constexpr unsigned kRowScalars = 8;
  static constexpr unsigned kRepeated = 8;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_out = reads[0];
    const T logp = reads[1];
    const T old_logp = reads[2];
    const T advantage = reads[3];
    const T tau_positive = params[0];
    const T tau_negative = params[1];
    const T tau = rt::where(advantage > T(0), tau_positive, tau_negative);
    const T sub0 = logp - old_logp;
    const T ratio = rt::exp(sub0);
    const T expm1_0 = rt::expm1(sub0);
    const T abs0 = rt::abs(tau * expm1_0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0 * div_moderate0 * ratio * advantage;
    writes[0] = mul0 * (T(-4) * grad_out);
  }
};

struct DoubleBackward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 81;
  static constexpr unsigned kRepeated = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_logp = reads[0];
    const T grad_out = reads[1];
    const T logp = reads[2];
    const T old_logp = reads[3];
    const T advantage = reads[4];
    const T tau_positive = params[0];
    const T tau_negative = params[1];
    const T mul0 = T(-4) * grad_grad_logp;
    const T tau = rt::where(advantage > T(0), tau_positive, tau_negative);
    const T sub0 = logp - old_logp;
    const T ratio = rt::exp(sub0);
    const T expm1_0 = rt::expm1(sub0);
    const T mul1 = tau * expm1_0;
    const T abs0 = rt::abs(mul1);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul2 = exp0 * div_moderate0;
    const T mul3 = mul2 * div_moderate0 * ratio;
    const T mul4 = mul3 * advantage;
    const T mul5 = T(0.5) * mul1;
    const T mul6 = mul3 * ratio * advantage * tau;
    const T tanh_near_zero0 = rt::tanh_near_zero(mul5);
    const T mul7 = T(2) * mul2;
    const T where0 = rt::where(mul5 < T(0), mul7 - T(1), T(1) - mul7);
    const T where1 = rt::where(abs0 < T(1.2), tanh_near_zero0, where0);
    const T mul8 = mul6 * (T(-4) * where1 * grad_grad_logp * grad_out);
    writes[0] = mul4 * mul0;
    writes[1] = mul4 * (mul0 * grad_out) - mul8;
  }
};

}  // namespace fusewise::ops::sapo_loss
