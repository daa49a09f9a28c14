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
// where1 = -(div0 * shifted) if has_grad_entropy else 0
// where2 = 0 if eq0 else where1
// where3 = -(div0 * power) if has_grad_entropy else 0
// where4 = 0 if eq0 else where3
// where5 = sum0 / total / total * grad_entropy + div0 if has_grad_entropy else 0
// where6 = grad_logprob if has_grad_logprob else 0
// where7 = where6 if index == token else 0
// softmax0 = softmax(scaled)
// sum1 = sum(where7)
// where8 = where7 - softmax0 * sum1 if has_grad_logprob else 0
// where9 = (where2 + where5) * power if has_grad_entropy else 0
// grad_logits = (where8 + (where4 + where9)) / temperature
//
// backward keeps logits, token: 8 B of float32 an element, arithmetic 102
// double_backward keeps grad_logprob, grad_entropy, logits, token: 16 B of float32 an element,
//     arithmetic 200
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
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 60;
  static constexpr unsigned kRowScalars = 123;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 98;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T grad_entropy = reads[1];
    const T kept_total1 = reads[5];
    const T kept_total2 = reads[6];
    const rt::Mask<T> has_grad_entropy = params[2] != T(0);
    const T div0 = grad_entropy / kept_total1;
    const T where3 = rt::where(has_grad_entropy, kept_total2 / kept_total1 / kept_total1 *
        grad_entropy + div0, T(0));
    hoisted[0] = div0;
    hoisted[1] = where3;
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
    const rt::Mask<T> has_grad_logprob = params[1] != T(0);
    const rt::Mask<T> has_grad_entropy = params[2] != T(0);
    const T length = params[3];
    const T div0 = hoisted[0];
    const T where3 = hoisted[1];
    const T where0 = rt::where(has_grad_logprob, grad_logprob, T(0));
    const T where1 = rt::where(index == token, where0, T(0));
    const T where2 = rt::where((token >= T(0)) & (token < length), where0, T(0));
    const T scaled = rt::div_shared(logits, temperature);
    const rt::Mask<T> eq0 = scaled == -T(INFINITY);
    const T shifted = scaled - kept_total0;
    const T power = rt::exp_negative(shifted);
    const T div_shared0 = rt::div_shared(power, kept_total1);
    const T where4 = rt::where(has_grad_entropy, -(div0 * shifted), T(0));
    const T where5 = rt::where(eq0, T(0), where4);
    const T where6 = rt::where(has_grad_entropy, -(div0 * power), T(0));
    const T where7 = rt::where(eq0, T(0), where6);
    const T where8 = rt::where(has_grad_entropy, (where5 + where3) * power, T(0));
    const T where9 = rt::where(has_grad_logprob, where1 - div_shared0 * where2, T(0));
    writes[0] = rt::div_shared(where9 + (where7 + where8), temperature);
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 15;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 8;
  static constexpr unsigned kRowScalars = 16374;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T logits = reads[3];
    const T temperature = params[0];
    const T scaled = rt::div_shared(logits, temperature);
    writes[0] = scaled;
  }
};

struct DoubleBackwardTotals1 {
  static constexpr int kReads = 15;
  static constexpr int kWrites = 5;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 39;
  static constexpr unsigned kRowScalars = 16374;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_logits = reads[0];
    const T logits = reads[3];
    const T total0 = reads[5];
    const T temperature = params[0];
    const rt::Mask<T> has_grad_entropy = params[2] != T(0);
    const T scaled = rt::div_shared(logits, temperature);
    const rt::Mask<T> eq0 = scaled == -T(INFINITY);
    const T sub1 = scaled - total0;
    const T exp_negative0 = rt::exp_negative(sub1);
    const T mul4 = exp_negative0 * sub1;
    const T div_shared0 = rt::div_shared(grad_grad_logits, temperature);
    const T mul5 = div_shared0 * exp_negative0;
    const T neg2 = -(mul4 * div_shared0);
    const T where20 = rt::where(has_grad_entropy, neg2, T(0));
    writes[0] = exp_negative0;
    writes[1] = rt::where(eq0, T(0), mul4);
    writes[2] = mul5;
    writes[3] = rt::where(eq0, T(0), where20 - mul5);
    writes[4] = rt::where(eq0, T(0), neg2 - mul5);
  }
};

struct DoubleBackwardTotals2 {
  static constexpr int kReads = 15;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 44;
  static constexpr unsigned kRowScalars = 16374;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_logits = reads[0];
    const T grad_logprob = reads[1];
    const T logits = reads[3];
    const T token = reads[4];
    const T total0 = reads[5];
    const T total1 = reads[6];
    const T temperature = params[0];
    const rt::Mask<T> has_grad_logprob = params[1] != T(0);
    const T length = params[3];
    const T where0 = rt::where(has_grad_logprob, grad_logprob, T(0));
    const T where1 = rt::where((token >= T(0)) & (token < length), where0, T(0));
    const T scaled = rt::div_shared(logits, temperature);
    const T exp_negative0 = rt::exp_negative(scaled - total0);
    const T div_shared0 = rt::div_shared(grad_grad_logits, temperature);
    const T mul1 = div_shared0 * where1;
    const T div5 = exp_negative0 / total1;
    writes[0] = div_shared0 * div5;
    writes[1] = -(mul1 * div5);
  }
};

struct DoubleBackwardTotals3 {
  static constexpr int kReads = 15;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 11;
  static constexpr unsigned kRowScalars = 16374;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_logits = reads[0];
    const T token = reads[4];
    const T total6 = reads[11];
    const T index = reads[14];
    const T temperature = params[0];
    const T div_shared0 = rt::div_shared(grad_grad_logits, temperature);
    writes[0] = rt::where(index == token, div_shared0 - total6, T(0));
  }
};

struct DoubleBackwardRows {
  static constexpr int kReads = 15;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 16374;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 1472;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T total1 = reads[6];
    const T total2 = reads[7];
    const T total3 = reads[8];
    const T total5 = reads[10];
    const T mul4 = total3 * (total2 / total1 / total1);
    hoisted[0] = mul4 + (total3 + total5) / total1;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T total8 = reads[13];
    writes[0] = total8;
    writes[1] = hoisted[0];
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 15;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 86;
  static constexpr unsigned kRowScalars = 16374;
  static constexpr unsigned kHoisted = 4;
  static constexpr unsigned kHoistedFrom = 964;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T grad_entropy = reads[2];
    const T total1 = reads[6];
    const T total2 = reads[7];
    const T total3 = reads[8];
    const T total4 = reads[9];
    const rt::Mask<T> has_grad_entropy = params[2] != T(0);
    const T div5 = grad_entropy / total1;
    const T div6 = total2 / total1 / total1;
    const T where22 = rt::where(has_grad_entropy, div6 * grad_entropy + div5, T(0));
    const T mul4 = total3 * grad_entropy;
    const T div7 = mul4 / total1;
    const T neg2 = -(div6 / total1 * mul4);
    const T div8 = div7 / total1;
    const T sub2 = neg2 - div5 / total1 * (total3 + total4);
    hoisted[0] = div5;
    hoisted[1] = where22;
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
    const T total7 = reads[12];
    const T temperature = params[0];
    const rt::Mask<T> has_grad_logprob = params[1] != T(0);
    const rt::Mask<T> has_grad_entropy = params[2] != T(0);
    const T length = params[3];
    const T div5 = hoisted[0];
    const T where22 = hoisted[1];
    const T div8 = hoisted[2];
    const T where0 = rt::where(has_grad_logprob, grad_logprob, T(0));
    const T where1 = rt::where((token >= T(0)) & (token < length), where0, T(0));
    const T scaled = rt::div_shared(logits, temperature);
    const rt::Mask<T> eq0 = scaled == -T(INFINITY);
    const T sub1 = scaled - total0;
    const T exp_negative0 = rt::exp_negative(sub1);
    const T div_shared0 = rt::div_shared(grad_grad_logits, temperature);
    const T mul1 = div_shared0 * where1;
    const T where20 = rt::where(has_grad_entropy, -(div5 * sub1), T(0));
    const T where21 = rt::where(eq0, T(0), where20);
    const T where23 = rt::where(eq0, T(0), -(div_shared0 * div5));
    const T add1 = div_shared0 * (where21 + where22) + where23;
    const T where24 = rt::where(has_grad_entropy, div8 * sub1, T(0));
    const T where25 = rt::where(eq0, T(0), where24);
    const T where26 = rt::where(has_grad_entropy, div8 * exp_negative0, T(0));
    const T where27 = rt::where(eq0, T(0), where26);
    const T where28 = rt::where(has_grad_entropy, -(div5 * exp_negative0 * div_shared0), T(0));
    const T where29 = rt::where(eq0, T(0), where28);
    const T where30 = rt::where(has_grad_entropy, add1 + hoisted[3], T(0));
    const T where31 = rt::where(has_grad_entropy, where29 + (where30 + where25) * exp_negative0,
        T(0));
    const T where32 = rt::where(has_grad_logprob, exp_negative0 / total1 * (-mul1 - total7), T(0));
    const T div_shared2 = rt::div_shared(where32 + (where31 + where27), temperature);
    writes[0] = rt::where(has_grad_logprob | has_grad_entropy, div_shared2, T(0));
  }
};

}  // namespace fusewise::ops::token_logprob
