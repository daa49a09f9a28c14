// Generated from specs/gated/bias_swiglu.yaml by `fusewise generate`. Do not edit.
//
// out = silu(gate + gate_bias) * (up + up_bias)
//
// add0 = gate + gate_bias
// silu0 = silu(add0)
// mul0 = grad_out * silu0
// sigmoid0 = sigmoid(add0)
// dsigmoid0 = dsigmoid(add0)
// mul1 = grad_out * (up + up_bias) * (sigmoid0 + add0 * dsigmoid0)
// grad_gate = mul1
// grad_up = mul0
// grad_gate_bias = mul1
// grad_up_bias = mul0
//
// backward keeps y, bias: 16 B of float32 an element, arithmetic 33
// double_backward keeps grad_out, y, bias: 20 B of float32 an element, arithmetic 65
// forward: 4 read and 1 written for each element
// backward: 5 read and 2 written for each element; grad_gate_bias equals grad_gate, grad_up_bias
//     equals grad_up
// double_backward: 9 read and 3 written for each element; grad_gate_bias equals grad_gate,
//     grad_up_bias equals grad_up
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::bias_swiglu {

struct Forward {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 28;
  static constexpr unsigned kRepeated = 12;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T gate = reads[0];
    const T up = reads[1];
    const T gate_bias = reads[2];
    const T up_bias = reads[3];
    const T add0 = gate + gate_bias;
    const T abs0 = rt::abs(add0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T where0 = rt::where(add0 >= T(0), div_moderate0, exp0 * div_moderate0);
    writes[0] = add0 * where0 * (up + up_bias);
  }
};

struct Backward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 33;
  static constexpr unsigned kFull = 103;
  static constexpr unsigned kRepeated = 24;
  static constexpr unsigned kSummed = 384;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T gate = reads[1];
    const T up = reads[2];
    const T gate_bias = reads[3];
    const T up_bias = reads[4];
    const T add0 = gate + gate_bias;
    const T abs0 = rt::abs(add0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T where0 = rt::where(add0 >= T(0), div_moderate0, mul0);
    const T mul1 = grad_out * (add0 * where0);
    const T add1 = where0 + add0 * (mul0 * div_moderate0);
    const T mul2 = grad_out * (up + up_bias) * add1;
    writes[0] = mul2;
    writes[1] = mul1;
    writes[2] = mul2;
    writes[3] = mul1;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 9;
  static constexpr int kWrites = 5;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 65;
  static constexpr unsigned kRepeated = 384;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_gate = reads[0];
    const T grad_grad_up = reads[1];
    const T grad_grad_gate_bias = reads[2];
    const T grad_grad_up_bias = reads[3];
    const T grad_out = reads[4];
    const T gate = reads[5];
    const T up = reads[6];
    const T gate_bias = reads[7];
    const T up_bias = reads[8];
    const T add0 = gate + gate_bias;
    const T add1 = up + up_bias;
    const T abs0 = rt::abs(add0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T where0 = rt::where(add0 >= T(0), div_moderate0, mul0);
    const T mul1 = mul0 * div_moderate0;
    const T mul2 = add0 * mul1;
    const T add2 = where0 + mul2;
    const T add3 = grad_grad_gate + grad_grad_gate_bias;
    const T add4 = grad_grad_up + grad_grad_up_bias;
    const T mul3 = T(0.5) * add0;
    const T mul4 = add3 * add2;
    const T mul5 = add3 * (grad_out * add1) * mul1;
    const T mul6 = mul4 * grad_out;
    const T tanh_near_zero0 = rt::tanh_near_zero(mul3);
    const T mul7 = T(2) * mul0;
    const T where1 = rt::where(mul3 < T(0), mul7 - T(1), T(1) - mul7);
    const T where2 = rt::where(abs0 < T(1.2), tanh_near_zero0, where1);
    const T sub0 = mul5 - mul2 * (where2 * add3 * grad_out * add1);
    const T add5 = sub0 + mul5 + add4 * grad_out * add2;
    writes[0] = add4 * (add0 * where0) + mul4 * add1;
    writes[1] = add5;
    writes[2] = mul6;
    writes[3] = add5;
    writes[4] = mul6;
  }
};

}  // namespace fusewise::ops::bias_swiglu
