// Generated from specs/losses/token_logprob.yaml by `fusewise generate`. Do not edit.
//
// scaled = logits / temperature
// shifted = scaled - stop_grad(amax(scaled))
// power = exp(shifted)
// total = sum(power)
// logprob = sum(log_softmax(scaled) if index == token else 0)
// entropy = log(total) - sum(0 if scaled == -inf else power * shifted) / total
//
// scaled = logits / temperature
// amax0 = amax(scaled)
// stop_grad0 = stop_grad(amax0)
// shifted = scaled - stop_grad0
// power = exp(shifted)
// total = sum(power)
// eq0 = scaled == -inf
// where0 = 0 if eq0 else power * shifted
// sum0 = sum(where0)
// div0 = grad_entropy / total
// where1 = 0 if eq0 else -(div0 * shifted)
// where2 = 0 if eq0 else -(div0 * power)
// where3 = grad_logprob if index == token else 0
// softmax0 = softmax(scaled)
// sum1 = sum(where3)
// add0 = where1 + (sum0 / total / total * grad_entropy + div0)
// add1 = where3 - softmax0 * sum1 + (where2 + add0 * power)
// grad_logits = add1 / temperature
//
// backward keeps logits, token: 8 B of float32 an element, arithmetic 96
// double_backward keeps grad_logprob, grad_entropy, logits, token: 16 B of float32 an element,
//     arithmetic 182
// forward: 1 read and 0 written for each element, 1 read and 5 written for each row
// backward: 1 read and 1 written for each element, 6 read and 0 written for each row
// double_backward: 2 read and 1 written for each element, 3 read and 2 written for each row
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::token_logprob {

struct ForwardTotals0 {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 8;
  static constexpr unsigned kRowScalars = 62;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T logits = reads[0];
    const T temperature = params[0];
    const T scaled = rt::div_shared(logits, temperature);
    writes[0] = scaled;
  }
};

struct ForwardTotals1 {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 25;
  static constexpr unsigned kRowScalars = 62;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T logits = reads[0];
    const T token = reads[1];
    const T total0 = reads[2];
    const T index = reads[6];
    const T temperature = params[0];
    const T scaled = rt::div_shared(logits, temperature);
    const T sub0 = scaled - total0;
    const T exp_negative0 = rt::exp_negative(sub0);
    writes[0] = rt::where(index == token, sub0, T(0));
    writes[1] = exp_negative0;
    writes[2] = rt::where(scaled == -T(INFINITY), T(0), exp_negative0 * sub0);
  }
};

struct ForwardRescale {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 34;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T total1 = reads[0];
    const T total2 = reads[1];
    const T total3 = reads[2];
    const T total0 = reads[3];
    const T row_total0 = reads[4];
    const rt::Mask<T> logical_or0 = (total0 == row_total0) | (total0 == -T(INFINITY));
    const T sub0 = total0 - row_total0;
    const T where0 = rt::where((row_total0 > -T(INFINITY)) & logical_or0, T(0), sub0);
    const T where1 = rt::where(logical_or0, T(0), sub0);
    const T exp_negative0 = rt::exp_negative(where0);
    const T exp_negative1 = rt::exp_negative(where1);
    writes[0] = total1;
    writes[1] = exp_negative0 * total2;
    writes[2] = exp_negative1 * total3 + exp_negative1 * where1 * total2;
  }
};

struct ForwardRows {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 5;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 62;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 58;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T token = reads[1];
    const T total1 = reads[3];
    const T total2 = reads[4];
    const T total3 = reads[5];
    const T length = params[1];
    const T where0 = rt::where((token >= T(0)) & (token < length), T(1), T(0));
    const T log1 = rt::log(total2);
    const T where4 = rt::where(where0 == T(0), T(0), where0 * log1);
    hoisted[0] = total1 - where4;
    hoisted[1] = log1 - total3 / total2;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T total0 = reads[2];
    const T total2 = reads[4];
    const T total3 = reads[5];
    writes[0] = hoisted[0];
    writes[1] = hoisted[1];
    writes[2] = total0;
    writes[3] = total2;
    writes[4] = total3;
  }
};

struct BackwardElements {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 55;
  static constexpr unsigned kRowScalars = 123;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 98;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T grad_entropy = reads[1];
    const T kept_total1 = reads[5];
    const T kept_total2 = reads[6];
    const T div0 = grad_entropy / kept_total1;
    hoisted[0] = div0;
    hoisted[1] = kept_total2 / kept_total1 / kept_total1 * grad_entropy + div0;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_logprob = reads[0];
    const T logits = reads[2];
    const T token = reads[3];
    const T kept_total0 = reads[4];
    const T kept_total1 = reads[5];
    const T index = reads[7];
    const T temperature = params[0];
    const T length = params[1];
    const T div0 = hoisted[0];
    const T where0 = rt::where(index == token, grad_logprob, T(0));
    const T where1 = rt::where((token >= T(0)) & (token < length), grad_logprob, T(0));
    const T scaled = rt::div_shared(logits, temperature);
    const rt::Mask<T> eq0 = scaled == -T(INFINITY);
    const T shifted = scaled - kept_total0;
    const T power = rt::exp_negative(shifted);
    const T div_shared0 = rt::div_shared(power, kept_total1);
    const T where2 = rt::where(eq0, T(0), -(div0 * shifted));
    const T where3 = rt::where(eq0, T(0), -(div0 * power));
    const T add0 = where2 + hoisted[1];
    const T add1 = where0 - div_shared0 * where1 + (where3 + add0 * power);
    writes[0] = rt::div_shared(add1, temperature);
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 14;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 8;
  static constexpr unsigned kRowScalars = 8182;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T logits = reads[3];
    const T temperature = params[0];
    const T scaled = rt::div_shared(logits, temperature);
    writes[0] = scaled;
  }
};

struct DoubleBackwardTotals1 {
  static constexpr int kReads = 14;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 36;
  static constexpr unsigned kRowScalars = 8182;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_logits = reads[0];
    const T logits = reads[3];
    const T total0 = reads[5];
    const T temperature = params[0];
    const T scaled = rt::div_shared(logits, temperature);
    const rt::Mask<T> eq0 = scaled == -T(INFINITY);
    const T sub1 = scaled - total0;
    const T exp_negative0 = rt::exp_negative(sub1);
    const T mul4 = exp_negative0 * sub1;
    const T div_shared0 = rt::div_shared(grad_grad_logits, temperature);
    const T mul5 = div_shared0 * exp_negative0;
    writes[0] = exp_negative0;
    writes[1] = rt::where(eq0, T(0), mul4);
    writes[2] = mul5;
    writes[3] = rt::where(eq0, T(0), -mul5 - mul4 * div_shared0);
  }
};

struct DoubleBackwardTotals2 {
  static constexpr int kReads = 14;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 43;
  static constexpr unsigned kRowScalars = 8182;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_logits = reads[0];
    const T grad_logprob = reads[1];
    const T logits = reads[3];
    const T token = reads[4];
    const T total0 = reads[5];
    const T total1 = reads[6];
    const T temperature = params[0];
    const T length = params[1];
    const T where0 = rt::where((token >= T(0)) & (token < length), grad_logprob, T(0));
    const T scaled = rt::div_shared(logits, temperature);
    const T exp_negative0 = rt::exp_negative(scaled - total0);
    const T div_shared0 = rt::div_shared(grad_grad_logits, temperature);
    const T mul1 = div_shared0 * where0;
    const T div5 = exp_negative0 / total1;
    writes[0] = div_shared0 * div5;
    writes[1] = -(mul1 * div5);
  }
};

struct DoubleBackwardTotals3 {
  static constexpr int kReads = 14;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 11;
  static constexpr unsigned kRowScalars = 8182;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_logits = reads[0];
    const T token = reads[4];
    const T total5 = reads[10];
    const T index = reads[13];
    const T temperature = params[0];
    const T div_shared0 = rt::div_shared(grad_grad_logits, temperature);
    writes[0] = rt::where(index == token, div_shared0 - total5, T(0));
  }
};

struct DoubleBackwardRows {
  static constexpr int kReads = 14;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 8182;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 960;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T total1 = reads[6];
    const T total2 = reads[7];
    const T total3 = reads[8];
    const T total4 = reads[9];
    const T mul4 = total3 * (total2 / total1 / total1);
    hoisted[0] = mul4 + (total3 + total4) / total1;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T total7 = reads[12];
    writes[0] = total7;
    writes[1] = hoisted[0];
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 14;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 74;
  static constexpr unsigned kRowScalars = 8182;
  static constexpr unsigned kHoisted = 4;
  static constexpr unsigned kHoistedFrom = 964;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T grad_entropy = reads[2];
    const T total1 = reads[6];
    const T total2 = reads[7];
    const T total3 = reads[8];
    const T total4 = reads[9];
    const T div5 = grad_entropy / total1;
    const T div6 = total2 / total1 / total1;
    const T mul4 = total3 * grad_entropy;
    const T div7 = mul4 / total1;
    const T neg1 = -(div6 / total1 * mul4);
    const T div8 = div7 / total1;
    const T sub2 = neg1 - div5 / total1 * (total3 + total4);
    hoisted[0] = div5;
    hoisted[1] = div6 * grad_entropy + div5;
    hoisted[2] = div8;
    hoisted[3] = sub2 - div6 * div7;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_grad_logits = reads[0];
    const T grad_logprob = reads[1];
    const T logits = reads[3];
    const T token = reads[4];
    const T total0 = reads[5];
    const T total1 = reads[6];
    const T total6 = reads[11];
    const T temperature = params[0];
    const T length = params[1];
    const T div5 = hoisted[0];
    const T div8 = hoisted[2];
    const T where0 = rt::where((token >= T(0)) & (token < length), grad_logprob, T(0));
    const T scaled = rt::div_shared(logits, temperature);
    const rt::Mask<T> eq0 = scaled == -T(INFINITY);
    const T sub1 = scaled - total0;
    const T exp_negative0 = rt::exp_negative(sub1);
    const T div_shared0 = rt::div_shared(grad_grad_logits, temperature);
    const T mul1 = div_shared0 * where0;
    const T where8 = rt::where(eq0, T(0), -(div5 * sub1));
    const T where9 = rt::where(eq0, T(0), -(div_shared0 * div5));
    const T add3 = div_shared0 * (where8 + hoisted[1]) + where9;
    const T where10 = rt::where(eq0, T(0), div8 * sub1);
    const T where11 = rt::where(eq0, T(0), div8 * exp_negative0 - div5 * exp_negative0 *
        div_shared0);
    const T mul5 = (add3 + where10 + hoisted[3]) * exp_negative0;
    const T mul6 = exp_negative0 / total1 * (-mul1 - total6);
    writes[0] = rt::div_shared(mul6 + (where11 + mul5), temperature);
  }
};

}  // namespace fusewise::ops::token_logprob
