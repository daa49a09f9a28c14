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
// double_backward keeps grad_loss, student, teacher: 12 B of float32 an element, arithmetic 254
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
  static constexpr int kParams = 4;
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
  static constexpr int kParams = 4;
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
  static constexpr int kParams = 4;
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
    const T sub9 = teacher - total0;
    const T sub10 = student - total1;
    const T exp_negative2 = rt::exp_negative(sub9);
    const T exp_negative3 = rt::exp_negative(sub10);
    const T div_shared0 = rt::div_shared(exp_negative2, total2);
    const T div_shared1 = rt::div_shared(exp_negative3, total3);
    const T add9 = beta * div_shared0 + sub0 * div_shared1;
    const T log4 = rt::log(add9);
    const rt::Mask<T> eq2 = div_shared0 == T(0);
    const rt::Mask<T> eq3 = div_shared1 == T(0);
    const T where39 = rt::where(eq3, T(0), mul0 * (sub10 - log3 - log4));
    const T mul8 = mul0 * div_shared1;
    const T where40 = rt::where(eq3, T(0), -mul8);
    const T where41 = rt::where(eq2, T(0), mul1 * (sub9 - log2 - log4));
    const T mul9 = mul1 * div_shared0;
    const T where42 = rt::where(eq2, T(0), -mul9);
    const T div1 = (where40 + where42) / add9;
    const rt::Mask<T> logical_or5 = (!eq3) | (!eq2);
    const T where43 = rt::where(logical_or5, div1 * sub0, T(0));
    const T where44 = rt::where(logical_or5, div1 * beta, T(0));
    writes[0] = rt::where(eq3, T(0), mul8);
    writes[1] = rt::where(eq2, T(0), mul9);
    writes[2] = (where39 + where43) * div_shared1;
    writes[3] = (where41 + where44) * div_shared0;
    writes[4] = grad_grad_teacher * div_shared0;
    writes[5] = grad_grad_student * div_shared1;
  }
};

struct DoubleBackwardTotals3 {
  static constexpr int kReads = 21;
  static constexpr int kWrites = 6;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 199;
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
    const rt::Mask<T> has_grad_grad_student = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_teacher = params[2] != T(0);
    const T log2 = hoisted[0];
    const T log3 = hoisted[1];
    const T sub0 = T(1) - beta;
    const T mul0 = grad_loss * sub0;
    const T mul1 = grad_loss * beta;
    const T sub9 = teacher - total0;
    const T sub10 = student - total1;
    const T exp_negative2 = rt::exp_negative(sub9);
    const T exp_negative3 = rt::exp_negative(sub10);
    const T div_shared0 = rt::div_shared(exp_negative2, total2);
    const T div_shared1 = rt::div_shared(exp_negative3, total3);
    const T add9 = beta * div_shared0 + sub0 * div_shared1;
    const T log4 = rt::log(add9);
    const rt::Mask<T> eq2 = div_shared0 == T(0);
    const T sub11 = sub9 - log2 - log4;
    const rt::Mask<T> eq3 = div_shared1 == T(0);
    const T sub12 = sub10 - log3 - log4;
    const T where39 = rt::where(eq3, T(0), mul0 * sub12);
    const T where40 = rt::where(eq3, T(0), -(mul0 * div_shared1));
    const rt::Mask<T> logical_not2 = !eq3;
    const T where41 = rt::where(eq2, T(0), mul1 * sub11);
    const T where42 = rt::where(eq2, T(0), -(mul1 * div_shared0));
    const rt::Mask<T> logical_not3 = !eq2;
    const T div1 = (where40 + where42) / add9;
    const rt::Mask<T> logical_or5 = logical_not2 | logical_not3;
    const T where43 = rt::where(logical_or5, div1 * sub0, T(0));
    const T add10 = where39 + where43;
    const T where44 = rt::where(logical_or5, div1 * beta, T(0));
    const T add11 = where41 + where44;
    const T where45 = rt::where(has_grad_grad_teacher, -total8, T(0));
    const T sub13 = grad_grad_teacher * div_shared0 - total8 * div_shared0;
    const T sub14 = grad_grad_teacher * (add11 - total7) - total8 * add11;
    const T where46 = rt::where(has_grad_grad_student, -total9, T(0));
    const T sub15 = grad_grad_student * div_shared1 - total9 * div_shared1;
    const T sub16 = grad_grad_student * (add10 - total6) - total9 * add10;
    const T where47 = rt::where(has_grad_grad_teacher, sub13 * beta, T(0));
    const T where48 = rt::where(has_grad_grad_student, sub15 * sub0, T(0));
    const T add12 = where47 + where48;
    const T where49 = rt::where(logical_or5, -(div1 / add9 * add12), T(0));
    const T where50 = rt::where(has_grad_grad_teacher, sub14 - grad_grad_teacher * total5, T(0));
    const T where51 = rt::where(logical_or5, -(add12 / add9), T(0));
    const T add13 = where51 + (grad_grad_teacher + where45);
    const rt::Mask<T> logical_or6 = logical_or5 | has_grad_grad_teacher;
    const T where52 = rt::where(logical_or6, add13 * div_shared0, T(0));
    const T where53 = rt::where(logical_or6, add13 * mul1, T(0));
    const T where54 = rt::where(eq2, T(0), where53);
    const T where55 = rt::where(has_grad_grad_teacher, sub13 * sub11, T(0));
    const T mul8 = sub13 * mul1;
    const T where56 = rt::where(has_grad_grad_teacher, mul8, T(0));
    const T where57 = rt::where(has_grad_grad_student, sub16 - grad_grad_student * total4, T(0));
    const T add14 = where51 + (grad_grad_student + where46);
    const rt::Mask<T> logical_or7 = logical_or5 | has_grad_grad_student;
    const T where58 = rt::where(logical_or7, add14 * div_shared1, T(0));
    const T where59 = rt::where(logical_or7, add14 * mul0, T(0));
    const T where60 = rt::where(eq3, T(0), where59);
    const T where61 = rt::where(has_grad_grad_student, sub15 * sub12, T(0));
    const T mul9 = sub15 * mul0;
    const T where62 = rt::where(has_grad_grad_student, mul9, T(0));
    const T where63 = rt::where(has_grad_grad_student, -mul9, T(0));
    const T where64 = rt::where(eq3, T(0), where63);
    const T where65 = rt::where(has_grad_grad_teacher, -mul8, T(0));
    const T where66 = rt::where(eq2, T(0), where65);
    const rt::Mask<T> logical_or8 = (logical_not2 & has_grad_grad_student) | (logical_not3 &
        has_grad_grad_teacher);
    const T where67 = rt::where(logical_or8, (where64 + where66) / add9, T(0));
    const T add15 = where49 + where67;
    const rt::Mask<T> logical_or9 = logical_or5 | logical_or8;
    const T where68 = rt::where(logical_or9, add15 * sub0, T(0));
    const T where69 = rt::where(logical_or9, add15 * beta, T(0));
    writes[0] = rt::where(eq2, T(0), where52 + where55);
    writes[1] = rt::where(eq3, T(0), where58 + where61);
    writes[2] = rt::where(eq3, T(0), where62);
    writes[3] = rt::where(eq2, T(0), where56);
    writes[4] = (where57 + where60 + where68) * div_shared1;
    writes[5] = (where50 + where54 + where69) * div_shared0;
  }
};

struct DoubleBackwardRows {
  static constexpr int kReads = 21;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 4;
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
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 197;
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
    const rt::Mask<T> has_grad_grad_student = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_teacher = params[2] != T(0);
    const T log2 = hoisted[0];
    const T log3 = hoisted[1];
    const T sub0 = T(1) - beta;
    const T mul0 = grad_loss * sub0;
    const T mul1 = grad_loss * beta;
    const T sub9 = teacher - total0;
    const T sub10 = student - total1;
    const T exp_negative2 = rt::exp_negative(sub9);
    const T exp_negative3 = rt::exp_negative(sub10);
    const T div_shared0 = rt::div_shared(exp_negative2, total2);
    const T div_shared1 = rt::div_shared(exp_negative3, total3);
    const T add9 = beta * div_shared0 + sub0 * div_shared1;
    const T log4 = rt::log(add9);
    const rt::Mask<T> eq2 = div_shared0 == T(0);
    const rt::Mask<T> eq3 = div_shared1 == T(0);
    const T where39 = rt::where(eq3, T(0), mul0 * (sub10 - log3 - log4));
    const T where40 = rt::where(eq3, T(0), -(mul0 * div_shared1));
    const rt::Mask<T> logical_not2 = !eq3;
    const T where41 = rt::where(eq2, T(0), mul1 * (sub9 - log2 - log4));
    const T where42 = rt::where(eq2, T(0), -(mul1 * div_shared0));
    const rt::Mask<T> logical_not3 = !eq2;
    const T div1 = (where40 + where42) / add9;
    const rt::Mask<T> logical_or5 = logical_not2 | logical_not3;
    const T where43 = rt::where(logical_or5, div1 * sub0, T(0));
    const T add10 = where39 + where43;
    const T where44 = rt::where(logical_or5, div1 * beta, T(0));
    const T add11 = where41 + where44;
    const T where45 = rt::where(has_grad_grad_teacher, -total8, T(0));
    const T sub11 = grad_grad_teacher * div_shared0 - total8 * div_shared0;
    const T sub12 = grad_grad_teacher * (add11 - total7) - total8 * add11;
    const T where46 = rt::where(has_grad_grad_student, -total9, T(0));
    const T sub13 = grad_grad_student * div_shared1 - total9 * div_shared1;
    const T sub14 = grad_grad_student * (add10 - total6) - total9 * add10;
    const T where47 = rt::where(has_grad_grad_teacher, sub11 * beta, T(0));
    const T where48 = rt::where(has_grad_grad_student, sub13 * sub0, T(0));
    const T add12 = where47 + where48;
    const T where49 = rt::where(logical_or5, -(div1 / add9 * add12), T(0));
    const T where50 = rt::where(has_grad_grad_teacher, sub12 - grad_grad_teacher * total5, T(0));
    const T where51 = rt::where(logical_or5, -(add12 / add9), T(0));
    const T where52 = rt::where(logical_or5 | has_grad_grad_teacher, (where51 + (grad_grad_teacher +
        where45)) * mul1, T(0));
    const T where53 = rt::where(eq2, T(0), where52);
    const T mul8 = sub11 * mul1;
    const T where54 = rt::where(has_grad_grad_teacher, mul8, T(0));
    const T where55 = rt::where(eq2, T(0), where54);
    const T where56 = rt::where(has_grad_grad_student, sub14 - grad_grad_student * total4, T(0));
    const T where57 = rt::where(logical_or5 | has_grad_grad_student, (where51 + (grad_grad_student +
        where46)) * mul0, T(0));
    const T where58 = rt::where(eq3, T(0), where57);
    const T mul9 = sub13 * mul0;
    const T where59 = rt::where(has_grad_grad_student, mul9, T(0));
    const T where60 = rt::where(eq3, T(0), where59);
    const T where61 = rt::where(has_grad_grad_student, -mul9, T(0));
    const T where62 = rt::where(eq3, T(0), where61);
    const T where63 = rt::where(has_grad_grad_teacher, -mul8, T(0));
    const T where64 = rt::where(eq2, T(0), where63);
    const rt::Mask<T> logical_or6 = (logical_not2 & has_grad_grad_student) | (logical_not3 &
        has_grad_grad_teacher);
    const T where65 = rt::where(logical_or6, (where62 + where64) / add9, T(0));
    const T add13 = where49 + where65;
    const rt::Mask<T> logical_or7 = logical_or5 | logical_or6;
    const T where66 = rt::where(logical_or7, add13 * sub0, T(0));
    const T where67 = rt::where(logical_or7, add13 * beta, T(0));
    const T where68 = rt::where(has_grad_grad_student, where60 - div_shared1 * total12, T(0));
    const T where69 = rt::where(has_grad_grad_teacher, where55 - div_shared0 * total13, T(0));
    writes[0] = where68 + div_shared1 * (where56 + where58 + where66 - total14);
    writes[1] = where69 + div_shared0 * (where50 + where53 + where67 - total15);
  }
};

}  // namespace fusewise::ops::js_divergence
