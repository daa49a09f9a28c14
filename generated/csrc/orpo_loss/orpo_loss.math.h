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
// where5 = -(grad_loss * beta * sigmoid0) if has_grad_loss else 0
// where6 = where5 if is_whole else 0
// add0 = grad_log_odds + where6
// logical_or0 = has_grad_log_odds or is_whole and has_grad_loss
// exp0 = exp(bad)
// where7 = -(add0 / neg1 * exp0) if logical_or0 else 0
// exp1 = exp(good)
// where8 = add0 / neg0 * exp1 if logical_or0 else 0
// where9 = (where7 - add0) / maximum1 if logical_or0 else 0
// where10 = where9 if is_whole else 0
// where11 = (where4 + where8 + add0) / maximum0 if logical_or0 else 0
// where12 = where11 if is_whole else 0
// grad_chosen = where12 if chosen_mask else 0
// grad_rejected = where10 if rejected_mask else 0
//
// backward keeps chosen, rejected, chosen_mask, rejected_mask: 16 B of float32 an element,
//     arithmetic 189
// double_backward keeps grad_loss, grad_log_odds, chosen, rejected, chosen_mask, rejected_mask: 24
//     B of float32 an element, arithmetic 333
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
  static constexpr unsigned kIntegers = 12;

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
  static constexpr unsigned kIntegers = 12;
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
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 2;
  static constexpr unsigned kRowScalars = 963;
  static constexpr unsigned kIntegers = 48;
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
    const rt::Mask<T> has_grad_loss = params[1] != T(0);
    const rt::Mask<T> has_grad_log_odds = params[2] != T(0);
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
    const rt::Mask<T> logical_or0 = has_grad_log_odds | (is_whole & has_grad_loss);
    const T exp0 = rt::exp(bad);
    const T exp1 = rt::exp(good);
    const T abs0 = rt::abs(ratio);
    const T exp2 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp2);
    const T where1 = rt::where(-ratio >= T(0), div_moderate0, exp2 * div_moderate0);
    const T where2 = rt::where(has_grad_loss, -(grad_loss * beta * where1), T(0));
    const T where3 = rt::where(is_whole, where2, T(0));
    const T add0 = grad_log_odds + where3;
    const T where4 = rt::where(logical_or0, -(add0 / neg1 * exp0), T(0));
    const T where5 = rt::where(logical_or0, add0 / neg0 * exp1, T(0));
    const T where6 = rt::where(logical_or0, (where4 - add0) / maximum1, T(0));
    const T where7 = rt::where(is_whole, where6, T(0));
    const T where8 = rt::where(logical_or0, (where0 + where5 + add0) / maximum0, T(0));
    const T where9 = rt::where(is_whole, where8, T(0));
    hoisted[0] = where7;
    hoisted[1] = where9;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const rt::Mask<T> chosen_mask = reads[4] != T(0);
    const rt::Mask<T> rejected_mask = reads[5] != T(0);
    const T where7 = hoisted[0];
    const T where9 = hoisted[1];
    writes[0] = rt::where(chosen_mask, where9, T(0));
    writes[1] = rt::where(rejected_mask, where7, T(0));
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 14;
  static constexpr int kWrites = 6;
  static constexpr int kParams = 6;
  static constexpr int kInstructions = 6;
  static constexpr unsigned kRowScalars = 16140;
  static constexpr unsigned kIntegers = 192;

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
    const T where7 = rt::where(chosen_mask, grad_grad_chosen, T(0));
    const T where9 = rt::where(rejected_mask, grad_grad_rejected, T(0));
    writes[0] = where0;
    writes[1] = where1;
    writes[2] = where2;
    writes[3] = where3;
    writes[4] = where7;
    writes[5] = where9;
  }
};

struct DoubleBackwardRows {
  static constexpr int kReads = 14;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 6;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 16140;
  static constexpr unsigned kIntegers = 192;
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
    const rt::Mask<T> has_grad_log_odds = params[2] != T(0);
    const rt::Mask<T> has_grad_grad_chosen = params[3] != T(0);
    const rt::Mask<T> has_grad_grad_rejected = params[4] != T(0);
    const rt::Mask<T> logical_and1 = (total0 > T(0)) & (total1 > T(0));
    const T maximum2 = rt::maximum(total0, T(1));
    const T where54 = rt::where(logical_and1, total2 / maximum2, T(-1));
    const T maximum3 = rt::maximum(total1, T(1));
    const T where55 = rt::where(logical_and1, total3 / maximum3, T(-1));
    const T expm1_2 = rt::expm1(where54);
    const T neg2 = -expm1_2;
    const T log2 = rt::log(neg2);
    const T expm1_3 = rt::expm1(where55);
    const T neg3 = -expm1_3;
    const T log3 = rt::log(neg3);
    const T sub0 = where54 - where55 - (log2 - log3);
    const T abs1 = rt::abs(sub0);
    const T exp3 = rt::exp(-abs1);
    const T exp4 = rt::exp(where55);
    const T exp5 = rt::exp(where54);
    const T div_moderate1 = rt::div_moderate(T(1), T(1) + exp3);
    const T where56 = rt::where(-sub0 >= T(0), div_moderate1, exp3 * div_moderate1);
    const T div4 = total4 / maximum2;
    const T where57 = rt::where(has_grad_grad_chosen, div4, T(0));
    const T div5 = total5 / maximum3;
    const T where58 = rt::where(has_grad_grad_rejected, -div5, T(0));
    const T where59 = rt::where(has_grad_grad_chosen, div4 * exp5 / neg2, T(0));
    const T where60 = rt::where(has_grad_grad_rejected, -(div5 * exp4 / neg3), T(0));
    const T add2 = where58 + where57 + where59 + where60;
    const T where61 = rt::where(has_grad_grad_chosen, -div4, T(0));
    const T where62 = rt::where(logical_and1, where61, T(0));
    const rt::Mask<T> logical_or4 = has_grad_log_odds | logical_and1;
    const T where63 = rt::where(logical_or4, where62, T(0));
    const T where64 = rt::where(logical_and1, where63, T(0));
    const T where65 = rt::where(logical_and1, -(add2 * where56 * beta), T(0));
    const T where66 = rt::where(logical_or4, where65, T(0));
    const T where67 = rt::where(logical_and1, where66, T(0));
    hoisted[0] = rt::where(logical_and1, add2, T(0));
    hoisted[1] = where67 + where64;
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
  static constexpr int kParams = 6;
  static constexpr int kInstructions = 2;
  static constexpr unsigned kRowScalars = 16140;
  static constexpr unsigned kIntegers = 192;
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
    const rt::Mask<T> has_grad_loss = params[1] != T(0);
    const rt::Mask<T> has_grad_log_odds = params[2] != T(0);
    const rt::Mask<T> has_grad_grad_chosen = params[3] != T(0);
    const rt::Mask<T> has_grad_grad_rejected = params[4] != T(0);
    const T mul0 = grad_loss * beta;
    const rt::Mask<T> logical_and1 = (total0 > T(0)) & (total1 > T(0));
    const T maximum2 = rt::maximum(total0, T(1));
    const T where54 = rt::where(logical_and1, total2 / maximum2, T(-1));
    const T maximum3 = rt::maximum(total1, T(1));
    const T where55 = rt::where(logical_and1, total3 / maximum3, T(-1));
    const T expm1_2 = rt::expm1(where54);
    const T neg2 = -expm1_2;
    const T log2 = rt::log(neg2);
    const T expm1_3 = rt::expm1(where55);
    const T neg3 = -expm1_3;
    const T log3 = rt::log(neg3);
    const T sub0 = where54 - where55 - (log2 - log3);
    const T abs1 = rt::abs(sub0);
    const T exp3 = rt::exp(-abs1);
    const rt::Mask<T> logical_or4 = has_grad_log_odds | (logical_and1 & has_grad_loss);
    const T exp4 = rt::exp(where55);
    const T exp5 = rt::exp(where54);
    const T div_moderate1 = rt::div_moderate(T(1), T(1) + exp3);
    const T mul5 = exp3 * div_moderate1;
    const T where56 = rt::where(-sub0 >= T(0), div_moderate1, mul5);
    const T where57 = rt::where(has_grad_loss, -(mul0 * where56), T(0));
    const T where58 = rt::where(logical_and1, where57, T(0));
    const T add2 = grad_log_odds + where58;
    const T div4 = add2 / neg3;
    const T div5 = add2 / neg2;
    const T div6 = total4 / maximum2;
    const T where59 = rt::where(has_grad_grad_chosen, div6, T(0));
    const T div7 = total5 / maximum3;
    const T where60 = rt::where(has_grad_grad_rejected, -div7, T(0));
    const T mul6 = div6 * exp5;
    const T where61 = rt::where(has_grad_grad_chosen, mul6 / neg2, T(0));
    const T mul7 = div7 * exp4;
    const T where62 = rt::where(has_grad_grad_rejected, -(mul7 / neg3), T(0));
    const rt::Mask<T> logical_and2 = has_grad_loss & (logical_or4 & logical_and1);
    const rt::Mask<T> logical_or5 = (logical_or4 & (logical_and1 & has_grad_grad_rejected)) |
        logical_and2;
    const rt::Mask<T> logical_or6 = (logical_or4 & (logical_and1 & has_grad_grad_chosen)) |
        logical_and2;
    const T where63 = rt::where(has_grad_grad_chosen, mul6 * div5, T(0));
    const T where64 = rt::where(logical_and1, where63, T(0));
    const T where65 = rt::where(logical_or4, where64, T(0));
    const T where66 = rt::where(has_grad_grad_chosen, -(exp5 * (div5 / neg2) * div6), T(0));
    const T where67 = rt::where(logical_and1, where66, T(0));
    const T where68 = rt::where(logical_or4, where67, T(0));
    const T where69 = rt::where(has_grad_grad_rejected, -(mul7 * div4), T(0));
    const T where70 = rt::where(logical_and1, where69, T(0));
    const T where71 = rt::where(logical_or4, where70, T(0));
    const T where72 = rt::where(has_grad_grad_rejected, exp4 * (div4 / neg3) * div7, T(0));
    const T where73 = rt::where(logical_and1, where72, T(0));
    const T where74 = rt::where(logical_or4, where73, T(0));
    const T mul8 = mul5 * div_moderate1 * (where60 + where59 + where61 + where62);
    const T mul9 = mul8 * mul0;
    const T where75 = rt::where(logical_and1, -mul9, T(0));
    const T where76 = rt::where(logical_or4, where75, T(0));
    const T where77 = rt::where(logical_and1, where76, T(0));
    const T where78 = rt::where(has_grad_loss, where77, T(0));
    const T where79 = rt::where(logical_and1, mul9, T(0));
    const T where80 = rt::where(logical_or4, where79, T(0));
    const T where81 = rt::where(logical_and1, where80, T(0));
    const T where82 = rt::where(has_grad_loss, where81, T(0));
    const T where83 = rt::where(logical_and1, mul9 / neg3, T(0));
    const T where84 = rt::where(logical_or4, where83, T(0));
    const T where85 = rt::where(logical_and1, where84, T(0));
    const T where86 = rt::where(has_grad_loss, where85, T(0));
    const T where87 = rt::where(logical_or5, -((where74 + where86) * exp4), T(0));
    const T where88 = rt::where(logical_and1, -(mul9 / neg2), T(0));
    const T where89 = rt::where(logical_or4, where88, T(0));
    const T where90 = rt::where(logical_and1, where89, T(0));
    const T where91 = rt::where(has_grad_loss, where90, T(0));
    const T where92 = rt::where(logical_or6, -((where68 + where91) * exp5), T(0));
    const T where93 = rt::where(logical_or5, (where71 + where87 + where78) / maximum3, T(0));
    const T where94 = rt::where(logical_and1, where93, T(0));
    const T where95 = rt::where(logical_or6, (where65 + where92 + where82) / maximum2, T(0));
    const T where96 = rt::where(logical_and1, where95, T(0));
    hoisted[0] = where94;
    hoisted[1] = where96;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const rt::Mask<T> chosen_mask = reads[6] != T(0);
    const rt::Mask<T> rejected_mask = reads[7] != T(0);
    const T where94 = hoisted[0];
    const T where96 = hoisted[1];
    writes[0] = rt::where(chosen_mask, where96, T(0));
    writes[1] = rt::where(rejected_mask, where94, T(0));
  }
};

}  // namespace fusewise::ops::orpo_loss
