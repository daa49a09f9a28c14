// Generated from specs/losses/kl_divergence.yaml by `fusewise generate`. Do not edit.
//
// log_p = log_softmax(teacher)
// log_q = log_softmax(student)
// loss = sum(softmax(teacher) * (log_p - log_q))
//
// log_p = log_softmax(teacher)
// log_q = log_softmax(student)
// softmax0 = softmax(teacher)
// mul0 = grad_loss * (log_p - log_q)
// mul1 = grad_loss * softmax0
// neg0 = -mul1
// sum0 = sum(mul0 * softmax0)
// exp0 = exp(log_q)
// sum1 = sum(neg0)
// exp1 = exp(log_p)
// sum2 = sum(mul1)
// grad_student = neg0 - exp0 * sum1
// grad_teacher = softmax0 * (mul0 - sum0) + (mul1 - exp1 * sum2)
//
// backward keeps student, teacher: 8 B of float32 an element, arithmetic 91
// double_backward keeps grad_loss, student, teacher: 12 B of float32 an element, arithmetic 124
// forward: 2 read and 0 written for each element, 0 read and 1 written for each row
// backward: 2 read and 2 written for each element, 1 read and 0 written for each row
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
  static constexpr int kInstructions = 24;
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
    const T div_shared1 = rt::div_shared(exp2, total2);
    writes[0] = div_shared1 * (sub2 - log2 - (student - total1 - log3));
  }
};

struct ForwardRows {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 124;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T total4 = reads[6];
    writes[0] = total4;
  }
};

struct BackwardTotals0 {
  static constexpr int kReads = 10;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 1017;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T student = reads[1];
    const T teacher = reads[2];
    writes[0] = teacher;
    writes[1] = student;
  }
};

struct BackwardTotals1 {
  static constexpr int kReads = 10;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 22;
  static constexpr unsigned kRowScalars = 1017;

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
  static constexpr int kReads = 10;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 27;
  static constexpr unsigned kRowScalars = 1017;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 96;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T total2 = reads[5];
    const T total3 = reads[6];
    const T log2 = rt::log(total2);
    const T log3 = rt::log(total3);
    hoisted[0] = log2;
    hoisted[1] = log3;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T grad_loss = reads[0];
    const T student = reads[1];
    const T teacher = reads[2];
    const T total0 = reads[3];
    const T total1 = reads[4];
    const T total2 = reads[5];
    const T log2 = hoisted[0];
    const T log3 = hoisted[1];
    const T sub2 = teacher - total0;
    const T exp4 = rt::exp(sub2);
    const T div_shared1 = rt::div_shared(exp4, total2);
    const T mul2 = grad_loss * (sub2 - log2 - (student - total1 - log3));
    const T mul3 = grad_loss * div_shared1;
    writes[0] = mul2 * div_shared1;
    writes[1] = -mul3;
    writes[2] = mul3;
  }
};

struct BackwardElements {
  static constexpr int kReads = 10;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 53;
  static constexpr unsigned kRowScalars = 1017;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 96;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T total2 = reads[5];
    const T total3 = reads[6];
    const T log2 = rt::log(total2);
    const T log3 = rt::log(total3);
    hoisted[0] = log2;
    hoisted[1] = log3;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T grad_loss = reads[0];
    const T student = reads[1];
    const T teacher = reads[2];
    const T total0 = reads[3];
    const T total1 = reads[4];
    const T total2 = reads[5];
    const T total4 = reads[7];
    const T total5 = reads[8];
    const T total6 = reads[9];
    const T log2 = hoisted[0];
    const T log3 = hoisted[1];
    const T sub2 = teacher - total0;
    const T exp4 = rt::exp(sub2);
    const T sub3 = sub2 - log2;
    const T sub4 = student - total1 - log3;
    const T div_shared1 = rt::div_shared(exp4, total2);
    const T mul2 = grad_loss * div_shared1;
    const T exp5 = rt::exp(sub4);
    const T exp6 = rt::exp(sub3);
    const T mul3 = div_shared1 * (grad_loss * (sub3 - sub4) - total4);
    writes[0] = -mul2 - exp5 * total5;
    writes[1] = mul3 + (mul2 - exp6 * total6);
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
  static constexpr int kWrites = 6;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 50;
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
    const T log2 = hoisted[0];
    const T log3 = hoisted[1];
    const T sub8 = teacher - total0;
    const T exp4 = rt::exp(sub8);
    const T sub9 = sub8 - log2;
    const T sub10 = student - total1 - log3;
    const T div_shared1 = rt::div_shared(exp4, total2);
    const T mul4 = grad_loss * div_shared1;
    const T exp5 = rt::exp(sub10);
    const T exp6 = rt::exp(sub9);
    writes[0] = grad_grad_teacher * exp6;
    writes[1] = grad_grad_student * exp5;
    writes[2] = grad_loss * (sub9 - sub10) * div_shared1;
    writes[3] = -mul4;
    writes[4] = mul4;
    writes[5] = grad_grad_teacher * div_shared1;
  }
};

struct DoubleBackwardTotals3 {
  static constexpr int kReads = 19;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 68;
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
    const T total4 = reads[9];
    const T total5 = reads[10];
    const T total6 = reads[11];
    const T total7 = reads[12];
    const T total8 = reads[13];
    const T total9 = reads[14];
    const T log2 = hoisted[0];
    const T log3 = hoisted[1];
    const T sub8 = teacher - total0;
    const T exp4 = rt::exp(sub8);
    const T sub9 = sub8 - log2;
    const T sub10 = student - total1 - log3;
    const T sub11 = sub9 - sub10;
    const T div_shared1 = rt::div_shared(exp4, total2);
    const T mul4 = grad_loss * sub11;
    const T exp5 = rt::exp(sub10);
    const T exp6 = rt::exp(sub9);
    const T sub12 = grad_grad_teacher - total4 - (grad_grad_student - total5);
    const T sub13 = grad_grad_teacher * div_shared1 - total9 * div_shared1;
    const T sub14 = grad_grad_teacher * (mul4 - total6) - total9 * mul4;
    const T mul5 = sub13 * grad_loss;
    writes[0] = sub12 * div_shared1 + sub13 * sub11;
    writes[1] = (sub14 + sub12 * grad_loss) * div_shared1;
    writes[2] = -(grad_grad_student * total7 * exp5) - mul5;
    writes[3] = mul5 - exp6 * total8 * grad_grad_teacher;
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
  static constexpr int kInstructions = 71;
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
    const T sub8 = teacher - total0;
    const T exp4 = rt::exp(sub8);
    const T sub9 = sub8 - log2;
    const T sub10 = student - total1 - log3;
    const T div_shared1 = rt::div_shared(exp4, total2);
    const T mul4 = grad_loss * (sub9 - sub10);
    const T exp5 = rt::exp(sub10);
    const T exp6 = rt::exp(sub9);
    const T sub11 = grad_grad_teacher * (mul4 - total6) - total9 * mul4;
    const T add1 = sub11 + (grad_grad_teacher - total4 - (grad_grad_student - total5)) * grad_loss;
    const T mul5 = (grad_grad_teacher * div_shared1 - total9 * div_shared1) * grad_loss;
    const T sub12 = -(grad_grad_student * total7 * exp5) - mul5;
    const T sub13 = mul5 - exp6 * total8 * grad_grad_teacher - exp6 * total13;
    writes[0] = sub12 - exp5 * total12;
    writes[1] = div_shared1 * (add1 - total11) + sub13;
  }
};

}  // namespace fusewise::ops::kl_divergence
