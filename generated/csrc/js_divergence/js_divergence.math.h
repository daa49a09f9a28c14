// Generated from specs/losses/js_divergence.yaml by `fusewise generate`. Do not edit.
//
// p = softmax(teacher)
// q = softmax(student)
// log_m = log(beta * p + (1 - beta) * q)
// of_p = 0 if p == 0 else p * (log_softmax(teacher) - log_m)
// of_q = 0 if q == 0 else q * (log_softmax(student) - log_m)
// loss = sum(beta * of_p + (1 - beta) * of_q)
//
// p = softmax(teacher)
// q = softmax(student)
// sub0 = 1 - beta
// add0 = beta * p + sub0 * q
// log_m = log(add0)
// eq0 = p == 0
// log_softmax0 = log_softmax(teacher)
// eq1 = q == 0
// log_softmax1 = log_softmax(student)
// mul0 = grad_loss * sub0
// mul1 = grad_loss * beta
// where0 = 0 if eq1 else mul0 * (log_softmax1 - log_m)
// mul2 = mul0 * q
// where1 = 0 if eq1 else mul2
// where2 = 0 if eq1 else -mul2
// sum0 = sum(where1)
// where3 = 0 if eq0 else mul1 * (log_softmax0 - log_m)
// mul3 = mul1 * p
// where4 = 0 if eq0 else mul3
// where5 = 0 if eq0 else -mul3
// sum1 = sum(where4)
// div0 = (where2 + where5) / add0
// logical_or0 = not eq1 or not eq0
// where6 = div0 * sub0 if logical_or0 else 0
// add1 = where0 + where6
// where7 = div0 * beta if logical_or0 else 0
// add2 = where3 + where7
// sum2 = sum(add1 * q)
// sum3 = sum(add2 * p)
// grad_student = where1 - q * sum0 + q * (add1 - sum2)
// grad_teacher = where4 - p * sum1 + p * (add2 - sum3)
//
// backward keeps student, teacher: 8 B of float32 an element, arithmetic 130
// double_backward keeps grad_loss, student, teacher: 12 B of float32 an element, arithmetic 225
// forward: 2 read and 0 written for each element, 0 read and 5 written for each row
// backward: 2 read and 2 written for each element, 5 read and 0 written for each row
// double_backward: 4 read and 2 written for each element, 1 read and 1 written for each row
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::js_divergence {

struct ForwardTotals0 {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 124;
  static constexpr unsigned kCopied = 2;

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
    writes[0] = rt::exp_negative(teacher - total0);
    writes[1] = rt::exp_negative(student - total1);
  }
};

struct ForwardTotals2 {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 65;
  static constexpr unsigned kRowScalars = 124;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 48;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T total2 = reads[4];
    const T total3 = reads[5];
    const T log2 = rt::log(total2);
    const T log3 = rt::log(total3);
    hoisted[0] = log2;
    hoisted[1] = log3;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T student = reads[0];
    const T teacher = reads[1];
    const T total0 = reads[2];
    const T total1 = reads[3];
    const T total2 = reads[4];
    const T total3 = reads[5];
    const T beta = params[0];
    const T log2 = hoisted[0];
    const T log3 = hoisted[1];
    const T sub0 = T(1) - beta;
    const T sub3 = teacher - total0;
    const T sub4 = student - total1;
    const T exp_negative2 = rt::exp_negative(sub3);
    const T exp_negative3 = rt::exp_negative(sub4);
    const T div_shared0 = rt::div_shared(exp_negative2, total2);
    const T div_shared1 = rt::div_shared(exp_negative3, total3);
    const T log4 = rt::log(beta * div_shared0 + sub0 * div_shared1);
    const T where0 = rt::where(div_shared0 == T(0), T(0), div_shared0 * (sub3 - log2 - log4));
    const T where1 = rt::where(div_shared1 == T(0), T(0), div_shared1 * (sub4 - log3 - log4));
    writes[0] = beta * where0 + sub0 * where1;
  }
};

struct ForwardRows {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 5;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 124;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T total0 = reads[2];
    const T total1 = reads[3];
    const T total2 = reads[4];
    const T total3 = reads[5];
    const T total4 = reads[6];
    writes[0] = total4;
    writes[1] = total0;
    writes[2] = total1;
    writes[3] = total2;
    writes[4] = total3;
  }
};

struct BackwardTotals0 {
  static constexpr int kReads = 11;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 92;
  static constexpr unsigned kRowScalars = 2041;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 96;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T kept_total2 = reads[5];
    const T kept_total3 = reads[6];
    const T log0 = rt::log(kept_total2);
    const T log1 = rt::log(kept_total3);
    hoisted[0] = log0;
    hoisted[1] = log1;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_loss = reads[0];
    const T student = reads[1];
    const T teacher = reads[2];
    const T kept_total0 = reads[3];
    const T kept_total1 = reads[4];
    const T kept_total2 = reads[5];
    const T kept_total3 = reads[6];
    const T beta = params[0];
    const T log0 = hoisted[0];
    const T log1 = hoisted[1];
    const T sub0 = T(1) - beta;
    const T mul0 = grad_loss * sub0;
    const T mul1 = grad_loss * beta;
    const T sub1 = teacher - kept_total0;
    const T sub2 = student - kept_total1;
    const T exp_negative0 = rt::exp_negative(sub1);
    const T exp_negative1 = rt::exp_negative(sub2);
    const T p = rt::div_shared(exp_negative0, kept_total2);
    const T q = rt::div_shared(exp_negative1, kept_total3);
    const T add0 = beta * p + sub0 * q;
    const T log_m = rt::log(add0);
    const rt::Mask<T> eq0 = p == T(0);
    const rt::Mask<T> eq1 = q == T(0);
    const T where0 = rt::where(eq1, T(0), mul0 * (sub2 - log1 - log_m));
    const T mul2 = mul0 * q;
    const T where1 = rt::where(eq1, T(0), mul2);
    const T where2 = rt::where(eq1, T(0), -mul2);
    const T where3 = rt::where(eq0, T(0), mul1 * (sub1 - log0 - log_m));
    const T mul3 = mul1 * p;
    const T where4 = rt::where(eq0, T(0), mul3);
    const T where5 = rt::where(eq0, T(0), -mul3);
    const T div0 = (where2 + where5) / add0;
    const rt::Mask<T> logical_or0 = (!eq1) | (!eq0);
    const T where6 = rt::where(logical_or0, div0 * sub0, T(0));
    const T add1 = where0 + where6;
    const T where7 = rt::where(logical_or0, div0 * beta, T(0));
    const T add2 = where3 + where7;
    writes[0] = where1;
    writes[1] = where4;
    writes[2] = add1 * q;
    writes[3] = add2 * p;
  }
};

struct BackwardElements {
  static constexpr int kReads = 11;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 100;
  static constexpr unsigned kRowScalars = 2041;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 96;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T kept_total2 = reads[5];
    const T kept_total3 = reads[6];
    const T log0 = rt::log(kept_total2);
    const T log1 = rt::log(kept_total3);
    hoisted[0] = log0;
    hoisted[1] = log1;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_loss = reads[0];
    const T student = reads[1];
    const T teacher = reads[2];
    const T kept_total0 = reads[3];
    const T kept_total1 = reads[4];
    const T kept_total2 = reads[5];
    const T kept_total3 = reads[6];
    const T total0 = reads[7];
    const T total1 = reads[8];
    const T total2 = reads[9];
    const T total3 = reads[10];
    const T beta = params[0];
    const T log0 = hoisted[0];
    const T log1 = hoisted[1];
    const T sub0 = T(1) - beta;
    const T mul0 = grad_loss * sub0;
    const T mul1 = grad_loss * beta;
    const T sub1 = teacher - kept_total0;
    const T sub2 = student - kept_total1;
    const T exp_negative0 = rt::exp_negative(sub1);
    const T exp_negative1 = rt::exp_negative(sub2);
    const T p = rt::div_shared(exp_negative0, kept_total2);
    const T q = rt::div_shared(exp_negative1, kept_total3);
    const T add0 = beta * p + sub0 * q;
    const T log_m = rt::log(add0);
    const rt::Mask<T> eq0 = p == T(0);
    const rt::Mask<T> eq1 = q == T(0);
    const T where0 = rt::where(eq1, T(0), mul0 * (sub2 - log1 - log_m));
    const T mul2 = mul0 * q;
    const T where1 = rt::where(eq1, T(0), mul2);
    const T where2 = rt::where(eq1, T(0), -mul2);
    const T where3 = rt::where(eq0, T(0), mul1 * (sub1 - log0 - log_m));
    const T mul3 = mul1 * p;
    const T where4 = rt::where(eq0, T(0), mul3);
    const T where5 = rt::where(eq0, T(0), -mul3);
    const T div0 = (where2 + where5) / add0;
    const rt::Mask<T> logical_or0 = (!eq1) | (!eq0);
    const T where6 = rt::where(logical_or0, div0 * sub0, T(0));
    const T add1 = where0 + where6;
    const T where7 = rt::where(logical_or0, div0 * beta, T(0));
    const T add2 = where3 + where7;
    writes[0] = where1 - q * total0 + q * (add1 - total2);
    writes[1] = where4 - p * total1 + p * (add2 - total3);
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 21;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 2097124;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T student = reads[3];
    const T teacher = reads[4];
    writes[0] = teacher;
    writes[1] = student;
  }
};

struct DoubleBackwardTotals1 {
  static constexpr int kReads = 21;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 22;
  static constexpr unsigned kRowScalars = 2097124;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T student = reads[3];
    const T teacher = reads[4];
    const T total0 = reads[5];
    const T total1 = reads[6];
    writes[0] = rt::exp_negative(teacher - total0);
    writes[1] = rt::exp_negative(student - total1);
  }
};

struct DoubleBackwardTotals2 {
  static constexpr int kReads = 21;
  static constexpr int kWrites = 6;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 94;
  static constexpr unsigned kRowScalars = 2097124;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 384;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T total2 = reads[7];
    const T total3 = reads[8];
    const T log2 = rt::log(total2);
    const T log3 = rt::log(total3);
    hoisted[0] = log2;
    hoisted[1] = log3;
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
    const T total2 = reads[7];
    const T total3 = reads[8];
    const T beta = params[0];
    const T log2 = hoisted[0];
    const T log3 = hoisted[1];
    const T sub0 = T(1) - beta;
    const T mul0 = grad_loss * sub0;
    const T mul1 = grad_loss * beta;
    const T sub10 = teacher - total0;
    const T sub11 = student - total1;
    const T exp_negative2 = rt::exp_negative(sub10);
    const T exp_negative3 = rt::exp_negative(sub11);
    const T div_shared0 = rt::div_shared(exp_negative2, total2);
    const T div_shared1 = rt::div_shared(exp_negative3, total3);
    const T add8 = beta * div_shared0 + sub0 * div_shared1;
    const T log4 = rt::log(add8);
    const rt::Mask<T> eq2 = div_shared0 == T(0);
    const rt::Mask<T> eq3 = div_shared1 == T(0);
    const T where19 = rt::where(eq3, T(0), mul0 * (sub11 - log3 - log4));
    const T mul8 = mul0 * div_shared1;
    const T where20 = rt::where(eq3, T(0), -mul8);
    const T where21 = rt::where(eq2, T(0), mul1 * (sub10 - log2 - log4));
    const T mul9 = mul1 * div_shared0;
    const T where22 = rt::where(eq2, T(0), -mul9);
    const T div1 = (where20 + where22) / add8;
    const rt::Mask<T> logical_or1 = (!eq3) | (!eq2);
    const T where23 = rt::where(logical_or1, div1 * sub0, T(0));
    const T where24 = rt::where(logical_or1, div1 * beta, T(0));
    writes[0] = rt::where(eq3, T(0), mul8);
    writes[1] = rt::where(eq2, T(0), mul9);
    writes[2] = (where19 + where23) * div_shared1;
    writes[3] = (where21 + where24) * div_shared0;
    writes[4] = grad_grad_teacher * div_shared0;
    writes[5] = grad_grad_student * div_shared1;
  }
};

struct DoubleBackwardTotals3 {
  static constexpr int kReads = 21;
  static constexpr int kWrites = 6;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 172;
  static constexpr unsigned kRowScalars = 2097124;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 384;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T total2 = reads[7];
    const T total3 = reads[8];
    const T log2 = rt::log(total2);
    const T log3 = rt::log(total3);
    hoisted[0] = log2;
    hoisted[1] = log3;
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
    const T total2 = reads[7];
    const T total3 = reads[8];
    const T total4 = reads[9];
    const T total5 = reads[10];
    const T total6 = reads[11];
    const T total7 = reads[12];
    const T total8 = reads[13];
    const T total9 = reads[14];
    const T beta = params[0];
    const T log2 = hoisted[0];
    const T log3 = hoisted[1];
    const T sub0 = T(1) - beta;
    const T mul0 = grad_loss * sub0;
    const T mul1 = grad_loss * beta;
    const T sub10 = teacher - total0;
    const T sub11 = student - total1;
    const T exp_negative2 = rt::exp_negative(sub10);
    const T exp_negative3 = rt::exp_negative(sub11);
    const T div_shared0 = rt::div_shared(exp_negative2, total2);
    const T div_shared1 = rt::div_shared(exp_negative3, total3);
    const T add8 = beta * div_shared0 + sub0 * div_shared1;
    const T log4 = rt::log(add8);
    const rt::Mask<T> eq2 = div_shared0 == T(0);
    const T sub12 = sub10 - log2 - log4;
    const rt::Mask<T> eq3 = div_shared1 == T(0);
    const T sub13 = sub11 - log3 - log4;
    const T where19 = rt::where(eq3, T(0), mul0 * sub13);
    const T where20 = rt::where(eq3, T(0), -(mul0 * div_shared1));
    const T where21 = rt::where(eq2, T(0), mul1 * sub12);
    const T where22 = rt::where(eq2, T(0), -(mul1 * div_shared0));
    const T div1 = (where20 + where22) / add8;
    const rt::Mask<T> logical_or1 = (!eq3) | (!eq2);
    const T where23 = rt::where(logical_or1, div1 * sub0, T(0));
    const T add9 = where19 + where23;
    const T where24 = rt::where(logical_or1, div1 * beta, T(0));
    const T add10 = where21 + where24;
    const T sub14 = grad_grad_teacher * div_shared0 - total8 * div_shared0;
    const T sub15 = grad_grad_teacher * (add10 - total7) - total8 * add10;
    const T sub16 = grad_grad_student * div_shared1 - total9 * div_shared1;
    const T sub17 = grad_grad_student * (add9 - total6) - total9 * add9;
    const T add11 = sub14 * beta + sub16 * sub0;
    const T where25 = rt::where(logical_or1, -(add11 / add8), T(0));
    const T add12 = where25 + (grad_grad_teacher - total8);
    const T where26 = rt::where(eq2, T(0), add12 * mul1);
    const T mul8 = sub14 * mul1;
    const T add13 = where25 + (grad_grad_student - total9);
    const T where27 = rt::where(eq3, T(0), add13 * mul0);
    const T mul9 = sub16 * mul0;
    const T where28 = rt::where(eq3, T(0), -mul9);
    const T where29 = rt::where(eq2, T(0), -mul8);
    const T sub18 = (where28 + where29) / add8 - div1 / add8 * add11;
    const T where30 = rt::where(logical_or1, sub18 * sub0, T(0));
    const T where31 = rt::where(logical_or1, sub18 * beta, T(0));
    writes[0] = rt::where(eq2, T(0), add12 * div_shared0 + sub14 * sub12);
    writes[1] = rt::where(eq3, T(0), add13 * div_shared1 + sub16 * sub13);
    writes[2] = rt::where(eq3, T(0), mul9);
    writes[3] = rt::where(eq2, T(0), mul8);
    writes[4] = (sub17 - grad_grad_student * total4 + where27 + where30) * div_shared1;
    writes[5] = (sub15 - grad_grad_teacher * total5 + where26 + where31) * div_shared0;
  }
};

struct DoubleBackwardRows {
  static constexpr int kReads = 21;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 4;
  static constexpr unsigned kRowScalars = 2097124;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T total10 = reads[15];
    const T total11 = reads[16];
    const T beta = params[0];
    const T sub0 = T(1) - beta;
    writes[0] = total10 * beta + total11 * sub0;
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 21;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 172;
  static constexpr unsigned kRowScalars = 2097124;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 384;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T total2 = reads[7];
    const T total3 = reads[8];
    const T log2 = rt::log(total2);
    const T log3 = rt::log(total3);
    hoisted[0] = log2;
    hoisted[1] = log3;
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
    const T total2 = reads[7];
    const T total3 = reads[8];
    const T total4 = reads[9];
    const T total5 = reads[10];
    const T total6 = reads[11];
    const T total7 = reads[12];
    const T total8 = reads[13];
    const T total9 = reads[14];
    const T total12 = reads[17];
    const T total13 = reads[18];
    const T total14 = reads[19];
    const T total15 = reads[20];
    const T beta = params[0];
    const T log2 = hoisted[0];
    const T log3 = hoisted[1];
    const T sub0 = T(1) - beta;
    const T mul0 = grad_loss * sub0;
    const T mul1 = grad_loss * beta;
    const T sub10 = teacher - total0;
    const T sub11 = student - total1;
    const T exp_negative2 = rt::exp_negative(sub10);
    const T exp_negative3 = rt::exp_negative(sub11);
    const T div_shared0 = rt::div_shared(exp_negative2, total2);
    const T div_shared1 = rt::div_shared(exp_negative3, total3);
    const T add8 = beta * div_shared0 + sub0 * div_shared1;
    const T log4 = rt::log(add8);
    const rt::Mask<T> eq2 = div_shared0 == T(0);
    const rt::Mask<T> eq3 = div_shared1 == T(0);
    const T where19 = rt::where(eq3, T(0), mul0 * (sub11 - log3 - log4));
    const T where20 = rt::where(eq3, T(0), -(mul0 * div_shared1));
    const T where21 = rt::where(eq2, T(0), mul1 * (sub10 - log2 - log4));
    const T where22 = rt::where(eq2, T(0), -(mul1 * div_shared0));
    const T div1 = (where20 + where22) / add8;
    const rt::Mask<T> logical_or1 = (!eq3) | (!eq2);
    const T where23 = rt::where(logical_or1, div1 * sub0, T(0));
    const T add9 = where19 + where23;
    const T where24 = rt::where(logical_or1, div1 * beta, T(0));
    const T add10 = where21 + where24;
    const T sub12 = grad_grad_teacher * div_shared0 - total8 * div_shared0;
    const T sub13 = grad_grad_teacher * (add10 - total7) - total8 * add10;
    const T sub14 = grad_grad_student * div_shared1 - total9 * div_shared1;
    const T sub15 = grad_grad_student * (add9 - total6) - total9 * add9;
    const T add11 = sub12 * beta + sub14 * sub0;
    const T where25 = rt::where(logical_or1, -(add11 / add8), T(0));
    const T where26 = rt::where(eq2, T(0), (where25 + (grad_grad_teacher - total8)) * mul1);
    const T mul8 = sub12 * mul1;
    const T where27 = rt::where(eq2, T(0), mul8);
    const T where28 = rt::where(eq3, T(0), (where25 + (grad_grad_student - total9)) * mul0);
    const T mul9 = sub14 * mul0;
    const T where29 = rt::where(eq3, T(0), mul9);
    const T where30 = rt::where(eq3, T(0), -mul9);
    const T where31 = rt::where(eq2, T(0), -mul8);
    const T sub16 = (where30 + where31) / add8 - div1 / add8 * add11;
    const T where32 = rt::where(logical_or1, sub16 * sub0, T(0));
    const T where33 = rt::where(logical_or1, sub16 * beta, T(0));
    const T sub17 = sub15 - grad_grad_student * total4 + where28 + where32 - total14;
    const T sub18 = sub13 - grad_grad_teacher * total5 + where26 + where33 - total15;
    writes[0] = where29 - div_shared1 * total12 + div_shared1 * sub17;
    writes[1] = where27 - div_shared0 * total13 + div_shared0 * sub18;
  }
};

}  // namespace fusewise::ops::js_divergence
