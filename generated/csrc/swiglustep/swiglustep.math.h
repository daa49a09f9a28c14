// Generated from specs/gated/swiglustep.yaml by `fusewise generate`. Do not edit.
//
// out = clamp(silu(gate), -inf, limit) * clamp(up, -limit, limit)
//
// silu0 = silu(gate)
// clamp0 = clamp(silu0, -inf, limit)
// neg0 = -limit
// clamp1 = clamp(up, neg0, limit)
// sigmoid0 = sigmoid(gate)
// dsigmoid0 = dsigmoid(gate)
// mul0 = grad_out * clamp1 * (sigmoid0 + gate * dsigmoid0)
// grad_gate = mul0 if silu0 <= limit else 0
// grad_up = grad_out * clamp0 if up >= neg0 and up <= limit else 0
//
// backward keeps x: 8 B of float32 an element, arithmetic 47
// double_backward keeps grad_out, x: 12 B of float32 an element, arithmetic 81
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::swiglustep {

struct Forward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 36;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T gate = reads[0];
    const T up = reads[1];
    const T limit = params[0];
    const T abs0 = rt::abs(gate);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T where0 = rt::where(gate >= T(0), div_moderate0, exp0 * div_moderate0);
    const T minimum0 = rt::minimum(gate * where0, limit);
    const T maximum0 = rt::maximum(up, -limit);
    const T minimum1 = rt::minimum(maximum0, limit);
    writes[0] = minimum0 * minimum1;
  }
};

struct Backward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 47;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_out = reads[0];
    const T gate = reads[1];
    const T up = reads[2];
    const T limit = params[0];
    const T neg0 = -limit;
    const T abs0 = rt::abs(gate);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T where0 = rt::where(gate >= T(0), div_moderate0, mul0);
    const T mul1 = gate * where0;
    const T minimum0 = rt::minimum(mul1, limit);
    const T maximum0 = rt::maximum(up, neg0);
    const T minimum1 = rt::minimum(maximum0, limit);
    const T mul2 = grad_out * minimum1 * (where0 + gate * (mul0 * div_moderate0));
    writes[0] = rt::where(mul1 <= limit, mul2, T(0));
    writes[1] = rt::where((up >= neg0) & (up <= limit), grad_out * minimum0, T(0));
  }
};

struct DoubleBackward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 81;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_gate = reads[0];
    const T grad_grad_up = reads[1];
    const T grad_out = reads[2];
    const T gate = reads[3];
    const T up = reads[4];
    const T limit = params[0];
    const T neg0 = -limit;
    const rt::Mask<T> logical_and0 = (up >= neg0) & (up <= limit);
    const T abs0 = rt::abs(gate);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T where0 = rt::where(gate >= T(0), div_moderate0, mul0);
    const T mul1 = gate * where0;
    const T minimum0 = rt::minimum(mul1, limit);
    const T maximum0 = rt::maximum(up, neg0);
    const T minimum1 = rt::minimum(maximum0, limit);
    const rt::Mask<T> le0 = mul1 <= limit;
    const T mul2 = mul0 * div_moderate0;
    const T mul3 = gate * mul2;
    const T add0 = where0 + mul3;
    const T mul4 = T(0.5) * gate;
    const T mul5 = grad_grad_gate * add0;
    const T mul6 = grad_grad_gate * (grad_out * minimum1) * mul2;
    const T where1 = rt::where(logical_and0, grad_grad_up * minimum0, T(0));
    const T where2 = rt::where(le0, mul5 * minimum1, T(0));
    const T where3 = rt::where(le0, mul5 * grad_out, T(0));
    const T where4 = rt::where(logical_and0, grad_grad_up * grad_out * add0, T(0));
    const T tanh_near_zero0 = rt::tanh_near_zero(mul4);
    const T mul7 = T(2) * mul0;
    const T where5 = rt::where(mul4 < T(0), mul7 - T(1), T(1) - mul7);
    const T where6 = rt::where(abs0 < T(1.2), tanh_near_zero0, where5);
    const T sub0 = mul6 - mul3 * (where6 * grad_grad_gate * grad_out * minimum1);
    writes[0] = where1 + where2;
    writes[1] = rt::where(le0, sub0 + mul6 + where4, T(0));
    writes[2] = rt::where(logical_and0, where3, T(0));
  }
};

}  // namespace fusewise::ops::swiglustep
