// Generated from specs/gated/situ_glu.yaml by `fusewise generate`. Do not edit.
//
// capped_gate = gate_cap * tanh(gate / gate_cap)
// capped_up = up_cap * tanh(up / up_cap)
// out = capped_gate * sigmoid(gate) * capped_up
//
// div0 = gate / gate_cap
// tanh0 = tanh(div0)
// capped_gate = gate_cap * tanh0
// div1 = up / up_cap
// tanh1 = tanh(div1)
// capped_up = up_cap * tanh1
// sigmoid0 = sigmoid(gate)
// mul0 = grad_out * capped_up
// dsigmoid0 = dsigmoid(gate)
// sech2_0 = sech2(div1)
// sech2_1 = sech2(div0)
// div2 = mul0 * sigmoid0 * gate_cap * sech2_1 / gate_cap
// grad_gate = mul0 * capped_gate * dsigmoid0 + div2
// grad_up = grad_out * (capped_gate * sigmoid0) * up_cap * sech2_0 / up_cap
//
// backward keeps x: 8 B of float32 an element, arithmetic 156
// double_backward keeps grad_out, x: 12 B of float32 an element, arithmetic 226
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#pragma once

#include <fusewise/math.h>

namespace fusewise::ops::situ_glu {

struct Forward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T gate = reads[0];
    const T up = reads[1];
    const T gate_cap = params[0];
    const T up_cap = params[1];
    const T tanh0 = rt::tanh(gate / gate_cap);
    const T capped_gate = gate_cap * tanh0;
    const T tanh1 = rt::tanh(up / up_cap);
    const T capped_up = up_cap * tanh1;
    const T abs0 = rt::abs(gate);
    const T exp0 = rt::exp(-abs0);
    const T div0 = T(1) / (T(1) + exp0);
    const T where0 = rt::where(gate >= T(0), div0, exp0 * div0);
    writes[0] = capped_gate * where0 * capped_up;
  }
};

struct Backward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_out = reads[0];
    const T gate = reads[1];
    const T up = reads[2];
    const T gate_cap = params[0];
    const T up_cap = params[1];
    const T div0 = gate / gate_cap;
    const T tanh0 = rt::tanh(div0);
    const T capped_gate = gate_cap * tanh0;
    const T div1 = up / up_cap;
    const T tanh1 = rt::tanh(div1);
    const T capped_up = up_cap * tanh1;
    const T mul0 = grad_out * capped_up;
    const T abs0 = rt::abs(gate);
    const T exp0 = rt::exp(-abs0);
    const T div2 = T(1) / (T(1) + exp0);
    const T mul1 = exp0 * div2;
    const T where0 = rt::where(gate >= T(0), div2, mul1);
    const T mul2 = grad_out * (capped_gate * where0) * up_cap;
    const T abs1 = rt::abs(T(2) * div1);
    const T exp1 = rt::exp(-abs1);
    const T div3 = T(1) / (T(1) + exp1);
    const T abs2 = rt::abs(T(2) * div0);
    const T exp2 = rt::exp(-abs2);
    const T div4 = T(1) / (T(1) + exp2);
    const T mul3 = T(4) * (exp2 * div4 * div4);
    const T div5 = mul0 * where0 * gate_cap * mul3 / gate_cap;
    writes[0] = mul0 * capped_gate * (mul1 * div2) + div5;
    writes[1] = mul2 * (T(4) * (exp1 * div3 * div3)) / up_cap;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 2;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_gate = reads[0];
    const T grad_grad_up = reads[1];
    const T grad_out = reads[2];
    const T gate = reads[3];
    const T up = reads[4];
    const T gate_cap = params[0];
    const T up_cap = params[1];
    const T div0 = gate / gate_cap;
    const T tanh0 = rt::tanh(div0);
    const T capped_gate = gate_cap * tanh0;
    const T div1 = up / up_cap;
    const T tanh1 = rt::tanh(div1);
    const T capped_up = up_cap * tanh1;
    const T mul0 = grad_out * capped_up;
    const T abs0 = rt::abs(gate);
    const T exp0 = rt::exp(-abs0);
    const T div2 = T(1) / (T(1) + exp0);
    const T mul1 = exp0 * div2;
    const T where0 = rt::where(gate >= T(0), div2, mul1);
    const T mul2 = capped_gate * where0;
    const T mul3 = mul1 * div2;
    const T abs1 = rt::abs(T(2) * div1);
    const T exp1 = rt::exp(-abs1);
    const T div3 = T(1) / (T(1) + exp1);
    const T mul4 = T(4) * (exp1 * div3 * div3);
    const T abs2 = rt::abs(T(2) * div0);
    const T exp2 = rt::exp(-abs2);
    const T div4 = T(1) / (T(1) + exp2);
    const T mul5 = T(4) * (exp2 * div4 * div4);
    const T div5 = grad_grad_gate / gate_cap;
    const T div6 = grad_grad_up / up_cap;
    const T tanh2 = rt::tanh(T(0.5) * gate);
    const T mul6 = div5 * (mul0 * where0 * gate_cap);
    const T mul7 = div5 * mul5 * gate_cap;
    const T mul8 = div6 * (grad_out * mul2 * up_cap);
    const T mul9 = mul8 * (T(-2) * tanh1 * mul4);
    const T mul10 = div6 * mul4 * up_cap;
    const T mul11 = grad_grad_gate * mul3;
    const T add0 = mul11 * capped_gate + mul7 * where0;
    const T mul12 = mul10 * grad_out;
    const T mul13 = (mul7 * mul0 + mul12 * capped_gate) * mul3;
    const T sub0 = mul13 - mul3 * tanh2 * (grad_grad_gate * (mul0 * capped_gate));
    const T mul14 = (mul11 * mul0 + mul12 * where0) * gate_cap * mul5;
    const T div7 = (mul6 * (T(-2) * tanh0 * mul5) + mul14) / gate_cap;
    writes[0] = mul10 * mul2 + add0 * capped_up;
    writes[1] = sub0 + div7;
    writes[2] = (mul9 + add0 * grad_out * up_cap * mul4) / up_cap;
  }
};

}  // namespace fusewise::ops::situ_glu
