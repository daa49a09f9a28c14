// Generated from specs/losses/kl_divergence.yaml by `fusewise generate`. Do not edit.
//
// p = softmax(teacher)
// log_ratio = log_softmax(teacher) - log_softmax(student)
// loss = sum(0 if p == 0 else p * log_ratio)
//
// p = softmax(teacher)
// log_softmax0 = log_softmax(teacher)
// log_softmax1 = log_softmax(student)
// log_ratio = log_softmax0 - log_softmax1
// eq0 = p == 0
// where0 = 0 if eq0 else grad_loss * log_ratio
// mul0 = grad_loss * p
// where1 = 0 if eq0 else mul0
// where2 = 0 if eq0 else -mul0
// softmax0 = softmax(student)
// sum0 = sum(where2)
// sum1 = sum(where1)
// sum2 = sum(where0 * p)
// grad_student = where2 - softmax0 * sum0
// grad_teacher = where1 - p * sum1 + p * (where0 - sum2)
//
// backward keeps student, teacher: 8 B of float32 an element, arithmetic 83
// double_backward keeps grad_loss, student, teacher: 12 B of float32 an element, arithmetic 124
// forward: 2 read and 0 written for each element, 0 read and 5 written for each row
// backward: 2 read and 2 written for each element, 5 read and 0 written for each row
// double_backward: 4 read and 2 written for each element, 1 read and 1 written for each row
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::kl_divergence {

struct ForwardTotals0 {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 1;
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
  static constexpr int kParams = 1;
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
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 26;
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
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T student = reads[0];
    const T teacher = reads[1];
    const T total0 = reads[2];
    const T total1 = reads[3];
    const T total2 = reads[4];
    const T log2 = hoisted[0];
    const T log3 = hoisted[1];
    const T sub2 = teacher - total0;
    const T exp2 = rt::exp(sub2);
    const T div_shared0 = rt::div_shared(exp2, total2);
    const T mul0 = div_shared0 * (sub2 - log2 - (student - total1 - log3));
    writes[0] = rt::where(div_shared0 == T(0), T(0), mul0);
  }
};

struct ForwardRows {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 5;
  static constexpr int kParams = 1;
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
    writes[2] = total2;
    writes[3] = total1;
    writes[4] = total3;
  }
};

struct BackwardTotals0 {
  static constexpr int kReads = 10;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 31;
  static constexpr unsigned kRowScalars = 1017;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 80;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T kept_total1 = reads[4];
    const T kept_total3 = reads[6];
    const T log0 = rt::log(kept_total1);
    const T log1 = rt::log(kept_total3);
    hoisted[0] = log0;
    hoisted[1] = log1;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T grad_loss = reads[0];
    const T student = reads[1];
    const T teacher = reads[2];
    const T kept_total0 = reads[3];
    const T kept_total1 = reads[4];
    const T kept_total2 = reads[5];
    const T log0 = hoisted[0];
    const T log1 = hoisted[1];
    const T sub0 = teacher - kept_total0;
    const T exp0 = rt::exp(sub0);
    const T sub1 = student - kept_total2;
    const T log_ratio = sub0 - log0 - (sub1 - log1);
    const T p = rt::div_shared(exp0, kept_total1);
    const rt::Mask<T> eq0 = p == T(0);
    const T where0 = rt::where(eq0, T(0), grad_loss * log_ratio);
    const T mul0 = grad_loss * p;
    const T where1 = rt::where(eq0, T(0), mul0);
    const T where2 = rt::where(eq0, T(0), -mul0);
    writes[0] = where2;
    writes[1] = where1;
    writes[2] = where0 * p;
  }
};

struct BackwardElements {
  static constexpr int kReads = 10;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 55;
  static constexpr unsigned kRowScalars = 1017;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 80;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T kept_total1 = reads[4];
    const T kept_total3 = reads[6];
    const T log0 = rt::log(kept_total1);
    const T log1 = rt::log(kept_total3);
    hoisted[0] = log0;
    hoisted[1] = log1;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
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
    const T log0 = hoisted[0];
    const T log1 = hoisted[1];
    const T sub0 = teacher - kept_total0;
    const T exp0 = rt::exp(sub0);
    const T sub1 = student - kept_total2;
    const T exp1 = rt::exp(sub1);
    const T log_ratio = sub0 - log0 - (sub1 - log1);
    const T p = rt::div_shared(exp0, kept_total1);
    const rt::Mask<T> eq0 = p == T(0);
    const T where0 = rt::where(eq0, T(0), grad_loss * log_ratio);
    const T mul0 = grad_loss * p;
    const T where1 = rt::where(eq0, T(0), mul0);
    const T where2 = rt::where(eq0, T(0), -mul0);
    const T div_shared0 = rt::div_shared(exp1, kept_total3);
    writes[0] = where2 - div_shared0 * total0;
    writes[1] = where1 - p * total1 + p * (where0 - total2);
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 19;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 524260;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T student = reads[3];
    const T teacher = reads[4];
    writes[0] = teacher;
    writes[1] = student;
  }
};

struct DoubleBackwardTotals1 {
  static constexpr int kReads = 19;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 22;
  static constexpr unsigned kRowScalars = 524260;

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
  static constexpr int kReads = 19;
  static constexpr int kWrites = 5;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 51;
  static constexpr unsigned kRowScalars = 524260;
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
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T grad_grad_student = reads[0];
    const T grad_grad_teacher = reads[1];
    const T grad_loss = reads[2];
    const T student = reads[3];
    const T teacher = reads[4];
    const T total0 = reads[5];
    const T total1 = reads[6];
    const T total2 = reads[7];
    const T total3 = reads[8];
    const T log2 = hoisted[0];
    const T log3 = hoisted[1];
    const T sub5 = teacher - total0;
    const T exp2 = rt::exp(sub5);
    const T sub6 = student - total1;
    const T exp3 = rt::exp(sub6);
    const T div_shared1 = rt::div_shared(exp2, total2);
    const rt::Mask<T> eq1 = div_shared1 == T(0);
    const T where8 = rt::where(eq1, T(0), grad_loss * (sub5 - log2 - (sub6 - log3)));
    const T mul6 = grad_loss * div_shared1;
    const T div_shared2 = rt::div_shared(exp3, total3);
    writes[0] = rt::where(eq1, T(0), -mul6);
    writes[1] = rt::where(eq1, T(0), mul6);
    writes[2] = where8 * div_shared1;
    writes[3] = grad_grad_teacher * div_shared1;
    writes[4] = grad_grad_student * div_shared2;
  }
};

struct DoubleBackwardTotals3 {
  static constexpr int kReads = 19;
  static constexpr int kWrites = 5;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 73;
  static constexpr unsigned kRowScalars = 524260;
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
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
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
    const T log2 = hoisted[0];
    const T log3 = hoisted[1];
    const T sub5 = teacher - total0;
    const T exp2 = rt::exp(sub5);
    const T sub6 = student - total1;
    const T exp3 = rt::exp(sub6);
    const T sub7 = sub5 - log2 - (sub6 - log3);
    const T div_shared1 = rt::div_shared(exp2, total2);
    const rt::Mask<T> eq1 = div_shared1 == T(0);
    const T mul6 = grad_loss * sub7;
    const T where8 = rt::where(eq1, T(0), mul6);
    const T div_shared2 = rt::div_shared(exp3, total3);
    const T sub8 = grad_grad_teacher * div_shared1 - total7 * div_shared1;
    const T where9 = rt::where(eq1, T(0), -(total7 * mul6));
    const T sub9 = grad_grad_teacher * (where8 - total6) + where9 - grad_grad_teacher * total5;
    const T sub10 = grad_grad_teacher - total7 - (grad_grad_student - total8);
    const T where10 = rt::where(eq1, T(0), sub10 * grad_loss);
    const T mul7 = sub8 * grad_loss;
    writes[0] = -(grad_grad_student * total4 * div_shared2);
    writes[1] = rt::where(eq1, T(0), sub10 * div_shared1 + sub8 * sub7);
    writes[2] = rt::where(eq1, T(0), -mul7);
    writes[3] = rt::where(eq1, T(0), mul7);
    writes[4] = (sub9 + where10) * div_shared1;
  }
};

struct DoubleBackwardRows {
  static constexpr int kReads = 19;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 524260;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T total10 = reads[15];
    writes[0] = total10;
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 19;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 77;
  static constexpr unsigned kRowScalars = 524260;
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
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
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
    const T total11 = reads[16];
    const T total12 = reads[17];
    const T total13 = reads[18];
    const T log2 = hoisted[0];
    const T log3 = hoisted[1];
    const T sub5 = teacher - total0;
    const T exp2 = rt::exp(sub5);
    const T sub6 = student - total1;
    const T exp3 = rt::exp(sub6);
    const T div_shared1 = rt::div_shared(exp2, total2);
    const rt::Mask<T> eq1 = div_shared1 == T(0);
    const T mul6 = grad_loss * (sub5 - log2 - (sub6 - log3));
    const T where8 = rt::where(eq1, T(0), mul6);
    const T div_shared2 = rt::div_shared(exp3, total3);
    const T where9 = rt::where(eq1, T(0), -(total7 * mul6));
    const T sub7 = grad_grad_teacher * (where8 - total6) + where9 - grad_grad_teacher * total5;
    const T where10 = rt::where(eq1, T(0), (grad_grad_teacher - total7 - (grad_grad_student -
        total8)) * grad_loss);
    const T mul7 = (grad_grad_teacher * div_shared1 - total7 * div_shared1) * grad_loss;
    const T where11 = rt::where(eq1, T(0), mul7);
    const T where12 = rt::where(eq1, T(0), -mul7);
    const T mul8 = div_shared2 * (-(grad_grad_student * total4) - total9);
    const T mul9 = div_shared1 * (sub7 + where10 - total13);
    writes[0] = mul8 + (where12 - div_shared2 * total11);
    writes[1] = where11 - div_shared1 * total12 + mul9;
  }
};

}  // namespace fusewise::ops::kl_divergence
