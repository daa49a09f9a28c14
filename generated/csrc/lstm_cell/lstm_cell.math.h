// Generated from specs/recurrent/lstm_cell.yaml by `fusewise generate`. Do not edit.
//
// c_next = sigmoid(f) * c + sigmoid(i) * tanh(g)
// h = sigmoid(o) * tanh(c_next)
// c_out = c_next
//
// sigmoid0 = sigmoid(f)
// sigmoid1 = sigmoid(i)
// tanh0 = tanh(g)
// c_next = sigmoid0 * c + sigmoid1 * tanh0
// sigmoid2 = sigmoid(o)
// tanh1 = tanh(c_next)
// sech2_0 = sech2(c_next)
// add0 = grad_c_out + grad_h * sigmoid2 * sech2_0
// dsigmoid0 = dsigmoid(o)
// sech2_1 = sech2(g)
// dsigmoid1 = dsigmoid(i)
// dsigmoid2 = dsigmoid(f)
// grad_i = add0 * tanh0 * dsigmoid1
// grad_f = add0 * c * dsigmoid2
// grad_g = add0 * sigmoid1 * sech2_1
// grad_o = grad_h * tanh1 * dsigmoid0
// grad_c = add0 * sigmoid0
//
// backward keeps gates, c: 20 B of float32 an element, arithmetic 176
// double_backward keeps grad_h, grad_c_out, gates, c: 28 B of float32 an element, arithmetic 284
// forward: 5 read and 2 written for each element
// backward: 7 read and 5 written for each element
// double_backward: 12 read and 7 written for each element
#pragma once

#include <fusewise/math.h>

namespace fusewise::ops::lstm_cell {

struct Forward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 112;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T i = reads[0];
    const T f = reads[1];
    const T g = reads[2];
    const T o = reads[3];
    const T c = reads[4];
    const T tanh0 = rt::tanh(g);
    const T abs0 = rt::abs(f);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T where0 = rt::where(f >= T(0), div_moderate0, exp0 * div_moderate0);
    const T abs1 = rt::abs(i);
    const T exp1 = rt::exp(-abs1);
    const T div_moderate1 = rt::div_moderate(T(1), T(1) + exp1);
    const T where1 = rt::where(i >= T(0), div_moderate1, exp1 * div_moderate1);
    const T c_next = where0 * c + where1 * tanh0;
    const T abs2 = rt::abs(o);
    const T exp2 = rt::exp(-abs2);
    const T div_moderate2 = rt::div_moderate(T(1), T(1) + exp2);
    const T where2 = rt::where(o >= T(0), div_moderate2, exp2 * div_moderate2);
    const T tanh1 = rt::tanh(c_next);
    writes[0] = where2 * tanh1;
    writes[1] = c_next;
  }
};

struct Backward {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 5;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 176;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_h = reads[0];
    const T grad_c_out = reads[1];
    const T i = reads[2];
    const T f = reads[3];
    const T g = reads[4];
    const T o = reads[5];
    const T c = reads[6];
    const T tanh0 = rt::tanh(g);
    const T abs0 = rt::abs(f);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T where0 = rt::where(f >= T(0), div_moderate0, mul0);
    const T abs1 = rt::abs(i);
    const T exp1 = rt::exp(-abs1);
    const T div_moderate1 = rt::div_moderate(T(1), T(1) + exp1);
    const T mul1 = exp1 * div_moderate1;
    const T where1 = rt::where(i >= T(0), div_moderate1, mul1);
    const T c_next = where0 * c + where1 * tanh0;
    const T abs2 = rt::abs(o);
    const T exp2 = rt::exp(-abs2);
    const T div_moderate2 = rt::div_moderate(T(1), T(1) + exp2);
    const T mul2 = exp2 * div_moderate2;
    const T where2 = rt::where(o >= T(0), div_moderate2, mul2);
    const T tanh1 = rt::tanh(c_next);
    const T abs3 = rt::abs(T(2) * c_next);
    const T exp3 = rt::exp(-abs3);
    const T div_moderate3 = rt::div_moderate(T(1), T(1) + exp3);
    const T mul3 = grad_h * where2 * (T(4) * (exp3 * div_moderate3 * div_moderate3));
    const T add0 = grad_c_out + mul3;
    const T abs4 = rt::abs(T(2) * g);
    const T exp4 = rt::exp(-abs4);
    const T div_moderate4 = rt::div_moderate(T(1), T(1) + exp4);
    writes[0] = add0 * tanh0 * (mul1 * div_moderate1);
    writes[1] = add0 * c * (mul0 * div_moderate0);
    writes[2] = add0 * where1 * (T(4) * (exp4 * div_moderate4 * div_moderate4));
    writes[3] = grad_h * tanh1 * (mul2 * div_moderate2);
    writes[4] = add0 * where0;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 12;
  static constexpr int kWrites = 7;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 284;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_i = reads[0];
    const T grad_grad_f = reads[1];
    const T grad_grad_g = reads[2];
    const T grad_grad_o = reads[3];
    const T grad_grad_c = reads[4];
    const T grad_h = reads[5];
    const T grad_c_out = reads[6];
    const T i = reads[7];
    const T f = reads[8];
    const T g = reads[9];
    const T o = reads[10];
    const T c = reads[11];
    const T tanh0 = rt::tanh(g);
    const T abs0 = rt::abs(f);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T where0 = rt::where(f >= T(0), div_moderate0, mul0);
    const T abs1 = rt::abs(i);
    const T exp1 = rt::exp(-abs1);
    const T div_moderate1 = rt::div_moderate(T(1), T(1) + exp1);
    const T mul1 = exp1 * div_moderate1;
    const T where1 = rt::where(i >= T(0), div_moderate1, mul1);
    const T c_next = where0 * c + where1 * tanh0;
    const T abs2 = rt::abs(o);
    const T exp2 = rt::exp(-abs2);
    const T div_moderate2 = rt::div_moderate(T(1), T(1) + exp2);
    const T mul2 = exp2 * div_moderate2;
    const T where2 = rt::where(o >= T(0), div_moderate2, mul2);
    const T tanh1 = rt::tanh(c_next);
    const T abs3 = rt::abs(T(2) * c_next);
    const T exp3 = rt::exp(-abs3);
    const T div_moderate3 = rt::div_moderate(T(1), T(1) + exp3);
    const T mul3 = T(4) * (exp3 * div_moderate3 * div_moderate3);
    const T add0 = grad_c_out + grad_h * where2 * mul3;
    const T mul4 = mul2 * div_moderate2;
    const T abs4 = rt::abs(T(2) * g);
    const T exp4 = rt::exp(-abs4);
    const T div_moderate4 = rt::div_moderate(T(1), T(1) + exp4);
    const T mul5 = T(4) * (exp4 * div_moderate4 * div_moderate4);
    const T mul6 = mul1 * div_moderate1;
    const T mul7 = mul0 * div_moderate0;
    const T tanh2 = rt::tanh(T(0.5) * f);
    const T tanh3 = rt::tanh(T(0.5) * i);
    const T tanh4 = rt::tanh(T(0.5) * o);
    const T mul8 = grad_grad_f * mul7;
    const T mul9 = grad_grad_i * mul6;
    const T mul10 = grad_grad_g * mul5;
    const T mul11 = grad_grad_g * (add0 * where1) * (T(-2) * tanh0 * mul5);
    const T add1 = grad_grad_c * where0 + mul8 * c + mul10 * where1;
    const T add2 = add1 + mul9 * tanh0;
    const T mul12 = grad_grad_o * mul4;
    const T mul13 = mul4 * tanh4 * (grad_grad_o * (grad_h * tanh1));
    const T mul14 = where2 * mul3 * add2;
    const T mul15 = mul14 * (T(-2) * grad_h * tanh1);
    const T add3 = mul15 + mul12 * grad_h * mul3;
    const T mul16 = (mul10 * add0 + add3 * tanh0) * mul6;
    const T mul17 = (grad_grad_c * add0 + add3 * c) * mul7;
    writes[0] = mul14 + mul12 * tanh1;
    writes[1] = add2;
    writes[2] = mul16 - mul6 * tanh3 * (grad_grad_i * (add0 * tanh0));
    writes[3] = mul17 - mul7 * tanh2 * (grad_grad_f * (add0 * c));
    writes[4] = mul11 + (mul9 * add0 + add3 * where1) * mul5;
    writes[5] = mul3 * mul4 * add2 * grad_h - mul13;
    writes[6] = mul8 * add0 + add3 * where0;
  }
};

}  // namespace fusewise::ops::lstm_cell
