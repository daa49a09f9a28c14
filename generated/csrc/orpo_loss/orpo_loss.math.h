// Generated from specs/losses/orpo_loss.yaml by `fusewise generate`. Do not edit.
//
// is_whole = any(chosen_mask) and any(rejected_mask)
// good = sum(chosen if chosen_mask else 0) / maximum(count(chosen_mask), 1) if is_whole else -1
// bad = sum(rejected if rejected_mask else 0) / maximum(count(rejected_mask), 1) if is_whole else
//     -1
// ratio = good - bad - (log(-expm1(good)) - log(-expm1(bad)))
// loss = -good - beta * logsigmoid(ratio) if is_whole else 0
// log_odds = ratio
//
// where0 = 1 if chosen_mask else 0
// sum0 = sum(where0)
// where1 = 1 if rejected_mask else 0
// sum1 = sum(where1)
// is_whole = sum0 > 0 and sum1 > 0
// where2 = chosen if chosen_mask else 0
// sum2 = sum(where2)
// maximum0 = maximum(sum0, 1)
// good = sum2 / maximum0 if is_whole else -1
// where3 = rejected if rejected_mask else 0
// sum3 = sum(where3)
// maximum1 = maximum(sum1, 1)
// bad = sum3 / maximum1 if is_whole else -1
// expm1_0 = expm1(good)
// neg0 = -expm1_0
// log0 = log(neg0)
// expm1_1 = expm1(bad)
// neg1 = -expm1_1
// log1 = log(neg1)
// ratio = good - bad - (log0 - log1)
// where4 = -grad_loss if is_whole else 0
// sigmoid0 = sigmoid(-ratio)
// where5 = -(grad_loss * beta * sigmoid0) if is_whole else 0
// add0 = grad_log_odds + where5
// exp0 = exp(bad)
// exp1 = exp(good)
// div0 = (-(add0 / neg1 * exp0) - add0) / maximum1
// where6 = div0 if is_whole else 0
// div1 = (where4 + add0 / neg0 * exp1 + add0) / maximum0
// where7 = div1 if is_whole else 0
// grad_chosen = where7 if chosen_mask else 0
// grad_rejected = where6 if rejected_mask else 0
//
// backward keeps chosen, rejected, chosen_mask, rejected_mask: 16 B of float32 an element,
//     arithmetic 182
// double_backward keeps grad_loss, grad_log_odds, chosen, rejected, chosen_mask, rejected_mask: 24
//     B of float32 an element, arithmetic 272
// forward: 4 read and 0 written for each element, 0 read and 6 written for each row
// backward: 2 read and 2 written for each element, 6 read and 0 written for each row
// double_backward: 6 read and 2 written for each element, 2 read and 2 written for each row
#pragma once

#include <fusewise/math/dtype.h>

namespace fusewise::ops::orpo_loss {

struct ForwardTotals0 {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 4;
  static constexpr unsigned kRowScalars = 240;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 2 ? Dtype::kBool : operand == 3 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T chosen = reads[0];
    const T rejected = reads[1];
    const rt::Mask<T> chosen_mask = reads[2] != T(0);
    const rt::Mask<T> rejected_mask = reads[3] != T(0);
    const T where0 = rt::where(chosen_mask, T(1), T(0));
    const T where1 = rt::where(rejected_mask, T(1), T(0));
    const T where2 = rt::where(chosen_mask, chosen, T(0));
    const T where3 = rt::where(rejected_mask, rejected, T(0));
    writes[0] = where0;
    writes[1] = where1;
    writes[2] = where2;
    writes[3] = where3;
  }
};

struct ForwardRows {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 6;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 240;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 240;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 2 ? Dtype::kBool : operand == 3 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total0 = reads[4];
    const T total1 = reads[5];
    const T total2 = reads[6];
    const T total3 = reads[7];
    const T beta = params[0];
    const rt::Mask<T> logical_and0 = (total0 > T(0)) & (total1 > T(0));
    const T maximum2 = rt::maximum(total0, T(1));
    const T where4 = rt::where(logical_and0, total2 / maximum2, T(-1));
    const T maximum3 = rt::maximum(total1, T(1));
    const T where5 = rt::where(logical_and0, total3 / maximum3, T(-1));
    const T expm1_2 = rt::expm1(where4);
    const T log2 = rt::log(-expm1_2);
    const T expm1_3 = rt::expm1(where5);
    const T log3 = rt::log(-expm1_3);
    const T sub0 = where4 - where5 - (log2 - log3);
    const T abs1 = rt::abs(sub0);
    const T exp1 = rt::exp(-abs1);
    const T minimum1 = rt::minimum(sub0, T(0));
    const T log1p_unit1 = rt::log1p_unit(exp1);
    hoisted[0] = sub0;
    hoisted[1] = rt::where(logical_and0, -where4 - beta * (minimum1 - log1p_unit1), T(0));
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T total0 = reads[4];
    const T total1 = reads[5];
    const T total2 = reads[6];
    const T total3 = reads[7];
    const T sub0 = hoisted[0];
    writes[0] = hoisted[1];
    writes[1] = sub0;
    writes[2] = total0;
    writes[3] = total1;
    writes[4] = total2;
    writes[5] = total3;
  }
};

struct BackwardElements {
  static constexpr int kReads = 10;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 2;
  static constexpr unsigned kRowScalars = 963;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 963;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 4 ? Dtype::kBool : operand == 5 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T grad_loss = reads[0];
    const T grad_log_odds = reads[1];
    const T kept_total0 = reads[6];
    const T kept_total1 = reads[7];
    const T kept_total2 = reads[8];
    const T kept_total3 = reads[9];
    const T beta = params[0];
    const rt::Mask<T> is_whole = (kept_total0 > T(0)) & (kept_total1 > T(0));
    const T maximum0 = rt::maximum(kept_total0, T(1));
    const T good = rt::where(is_whole, kept_total2 / maximum0, T(-1));
    const T maximum1 = rt::maximum(kept_total1, T(1));
    const T bad = rt::where(is_whole, kept_total3 / maximum1, T(-1));
    const T expm1_0 = rt::expm1(good);
    const T neg0 = -expm1_0;
    const T log0 = rt::log(neg0);
    const T expm1_1 = rt::expm1(bad);
    const T neg1 = -expm1_1;
    const T log1 = rt::log(neg1);
    const T ratio = good - bad - (log0 - log1);
    const T where0 = rt::where(is_whole, -grad_loss, T(0));
    const T exp0 = rt::exp(bad);
    const T exp1 = rt::exp(good);
    const T abs0 = rt::abs(ratio);
    const T exp2 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp2);
    const T where1 = rt::where(-ratio >= T(0), div_moderate0, exp2 * div_moderate0);
    const T where2 = rt::where(is_whole, -(grad_loss * beta * where1), T(0));
    const T add0 = grad_log_odds + where2;
    const T div0 = (-(add0 / neg1 * exp0) - add0) / maximum1;
    const T where3 = rt::where(is_whole, div0, T(0));
    const T div1 = (where0 + add0 / neg0 * exp1 + add0) / maximum0;
    const T where4 = rt::where(is_whole, div1, T(0));
    hoisted[0] = where3;
    hoisted[1] = where4;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const rt::Mask<T> chosen_mask = reads[4] != T(0);
    const rt::Mask<T> rejected_mask = reads[5] != T(0);
    const T where3 = hoisted[0];
    const T where4 = hoisted[1];
    writes[0] = rt::where(chosen_mask, where4, T(0));
    writes[1] = rt::where(rejected_mask, where3, T(0));
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 14;
  static constexpr int kWrites = 6;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 6;
  static constexpr unsigned kRowScalars = 16140;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 6 ? Dtype::kBool : operand == 7 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_chosen = reads[0];
    const T grad_grad_rejected = reads[1];
    const T chosen = reads[4];
    const T rejected = reads[5];
    const rt::Mask<T> chosen_mask = reads[6] != T(0);
    const rt::Mask<T> rejected_mask = reads[7] != T(0);
    const T where0 = rt::where(chosen_mask, T(1), T(0));
    const T where1 = rt::where(rejected_mask, T(1), T(0));
    const T where2 = rt::where(chosen_mask, chosen, T(0));
    const T where3 = rt::where(rejected_mask, rejected, T(0));
    const T where6 = rt::where(chosen_mask, grad_grad_chosen, T(0));
    const T where7 = rt::where(rejected_mask, grad_grad_rejected, T(0));
    writes[0] = where0;
    writes[1] = where1;
    writes[2] = where2;
    writes[3] = where3;
    writes[4] = where6;
    writes[5] = where7;
  }
};

struct DoubleBackwardRows {
  static constexpr int kReads = 14;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 16140;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 16128;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 6 ? Dtype::kBool : operand == 7 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total0 = reads[8];
    const T total1 = reads[9];
    const T total2 = reads[10];
    const T total3 = reads[11];
    const T total4 = reads[12];
    const T total5 = reads[13];
    const T beta = params[0];
    const rt::Mask<T> logical_and0 = (total0 > T(0)) & (total1 > T(0));
    const T maximum2 = rt::maximum(total0, T(1));
    const T where10 = rt::where(logical_and0, total2 / maximum2, T(-1));
    const T maximum3 = rt::maximum(total1, T(1));
    const T where11 = rt::where(logical_and0, total3 / maximum3, T(-1));
    const T expm1_2 = rt::expm1(where10);
    const T neg3 = -expm1_2;
    const T log2 = rt::log(neg3);
    const T expm1_3 = rt::expm1(where11);
    const T neg4 = -expm1_3;
    const T log3 = rt::log(neg4);
    const T sub3 = where10 - where11 - (log2 - log3);
    const T abs1 = rt::abs(sub3);
    const T exp3 = rt::exp(-abs1);
    const T exp4 = rt::exp(where11);
    const T exp5 = rt::exp(where10);
    const T div_moderate1 = rt::div_moderate(T(1), T(1) + exp3);
    const T where12 = rt::where(-sub3 >= T(0), div_moderate1, exp3 * div_moderate1);
    const T div4 = total4 / maximum2;
    const T div5 = total5 / maximum3;
    const T add2 = div4 - div5 + div4 * exp5 / neg3;
    const T sub4 = add2 - div5 * exp4 / neg4;
    hoisted[0] = rt::where(logical_and0, sub4, T(0));
    hoisted[1] = rt::where(logical_and0, -(sub4 * where12 * beta) - div4, T(0));
  }

  template <class T>
  RT_FN static void apply(const T*, const T*, const T* hoisted, T* writes) {
    writes[0] = hoisted[1];
    writes[1] = hoisted[0];
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 14;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 2;
  static constexpr unsigned kRowScalars = 16140;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 16140;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 6 ? Dtype::kBool : operand == 7 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T grad_loss = reads[2];
    const T grad_log_odds = reads[3];
    const T total0 = reads[8];
    const T total1 = reads[9];
    const T total2 = reads[10];
    const T total3 = reads[11];
    const T total4 = reads[12];
    const T total5 = reads[13];
    const T beta = params[0];
    const T mul0 = grad_loss * beta;
    const rt::Mask<T> logical_and0 = (total0 > T(0)) & (total1 > T(0));
    const T maximum2 = rt::maximum(total0, T(1));
    const T where10 = rt::where(logical_and0, total2 / maximum2, T(-1));
    const T maximum3 = rt::maximum(total1, T(1));
    const T where11 = rt::where(logical_and0, total3 / maximum3, T(-1));
    const T expm1_2 = rt::expm1(where10);
    const T neg3 = -expm1_2;
    const T log2 = rt::log(neg3);
    const T expm1_3 = rt::expm1(where11);
    const T neg4 = -expm1_3;
    const T log3 = rt::log(neg4);
    const T sub3 = where10 - where11 - (log2 - log3);
    const T abs1 = rt::abs(sub3);
    const T exp3 = rt::exp(-abs1);
    const T exp4 = rt::exp(where11);
    const T exp5 = rt::exp(where10);
    const T div_moderate1 = rt::div_moderate(T(1), T(1) + exp3);
    const T mul5 = exp3 * div_moderate1;
    const T where12 = rt::where(-sub3 >= T(0), div_moderate1, mul5);
    const T where13 = rt::where(logical_and0, -(mul0 * where12), T(0));
    const T add2 = grad_log_odds + where13;
    const T div4 = add2 / neg4;
    const T div5 = add2 / neg3;
    const T div6 = total4 / maximum2;
    const T div7 = total5 / maximum3;
    const T mul6 = div6 * exp5;
    const T mul7 = div7 * exp4;
    const T sub4 = div6 - div7 + mul6 / neg3 - mul7 / neg4;
    const T neg5 = -(exp5 * (div5 / neg3) * div6);
    const T mul8 = mul5 * div_moderate1 * sub4 * mul0;
    const T add3 = exp4 * (div4 / neg4) * div7 + mul8 / neg4;
    const T sub5 = mul6 * div5 - (neg5 - mul8 / neg3) * exp5;
    const T sub6 = -(mul7 * div4) - add3 * exp4 - mul8;
    const T where14 = rt::where(logical_and0, sub6 / maximum3, T(0));
    const T where15 = rt::where(logical_and0, (sub5 + mul8) / maximum2, T(0));
    hoisted[0] = where14;
    hoisted[1] = where15;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const rt::Mask<T> chosen_mask = reads[6] != T(0);
    const rt::Mask<T> rejected_mask = reads[7] != T(0);
    const T where14 = hoisted[0];
    const T where15 = hoisted[1];
    writes[0] = rt::where(chosen_mask, where15, T(0));
    writes[1] = rt::where(rejected_mask, where14, T(0));
  }
};

}  // namespace fusewise::ops::orpo_loss
