// Generated from specs/gated/clamped_swiglu.yaml by `fusewise generate`. Do not edit.
//
// out = silu(clamp(gate, -inf, limit)) * clamp(up, -limit, limit)
//
// clamp0 = clamp(gate, -inf, limit)
// silu0 = silu(clamp0)
// neg0 = -limit
// clamp1 = clamp(up, neg0, limit)
// sigmoid0 = sigmoid(clamp0)
// dsigmoid0 = dsigmoid(clamp0)
// mul0 = grad_out * clamp1 * (sigmoid0 + clamp0 * dsigmoid0)
// grad_gate = mul0 if gate <= limit else 0
// grad_up = grad_out * silu0 if up >= neg0 and up <= limit else 0
//
// backward keeps x: 8 B of float32 an element, arithmetic 47
// double_backward keeps grad_out, x: 12 B of float32 an element, arithmetic 82
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::clamped_swiglu {

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
    const T minimum0 = rt::minimum(gate, limit);
    const T abs0 = rt::abs(minimum0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T where0 = rt::where(minimum0 >= T(0), div_moderate0, exp0 * div_moderate0);
    const T maximum0 = rt::maximum(up, -limit);
    const T minimum1 = rt::minimum(maximum0, limit);
    writes[0] = minimum0 * where0 * minimum1;
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
    const rt::Mask<T> logical_and0 = (up >= neg0) & (up <= limit);
    const T minimum0 = rt::minimum(gate, limit);
    const T abs0 = rt::abs(minimum0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T where0 = rt::where(minimum0 >= T(0), div_moderate0, mul0);
    const T maximum0 = rt::maximum(up, neg0);
    const T minimum1 = rt::minimum(maximum0, limit);
    const T mul1 = grad_out * minimum1 * (where0 + minimum0 * (mul0 * div_moderate0));
    writes[0] = rt::where(gate <= limit, mul1, T(0));
    writes[1] = rt::where(logical_and0, grad_out * (minimum0 * where0), T(0));
  }
};

struct DoubleBackward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 82;

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
    const rt::Mask<T> le0 = gate <= limit;
    const T minimum0 = rt::minimum(gate, limit);
    const T abs0 = rt::abs(minimum0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T where0 = rt::where(minimum0 >= T(0), div_moderate0, mul0);
    const T maximum0 = rt::maximum(up, neg0);
    const T minimum1 = rt::minimum(maximum0, limit);
    const T mul1 = mul0 * div_moderate0;
    const T mul2 = minimum0 * mul1;
    const T add0 = where0 + mul2;
    const T mul3 = grad_grad_gate * add0;
    const T mul4 = grad_grad_gate * (grad_out * minimum1) * mul1;
    const T mul5 = T(0.5) * minimum0;
    const T where1 = rt::where(logical_and0, grad_grad_up * (minimum0 * where0), T(0));
    const T where2 = rt::where(le0, mul3 * minimum1, T(0));
    const T where3 = rt::where(le0, mul3 * grad_out, T(0));
    const T where4 = rt::where(logical_and0, grad_grad_up * grad_out * add0, T(0));
    const T tanh_near_zero0 = rt::tanh_near_zero(mul5);
    const T mul6 = T(2) * mul0;
    const T where5 = rt::where(mul5 < T(0), mul6 - T(1), T(1) - mul6);
    const T where6 = rt::where(abs0 < T(1.2), tanh_near_zero0, where5);
    const T sub0 = mul4 - mul2 * (where6 * grad_grad_gate * grad_out * minimum1);
    const T where7 = rt::where(le0, sub0 + mul4, T(0));
    writes[0] = where1 + where2;
    writes[1] = rt::where(le0, where7 + where4, T(0));
    writes[2] = rt::where(logical_and0, where3, T(0));
  }
};

}  // namespace fusewise::ops::clamped_swiglu
