// Generated from specs/losses/jsd_divergence.yaml by `fusewise generate`. Do not edit.
//
// log_p = log_softmax(teacher)
// log_q = log_softmax(student)
// log_m = logaddexp(log_p + log(beta), log_q + log(1 - beta))
// of_teacher = beta * exp(log_p) * (log_p - log_m) if log_p > -inf else 0
// of_student = (1 - beta) * exp(log_q) * (log_q - log_m) if log_q > -inf else 0
// loss = sum(of_teacher + of_student)
//
// log_p = log_softmax(teacher)
// log_q = log_softmax(student)
// log0 = log(beta)
// add0 = log_p + log0
// gt0 = log_p > -inf
// exp0 = exp(log_p)
// gt1 = log_q > -inf
// exp1 = exp(log_q)
// log1p0 = log1p(-beta)
// add1 = log_q + log1p0
// log_m = logaddexp(add0, add1)
// mul0 = grad_loss * (1 - beta)
// mul1 = mul0 * exp1
// where0 = mul1 if gt1 else 0
// where1 = -mul1 if gt1 else 0
// mul2 = grad_loss * beta
// mul3 = mul2 * exp0
// where2 = -mul3 if gt0 else 0
// add2 = where1 + where2
// sigmoid0 = sigmoid(add0 - add1)
// logical_or0 = gt1 or gt0
// where3 = add2 * sigmoid0 if logical_or0 else 0
// sigmoid1 = sigmoid(add1 - add0)
// where4 = add2 * sigmoid1 if logical_or0 else 0
// where5 = exp1 * (log_q - log_m) * mul0 if gt1 else 0
// add3 = where0 + where4 + where5
// where6 = mul3 + exp0 * (log_p - log_m) * mul2 if gt0 else 0
// add4 = where6 + where3
// sum0 = sum(add3)
// sum1 = sum(add4)
// grad_student = add3 - exp1 * sum0
// grad_teacher = add4 - exp0 * sum1
//
// backward keeps student, teacher: 8 B of float32 an element, arithmetic 198
// double_backward keeps grad_loss, student, teacher: 12 B of float32 an element, arithmetic 273
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::jsd_divergence {

struct ForwardTotals0 {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 124;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T student = reads[0];
    const T teacher = reads[1];
    writes[0] = teacher;
    writes[1] = student;
  }
};

struct ForwardTotals1 {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 22;
  static constexpr unsigned kRowScalars = 124;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T student = reads[0];
    const T teacher = reads[1];
    const T total0 = reads[2];
    const T total1 = reads[3];
    writes[0] = rt::exp(teacher - total0);
    writes[1] = rt::exp(student - total1);
  }
};

struct ForwardTotals2 {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 70;
  static constexpr unsigned kRowScalars = 124;
  static constexpr unsigned kHoisted = 4;
  static constexpr unsigned kHoistedFrom = 48;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total2 = reads[4];
    const T total3 = reads[5];
    const T beta = params[0];
    const T log0 = rt::log(beta);
    const T log1p0 = rt::log1p(-beta);
    const T log3 = rt::log(total2);
    const T log4 = rt::log(total3);
    hoisted[0] = log0;
    hoisted[1] = log1p0;
    hoisted[2] = log3;
    hoisted[3] = log4;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T student = reads[0];
    const T teacher = reads[1];
    const T total0 = reads[2];
    const T total1 = reads[3];
    const T beta = params[0];
    const T log0 = hoisted[0];
    const T log1p0 = hoisted[1];
    const T log3 = hoisted[2];
    const T log4 = hoisted[3];
    const T sub2 = teacher - total0 - log3;
    const T sub3 = student - total1 - log4;
    const T add2 = sub2 + log0;
    const T exp5 = rt::exp(sub2);
    const T exp6 = rt::exp(sub3);
    const T add3 = sub3 + log1p0;
    const T maximum1 = rt::maximum(add2, add3);
    const T abs1 = rt::abs(add2 - add3);
    const T exp7 = rt::exp(-abs1);
    const T log1p_unit1 = rt::log1p_unit(exp7);
    const T where1 = rt::where(add2 == add3, T(0.6931471805599453), log1p_unit1);
    const T add4 = maximum1 + where1;
    const T where2 = rt::where(sub2 > -T(INFINITY), exp5 * (sub2 - add4) * beta, T(0));
    const T mul1 = exp6 * (sub3 - add4) * (T(1) - beta);
    const T where3 = rt::where(sub3 > -T(INFINITY), mul1, T(0));
    writes[0] = where2 + where3;
  }
};

struct ForwardRows {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 124;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T total4 = reads[6];
    writes[0] = total4;
  }
};

struct BackwardTotals0 {
  static constexpr int kReads = 9;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 505;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T student = reads[1];
    const T teacher = reads[2];
    writes[0] = teacher;
    writes[1] = student;
  }
};

struct BackwardTotals1 {
  static constexpr int kReads = 9;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 22;
  static constexpr unsigned kRowScalars = 505;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T student = reads[1];
    const T teacher = reads[2];
    const T total0 = reads[3];
    const T total1 = reads[4];
    writes[0] = rt::exp(teacher - total0);
    writes[1] = rt::exp(student - total1);
  }
};

struct BackwardTotals2 {
  static constexpr int kReads = 9;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 125;
  static constexpr unsigned kRowScalars = 505;
  static constexpr unsigned kHoisted = 4;
  static constexpr unsigned kHoistedFrom = 96;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total2 = reads[5];
    const T total3 = reads[6];
    const T beta = params[0];
    const T log0 = rt::log(beta);
    const T log1p0 = rt::log1p(-beta);
    const T log3 = rt::log(total2);
    const T log4 = rt::log(total3);
    hoisted[0] = log0;
    hoisted[1] = log1p0;
    hoisted[2] = log3;
    hoisted[3] = log4;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_loss = reads[0];
    const T student = reads[1];
    const T teacher = reads[2];
    const T total0 = reads[3];
    const T total1 = reads[4];
    const T beta = params[0];
    const T log0 = hoisted[0];
    const T log1p0 = hoisted[1];
    const T log3 = hoisted[2];
    const T log4 = hoisted[3];
    const T mul0 = grad_loss * (T(1) - beta);
    const T mul1 = grad_loss * beta;
    const T sub4 = teacher - total0 - log3;
    const T sub5 = student - total1 - log4;
    const T add5 = sub4 + log0;
    const rt::Mask<T> gt2 = sub4 > -T(INFINITY);
    const T exp6 = rt::exp(sub4);
    const rt::Mask<T> gt3 = sub5 > -T(INFINITY);
    const T exp7 = rt::exp(sub5);
    const T add6 = sub5 + log1p0;
    const T maximum1 = rt::maximum(add5, add6);
    const T sub6 = add5 - add6;
    const T abs2 = rt::abs(sub6);
    const T exp8 = rt::exp(-abs2);
    const T log1p_unit1 = rt::log1p_unit(exp8);
    const T where10 = rt::where(add5 == add6, T(0.6931471805599453), log1p_unit1);
    const T add7 = maximum1 + where10;
    const T mul4 = mul0 * exp7;
    const T where11 = rt::where(gt3, mul4, T(0));
    const T where12 = rt::where(gt3, -mul4, T(0));
    const T mul5 = mul1 * exp6;
    const T where13 = rt::where(gt2, -mul5, T(0));
    const T add8 = where12 + where13;
    const T div_moderate2 = rt::div_moderate(T(1), T(1) + exp8);
    const T where14 = rt::where(sub6 >= T(0), div_moderate2, exp8 * div_moderate2);
    const rt::Mask<T> logical_or1 = gt3 | gt2;
    const T where15 = rt::where(logical_or1, add8 * where14, T(0));
    const T sub7 = add6 - add5;
    const T abs3 = rt::abs(sub7);
    const T exp9 = rt::exp(-abs3);
    const T div_moderate3 = rt::div_moderate(T(1), T(1) + exp9);
    const T where16 = rt::where(sub7 >= T(0), div_moderate3, exp9 * div_moderate3);
    const T where17 = rt::where(logical_or1, add8 * where16, T(0));
    const T where18 = rt::where(gt3, exp7 * (sub5 - add7) * mul0, T(0));
    const T where19 = rt::where(gt2, mul5 + exp6 * (sub4 - add7) * mul1, T(0));
    writes[0] = where11 + where17 + where18;
    writes[1] = where19 + where15;
  }
};

struct BackwardElements {
  static constexpr int kReads = 9;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 129;
  static constexpr unsigned kRowScalars = 505;
  static constexpr unsigned kHoisted = 4;
  static constexpr unsigned kHoistedFrom = 96;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total2 = reads[5];
    const T total3 = reads[6];
    const T beta = params[0];
    const T log0 = rt::log(beta);
    const T log1p0 = rt::log1p(-beta);
    const T log3 = rt::log(total2);
    const T log4 = rt::log(total3);
    hoisted[0] = log0;
    hoisted[1] = log1p0;
    hoisted[2] = log3;
    hoisted[3] = log4;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_loss = reads[0];
    const T student = reads[1];
    const T teacher = reads[2];
    const T total0 = reads[3];
    const T total1 = reads[4];
    const T total4 = reads[7];
    const T total5 = reads[8];
    const T beta = params[0];
    const T log0 = hoisted[0];
    const T log1p0 = hoisted[1];
    const T log3 = hoisted[2];
    const T log4 = hoisted[3];
    const T mul0 = grad_loss * (T(1) - beta);
    const T mul1 = grad_loss * beta;
    const T sub4 = teacher - total0 - log3;
    const T sub5 = student - total1 - log4;
    const T add5 = sub4 + log0;
    const rt::Mask<T> gt2 = sub4 > -T(INFINITY);
    const T exp6 = rt::exp(sub4);
    const rt::Mask<T> gt3 = sub5 > -T(INFINITY);
    const T exp7 = rt::exp(sub5);
    const T add6 = sub5 + log1p0;
    const T maximum1 = rt::maximum(add5, add6);
    const T sub6 = add5 - add6;
    const T abs2 = rt::abs(sub6);
    const T exp8 = rt::exp(-abs2);
    const T log1p_unit1 = rt::log1p_unit(exp8);
    const T where10 = rt::where(add5 == add6, T(0.6931471805599453), log1p_unit1);
    const T add7 = maximum1 + where10;
    const T mul4 = mul0 * exp7;
    const T where11 = rt::where(gt3, mul4, T(0));
    const T where12 = rt::where(gt3, -mul4, T(0));
    const T mul5 = mul1 * exp6;
    const T where13 = rt::where(gt2, -mul5, T(0));
    const T add8 = where12 + where13;
    const T div_moderate2 = rt::div_moderate(T(1), T(1) + exp8);
    const T where14 = rt::where(sub6 >= T(0), div_moderate2, exp8 * div_moderate2);
    const rt::Mask<T> logical_or1 = gt3 | gt2;
    const T where15 = rt::where(logical_or1, add8 * where14, T(0));
    const T sub7 = add6 - add5;
    const T abs3 = rt::abs(sub7);
    const T exp9 = rt::exp(-abs3);
    const T div_moderate3 = rt::div_moderate(T(1), T(1) + exp9);
    const T where16 = rt::where(sub7 >= T(0), div_moderate3, exp9 * div_moderate3);
    const T where17 = rt::where(logical_or1, add8 * where16, T(0));
    const T where18 = rt::where(gt3, exp7 * (sub5 - add7) * mul0, T(0));
    const T where19 = rt::where(gt2, mul5 + exp6 * (sub4 - add7) * mul1, T(0));
    writes[0] = where11 + where17 + where18 - exp7 * total4;
    writes[1] = where19 + where15 - exp6 * total5;
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 17;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 131044;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T student = reads[3];
    const T teacher = reads[4];
    writes[0] = teacher;
    writes[1] = student;
  }
};

struct DoubleBackwardTotals1 {
  static constexpr int kReads = 17;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 22;
  static constexpr unsigned kRowScalars = 131044;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T student = reads[3];
    const T teacher = reads[4];
    const T total0 = reads[5];
    const T total1 = reads[6];
    writes[0] = rt::exp(teacher - total0);
    writes[1] = rt::exp(student - total1);
  }
};

struct DoubleBackwardTotals2 {
  static constexpr int kReads = 17;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 127;
  static constexpr unsigned kRowScalars = 131044;
  static constexpr unsigned kHoisted = 4;
  static constexpr unsigned kHoistedFrom = 384;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total2 = reads[7];
    const T total3 = reads[8];
    const T beta = params[0];
    const T log0 = rt::log(beta);
    const T log1p0 = rt::log1p(-beta);
    const T log3 = rt::log(total2);
    const T log4 = rt::log(total3);
    hoisted[0] = log0;
    hoisted[1] = log1p0;
    hoisted[2] = log3;
    hoisted[3] = log4;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_grad_student = reads[0];
    const T grad_grad_teacher = reads[1];
    const T grad_loss = reads[2];
    const T student = reads[3];
    const T teacher = reads[4];
    const T total0 = reads[5];
    const T total1 = reads[6];
    const T beta = params[0];
    const T log0 = hoisted[0];
    const T log1p0 = hoisted[1];
    const T log3 = hoisted[2];
    const T log4 = hoisted[3];
    const T sub0 = T(1) - beta;
    const T mul0 = grad_loss * sub0;
    const T mul1 = grad_loss * beta;
    const T sub9 = teacher - total0 - log3;
    const T sub10 = student - total1 - log4;
    const T add9 = sub9 + log0;
    const rt::Mask<T> gt2 = sub9 > -T(INFINITY);
    const T exp6 = rt::exp(sub9);
    const rt::Mask<T> gt3 = sub10 > -T(INFINITY);
    const T exp7 = rt::exp(sub10);
    const T add10 = sub10 + log1p0;
    const T maximum1 = rt::maximum(add9, add10);
    const T sub11 = add9 - add10;
    const T abs2 = rt::abs(sub11);
    const T exp8 = rt::exp(-abs2);
    const T log1p_unit1 = rt::log1p_unit(exp8);
    const T where23 = rt::where(add9 == add10, T(0.6931471805599453), log1p_unit1);
    const T add11 = maximum1 + where23;
    const T mul13 = mul0 * exp7;
    const T where24 = rt::where(gt3, mul13, T(0));
    const T where25 = rt::where(gt3, -mul13, T(0));
    const T mul14 = mul1 * exp6;
    const T where26 = rt::where(gt2, -mul14, T(0));
    const T add12 = where25 + where26;
    const T div_moderate2 = rt::div_moderate(T(1), T(1) + exp8);
    const T where27 = rt::where(sub11 >= T(0), div_moderate2, exp8 * div_moderate2);
    const rt::Mask<T> logical_or1 = gt3 | gt2;
    const T where28 = rt::where(logical_or1, add12 * where27, T(0));
    const T sub12 = add10 - add9;
    const T abs3 = rt::abs(sub12);
    const T exp9 = rt::exp(-abs3);
    const T div_moderate3 = rt::div_moderate(T(1), T(1) + exp9);
    const T where29 = rt::where(sub12 >= T(0), div_moderate3, exp9 * div_moderate3);
    const T where30 = rt::where(logical_or1, add12 * where29, T(0));
    const T where31 = rt::where(gt3, exp7 * (sub10 - add11) * mul0, T(0));
    const T where32 = rt::where(gt2, mul14 + exp6 * (sub9 - add11) * mul1, T(0));
    writes[0] = where24 + where30 + where31;
    writes[1] = where32 + where28;
    writes[2] = grad_grad_teacher * exp6;
    writes[3] = grad_grad_student * exp7;
  }
};

struct DoubleBackwardTotals3 {
  static constexpr int kReads = 17;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 174;
  static constexpr unsigned kRowScalars = 131044;
  static constexpr unsigned kHoisted = 4;
  static constexpr unsigned kHoistedFrom = 384;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total2 = reads[7];
    const T total3 = reads[8];
    const T beta = params[0];
    const T log0 = rt::log(beta);
    const T log1p0 = rt::log1p(-beta);
    const T log3 = rt::log(total2);
    const T log4 = rt::log(total3);
    hoisted[0] = log0;
    hoisted[1] = log1p0;
    hoisted[2] = log3;
    hoisted[3] = log4;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_grad_student = reads[0];
    const T grad_grad_teacher = reads[1];
    const T grad_loss = reads[2];
    const T student = reads[3];
    const T teacher = reads[4];
    const T total0 = reads[5];
    const T total1 = reads[6];
    const T total4 = reads[9];
    const T total5 = reads[10];
    const T total6 = reads[11];
    const T total7 = reads[12];
    const T beta = params[0];
    const T log0 = hoisted[0];
    const T log1p0 = hoisted[1];
    const T log3 = hoisted[2];
    const T log4 = hoisted[3];
    const T sub0 = T(1) - beta;
    const T mul0 = grad_loss * sub0;
    const T mul1 = grad_loss * beta;
    const T sub9 = teacher - total0 - log3;
    const T sub10 = student - total1 - log4;
    const T add9 = sub9 + log0;
    const rt::Mask<T> gt2 = sub9 > -T(INFINITY);
    const T exp6 = rt::exp(sub9);
    const rt::Mask<T> gt3 = sub10 > -T(INFINITY);
    const T exp7 = rt::exp(sub10);
    const T add10 = sub10 + log1p0;
    const T maximum1 = rt::maximum(add9, add10);
    const T sub11 = add9 - add10;
    const T abs2 = rt::abs(sub11);
    const T exp8 = rt::exp(-abs2);
    const T log1p_unit1 = rt::log1p_unit(exp8);
    const T where23 = rt::where(add9 == add10, T(0.6931471805599453), log1p_unit1);
    const T add11 = maximum1 + where23;
    const T sub12 = sub9 - add11;
    const T sub13 = sub10 - add11;
    const T where24 = rt::where(gt3, -(mul0 * exp7), T(0));
    const T where25 = rt::where(gt2, -(mul1 * exp6), T(0));
    const T add12 = where24 + where25;
    const T div_moderate2 = rt::div_moderate(T(1), T(1) + exp8);
    const T mul13 = exp8 * div_moderate2;
    const T where26 = rt::where(sub11 >= T(0), div_moderate2, mul13);
    const rt::Mask<T> logical_or1 = gt3 | gt2;
    const T sub14 = add10 - add9;
    const T abs3 = rt::abs(sub14);
    const T exp9 = rt::exp(-abs3);
    const T div_moderate3 = rt::div_moderate(T(1), T(1) + exp9);
    const T mul14 = exp9 * div_moderate3;
    const T where27 = rt::where(sub14 >= T(0), div_moderate3, mul14);
    const T sub15 = grad_grad_teacher - total6;
    const T sub16 = grad_grad_student - total7;
    const T where28 = rt::where(logical_or1, -(sub16 * where27 + sub15 * where26), T(0));
    const T add13 = sub15 + where28;
    const T where29 = rt::where(gt2, add13 * mul1, T(0));
    const T add14 = where28 + sub16;
    const T where30 = rt::where(gt3, add14 * mul0, T(0));
    const T where31 = rt::where(gt3, sub16 * mul0 * sub13, T(0));
    const T where32 = rt::where(gt2, sub15 * mul1 * sub12, T(0));
    const T mul15 = (where30 - grad_grad_student * total4 + where31) * exp7;
    const T mul16 = exp6 * sub15;
    const T mul17 = exp7 * sub16;
    const T mul18 = mul14 * div_moderate3 * sub16 * add12;
    const T mul19 = mul13 * div_moderate2 * sub15 * add12;
    const T mul20 = mul17 * mul0;
    const T where33 = rt::where(gt3, mul20, T(0));
    const T where34 = rt::where(gt3, -mul20, T(0));
    const T mul21 = mul16 * mul1;
    const T where35 = rt::where(gt2, mul21, T(0));
    const T where36 = rt::where(gt2, -mul21, T(0));
    const T add15 = where34 + where36;
    const T where37 = rt::where(logical_or1, mul19 - mul18 + add15 * where26, T(0));
    const T where38 = rt::where(logical_or1, mul18 - mul19 + add15 * where27, T(0));
    const T add16 = where35 + (where29 - grad_grad_teacher * total5 + where32) * exp6;
    writes[0] = rt::where(gt2, mul16 * sub12 + add13 * exp6, T(0));
    writes[1] = rt::where(gt3, mul17 * sub13 + add14 * exp7, T(0));
    writes[2] = where33 + where38 + mul15;
    writes[3] = add16 + where37;
  }
};

struct DoubleBackwardRows {
  static constexpr int kReads = 17;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 4;
  static constexpr unsigned kRowScalars = 131044;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T total8 = reads[13];
    const T total9 = reads[14];
    const T beta = params[0];
    const T sub0 = T(1) - beta;
    writes[0] = total8 * beta + total9 * sub0;
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 17;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 170;
  static constexpr unsigned kRowScalars = 131044;
  static constexpr unsigned kHoisted = 4;
  static constexpr unsigned kHoistedFrom = 384;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total2 = reads[7];
    const T total3 = reads[8];
    const T beta = params[0];
    const T log0 = rt::log(beta);
    const T log1p0 = rt::log1p(-beta);
    const T log3 = rt::log(total2);
    const T log4 = rt::log(total3);
    hoisted[0] = log0;
    hoisted[1] = log1p0;
    hoisted[2] = log3;
    hoisted[3] = log4;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_grad_student = reads[0];
    const T grad_grad_teacher = reads[1];
    const T grad_loss = reads[2];
    const T student = reads[3];
    const T teacher = reads[4];
    const T total0 = reads[5];
    const T total1 = reads[6];
    const T total4 = reads[9];
    const T total5 = reads[10];
    const T total6 = reads[11];
    const T total7 = reads[12];
    const T total10 = reads[15];
    const T total11 = reads[16];
    const T beta = params[0];
    const T log0 = hoisted[0];
    const T log1p0 = hoisted[1];
    const T log3 = hoisted[2];
    const T log4 = hoisted[3];
    const T sub0 = T(1) - beta;
    const T mul0 = grad_loss * sub0;
    const T mul1 = grad_loss * beta;
    const T sub9 = teacher - total0 - log3;
    const T sub10 = student - total1 - log4;
    const T add9 = sub9 + log0;
    const rt::Mask<T> gt2 = sub9 > -T(INFINITY);
    const T exp6 = rt::exp(sub9);
    const rt::Mask<T> gt3 = sub10 > -T(INFINITY);
    const T exp7 = rt::exp(sub10);
    const T add10 = sub10 + log1p0;
    const T maximum1 = rt::maximum(add9, add10);
    const T sub11 = add9 - add10;
    const T abs2 = rt::abs(sub11);
    const T exp8 = rt::exp(-abs2);
    const T log1p_unit1 = rt::log1p_unit(exp8);
    const T where23 = rt::where(add9 == add10, T(0.6931471805599453), log1p_unit1);
    const T add11 = maximum1 + where23;
    const T where24 = rt::where(gt3, -(mul0 * exp7), T(0));
    const T where25 = rt::where(gt2, -(mul1 * exp6), T(0));
    const T add12 = where24 + where25;
    const T div_moderate2 = rt::div_moderate(T(1), T(1) + exp8);
    const T mul13 = exp8 * div_moderate2;
    const T where26 = rt::where(sub11 >= T(0), div_moderate2, mul13);
    const rt::Mask<T> logical_or1 = gt3 | gt2;
    const T sub12 = add10 - add9;
    const T abs3 = rt::abs(sub12);
    const T exp9 = rt::exp(-abs3);
    const T div_moderate3 = rt::div_moderate(T(1), T(1) + exp9);
    const T mul14 = exp9 * div_moderate3;
    const T where27 = rt::where(sub12 >= T(0), div_moderate3, mul14);
    const T sub13 = grad_grad_teacher - total6;
    const T sub14 = grad_grad_student - total7;
    const T where28 = rt::where(logical_or1, -(sub14 * where27 + sub13 * where26), T(0));
    const T where29 = rt::where(gt2, (sub13 + where28) * mul1, T(0));
    const T where30 = rt::where(gt3, (where28 + sub14) * mul0, T(0));
    const T where31 = rt::where(gt3, sub14 * mul0 * (sub10 - add11), T(0));
    const T where32 = rt::where(gt2, sub13 * mul1 * (sub9 - add11), T(0));
    const T mul15 = (where30 - grad_grad_student * total4 + where31) * exp7;
    const T mul16 = mul14 * div_moderate3 * sub14 * add12;
    const T mul17 = mul13 * div_moderate2 * sub13 * add12;
    const T mul18 = exp7 * sub14 * mul0;
    const T where33 = rt::where(gt3, mul18, T(0));
    const T where34 = rt::where(gt3, -mul18, T(0));
    const T mul19 = exp6 * sub13 * mul1;
    const T where35 = rt::where(gt2, mul19, T(0));
    const T where36 = rt::where(gt2, -mul19, T(0));
    const T add13 = where34 + where36;
    const T where37 = rt::where(logical_or1, mul17 - mul16 + add13 * where26, T(0));
    const T where38 = rt::where(logical_or1, mul16 - mul17 + add13 * where27, T(0));
    const T add14 = where35 + (where29 - grad_grad_teacher * total5 + where32) * exp6;
    writes[0] = where33 + where38 + mul15 - exp7 * total10;
    writes[1] = add14 + where37 - exp6 * total11;
  }
};

}  // namespace fusewise::ops::jsd_divergence
