// Generated from specs/losses/token_logprob.yaml by `fusewise generate`. Do not edit.
//
// scaled = logits / temperature
// lse = logsumexp(scaled)
// p = exp(scaled - lse)
// logprob = sum(scaled if index == token else 0) - lse
// entropy = lse - sum(p * scaled)
//
// scaled = logits / temperature
// lse = logsumexp(scaled)
// p = exp(scaled - lse)
// mul0 = p * scaled
// sum0 = sum(mul0)
// where0 = grad_logprob if index == token else 0
// sub0 = where0 - grad_entropy * p - mul0 * grad_entropy
// add0 = sub0 + (grad_entropy - grad_logprob + grad_entropy * sum0) * p
// grad_logits = add0 / temperature
//
// backward keeps logits, token: 8 B of float32 an element, arithmetic 67
// double_backward keeps grad_logprob, grad_entropy, logits, token: 16 B of float32 an element,
//     arithmetic 93
// forward: 1 read and 0 written for each element, 1 read and 2 written for each row
// backward: 1 read and 1 written for each element, 3 read and 0 written for each row
// double_backward: 2 read and 1 written for each element, 3 read and 2 written for each row
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::token_logprob {

struct ForwardTotals0 {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 10;
  static constexpr unsigned kRowScalars = 62;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T logits = reads[0];
    const T token = reads[1];
    const T index = reads[6];
    const T temperature = params[0];
    const T scaled = rt::div_shared(logits, temperature);
    const T where0 = rt::where(index == token, scaled, T(0));
    writes[0] = where0;
    writes[1] = scaled;
  }
};

struct ForwardTotals1 {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 22;
  static constexpr unsigned kRowScalars = 62;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T logits = reads[0];
    const T total1 = reads[3];
    const T temperature = params[0];
    const T scaled = rt::div_shared(logits, temperature);
    const T abs1 = rt::abs(total1);
    const T where2 = rt::where(abs1 == T(INFINITY), T(0), total1);
    writes[0] = rt::exp(scaled - where2);
  }
};

struct ForwardTotals2 {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 20;
  static constexpr unsigned kRowScalars = 62;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 24;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T total1 = reads[3];
    const T total2 = reads[4];
    const T abs1 = rt::abs(total1);
    const T where2 = rt::where(abs1 == T(INFINITY), T(0), total1);
    const T log1 = rt::log(total2);
    hoisted[0] = log1 + where2;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T logits = reads[0];
    const T temperature = params[0];
    const T scaled = rt::div_shared(logits, temperature);
    const T exp1 = rt::exp(scaled - hoisted[0]);
    writes[0] = exp1 * scaled;
  }
};

struct ForwardRows {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 62;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 60;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T total0 = reads[2];
    const T total1 = reads[3];
    const T total2 = reads[4];
    const T total3 = reads[5];
    const T abs1 = rt::abs(total1);
    const T where2 = rt::where(abs1 == T(INFINITY), T(0), total1);
    const T log1 = rt::log(total2);
    const T add0 = log1 + where2;
    hoisted[0] = total0 - add0;
    hoisted[1] = add0 - total3;
  }

  template <class T>
  RT_FN static void apply(const T*, const T*, const T* hoisted, T* writes) {
    writes[0] = hoisted[0];
    writes[1] = hoisted[1];
  }
};

struct BackwardTotals0 {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 8;
  static constexpr unsigned kRowScalars = 123;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T logits = reads[2];
    const T temperature = params[0];
    const T scaled = rt::div_shared(logits, temperature);
    writes[0] = scaled;
  }
};

struct BackwardTotals1 {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 22;
  static constexpr unsigned kRowScalars = 123;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T logits = reads[2];
    const T total0 = reads[4];
    const T temperature = params[0];
    const T scaled = rt::div_shared(logits, temperature);
    const T abs1 = rt::abs(total0);
    const T where2 = rt::where(abs1 == T(INFINITY), T(0), total0);
    writes[0] = rt::exp(scaled - where2);
  }
};

struct BackwardTotals2 {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 20;
  static constexpr unsigned kRowScalars = 123;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 48;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T total0 = reads[4];
    const T total1 = reads[5];
    const T abs1 = rt::abs(total0);
    const T where2 = rt::where(abs1 == T(INFINITY), T(0), total0);
    const T log1 = rt::log(total1);
    hoisted[0] = log1 + where2;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T logits = reads[2];
    const T temperature = params[0];
    const T scaled = rt::div_shared(logits, temperature);
    const T exp1 = rt::exp(scaled - hoisted[0]);
    writes[0] = exp1 * scaled;
  }
};

struct BackwardElements {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 39;
  static constexpr unsigned kRowScalars = 123;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 48;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T total0 = reads[4];
    const T total1 = reads[5];
    const T abs1 = rt::abs(total0);
    const T where2 = rt::where(abs1 == T(INFINITY), T(0), total0);
    const T log1 = rt::log(total1);
    hoisted[0] = log1 + where2;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_logprob = reads[0];
    const T grad_entropy = reads[1];
    const T logits = reads[2];
    const T token = reads[3];
    const T total2 = reads[6];
    const T index = reads[7];
    const T temperature = params[0];
    const T where0 = rt::where(index == token, grad_logprob, T(0));
    const T scaled = rt::div_shared(logits, temperature);
    const T exp1 = rt::exp(scaled - hoisted[0]);
    const T sub1 = where0 - grad_entropy * exp1 - exp1 * scaled * grad_entropy;
    const T add1 = sub1 + (grad_entropy - grad_logprob + grad_entropy * total2) * exp1;
    writes[0] = rt::div_shared(add1, temperature);
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 13;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 18;
  static constexpr unsigned kRowScalars = 4086;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_logits = reads[0];
    const T logits = reads[3];
    const T token = reads[4];
    const T index = reads[12];
    const T temperature = params[0];
    const T scaled = rt::div_shared(logits, temperature);
    const T div_shared0 = rt::div_shared(grad_grad_logits, temperature);
    const T where1 = rt::where(index == token, div_shared0, T(0));
    writes[0] = scaled;
    writes[1] = where1;
  }
};

struct DoubleBackwardTotals1 {
  static constexpr int kReads = 13;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 22;
  static constexpr unsigned kRowScalars = 4086;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T logits = reads[3];
    const T total0 = reads[5];
    const T temperature = params[0];
    const T scaled = rt::div_shared(logits, temperature);
    const T abs1 = rt::abs(total0);
    const T where2 = rt::where(abs1 == T(INFINITY), T(0), total0);
    writes[0] = rt::exp(scaled - where2);
  }
};

struct DoubleBackwardTotals2 {
  static constexpr int kReads = 13;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 32;
  static constexpr unsigned kRowScalars = 4086;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 160;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T total0 = reads[5];
    const T total2 = reads[7];
    const T log1 = rt::log(total2);
    const T abs1 = rt::abs(total0);
    const T where2 = rt::where(abs1 == T(INFINITY), T(0), total0);
    hoisted[0] = log1 + where2;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_grad_logits = reads[0];
    const T logits = reads[3];
    const T temperature = params[0];
    const T scaled = rt::div_shared(logits, temperature);
    const T div_shared0 = rt::div_shared(grad_grad_logits, temperature);
    const T exp1 = rt::exp(scaled - hoisted[0]);
    const T mul4 = exp1 * scaled;
    const T mul5 = div_shared0 * exp1;
    writes[0] = mul4;
    writes[1] = mul5;
    writes[2] = -(div_shared0 * mul4) - mul5;
  }
};

struct DoubleBackwardTotals3 {
  static constexpr int kReads = 13;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 38;
  static constexpr unsigned kRowScalars = 4086;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 160;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T total0 = reads[5];
    const T total2 = reads[7];
    const T log1 = rt::log(total2);
    const T abs1 = rt::abs(total0);
    const T where2 = rt::where(abs1 == T(INFINITY), T(0), total0);
    hoisted[0] = log1 + where2;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_grad_logits = reads[0];
    const T grad_logprob = reads[1];
    const T grad_entropy = reads[2];
    const T logits = reads[3];
    const T total3 = reads[8];
    const T total4 = reads[9];
    const T temperature = params[0];
    const T scaled = rt::div_shared(logits, temperature);
    const T div_shared0 = rt::div_shared(grad_grad_logits, temperature);
    const T mul1 = div_shared0 * grad_entropy;
    const T exp1 = rt::exp(scaled - hoisted[0]);
    const T sub2 = div_shared0 * (grad_entropy - grad_logprob + grad_entropy * total3) - mul1;
    writes[0] = (sub2 + (total4 * grad_entropy - mul1) * scaled) * exp1;
  }
};

struct DoubleBackwardRows {
  static constexpr int kReads = 13;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 4;
  static constexpr unsigned kRowScalars = 4086;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T total1 = reads[6];
    const T total3 = reads[8];
    const T total4 = reads[9];
    const T total5 = reads[10];
    writes[0] = total1 - total4;
    writes[1] = total4 * total3 + total4 + total5;
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 13;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 50;
  static constexpr unsigned kRowScalars = 4086;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 160;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T total0 = reads[5];
    const T total2 = reads[7];
    const T log1 = rt::log(total2);
    const T abs1 = rt::abs(total0);
    const T where2 = rt::where(abs1 == T(INFINITY), T(0), total0);
    hoisted[0] = log1 + where2;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_grad_logits = reads[0];
    const T grad_logprob = reads[1];
    const T grad_entropy = reads[2];
    const T logits = reads[3];
    const T total3 = reads[8];
    const T total4 = reads[9];
    const T total6 = reads[11];
    const T temperature = params[0];
    const T scaled = rt::div_shared(logits, temperature);
    const T div_shared0 = rt::div_shared(grad_grad_logits, temperature);
    const T mul1 = div_shared0 * grad_entropy;
    const T exp1 = rt::exp(scaled - hoisted[0]);
    const T sub2 = div_shared0 * (grad_entropy - grad_logprob + grad_entropy * total3) - mul1;
    const T sub3 = total4 * grad_entropy - mul1;
    const T add0 = sub3 * exp1 + (sub2 + sub3 * scaled) * exp1;
    writes[0] = rt::div_shared(add0 - total6 * exp1, temperature);
  }
};

}  // namespace fusewise::ops::token_logprob
