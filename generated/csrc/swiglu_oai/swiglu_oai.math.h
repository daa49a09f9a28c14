// Generated from specs/gated/swiglu_oai.yaml by `fusewise generate`. Do not edit.
//
// bounded_gate = clamp(gate, -inf, limit)
// bounded_up = clamp(up, -limit, limit)
// out = (bounded_up + 1) * (bounded_gate * sigmoid(alpha * bounded_gate))
//
// bounded_gate = clamp(gate, -inf, limit)
// neg0 = -limit
// bounded_up = clamp(up, neg0, limit)
// mul0 = alpha * bounded_gate
// sigmoid0 = sigmoid(mul0)
// mul1 = grad_out * (bounded_up + 1)
// dsigmoid0 = dsigmoid(mul0)
// logical_and0 = up >= neg0 and up <= limit
// add0 = mul1 * sigmoid0 + dsigmoid0 * bounded_gate * (mul1 * alpha)
// grad_gate = add0 if gate <= limit else 0
// grad_up = grad_out * (bounded_gate * sigmoid0) if logical_and0 else 0
//
// backward keeps x: 8 B of float32 an element, arithmetic 51
// double_backward keeps grad_out, x: 12 B of float32 an element, arithmetic 100
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::swiglu_oai {

struct Forward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 38;
  static constexpr unsigned kInterleaved = 1;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T gate = reads[0];
    const T up = reads[1];
    const T alpha = params[0];
    const T limit = params[1];
    const T bounded_gate = rt::minimum(gate, limit);
    const T maximum0 = rt::maximum(up, -limit);
    const T bounded_up = rt::minimum(maximum0, limit);
    const T mul0 = alpha * bounded_gate;
    const T abs0 = rt::abs(mul0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T where0 = rt::where(mul0 >= T(0), div_moderate0, exp0 * div_moderate0);
    writes[0] = (bounded_up + T(1)) * (bounded_gate * where0);
  }
};

struct Backward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 51;
  static constexpr unsigned kInterleaved = 10;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_out = reads[0];
    const T gate = reads[1];
    const T up = reads[2];
    const T alpha = params[0];
    const T limit = params[1];
    const T neg0 = -limit;
    const rt::Mask<T> logical_and0 = (up >= neg0) & (up <= limit);
    const T bounded_gate = rt::minimum(gate, limit);
    const T maximum0 = rt::maximum(up, neg0);
    const T bounded_up = rt::minimum(maximum0, limit);
    const T mul0 = alpha * bounded_gate;
    const T abs0 = rt::abs(mul0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul1 = exp0 * div_moderate0;
    const T where0 = rt::where(mul0 >= T(0), div_moderate0, mul1);
    const T mul2 = grad_out * (bounded_up + T(1));
    const T mul3 = mul1 * div_moderate0 * bounded_gate * (mul2 * alpha);
    writes[0] = rt::where(gate <= limit, mul2 * where0 + mul3, T(0));
    writes[1] = rt::where(logical_and0, grad_out * (bounded_gate * where0), T(0));
  }
};

struct DoubleBackward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 100;
  static constexpr unsigned kInterleaved = 73;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_gate = reads[0];
    const T grad_grad_up = reads[1];
    const T grad_out = reads[2];
    const T gate = reads[3];
    const T up = reads[4];
    const T alpha = params[0];
    const T limit = params[1];
    const T neg0 = -limit;
    const rt::Mask<T> logical_and0 = (up >= neg0) & (up <= limit);
    const rt::Mask<T> le0 = gate <= limit;
    const T bounded_gate = rt::minimum(gate, limit);
    const T maximum0 = rt::maximum(up, neg0);
    const T bounded_up = rt::minimum(maximum0, limit);
    const T add0 = bounded_up + T(1);
    const T mul0 = alpha * bounded_gate;
    const T abs0 = rt::abs(mul0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul1 = exp0 * div_moderate0;
    const T where0 = rt::where(mul0 >= T(0), div_moderate0, mul1);
    const T mul2 = grad_out * add0;
    const T mul3 = mul1 * div_moderate0;
    const T mul4 = mul3 * bounded_gate;
    const T mul5 = grad_grad_up * grad_out;
    const rt::Mask<T> logical_or0 = le0 | logical_and0;
    const T where1 = rt::where(le0, grad_grad_gate * (mul2 * alpha) * mul3, T(0));
    const T mul6 = T(0.5) * mul0;
    const T where2 = rt::where(le0, grad_grad_gate * mul2, T(0));
    const T where3 = rt::where(logical_and0, grad_grad_up * (bounded_gate * where0), T(0));
    const T where4 = rt::where(logical_and0, mul5 * where0, T(0));
    const T where5 = rt::where(logical_and0, mul5 * bounded_gate, T(0));
    const T where6 = rt::where(logical_or0, (where2 + where5) * mul3, T(0));
    const T add1 = mul4 * (grad_grad_gate * alpha) + grad_grad_gate * where0;
    const T where7 = rt::where(le0, add1 * add0, T(0));
    const T where8 = rt::where(le0, add1 * grad_out, T(0));
    const T tanh_near_zero0 = rt::tanh_near_zero(mul6);
    const T mul7 = T(2) * mul1;
    const T where9 = rt::where(mul6 < T(0), mul7 - T(1), T(1) - mul7);
    const T where10 = rt::where(abs0 < T(1.2), tanh_near_zero0, where9);
    const T mul8 = mul4 * (where10 * grad_grad_gate * grad_out * add0 * alpha);
    const T where11 = rt::where(le0, -mul8, T(0));
    const T where12 = rt::where(logical_or0, (where11 + where6) * alpha, T(0));
    writes[0] = where7 + where3;
    writes[1] = rt::where(le0, where1 + where4 + where12, T(0));
    writes[2] = rt::where(logical_and0, where8, T(0));
  }
};

}  // namespace fusewise::ops::swiglu_oai
