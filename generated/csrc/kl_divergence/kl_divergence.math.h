// Generated from specs/losses/kl_divergence.yaml by `fusewise generate`. Do not edit.
//
// of_teacher = teacher - stop_grad(amax(teacher))
// of_student = student - stop_grad(amax(student))
// power = exp(of_teacher)
// total = sum(power)
// gap = sum(0 if power == 0 else power * (of_teacher - of_student)) / total
// loss = gap - log(total) + log(sum(exp(of_student)))
//
// amax0 = amax(teacher)
// stop_grad0 = stop_grad(amax0)
// of_teacher = teacher - stop_grad0
// amax1 = amax(student)
// stop_grad1 = stop_grad(amax1)
// of_student = student - stop_grad1
// power = exp(of_teacher)
// total = sum(power)
// eq0 = power == 0
// sub0 = of_teacher - of_student
// where0 = 0 if eq0 else power * sub0
// sum0 = sum(where0)
// gap = sum0 / total
// exp0 = exp(of_student)
// sum1 = sum(exp0)
// div0 = grad_loss / total
// where1 = 0 if eq0 else div0 * sub0
// mul0 = div0 * power
// where2 = 0 if eq0 else mul0
// where3 = 0 if eq0 else -mul0
// add0 = where1 + (-div0 - gap / total * grad_loss)
// grad_student = grad_loss / sum1 * exp0 + where3
// grad_teacher = where2 + add0 * power
//
// backward keeps student, teacher: 8 B of float32 an element, arithmetic 79
// double_backward keeps grad_loss, student, teacher: 12 B of float32 an element, arithmetic 182
// forward: 2 read and 0 written for each element, 0 read and 6 written for each row
// backward: 2 read and 2 written for each element, 6 read and 0 written for each row
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
  static constexpr int kWrites = 3;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 26;
  static constexpr unsigned kRowScalars = 124;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T student = reads[0];
    const T teacher = reads[1];
    const T total0 = reads[2];
    const T total1 = reads[3];
    const T sub0 = teacher - total0;
    const T sub1 = student - total1;
    const T exp_negative1 = rt::exp_negative(sub0);
    writes[0] = exp_negative1;
    writes[1] = rt::where(exp_negative1 == T(0), T(0), exp_negative1 * (sub0 - sub1));
    writes[2] = rt::exp_negative(sub1);
  }
};

struct ForwardRescale {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 44;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T total2 = reads[0];
    const T total3 = reads[1];
    const T total4 = reads[2];
    const T total0 = reads[3];
    const T total1 = reads[4];
    const T row_total0 = reads[5];
    const T row_total1 = reads[6];
    const rt::Mask<T> logical_and0 = (row_total0 > -T(INFINITY)) & ((total0 == row_total0) | (total0
        == -T(INFINITY)));
    const T where0 = rt::where(logical_and0, T(0), total0 - row_total0);
    const rt::Mask<T> logical_and1 = (row_total1 > -T(INFINITY)) & ((total1 == row_total1) | (total1
        == -T(INFINITY)));
    const T where1 = rt::where(logical_and1, T(0), total1 - row_total1);
    const T exp_negative0 = rt::exp_negative(where0);
    const T add0 = exp_negative0 * total3 + exp_negative0 * (where0 - where1) * total2;
    const T exp_negative1 = rt::exp_negative(where1);
    writes[0] = exp_negative0 * total2;
    writes[1] = rt::where(exp_negative0 == T(0), T(0), add0);
    writes[2] = exp_negative1 * total4;
  }
};

struct ForwardRows {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 6;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 124;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 112;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T total2 = reads[4];
    const T total3 = reads[5];
    const T total4 = reads[6];
    const T log2 = rt::log(total2);
    const T log3 = rt::log(total4);
    hoisted[0] = total3 / total2 - log2 + log3;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T total0 = reads[2];
    const T total1 = reads[3];
    const T total2 = reads[4];
    const T total3 = reads[5];
    const T total4 = reads[6];
    writes[0] = hoisted[0];
    writes[1] = total0;
    writes[2] = total1;
    writes[3] = total2;
    writes[4] = total3;
    writes[5] = total4;
  }
};

struct BackwardElements {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 35;
  static constexpr unsigned kRowScalars = 249;
  static constexpr unsigned kHoisted = 3;
  static constexpr unsigned kHoistedFrom = 225;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T grad_loss = reads[0];
    const T kept_total2 = reads[5];
    const T kept_total3 = reads[6];
    const T kept_total4 = reads[7];
    const T gap = kept_total3 / kept_total2;
    const T div0 = grad_loss / kept_total2;
    hoisted[0] = grad_loss / kept_total4;
    hoisted[1] = div0;
    hoisted[2] = -div0 - gap / kept_total2 * grad_loss;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T student = reads[1];
    const T teacher = reads[2];
    const T kept_total0 = reads[3];
    const T kept_total1 = reads[4];
    const T div0 = hoisted[1];
    const T of_teacher = teacher - kept_total0;
    const T of_student = student - kept_total1;
    const T power = rt::exp_negative(of_teacher);
    const rt::Mask<T> eq0 = power == T(0);
    const T exp_negative0 = rt::exp_negative(of_student);
    const T where0 = rt::where(eq0, T(0), div0 * (of_teacher - of_student));
    const T mul0 = div0 * power;
    const T where1 = rt::where(eq0, T(0), mul0);
    const T where2 = rt::where(eq0, T(0), -mul0);
    const T add0 = where0 + hoisted[2];
    writes[0] = hoisted[0] * exp_negative0 + where2;
    writes[1] = where1 + add0 * power;
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 13;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 8164;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T student = reads[3];
    const T teacher = reads[4];
    writes[0] = teacher;
    writes[1] = student;
  }
};

struct DoubleBackwardTotals1 {
  static constexpr int kReads = 13;
  static constexpr int kWrites = 6;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 34;
  static constexpr unsigned kRowScalars = 8164;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_student = reads[0];
    const T grad_grad_teacher = reads[1];
    const T student = reads[3];
    const T teacher = reads[4];
    const T total0 = reads[5];
    const T total1 = reads[6];
    const rt::Mask<T> has_grad_grad_teacher = params[1] != T(0);
    const T sub0 = grad_grad_teacher - grad_grad_student;
    const T sub3 = teacher - total0;
    const T sub4 = student - total1;
    const T exp_negative1 = rt::exp_negative(sub3);
    const rt::Mask<T> eq1 = exp_negative1 == T(0);
    const T mul4 = exp_negative1 * (sub3 - sub4);
    const T exp_negative2 = rt::exp_negative(sub4);
    const T where17 = rt::where(has_grad_grad_teacher, mul4 * grad_grad_teacher, T(0));
    writes[0] = exp_negative1;
    writes[1] = rt::where(eq1, T(0), mul4);
    writes[2] = exp_negative2;
    writes[3] = grad_grad_teacher * exp_negative1;
    writes[4] = grad_grad_student * exp_negative2;
    writes[5] = rt::where(eq1, T(0), sub0 * exp_negative1 + where17);
  }
};

struct DoubleBackwardRows {
  static constexpr int kReads = 13;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 8164;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 8064;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total2 = reads[7];
    const T total3 = reads[8];
    const T total4 = reads[9];
    const T total5 = reads[10];
    const T total6 = reads[11];
    const T total7 = reads[12];
    const rt::Mask<T> has_grad_grad_student = params[0] != T(0);
    const rt::Mask<T> has_grad_grad_teacher = params[1] != T(0);
    const T where17 = rt::where(has_grad_grad_teacher, -total5, T(0));
    const T where18 = rt::where(has_grad_grad_teacher, -(total5 * (total3 / total2 / total2)),
        T(0));
    const T where19 = rt::where(has_grad_grad_student, total6 / total4, T(0));
    hoisted[0] = where18 + (where17 + total7) / total2 + where19;
  }

  template <class T>
  RT_FN static void apply(const T*, const T*, const T* hoisted, T* writes) {
    writes[0] = hoisted[0];
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 13;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 54;
  static constexpr unsigned kRowScalars = 8164;
  static constexpr unsigned kHoisted = 6;
  static constexpr unsigned kHoistedFrom = 8068;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T grad_loss = reads[2];
    const T total2 = reads[7];
    const T total3 = reads[8];
    const T total4 = reads[9];
    const T total5 = reads[10];
    const T total6 = reads[11];
    const T total7 = reads[12];
    const rt::Mask<T> has_grad_grad_teacher = params[1] != T(0);
    const T div5 = grad_loss / total4;
    const T div6 = grad_loss / total2;
    const T div7 = total3 / total2 / total2;
    const T where19 = rt::where(has_grad_grad_teacher, -total5, T(0));
    const T mul5 = total5 * grad_loss;
    const T div8 = mul5 / total2;
    const T where20 = rt::where(has_grad_grad_teacher, div7 / total2 * mul5, T(0));
    const T div9 = div8 / total2;
    const T where22 = rt::where(has_grad_grad_teacher, div7 * div8, T(0));
    const T add2 = where20 - div6 / total2 * (where19 + total7) + where22;
    hoisted[0] = div5;
    hoisted[1] = div6;
    hoisted[2] = -div6 - div7 * grad_loss;
    hoisted[3] = div5 / total4 * total6;
    hoisted[4] = div9;
    hoisted[5] = add2;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_grad_student = reads[0];
    const T grad_grad_teacher = reads[1];
    const T student = reads[3];
    const T teacher = reads[4];
    const T total0 = reads[5];
    const T total1 = reads[6];
    const rt::Mask<T> has_grad_grad_student = params[0] != T(0);
    const rt::Mask<T> has_grad_grad_teacher = params[1] != T(0);
    const T div5 = hoisted[0];
    const T div6 = hoisted[1];
    const T div9 = hoisted[4];
    const T add2 = hoisted[5];
    const T sub0 = grad_grad_teacher - grad_grad_student;
    const T sub3 = teacher - total0;
    const T sub4 = student - total1;
    const T sub5 = sub3 - sub4;
    const T exp_negative1 = rt::exp_negative(sub3);
    const rt::Mask<T> eq1 = exp_negative1 == T(0);
    const T exp_negative2 = rt::exp_negative(sub4);
    const T where17 = rt::where(eq1, T(0), div6 * sub5);
    const T mul4 = grad_grad_teacher * (where17 + hoisted[2]);
    const T where18 = rt::where(has_grad_grad_teacher, mul4, T(0));
    const T mul6 = (grad_grad_student * div5 - hoisted[3]) * exp_negative2;
    const T where21 = rt::where(has_grad_grad_student, mul6, T(0));
    const T where23 = rt::where(has_grad_grad_teacher, -(div9 * sub5), T(0));
    const T where24 = rt::where(eq1, T(0), sub0 * div6 + where23);
    const T sub6 = div6 * exp_negative1 * grad_grad_teacher - div9 * exp_negative1;
    const T where25 = rt::where(has_grad_grad_teacher, sub6, T(0));
    const T where26 = rt::where(eq1, T(0), where25);
    const T where27 = rt::where(has_grad_grad_teacher, -sub6, T(0));
    const T where28 = rt::where(eq1, T(0), where27);
    writes[0] = where21 + where28;
    writes[1] = where26 + (where18 + where24 + add2) * exp_negative1;
  }
};

}  // namespace fusewise::ops::kl_divergence
