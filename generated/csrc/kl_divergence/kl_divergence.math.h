// Generated from specs/losses/kl_divergence.yaml by `fusewise generate`. Do not edit.
//
// log_p = log_softmax(teacher)
// log_q = log_softmax(student)
// loss = sum(exp(log_p) * (log_p - log_q))
//
// log_p = log_softmax(teacher)
// log_q = log_softmax(student)
// exp0 = exp(log_p)
// mul0 = grad_loss * exp0
// neg0 = -mul0
// exp1 = exp(log_q)
// sum0 = sum(neg0)
// add0 = mul0 + exp0 * (log_p - log_q) * grad_loss
// sum1 = sum(add0)
// grad_student = neg0 - exp1 * sum0
// grad_teacher = add0 - exp0 * sum1
//
// backward keeps student, teacher: 8 B of float32 an element, arithmetic 80
// double_backward keeps grad_loss, student, teacher: 12 B of float32 an element, arithmetic 107
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
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
  static constexpr int kInstructions = 16;
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
    const T log2 = hoisted[0];
    const T log3 = hoisted[1];
    const T sub2 = teacher - total0 - log2;
    const T exp3 = rt::exp(sub2);
    writes[0] = exp3 * (sub2 - (student - total1 - log3));
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
  static constexpr int kReads = 9;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 1;
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
  static constexpr int kParams = 1;
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
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 20;
  static constexpr unsigned kRowScalars = 505;
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
    const T log2 = hoisted[0];
    const T log3 = hoisted[1];
    const T sub2 = teacher - total0 - log2;
    const T exp4 = rt::exp(sub2);
    const T mul1 = grad_loss * exp4;
    const T mul2 = exp4 * (sub2 - (student - total1 - log3)) * grad_loss;
    writes[0] = -mul1;
    writes[1] = mul1 + mul2;
  }
};

struct BackwardElements {
  static constexpr int kReads = 9;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 34;
  static constexpr unsigned kRowScalars = 505;
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
    const T total4 = reads[7];
    const T total5 = reads[8];
    const T log2 = hoisted[0];
    const T log3 = hoisted[1];
    const T sub2 = teacher - total0 - log2;
    const T sub3 = student - total1 - log3;
    const T exp4 = rt::exp(sub2);
    const T mul1 = grad_loss * exp4;
    const T add1 = mul1 + exp4 * (sub2 - sub3) * grad_loss;
    const T exp5 = rt::exp(sub3);
    writes[0] = -mul1 - exp5 * total4;
    writes[1] = add1 - exp4 * total5;
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 16;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 65508;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T student = reads[3];
    const T teacher = reads[4];
    writes[0] = teacher;
    writes[1] = student;
  }
};

struct DoubleBackwardTotals1 {
  static constexpr int kReads = 16;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 22;
  static constexpr unsigned kRowScalars = 65508;

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
  static constexpr int kReads = 16;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 32;
  static constexpr unsigned kRowScalars = 65508;
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
    const T log2 = hoisted[0];
    const T log3 = hoisted[1];
    const T sub7 = teacher - total0 - log2;
    const T sub8 = student - total1 - log3;
    const T exp4 = rt::exp(sub7);
    const T mul3 = grad_loss * exp4;
    const T exp5 = rt::exp(sub8);
    writes[0] = -mul3;
    writes[1] = mul3 + exp4 * (sub7 - sub8) * grad_loss;
    writes[2] = grad_grad_teacher * exp4;
    writes[3] = grad_grad_student * exp5;
  }
};

struct DoubleBackwardTotals3 {
  static constexpr int kReads = 16;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 45;
  static constexpr unsigned kRowScalars = 65508;
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
    const T total4 = reads[9];
    const T total5 = reads[10];
    const T total6 = reads[11];
    const T total7 = reads[12];
    const T log2 = hoisted[0];
    const T log3 = hoisted[1];
    const T sub7 = teacher - total0 - log2;
    const T sub8 = student - total1 - log3;
    const T exp4 = rt::exp(sub7);
    const T sub9 = sub7 - sub8;
    const T exp5 = rt::exp(sub8);
    const T sub10 = grad_grad_teacher - total6;
    const T sub11 = sub10 - (grad_grad_student - total7);
    const T sub12 = sub11 * grad_loss - grad_grad_teacher * total5;
    const T mul3 = exp4 * sub10;
    const T mul4 = mul3 * grad_loss;
    writes[0] = mul3 * sub9 + sub11 * exp4;
    writes[1] = -(grad_grad_student * total4 * exp5) - mul4;
    writes[2] = mul4 + (sub12 + sub10 * grad_loss * sub9) * exp4;
  }
};

struct DoubleBackwardRows {
  static constexpr int kReads = 16;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 65508;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T total8 = reads[13];
    writes[0] = total8;
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 16;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 46;
  static constexpr unsigned kRowScalars = 65508;
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
    const T total4 = reads[9];
    const T total5 = reads[10];
    const T total6 = reads[11];
    const T total7 = reads[12];
    const T total9 = reads[14];
    const T total10 = reads[15];
    const T log2 = hoisted[0];
    const T log3 = hoisted[1];
    const T sub7 = teacher - total0 - log2;
    const T sub8 = student - total1 - log3;
    const T exp4 = rt::exp(sub7);
    const T exp5 = rt::exp(sub8);
    const T sub9 = grad_grad_teacher - total6;
    const T sub10 = (sub9 - (grad_grad_student - total7)) * grad_loss - grad_grad_teacher * total5;
    const T mul3 = (sub10 + sub9 * grad_loss * (sub7 - sub8)) * exp4;
    const T mul4 = exp4 * sub9 * grad_loss;
    const T sub11 = -(grad_grad_student * total4 * exp5) - mul4;
    writes[0] = sub11 - exp5 * total9;
    writes[1] = mul4 + mul3 - exp4 * total10;
  }
};

}  // namespace fusewise::ops::kl_divergence
