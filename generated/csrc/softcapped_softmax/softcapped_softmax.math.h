// Generated from specs/softmax/softcapped_softmax.yaml by `fusewise generate`. Do not edit.
//
// out = softmax(cap * tanh(scale * x / cap) if index <= last else -inf)
//
// sech2_0 = sech2(scale * x / cap)
// sum0 = sum(grad_out * out)
// div0 = out * (grad_out - sum0) * cap * sech2_0 / cap
// grad_x = div0 * scale if index <= last else 0
//
// backward keeps x, last, out: 12 B of float32 an element, arithmetic 51
// double_backward keeps grad_out, x, last, out: 16 B of float32 an element, arithmetic 91
// forward: 1 read and 1 written for each element, 1 read and 0 written for each row
// backward: 3 read and 1 written for each element, 1 read and 0 written for each row
// double_backward: 4 read and 3 written for each element, 1 read and 0 written for each row
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::softcapped_softmax {

struct ForwardTotals0 {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 31;
  static constexpr unsigned kRowScalars = 14;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T x = reads[0];
    const T last = reads[1];
    const T index = reads[4];
    const T cap = params[0];
    const T scale = params[1];
    const T div_shared0 = rt::div_shared(scale * x, cap);
    const T tanh0 = rt::tanh(div_shared0);
    const T where0 = rt::where(index <= last, cap * tanh0, -T(INFINITY));
    writes[0] = where0;
  }
};

struct ForwardTotals1 {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 42;
  static constexpr unsigned kRowScalars = 14;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T x = reads[0];
    const T last = reads[1];
    const T total0 = reads[2];
    const T index = reads[4];
    const T cap = params[0];
    const T scale = params[1];
    const T div_shared0 = rt::div_shared(scale * x, cap);
    const T tanh0 = rt::tanh(div_shared0);
    const T where0 = rt::where(index <= last, cap * tanh0, -T(INFINITY));
    writes[0] = rt::exp_negative(where0 - total0);
  }
};

struct ForwardElements {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 50;
  static constexpr unsigned kRowScalars = 14;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T x = reads[0];
    const T last = reads[1];
    const T total0 = reads[2];
    const T total1 = reads[3];
    const T index = reads[4];
    const T cap = params[0];
    const T scale = params[1];
    const T div_shared0 = rt::div_shared(scale * x, cap);
    const T tanh0 = rt::tanh(div_shared0);
    const T where0 = rt::where(index <= last, cap * tanh0, -T(INFINITY));
    const T exp_negative1 = rt::exp_negative(where0 - total0);
    writes[0] = exp_negative1 / total1;
  }
};

struct ForwardHeldElements {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 8;
  static constexpr unsigned kRowScalars = 14;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T total1 = reads[3];
    const T term1 = reads[5];
    writes[0] = term1 / total1;
  }
};

struct BackwardTotals0 {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 1;
  static constexpr unsigned kRowScalars = 20;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    const T out = reads[3];
    writes[0] = grad_out * out;
  }
};

struct BackwardElements {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 49;
  static constexpr unsigned kRowScalars = 20;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T last = reads[2];
    const T out = reads[3];
    const T total0 = reads[4];
    const T index = reads[5];
    const T cap = params[0];
    const T scale = params[1];
    const T div_shared0 = rt::div_shared(scale * x, cap);
    const T abs0 = rt::abs(T(2) * div_shared0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul1 = out * (grad_out - total0) * cap;
    const T div_shared2 = rt::div_shared(mul1 * (T(4) * (exp0 * div_moderate0 * div_moderate0)),
        cap);
    writes[0] = rt::where(index <= last, div_shared2 * scale, T(0));
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 50;
  static constexpr unsigned kRowScalars = 104;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_out = reads[1];
    const T x = reads[2];
    const T last = reads[3];
    const T out = reads[4];
    const T index = reads[7];
    const T cap = params[0];
    const T scale = params[1];
    const rt::Mask<T> le0 = index <= last;
    const T div_shared0 = rt::div_shared(scale * x, cap);
    const T abs0 = rt::abs(T(2) * div_shared0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T mul1 = T(4) * (mul0 * div_moderate0);
    const T div_shared1 = rt::div_shared(grad_grad_x * scale, cap);
    const T mul4 = div_shared1 * mul1 * cap;
    const T mul5 = mul4 * out;
    const T where4 = rt::where(le0, -mul5, T(0));
    writes[0] = grad_out * out;
    writes[1] = where4;
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 8;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 86;
  static constexpr unsigned kRowScalars = 104;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_out = reads[1];
    const T x = reads[2];
    const T last = reads[3];
    const T out = reads[4];
    const T total0 = reads[5];
    const T total1 = reads[6];
    const T index = reads[7];
    const T cap = params[0];
    const T scale = params[1];
    const rt::Mask<T> le0 = index <= last;
    const T div_shared0 = rt::div_shared(scale * x, cap);
    const T abs0 = rt::abs(T(2) * div_shared0);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T mul1 = T(4) * (mul0 * div_moderate0);
    const T sub1 = grad_out - total0;
    const T tanh_near_zero0 = rt::tanh_near_zero(div_shared0);
    const T mul2 = T(2) * mul0;
    const T where0 = rt::where(div_shared0 < T(0), mul2 - T(1), T(1) - mul2);
    const T where1 = rt::where(abs0 < T(1.2), tanh_near_zero0, where0);
    const T div_shared1 = rt::div_shared(grad_grad_x * scale, cap);
    const T mul4 = div_shared1 * mul1 * cap;
    const T mul5 = mul4 * out;
    const T where3 = rt::where(le0, mul5, T(0));
    const T mul6 = div_shared1 * (out * sub1 * cap);
    const T where5 = rt::where(le0, mul4 * sub1, T(0));
    const T div_shared3 = rt::div_shared(mul6 * (T(-2) * where1 * mul1), cap);
    writes[0] = where3 + total1 * out;
    writes[1] = rt::where(le0, div_shared3 * scale, T(0));
    writes[2] = where5 + total1 * grad_out;
  }
};

}  // namespace fusewise::ops::softcapped_softmax
