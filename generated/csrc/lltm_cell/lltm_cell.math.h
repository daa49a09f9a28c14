// Generated from specs/recurrent/lltm_cell.yaml by `fusewise generate`. Do not edit.
//
// cell = old_cell + sigmoid(i) * elu(c)
// new_h = tanh(cell) * sigmoid(o)
// new_cell = cell
//
// sigmoid0 = sigmoid(i)
// elu0 = elu(c, 1)
// sigmoid1 = sigmoid(o)
// dsigmoid0 = dsigmoid(o)
// exp0 = exp(c)
// dsigmoid1 = dsigmoid(i)
// tanh0 = tanh(new_cell)
// sech2_0 = sech2(new_cell)
// where0 = grad_new_h * sigmoid1 * sech2_0 if has_grad_new_h else 0
// add0 = grad_new_cell + where0
// mul0 = add0 * sigmoid0
// grad_i = add0 * elu0 * dsigmoid1
// grad_o = grad_new_h * tanh0 * dsigmoid0 if has_grad_new_h else 0
// grad_c = mul0 * exp0 if c <= 0 else mul0
// grad_old_cell = add0
//
// backward keeps gates, new_cell: 16 B of float32 an element, arithmetic 128
// double_backward keeps grad_new_h, grad_new_cell, gates, new_cell: 24 B of float32 an element,
//     arithmetic 203
// forward: 4 read and 2 written for each element
// backward: 6 read and 4 written for each element
// double_backward: 10 read and 6 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::lltm_cell {

struct Forward {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 85;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T i = reads[0];
    const T o = reads[1];
    const T c = reads[2];
    const T old_cell = reads[3];
    const T abs0 = rt::abs(i);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T where0 = rt::where(i >= T(0), div_moderate0, exp0 * div_moderate0);
    const T expm1_0 = rt::expm1(c);
    const T where1 = rt::where(c <= T(0), expm1_0, c);
    const T cell = old_cell + where0 * where1;
    const T tanh0 = rt::tanh(cell);
    const T abs1 = rt::abs(o);
    const T exp1 = rt::exp(-abs1);
    const T div_moderate1 = rt::div_moderate(T(1), T(1) + exp1);
    const T where2 = rt::where(o >= T(0), div_moderate1, exp1 * div_moderate1);
    writes[0] = tanh0 * where2;
    writes[1] = cell;
  }
};

struct Backward {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 128;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_new_h = reads[0];
    const T grad_new_cell = reads[1];
    const T i = reads[2];
    const T o = reads[3];
    const T c = reads[4];
    const T new_cell = reads[5];
    const rt::Mask<T> has_grad_new_h = params[0] != T(0);
    const rt::Mask<T> le0 = c <= T(0);
    const T exp0 = rt::exp(c);
    const T abs0 = rt::abs(i);
    const T exp1 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp1);
    const T mul0 = exp1 * div_moderate0;
    const T where0 = rt::where(i >= T(0), div_moderate0, mul0);
    const T expm1_0 = rt::expm1(c);
    const T where1 = rt::where(le0, expm1_0, c);
    const T abs1 = rt::abs(o);
    const T exp2 = rt::exp(-abs1);
    const T div_moderate1 = rt::div_moderate(T(1), T(1) + exp2);
    const T mul1 = exp2 * div_moderate1;
    const T where2 = rt::where(o >= T(0), div_moderate1, mul1);
    const T abs2 = rt::abs(T(2) * new_cell);
    const T exp3 = rt::exp(-abs2);
    const T div_moderate2 = rt::div_moderate(T(1), T(1) + exp3);
    const T mul2 = exp3 * div_moderate2;
    const T where3 = rt::where(has_grad_new_h, grad_new_h * where2 * (T(4) * (mul2 *
        div_moderate2)), T(0));
    const T add0 = grad_new_cell + where3;
    const T mul3 = add0 * where0;
    const T tanh_near_zero0 = rt::tanh_near_zero(new_cell);
    const T mul4 = T(2) * mul2;
    const T where4 = rt::where(new_cell < T(0), mul4 - T(1), T(1) - mul4);
    const T where5 = rt::where(abs2 < T(1.2), tanh_near_zero0, where4);
    writes[0] = add0 * where1 * (mul0 * div_moderate0);
    writes[1] = rt::where(has_grad_new_h, grad_new_h * where5 * (mul1 * div_moderate1), T(0));
    writes[2] = rt::where(le0, mul3 * exp0, mul3);
    writes[3] = add0;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 10;
  static constexpr int kWrites = 6;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 203;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_i = reads[0];
    const T grad_grad_o = reads[1];
    const T grad_grad_c = reads[2];
    const T grad_grad_old_cell = reads[3];
    const T grad_new_h = reads[4];
    const T grad_new_cell = reads[5];
    const T i = reads[6];
    const T o = reads[7];
    const T c = reads[8];
    const T new_cell = reads[9];
    const rt::Mask<T> has_grad_new_h = params[0] != T(0);
    const rt::Mask<T> has_grad_grad_gates = params[1] != T(0);
    const rt::Mask<T> le0 = c <= T(0);
    const T exp0 = rt::exp(c);
    const T abs0 = rt::abs(i);
    const T exp1 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp1);
    const T mul0 = exp1 * div_moderate0;
    const T where0 = rt::where(i >= T(0), div_moderate0, mul0);
    const T expm1_0 = rt::expm1(c);
    const T where1 = rt::where(le0, expm1_0, c);
    const T abs1 = rt::abs(o);
    const T exp2 = rt::exp(-abs1);
    const T div_moderate1 = rt::div_moderate(T(1), T(1) + exp2);
    const T mul1 = exp2 * div_moderate1;
    const T where2 = rt::where(o >= T(0), div_moderate1, mul1);
    const T mul2 = grad_new_h * where2;
    const T mul3 = mul1 * div_moderate1;
    const T mul4 = mul0 * div_moderate0;
    const T abs2 = rt::abs(T(2) * new_cell);
    const T exp3 = rt::exp(-abs2);
    const T div_moderate2 = rt::div_moderate(T(1), T(1) + exp3);
    const T mul5 = exp3 * div_moderate2;
    const T mul6 = T(4) * (mul5 * div_moderate2);
    const T where3 = rt::where(has_grad_new_h, mul2 * mul6, T(0));
    const T add0 = grad_new_cell + where3;
    const T tanh_near_zero0 = rt::tanh_near_zero(new_cell);
    const T mul7 = T(2) * mul5;
    const T where4 = rt::where(new_cell < T(0), mul7 - T(1), T(1) - mul7);
    const T where5 = rt::where(abs2 < T(1.2), tanh_near_zero0, where4);
    const T where6 = rt::where(has_grad_grad_gates, grad_grad_c * exp0, T(0));
    const T where7 = rt::where(le0, where6, grad_grad_c);
    const T mul8 = T(0.5) * i;
    const T mul9 = T(0.5) * o;
    const T mul10 = grad_grad_i * mul4;
    const T where8 = rt::where(has_grad_grad_gates, where7 * where0 + mul10 * where1, T(0));
    const T add1 = grad_grad_old_cell + where8;
    const T mul11 = mul10 * add0;
    const T where9 = rt::where(has_grad_grad_gates, mul11, T(0));
    const T mul12 = add1 * mul6;
    const T mul13 = grad_grad_o * mul3;
    const T where10 = rt::where(has_grad_grad_gates, mul13 * grad_new_h * mul6, T(0));
    const T add2 = grad_grad_c * (add0 * where0) * exp0 + mul11 * exp0;
    const T where11 = rt::where(has_grad_grad_gates, add2, T(0));
    const T tanh_near_zero1 = rt::tanh_near_zero(mul8);
    const T mul14 = T(2) * mul0;
    const T where12 = rt::where(mul8 < T(0), mul14 - T(1), T(1) - mul14);
    const T where13 = rt::where(abs0 < T(1.2), tanh_near_zero1, where12);
    const T tanh_near_zero2 = rt::tanh_near_zero(mul9);
    const T mul15 = T(2) * mul1;
    const T where14 = rt::where(mul9 < T(0), mul15 - T(1), T(1) - mul15);
    const T where15 = rt::where(abs1 < T(1.2), tanh_near_zero2, where14);
    const T where16 = rt::where(has_grad_grad_gates, mul13 * where5, T(0));
    const T add3 = add1 * mul2 * (T(-2) * where5 * mul6) + where10;
    const T mul16 = mul4 * where13 * (grad_grad_i * (add0 * where1));
    const T neg0 = -(mul3 * where15 * (grad_grad_o * (grad_new_h * where5)));
    const T where17 = rt::where(has_grad_grad_gates, neg0, T(0));
    writes[0] = where16 + mul12 * where2;
    writes[1] = add1;
    writes[2] = rt::where(has_grad_grad_gates, where7 * add0 * mul4 - mul16, T(0));
    writes[3] = rt::where(has_grad_new_h, where17 + mul12 * grad_new_h * mul3, T(0));
    writes[4] = rt::where(le0, where11, where9);
    writes[5] = rt::where(has_grad_new_h, add3, T(0));
  }
};

}  // namespace fusewise::ops::lltm_cell
