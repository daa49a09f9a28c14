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
// where0 = grad_h * sigmoid2 * sech2_0 if has_grad_h else 0
// add0 = grad_c_out + where0
// dsigmoid0 = dsigmoid(o)
// sech2_1 = sech2(g)
// dsigmoid1 = dsigmoid(i)
// dsigmoid2 = dsigmoid(f)
// grad_i = add0 * tanh0 * dsigmoid1
// grad_f = add0 * c * dsigmoid2
// grad_g = add0 * sigmoid1 * sech2_1
// grad_o = grad_h * tanh1 * dsigmoid0 if has_grad_h else 0
// grad_c = add0 * sigmoid0
//
// backward keeps gates, c: 20 B of float32 an element, arithmetic 172
// double_backward keeps grad_h, grad_c_out, gates, c: 28 B of float32 an element, arithmetic 295
// forward: 5 read and 2 written for each element
// backward: 7 read and 5 written for each element
// double_backward: 12 read and 7 written for each element
#pragma once

#include <fusewise/math/math.h>

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
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 172;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_h = reads[0];
    const T grad_c_out = reads[1];
    const T i = reads[2];
    const T f = reads[3];
    const T g = reads[4];
    const T o = reads[5];
    const T c = reads[6];
    const rt::Mask<T> has_grad_h = params[0] != T(0);
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
    const T abs2 = rt::abs(o);
    const T exp2 = rt::exp(-abs2);
    const T div_moderate2 = rt::div_moderate(T(1), T(1) + exp2);
    const T mul2 = exp2 * div_moderate2;
    const T where2 = rt::where(o >= T(0), div_moderate2, mul2);
    const T abs3 = rt::abs(T(2) * g);
    const T exp3 = rt::exp(-abs3);
    const T div_moderate3 = rt::div_moderate(T(1), T(1) + exp3);
    const T mul3 = exp3 * div_moderate3;
    const T tanh_near_zero0 = rt::tanh_near_zero(g);
    const T mul4 = T(2) * mul3;
    const T where3 = rt::where(g < T(0), mul4 - T(1), T(1) - mul4);
    const T where4 = rt::where(abs3 < T(1.2), tanh_near_zero0, where3);
    const T c_next = where0 * c + where1 * where4;
    const T abs4 = rt::abs(T(2) * c_next);
    const T tanh_near_zero1 = rt::tanh_near_zero(c_next);
    const T exp4 = rt::exp(-abs4);
    const T div_moderate4 = rt::div_moderate(T(1), T(1) + exp4);
    const T mul5 = exp4 * div_moderate4;
    const T mul6 = T(2) * mul5;
    const T where5 = rt::where(c_next < T(0), mul6 - T(1), T(1) - mul6);
    const T where6 = rt::where(abs4 < T(1.2), tanh_near_zero1, where5);
    const T where7 = rt::where(has_grad_h, grad_h * where2 * (T(4) * (mul5 * div_moderate4)), T(0));
    const T add0 = grad_c_out + where7;
    writes[0] = add0 * where4 * (mul1 * div_moderate1);
    writes[1] = add0 * c * (mul0 * div_moderate0);
    writes[2] = add0 * where1 * (T(4) * (mul3 * div_moderate3));
    writes[3] = rt::where(has_grad_h, grad_h * where6 * (mul2 * div_moderate2), T(0));
    writes[4] = add0 * where0;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 12;
  static constexpr int kWrites = 7;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 295;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
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
    const rt::Mask<T> has_grad_h = params[0] != T(0);
    const rt::Mask<T> has_grad_grad_gates = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_c = params[2] != T(0);
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
    const T abs2 = rt::abs(o);
    const T exp2 = rt::exp(-abs2);
    const T div_moderate2 = rt::div_moderate(T(1), T(1) + exp2);
    const T mul2 = exp2 * div_moderate2;
    const T where2 = rt::where(o >= T(0), div_moderate2, mul2);
    const T mul3 = mul2 * div_moderate2;
    const T abs3 = rt::abs(T(2) * g);
    const T exp3 = rt::exp(-abs3);
    const T div_moderate3 = rt::div_moderate(T(1), T(1) + exp3);
    const T mul4 = exp3 * div_moderate3;
    const T mul5 = T(4) * (mul4 * div_moderate3);
    const T mul6 = mul1 * div_moderate1;
    const T mul7 = mul0 * div_moderate0;
    const T tanh_near_zero0 = rt::tanh_near_zero(g);
    const T mul8 = T(2) * mul4;
    const T where3 = rt::where(g < T(0), mul8 - T(1), T(1) - mul8);
    const T where4 = rt::where(abs3 < T(1.2), tanh_near_zero0, where3);
    const T c_next = where0 * c + where1 * where4;
    const T abs4 = rt::abs(T(2) * c_next);
    const T tanh_near_zero1 = rt::tanh_near_zero(c_next);
    const T exp4 = rt::exp(-abs4);
    const T div_moderate4 = rt::div_moderate(T(1), T(1) + exp4);
    const T mul9 = exp4 * div_moderate4;
    const T mul10 = T(2) * mul9;
    const T where5 = rt::where(c_next < T(0), mul10 - T(1), T(1) - mul10);
    const T where6 = rt::where(abs4 < T(1.2), tanh_near_zero1, where5);
    const T mul11 = T(4) * (mul9 * div_moderate4);
    const T where7 = rt::where(has_grad_h, grad_h * where2 * mul11, T(0));
    const T add0 = grad_c_out + where7;
    const T mul12 = T(0.5) * f;
    const T mul13 = T(0.5) * i;
    const T mul14 = T(0.5) * o;
    const rt::Mask<T> logical_or0 = has_grad_grad_gates | has_grad_h;
    const T mul15 = grad_grad_f * mul7;
    const T where8 = rt::where(has_grad_grad_c, grad_grad_c * where0, T(0));
    const T mul16 = grad_grad_i * mul6;
    const T mul17 = grad_grad_g * mul5;
    const T mul18 = grad_grad_o * mul3;
    const T tanh_near_zero2 = rt::tanh_near_zero(mul12);
    const T mul19 = T(2) * mul0;
    const T where9 = rt::where(mul12 < T(0), mul19 - T(1), T(1) - mul19);
    const T where10 = rt::where(abs0 < T(1.2), tanh_near_zero2, where9);
    const T tanh_near_zero3 = rt::tanh_near_zero(mul13);
    const T mul20 = T(2) * mul1;
    const T where11 = rt::where(mul13 < T(0), mul20 - T(1), T(1) - mul20);
    const T where12 = rt::where(abs1 < T(1.2), tanh_near_zero3, where11);
    const T tanh_near_zero4 = rt::tanh_near_zero(mul14);
    const T mul21 = T(2) * mul2;
    const T where13 = rt::where(mul14 < T(0), mul21 - T(1), T(1) - mul21);
    const T where14 = rt::where(abs2 < T(1.2), tanh_near_zero4, where13);
    const T neg0 = -(mul7 * where10 * (grad_grad_f * (add0 * c)));
    const T where15 = rt::where(has_grad_grad_gates, neg0, T(0));
    const T where16 = rt::where(has_grad_grad_c, grad_grad_c * add0, T(0));
    const T where17 = rt::where(has_grad_grad_gates, mul15 * add0, T(0));
    const T neg1 = -(mul6 * where12 * (grad_grad_i * (add0 * where4)));
    const T where18 = rt::where(has_grad_grad_gates, neg1, T(0));
    const T mul22 = grad_grad_g * (add0 * where1) * (T(-2) * where4 * mul5);
    const T where19 = rt::where(has_grad_grad_gates, mul22, T(0));
    const T where20 = rt::where(has_grad_grad_gates, mul17 * add0, T(0));
    const T add1 = mul15 * c + mul17 * where1 + mul16 * where4;
    const T where21 = rt::where(has_grad_grad_gates, add1, T(0));
    const T add2 = where8 + where21;
    const T where22 = rt::where(has_grad_grad_gates, mul16 * add0, T(0));
    const T neg2 = -(mul3 * where14 * (grad_grad_o * (grad_h * where6)));
    const T where23 = rt::where(has_grad_grad_gates, neg2, T(0));
    const T where24 = rt::where(has_grad_grad_gates, mul18 * where6, T(0));
    const T where25 = rt::where(has_grad_grad_gates, mul18 * grad_h * mul11, T(0));
    const T mul23 = where2 * mul11 * add2;
    const T add3 = mul23 * (T(-2) * grad_h * where6) + where25;
    const T where26 = rt::where(has_grad_h, add3 * where4, T(0));
    const T where27 = rt::where(has_grad_h, add3 * where1, T(0));
    const T where28 = rt::where(logical_or0, (where22 + where27) * mul5, T(0));
    const T where29 = rt::where(logical_or0, (where20 + where26) * mul6, T(0));
    const T where30 = rt::where(has_grad_h, add3 * c, T(0));
    const T where31 = rt::where(has_grad_h, add3 * where0, T(0));
    const T where32 = rt::where(has_grad_grad_c | has_grad_h, (where16 + where30) * mul7, T(0));
    writes[0] = mul23 + where24;
    writes[1] = add2;
    writes[2] = where18 + where29;
    writes[3] = where15 + where32;
    writes[4] = where19 + where28;
    writes[5] = rt::where(has_grad_h, where23 + mul11 * mul3 * add2 * grad_h, T(0));
    writes[6] = where17 + where31;
  }
};

}  // namespace fusewise::ops::lstm_cell
