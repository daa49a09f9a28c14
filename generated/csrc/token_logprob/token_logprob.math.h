// Generated from specs/losses/token_logprob.yaml by `fusewise generate`. Do not edit.
//
// scaled = logits / temperature
// shifted = scaled - stop_grad(amax(scaled))
// lse = log(sum(exp(shifted)))
// logprob = sum(log_softmax(scaled) if index == token else 0)
// entropy = lse - sum(0 if scaled == -inf else softmax(scaled) * shifted)
//
// scaled = logits / temperature
// amax0 = amax(scaled)
// stop_grad0 = stop_grad(amax0)
// shifted = scaled - stop_grad0
// exp0 = exp(shifted)
// sum0 = sum(exp0)
// eq0 = scaled == -inf
// softmax0 = softmax(scaled)
// where0 = 0 if eq0 else -(grad_entropy * shifted)
// where1 = 0 if eq0 else -(grad_entropy * softmax0)
// sum1 = sum(where0 * softmax0)
// where2 = grad_logprob if index == token else 0
// sum2 = sum(where2)
// add0 = softmax0 * (where0 - sum1) + (where2 - softmax0 * sum2)
// grad_logits = (add0 + (where1 + grad_entropy / sum0 * exp0)) / temperature
//
// backward keeps logits, token: 8 B of float32 an element, arithmetic 79
// double_backward keeps grad_logprob, grad_entropy, logits, token: 16 B of float32 an element,
//     arithmetic 131
// forward: 1 read and 0 written for each element, 1 read and 4 written for each row
// backward: 1 read and 1 written for each element, 5 read and 0 written for each row
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
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 21;
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
    writes[0] = rt::exp(sub0);
    writes[1] = rt::where(index == token, sub0, T(0));
  }
};

struct ForwardTotals2 {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 31;
  static constexpr unsigned kRowScalars = 62;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T logits = reads[0];
    const T total0 = reads[2];
    const T total1 = reads[3];
    const T temperature = params[0];
    const T scaled = rt::div_shared(logits, temperature);
    const T sub0 = scaled - total0;
    const T exp1 = rt::exp(sub0);
    writes[0] = rt::where(scaled == -T(INFINITY), T(0), exp1 / total1 * sub0);
  }
};

struct ForwardRows {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 4;
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
    const T log0 = rt::log(total1);
    const T where4 = rt::where(where0 == T(0), T(0), where0 * log0);
    hoisted[0] = total2 - where4;
    hoisted[1] = log0 - total3;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T total0 = reads[2];
    const T total1 = reads[3];
    writes[0] = hoisted[0];
    writes[1] = hoisted[1];
    writes[2] = total0;
    writes[3] = total1;
  }
};

struct BackwardTotals0 {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 33;
  static constexpr unsigned kRowScalars = 123;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_entropy = reads[1];
    const T logits = reads[2];
    const T kept_total0 = reads[4];
    const T kept_total1 = reads[5];
    const T temperature = params[0];
    const T scaled = rt::div_shared(logits, temperature);
    const rt::Mask<T> eq0 = scaled == -T(INFINITY);
    const T shifted = scaled - kept_total0;
    const T exp0 = rt::exp(shifted);
    const T div0 = exp0 / kept_total1;
    const T where3 = rt::where(eq0, T(0), -(grad_entropy * shifted));
    writes[0] = where3 * div0;
  }
};

struct BackwardElements {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 57;
  static constexpr unsigned kRowScalars = 123;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 34;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T grad_entropy = reads[1];
    const T kept_total1 = reads[5];
    hoisted[0] = grad_entropy / kept_total1;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_logprob = reads[0];
    const T grad_entropy = reads[1];
    const T logits = reads[2];
    const T token = reads[3];
    const T kept_total0 = reads[4];
    const T kept_total1 = reads[5];
    const T total0 = reads[6];
    const T index = reads[7];
    const T temperature = params[0];
    const T length = params[1];
    const T where0 = rt::where(index == token, grad_logprob, T(0));
    const T scaled = rt::div_shared(logits, temperature);
    const rt::Mask<T> eq0 = scaled == -T(INFINITY);
    const T where1 = rt::where((token >= T(0)) & (token < length), grad_logprob, T(0));
    const T shifted = scaled - kept_total0;
    const T exp0 = rt::exp(shifted);
    const T div0 = exp0 / kept_total1;
    const T where2 = rt::where(eq0, T(0), -(grad_entropy * div0));
    const T where3 = rt::where(eq0, T(0), -(grad_entropy * shifted));
    const T add1 = div0 * (where3 - total0) + (where0 - div0 * where1);
    writes[0] = rt::div_shared(add1 + (where2 + hoisted[0] * exp0), temperature);
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
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 28;
  static constexpr unsigned kRowScalars = 8182;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_logits = reads[0];
    const T logits = reads[3];
    const T total0 = reads[5];
    const T temperature = params[0];
    const T scaled = rt::div_shared(logits, temperature);
    const T exp1 = rt::exp(scaled - total0);
    const T div_shared0 = rt::div_shared(grad_grad_logits, temperature);
    writes[0] = exp1;
    writes[1] = div_shared0 * exp1;
  }
};

struct DoubleBackwardTotals2 {
  static constexpr int kReads = 14;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 42;
  static constexpr unsigned kRowScalars = 8182;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_logits = reads[0];
    const T grad_entropy = reads[2];
    const T logits = reads[3];
    const T total0 = reads[5];
    const T total1 = reads[6];
    const T temperature = params[0];
    const T scaled = rt::div_shared(logits, temperature);
    const rt::Mask<T> eq0 = scaled == -T(INFINITY);
    const T sub1 = scaled - total0;
    const T exp1 = rt::exp(sub1);
    const T div2 = exp1 / total1;
    const T div_shared0 = rt::div_shared(grad_grad_logits, temperature);
    const T where7 = rt::where(eq0, T(0), -(grad_entropy * sub1));
    writes[0] = where7 * div2;
    writes[1] = div_shared0 * div2;
  }
};

struct DoubleBackwardTotals3 {
  static constexpr int kReads = 14;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 66;
  static constexpr unsigned kRowScalars = 8182;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_logits = reads[0];
    const T grad_logprob = reads[1];
    const T grad_entropy = reads[2];
    const T logits = reads[3];
    const T token = reads[4];
    const T total0 = reads[5];
    const T total1 = reads[6];
    const T total3 = reads[8];
    const T total4 = reads[9];
    const T index = reads[13];
    const T temperature = params[0];
    const T length = params[1];
    const T scaled = rt::div_shared(logits, temperature);
    const rt::Mask<T> eq0 = scaled == -T(INFINITY);
    const T sub1 = scaled - total0;
    const T exp1 = rt::exp(sub1);
    const T div2 = exp1 / total1;
    const T where0 = rt::where((token >= T(0)) & (token < length), grad_logprob, T(0));
    const T div_shared0 = rt::div_shared(grad_grad_logits, temperature);
    const T where2 = rt::where(eq0, T(0), -(div_shared0 * grad_entropy));
    const T mul3 = grad_entropy * sub1;
    const T where7 = rt::where(eq0, T(0), -mul3);
    const T mul4 = div_shared0 * div2;
    const T where8 = rt::where(eq0, T(0), mul3 * total4);
    const T add2 = div_shared0 * (where7 - total3) - div_shared0 * where0 + where8;
    const T sub2 = -mul4 - (mul4 - total4 * div2) * sub1;
    writes[0] = rt::where(index == token, div_shared0 - total4, T(0));
    writes[1] = rt::where(eq0, T(0), sub2);
    writes[2] = (add2 + where2) * div2;
  }
};

struct DoubleBackwardRows {
  static constexpr int kReads = 14;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 8182;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 2240;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T total1 = reads[6];
    const T total2 = reads[7];
    const T total6 = reads[11];
    hoisted[0] = total2 / total1 + total6;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T total5 = reads[10];
    writes[0] = total5;
    writes[1] = hoisted[0];
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 14;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 76;
  static constexpr unsigned kRowScalars = 8182;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 196;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T grad_entropy = reads[2];
    const T total1 = reads[6];
    const T total2 = reads[7];
    const T div3 = grad_entropy / total1;
    hoisted[0] = div3;
    hoisted[1] = div3 / total1 * total2;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_grad_logits = reads[0];
    const T grad_logprob = reads[1];
    const T grad_entropy = reads[2];
    const T logits = reads[3];
    const T token = reads[4];
    const T total0 = reads[5];
    const T total1 = reads[6];
    const T total3 = reads[8];
    const T total4 = reads[9];
    const T total7 = reads[12];
    const T temperature = params[0];
    const T length = params[1];
    const T div3 = hoisted[0];
    const T scaled = rt::div_shared(logits, temperature);
    const rt::Mask<T> eq0 = scaled == -T(INFINITY);
    const T sub1 = scaled - total0;
    const T exp1 = rt::exp(sub1);
    const T div2 = exp1 / total1;
    const T where0 = rt::where((token >= T(0)) & (token < length), grad_logprob, T(0));
    const T div_shared0 = rt::div_shared(grad_grad_logits, temperature);
    const T where2 = rt::where(eq0, T(0), -(div_shared0 * grad_entropy));
    const T mul3 = grad_entropy * sub1;
    const T where7 = rt::where(eq0, T(0), -mul3);
    const T where8 = rt::where(eq0, T(0), mul3 * total4);
    const T add2 = div_shared0 * (where7 - total3) - div_shared0 * where0 + where8;
    const T neg0 = -((div_shared0 * div2 - total4 * div2) * grad_entropy);
    const T where9 = rt::where(eq0, T(0), neg0);
    const T mul4 = (div_shared0 * div3 - hoisted[1]) * exp1;
    const T add3 = div2 * (add2 + where2 - total7) + (where9 + mul4);
    writes[0] = rt::div_shared(add3, temperature);
  }
};

}  // namespace fusewise::ops::token_logprob
