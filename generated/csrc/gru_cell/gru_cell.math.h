// Generated from specs/recurrent/gru_cell.yaml by `fusewise generate`. Do not edit.
//
// r = sigmoid(r_x + r_h)
// z = sigmoid(z_x + z_h)
// n = tanh(n_x + r * n_h)
// h_next = (1 - z) * n + z * h
//
// add0 = r_x + r_h
// r = sigmoid(add0)
// add1 = z_x + z_h
// z = sigmoid(add1)
// add2 = n_x + r * n_h
// n = tanh(add2)
// sigmoid0 = sigmoid(-add1)
// dsigmoid0 = dsigmoid(add1)
// sech2_0 = sech2(add2)
// mul0 = grad_h_next * sigmoid0 * sech2_0
// sub0 = grad_h_next * h * dsigmoid0 - grad_h_next * n * dsigmoid0
// dsigmoid1 = dsigmoid(add0)
// mul1 = sigmoid0 * sech2_0 * dsigmoid1 * n_h * grad_h_next
// grad_r_x = mul1
// grad_z_x = sub0
// grad_n_x = mul0
// grad_r_h = mul1
// grad_z_h = sub0
// grad_n_h = mul0 * r
// grad_h = grad_h_next * z
//
// backward keeps input_gates, hidden_gates, h: 28 B of float32 an element, arithmetic 110
// double_backward keeps grad_h_next, input_gates, hidden_gates, h: 32 B of float32 an element,
//     arithmetic 205
// forward: 7 read and 1 written for each element
// backward: 8 read and 7 written for each element
// double_backward: 15 read and 8 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::gru_cell {

struct Forward {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 76;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T r_x = reads[0];
    const T z_x = reads[1];
    const T n_x = reads[2];
    const T r_h = reads[3];
    const T z_h = reads[4];
    const T n_h = reads[5];
    const T h = reads[6];
    const T add0 = r_x + r_h;
    const T add1 = z_x + z_h;
    const T abs0 = rt::abs(add0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T r = rt::where(add0 >= T(0), div_moderate0, exp0 * div_moderate0);
    const T abs1 = rt::abs(add1);
    const T exp1 = rt::exp(-abs1);
    const T div_moderate1 = rt::div_moderate(T(1), T(1) + exp1);
    const T mul0 = exp1 * div_moderate1;
    const T z = rt::where(add1 >= T(0), div_moderate1, mul0);
    const T n = rt::tanh(n_x + r * n_h);
    const T where0 = rt::where(-add1 >= T(0), div_moderate1, mul0);
    writes[0] = where0 * n + z * h;
  }
};

struct Backward {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 7;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 110;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_h_next = reads[0];
    const T r_x = reads[1];
    const T z_x = reads[2];
    const T n_x = reads[3];
    const T r_h = reads[4];
    const T z_h = reads[5];
    const T n_h = reads[6];
    const T h = reads[7];
    const T add0 = r_x + r_h;
    const T add1 = z_x + z_h;
    const T abs0 = rt::abs(add0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T r = rt::where(add0 >= T(0), div_moderate0, mul0);
    const T abs1 = rt::abs(add1);
    const T exp1 = rt::exp(-abs1);
    const T div_moderate1 = rt::div_moderate(T(1), T(1) + exp1);
    const T mul1 = exp1 * div_moderate1;
    const T z = rt::where(add1 >= T(0), div_moderate1, mul1);
    const T add2 = n_x + r * n_h;
    const T where0 = rt::where(-add1 >= T(0), div_moderate1, mul1);
    const T mul2 = mul1 * div_moderate1;
    const T abs2 = rt::abs(T(2) * add2);
    const T exp2 = rt::exp(-abs2);
    const T div_moderate2 = rt::div_moderate(T(1), T(1) + exp2);
    const T mul3 = exp2 * div_moderate2;
    const T mul4 = T(4) * (mul3 * div_moderate2);
    const T mul5 = grad_h_next * where0 * mul4;
    const T mul6 = where0 * mul4 * (mul0 * div_moderate0) * n_h * grad_h_next;
    const T tanh_near_zero0 = rt::tanh_near_zero(add2);
    const T mul7 = T(2) * mul3;
    const T where1 = rt::where(add2 < T(0), mul7 - T(1), T(1) - mul7);
    const T n = rt::where(abs2 < T(1.2), tanh_near_zero0, where1);
    const T sub0 = grad_h_next * h * mul2 - grad_h_next * n * mul2;
    writes[0] = mul6;
    writes[1] = sub0;
    writes[2] = mul5;
    writes[3] = mul6;
    writes[4] = sub0;
    writes[5] = mul5 * r;
    writes[6] = grad_h_next * z;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 15;
  static constexpr int kWrites = 8;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 205;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_r_x = reads[0];
    const T grad_grad_z_x = reads[1];
    const T grad_grad_n_x = reads[2];
    const T grad_grad_r_h = reads[3];
    const T grad_grad_z_h = reads[4];
    const T grad_grad_n_h = reads[5];
    const T grad_grad_h = reads[6];
    const T grad_h_next = reads[7];
    const T r_x = reads[8];
    const T z_x = reads[9];
    const T n_x = reads[10];
    const T r_h = reads[11];
    const T z_h = reads[12];
    const T n_h = reads[13];
    const T h = reads[14];
    const rt::Mask<T> has_grad_grad_input_gates = params[0] != T(0);
    const rt::Mask<T> has_grad_grad_hidden_gates = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_h = params[2] != T(0);
    const T add0 = r_x + r_h;
    const T add1 = z_x + z_h;
    const T abs0 = rt::abs(add0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T r = rt::where(add0 >= T(0), div_moderate0, mul0);
    const T abs1 = rt::abs(add1);
    const T exp1 = rt::exp(-abs1);
    const T div_moderate1 = rt::div_moderate(T(1), T(1) + exp1);
    const T mul1 = exp1 * div_moderate1;
    const T z = rt::where(add1 >= T(0), div_moderate1, mul1);
    const T add2 = n_x + r * n_h;
    const T where0 = rt::where(-add1 >= T(0), div_moderate1, mul1);
    const T mul2 = grad_h_next * where0;
    const T mul3 = mul1 * div_moderate1;
    const T abs2 = rt::abs(T(2) * add2);
    const T exp2 = rt::exp(-abs2);
    const T div_moderate2 = rt::div_moderate(T(1), T(1) + exp2);
    const T mul4 = exp2 * div_moderate2;
    const T mul5 = T(4) * (mul4 * div_moderate2);
    const T mul6 = mul0 * div_moderate0;
    const T mul7 = where0 * mul5 * mul6;
    const T tanh_near_zero0 = rt::tanh_near_zero(add2);
    const T mul8 = T(2) * mul4;
    const T where1 = rt::where(add2 < T(0), mul8 - T(1), T(1) - mul8);
    const T n = rt::where(abs2 < T(1.2), tanh_near_zero0, where1);
    const T add3 = grad_grad_r_x + grad_grad_r_h;
    const T add4 = grad_grad_z_x + grad_grad_z_h;
    const T mul9 = add3 * grad_h_next;
    const rt::Mask<T> logical_or0 = has_grad_grad_input_gates | has_grad_grad_hidden_gates;
    const T mul10 = T(0.5) * add0;
    const T mul11 = T(0.5) * add1;
    const T mul12 = add4 * mul3;
    const T where2 = rt::where(has_grad_grad_hidden_gates, grad_grad_n_h * r, T(0));
    const T add5 = grad_grad_n_x + where2;
    const T where3 = rt::where(has_grad_grad_hidden_gates, grad_grad_n_h * (mul2 * mul5), T(0));
    const T mul13 = add5 * mul5;
    const T add6 = mul9 * n_h * mul6 * where0 + add5 * mul2;
    const T where4 = rt::where(has_grad_grad_h, grad_grad_h * z, T(0));
    const T add7 = add3 * (mul7 * n_h) + mul12 * h;
    const T mul14 = mul12 * grad_h_next;
    const T where5 = rt::where(has_grad_grad_h, grad_grad_h * grad_h_next * mul3, T(0));
    const T mul15 = mul6 * where0 * mul5 * n_h;
    const T add8 = mul6 * mul5 * n_h * mul9 + mul13 * grad_h_next;
    const T tanh_near_zero1 = rt::tanh_near_zero(mul10);
    const T mul16 = T(2) * mul0;
    const T where6 = rt::where(mul10 < T(0), mul16 - T(1), T(1) - mul16);
    const T where7 = rt::where(abs0 < T(1.2), tanh_near_zero1, where6);
    const T tanh_near_zero2 = rt::tanh_near_zero(mul11);
    const T mul17 = T(2) * mul1;
    const T where8 = rt::where(mul11 < T(0), mul17 - T(1), T(1) - mul17);
    const T where9 = rt::where(abs1 < T(1.2), tanh_near_zero2, where8);
    const T sub0 = add4 * (grad_h_next * h) - add4 * (grad_h_next * n);
    const T where10 = rt::where(logical_or0, add7 + mul13 * where0 - mul12 * n, T(0));
    const T mul18 = mul15 * (where7 * add3 * grad_h_next);
    const T sub1 = -(mul3 * where9 * sub0) - add8 * mul3;
    const T where11 = rt::where(logical_or0, sub1, T(0));
    const T sub2 = mul5 * add6 * (T(-2) * n) - mul14 * mul5;
    const T where12 = rt::where(logical_or0, sub2 * n_h, T(0));
    const T add9 = where11 + where5;
    const T where13 = rt::where(logical_or0, (where3 + where12) * mul6 - mul18, T(0));
    writes[0] = where10 + where4;
    writes[1] = where13;
    writes[2] = add9;
    writes[3] = rt::where(logical_or0, sub2, T(0));
    writes[4] = where13;
    writes[5] = add9;
    writes[6] = rt::where(logical_or0, mul9 * mul7 + sub2 * r, T(0));
    writes[7] = rt::where(logical_or0, mul14, T(0));
  }
};

}  // namespace fusewise::ops::gru_cell
