// Generated from specs/losses/dpo_loss.yaml by `fusewise generate`. Do not edit.
//
// good = beta * sum(chosen - stop_grad(ref_chosen) if chosen_mask else 0)
// bad = beta * sum(rejected - stop_grad(ref_rejected) if rejected_mask else 0)
// margin = good - bad
// loss = -(1 - smoothing) * logsigmoid(margin) - smoothing * logsigmoid(-margin)
// chosen_reward = stop_grad(good)
// rejected_reward = stop_grad(bad)
//
// stop_grad0 = stop_grad(ref_chosen)
// where0 = chosen - stop_grad0 if chosen_mask else 0
// sum0 = sum(where0)
// good = beta * sum0
// stop_grad1 = stop_grad(ref_rejected)
// where1 = rejected - stop_grad1 if rejected_mask else 0
// sum1 = sum(where1)
// bad = beta * sum1
// margin = good - bad
// sigmoid0 = sigmoid(margin)
// sigmoid1 = sigmoid(-margin)
// mul0 = grad_loss * (1 - smoothing) * sigmoid1
// mul1 = (grad_loss * smoothing * sigmoid0 - mul0) * beta
// grad_chosen = mul1 if chosen_mask else 0
// grad_rejected = -mul1 if rejected_mask else 0
//
// backward keeps chosen, rejected, ref_chosen, ref_rejected, chosen_mask, rejected_mask: 24 B of
//     float32 an element, arithmetic 48
// double_backward keeps grad_loss, chosen, rejected, ref_chosen, ref_rejected, chosen_mask,
//     rejected_mask: 28 B of float32 an element, arithmetic 66
// forward: 6 read and 0 written for each element, 0 read and 5 written for each row
// backward: 2 read and 2 written for each element, 3 read and 0 written for each row
// double_backward: 8 read and 2 written for each element, 1 read and 1 written for each row
#pragma once

#include <fusewise/math/dtype.h>

namespace fusewise::ops::dpo_loss {

struct ForwardTotals0 {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 4;
  static constexpr unsigned kRowScalars = 192;
  static constexpr unsigned kIntegers = 48;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 4 ? Dtype::kBool : operand == 5 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T chosen = reads[0];
    const T rejected = reads[1];
    const T ref_chosen = reads[2];
    const T ref_rejected = reads[3];
    const rt::Mask<T> chosen_mask = reads[4] != T(0);
    const rt::Mask<T> rejected_mask = reads[5] != T(0);
    const T where0 = rt::where(chosen_mask, chosen - ref_chosen, T(0));
    const T where1 = rt::where(rejected_mask, rejected - ref_rejected, T(0));
    writes[0] = where0;
    writes[1] = where1;
  }
};

struct ForwardRows {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 5;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 2;
  static constexpr unsigned kRowScalars = 192;
  static constexpr unsigned kIntegers = 48;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 192;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 4 ? Dtype::kBool : operand == 5 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total0 = reads[6];
    const T total1 = reads[7];
    const T beta = params[0];
    const T smoothing = params[1];
    const T mul0 = beta * total0;
    const T mul1 = beta * total1;
    const T sub0 = mul0 - mul1;
    const T minimum2 = rt::minimum(sub0, T(0));
    const T abs1 = rt::abs(sub0);
    const T exp1 = rt::exp(-abs1);
    const T log1p_unit1 = rt::log1p_unit(exp1);
    const T neg1 = -((T(1) - smoothing) * (minimum2 - log1p_unit1));
    const T minimum3 = rt::minimum(-sub0, T(0));
    hoisted[0] = neg1 - smoothing * (minimum3 - log1p_unit1);
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T total0 = reads[6];
    const T total1 = reads[7];
    const T beta = params[0];
    const T mul0 = beta * total0;
    const T mul1 = beta * total1;
    writes[0] = hoisted[0];
    writes[1] = mul0;
    writes[2] = mul1;
    writes[3] = total0;
    writes[4] = total1;
  }
};

struct BackwardElements {
  static constexpr int kReads = 9;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 2;
  static constexpr unsigned kRowScalars = 385;
  static constexpr unsigned kIntegers = 96;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 385;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 5 ? Dtype::kBool : operand == 6 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T grad_loss = reads[0];
    const T kept_total0 = reads[7];
    const T kept_total1 = reads[8];
    const T beta = params[0];
    const T smoothing = params[1];
    const T good = beta * kept_total0;
    const T bad = beta * kept_total1;
    const T margin = good - bad;
    const T abs0 = rt::abs(margin);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T where0 = rt::where(margin >= T(0), div_moderate0, mul0);
    const T where1 = rt::where(-margin >= T(0), div_moderate0, mul0);
    const T mul1 = grad_loss * (T(1) - smoothing) * where1;
    const T mul2 = (grad_loss * smoothing * where0 - mul1) * beta;
    hoisted[0] = mul2;
    hoisted[1] = -mul2;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const rt::Mask<T> chosen_mask = reads[5] != T(0);
    const rt::Mask<T> rejected_mask = reads[6] != T(0);
    const T mul2 = hoisted[0];
    writes[0] = rt::where(chosen_mask, mul2, T(0));
    writes[1] = rt::where(rejected_mask, hoisted[1], T(0));
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 13;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 5;
  static constexpr int kInstructions = 6;
  static constexpr unsigned kRowScalars = 7684;
  static constexpr unsigned kIntegers = 384;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 7 ? Dtype::kBool : operand == 8 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_chosen = reads[0];
    const T grad_grad_rejected = reads[1];
    const T chosen = reads[3];
    const T rejected = reads[4];
    const T ref_chosen = reads[5];
    const T ref_rejected = reads[6];
    const rt::Mask<T> chosen_mask = reads[7] != T(0);
    const rt::Mask<T> rejected_mask = reads[8] != T(0);
    const T where0 = rt::where(chosen_mask, grad_grad_chosen, T(0));
    const T where1 = rt::where(rejected_mask, grad_grad_rejected, T(0));
    const T where4 = rt::where(chosen_mask, chosen - ref_chosen, T(0));
    const T where5 = rt::where(rejected_mask, rejected - ref_rejected, T(0));
    writes[0] = where1;
    writes[1] = where0;
    writes[2] = where4;
    writes[3] = where5;
  }
};

struct DoubleBackwardRows {
  static constexpr int kReads = 13;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 5;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 7684;
  static constexpr unsigned kIntegers = 384;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 7680;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 7 ? Dtype::kBool : operand == 8 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total0 = reads[9];
    const T total1 = reads[10];
    const T total2 = reads[11];
    const T total3 = reads[12];
    const T beta = params[0];
    const T smoothing = params[1];
    const rt::Mask<T> has_grad_grad_chosen = params[2] != T(0);
    const rt::Mask<T> has_grad_grad_rejected = params[3] != T(0);
    const T sub0 = T(1) - smoothing;
    const T where8 = rt::where(has_grad_grad_rejected, -total0, T(0));
    const T where9 = rt::where(has_grad_grad_chosen, total1, T(0));
    const T add2 = where8 + where9;
    const T sub1 = beta * total2 - beta * total3;
    const T abs1 = rt::abs(sub1);
    const T exp1 = rt::exp(-abs1);
    const T div_moderate1 = rt::div_moderate(T(1), T(1) + exp1);
    const T mul5 = exp1 * div_moderate1;
    const T where10 = rt::where(sub1 >= T(0), div_moderate1, mul5);
    const T where11 = rt::where(-sub1 >= T(0), div_moderate1, mul5);
    const T mul6 = where10 * add2 * (beta * smoothing);
    hoisted[0] = mul6 - where11 * add2 * (beta * sub0);
  }

  template <class T>
  RT_FN static void apply(const T*, const T*, const T* hoisted, T* writes) {
    writes[0] = hoisted[0];
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 13;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 5;
  static constexpr int kInstructions = 2;
  static constexpr unsigned kRowScalars = 7684;
  static constexpr unsigned kIntegers = 384;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 7684;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 7 ? Dtype::kBool : operand == 8 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T grad_loss = reads[2];
    const T total0 = reads[9];
    const T total1 = reads[10];
    const T total2 = reads[11];
    const T total3 = reads[12];
    const T beta = params[0];
    const T smoothing = params[1];
    const rt::Mask<T> has_grad_grad_chosen = params[2] != T(0);
    const rt::Mask<T> has_grad_grad_rejected = params[3] != T(0);
    const T sub0 = T(1) - smoothing;
    const T mul0 = beta * grad_loss;
    const T where8 = rt::where(has_grad_grad_rejected, -total0, T(0));
    const T where9 = rt::where(has_grad_grad_chosen, total1, T(0));
    const T abs1 = rt::abs(beta * total2 - beta * total3);
    const T exp1 = rt::exp(-abs1);
    const T div_moderate1 = rt::div_moderate(T(1), T(1) + exp1);
    const T mul5 = exp1 * div_moderate1 * div_moderate1 * (where8 + where9);
    const T add2 = mul5 * (mul0 * smoothing) + mul5 * (mul0 * sub0);
    const T mul6 = add2 * beta;
    hoisted[0] = mul6;
    hoisted[1] = -mul6;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const rt::Mask<T> chosen_mask = reads[7] != T(0);
    const rt::Mask<T> rejected_mask = reads[8] != T(0);
    const T mul6 = hoisted[0];
    writes[0] = rt::where(chosen_mask, mul6, T(0));
    writes[1] = rt::where(rejected_mask, hoisted[1], T(0));
  }
};

}  // namespace fusewise::ops::dpo_loss
