// Generated from specs/softmax/sink_softmax.yaml by `fusewise generate`. Do not edit.
//
// largest = stop_grad(maximum(amax(scale * x), sink))
// e = exp(scale * x - largest)
// share = 1 / (sum(e) + exp(sink - largest))
// out = e * share
//
// mul0 = scale * x
// amax0 = amax(mul0)
// maximum0 = maximum(amax0, sink)
// largest = stop_grad(maximum0)
// e = exp(mul0 - largest)
// sum0 = sum(e)
// exp0 = exp(sink - largest)
// add0 = sum0 + exp0
// share = 1 / add0
// sum1 = sum(grad_out * e)
// div0 = share / add0
// mul1 = e * (grad_out / add0) * scale
// grad_x = mul1 - e * div0 * sum1 * scale
// grad_sink = -(exp0 * div0 * sum1)
//
// backward keeps x, sink: 8 B of float32 an element, arithmetic 65
// double_backward keeps grad_out, x, sink: 12 B of float32 an element, arithmetic 140
// forward: 1 read and 1 written for each element, 1 read and 2 written for each row
// backward: 2 read and 1 written for each element, 3 read and 1 written for each row
// double_backward: 3 read and 2 written for each element, 2 read and 1 written for each row
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::sink_softmax {

struct ForwardTotals0 {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 1;
  static constexpr unsigned kRowScalars = 14;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T x = reads[0];
    const T scale = params[0];
    const T mul0 = scale * x;
    writes[0] = mul0;
  }
};

struct ForwardTotals1 {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 15;
  static constexpr unsigned kRowScalars = 14;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T x = reads[0];
    const T sink = reads[1];
    const T total0 = reads[2];
    const T scale = params[0];
    const T mul0 = scale * x;
    const T maximum0 = rt::maximum(total0, sink);
    writes[0] = rt::exp(mul0 - maximum0);
  }
};

struct ForwardRows {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 14;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T total0 = reads[2];
    const T total1 = reads[3];
    writes[0] = total0;
    writes[1] = total1;
  }
};

struct ForwardElements {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 16;
  static constexpr unsigned kRowScalars = 14;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 14;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T sink = reads[1];
    const T total0 = reads[2];
    const T total1 = reads[3];
    const T maximum0 = rt::maximum(total0, sink);
    const T exp2 = rt::exp(sink - maximum0);
    hoisted[0] = T(1) / (total1 + exp2);
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T x = reads[0];
    const T sink = reads[1];
    const T total0 = reads[2];
    const T scale = params[0];
    const T mul0 = scale * x;
    const T maximum0 = rt::maximum(total0, sink);
    const T exp1 = rt::exp(mul0 - maximum0);
    writes[0] = exp1 * hoisted[0];
  }
};

struct ForwardHeldElements {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 1;
  static constexpr unsigned kRowScalars = 14;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 14;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T sink = reads[1];
    const T total0 = reads[2];
    const T total1 = reads[3];
    const T maximum0 = rt::maximum(total0, sink);
    const T exp2 = rt::exp(sink - maximum0);
    hoisted[0] = T(1) / (total1 + exp2);
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T term1 = reads[4];
    writes[0] = term1 * hoisted[0];
  }
};

struct BackwardTotals0 {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 16;
  static constexpr unsigned kRowScalars = 60;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T sink = reads[2];
    const T kept_total0 = reads[3];
    const T scale = params[0];
    const T largest = rt::maximum(kept_total0, sink);
    const T e = rt::exp(scale * x - largest);
    writes[0] = grad_out * e;
  }
};

struct BackwardRows {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 60;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 60;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T sink = reads[2];
    const T kept_total0 = reads[3];
    const T kept_total1 = reads[4];
    const T total0 = reads[5];
    const T largest = rt::maximum(kept_total0, sink);
    const T exp0 = rt::exp(sink - largest);
    const T add0 = kept_total1 + exp0;
    const T share = T(1) / add0;
    const T div0 = share / add0;
    hoisted[0] = -(exp0 * div0 * total0);
  }

  template <class T>
  RT_FN static void apply(const T*, const T*, const T* hoisted, T* writes) {
    writes[0] = hoisted[0];
  }
};

struct BackwardElements {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 29;
  static constexpr unsigned kRowScalars = 60;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 28;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T sink = reads[2];
    const T kept_total0 = reads[3];
    const T kept_total1 = reads[4];
    const T largest = rt::maximum(kept_total0, sink);
    const T exp0 = rt::exp(sink - largest);
    const T add0 = kept_total1 + exp0;
    const T share = T(1) / add0;
    const T div0 = share / add0;
    hoisted[0] = add0;
    hoisted[1] = div0;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T sink = reads[2];
    const T kept_total0 = reads[3];
    const T total0 = reads[5];
    const T scale = params[0];
    const T add0 = hoisted[0];
    const T div0 = hoisted[1];
    const T largest = rt::maximum(kept_total0, sink);
    const T e = rt::exp(scale * x - largest);
    const T div_shared0 = rt::div_shared(grad_out, add0);
    const T mul1 = e * div0 * total0 * scale;
    writes[0] = e * div_shared0 * scale - mul1;
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 10;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 1;
  static constexpr unsigned kRowScalars = 1010;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T x = reads[3];
    const T scale = params[0];
    const T mul0 = scale * x;
    writes[0] = mul0;
  }
};

struct DoubleBackwardTotals1 {
  static constexpr int kReads = 10;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 17;
  static constexpr unsigned kRowScalars = 1010;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_out = reads[2];
    const T x = reads[3];
    const T sink = reads[4];
    const T total0 = reads[5];
    const T scale = params[0];
    const T mul0 = scale * x;
    const T maximum0 = rt::maximum(total0, sink);
    const T exp1 = rt::exp(mul0 - maximum0);
    writes[0] = exp1;
    writes[1] = grad_out * exp1;
    writes[2] = grad_grad_x * exp1;
  }
};

struct DoubleBackwardTotals2 {
  static constexpr int kReads = 10;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 33;
  static constexpr unsigned kRowScalars = 1010;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 112;

  template <class T>
  RT_FN static void hoist(const T* reads, const T*, T* hoisted) {
    const T sink = reads[4];
    const T total0 = reads[5];
    const T total1 = reads[6];
    const T maximum0 = rt::maximum(total0, sink);
    const T exp2 = rt::exp(sink - maximum0);
    const T add4 = total1 + exp2;
    hoisted[0] = add4;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_out = reads[2];
    const T x = reads[3];
    const T sink = reads[4];
    const T total0 = reads[5];
    const T scale = params[0];
    const T add4 = hoisted[0];
    const T mul0 = scale * x;
    const T maximum0 = rt::maximum(total0, sink);
    const T exp1 = rt::exp(mul0 - maximum0);
    const T div_shared3 = rt::div_shared(grad_out, add4);
    const T div_shared4 = rt::div_shared(div_shared3, add4);
    writes[0] = exp1 * div_shared4 * grad_grad_x;
  }
};

struct DoubleBackwardRows {
  static constexpr int kReads = 10;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 1010;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 1010;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T grad_grad_sink = reads[1];
    const T sink = reads[4];
    const T total0 = reads[5];
    const T total1 = reads[6];
    const T total2 = reads[7];
    const T total3 = reads[8];
    const T total4 = reads[9];
    const T scale = params[0];
    const rt::Mask<T> has_grad_grad_x = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_sink = params[2] != T(0);
    const T maximum0 = rt::maximum(total0, sink);
    const T exp1 = rt::exp(sink - maximum0);
    const T add4 = total1 + exp1;
    const T div1 = T(1) / add4 / add4;
    const T where8 = rt::where(has_grad_grad_x, -(scale * total2 * total3), T(0));
    const T where9 = rt::where(has_grad_grad_sink, -(exp1 * total2 * grad_grad_sink), T(0));
    const T add5 = where9 + where8;
    const T neg1 = -(div1 / add4 * add5);
    const T where10 = rt::where(has_grad_grad_x, -(scale * total4), T(0));
    const T where11 = rt::where(has_grad_grad_sink, -(grad_grad_sink * total2 * div1), T(0));
    const T add6 = where11 + (neg1 - div1 * (add5 / add4) + where10);
    hoisted[0] = add6 * exp1;
  }

  template <class T>
  RT_FN static void apply(const T*, const T*, const T* hoisted, T* writes) {
    writes[0] = hoisted[0];
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 10;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 46;
  static constexpr unsigned kRowScalars = 1010;
  static constexpr unsigned kHoisted = 4;
  static constexpr unsigned kHoistedFrom = 1010;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T grad_grad_sink = reads[1];
    const T sink = reads[4];
    const T total0 = reads[5];
    const T total1 = reads[6];
    const T total2 = reads[7];
    const T total3 = reads[8];
    const T total4 = reads[9];
    const T scale = params[0];
    const rt::Mask<T> has_grad_grad_x = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_sink = params[2] != T(0);
    const T maximum0 = rt::maximum(total0, sink);
    const T exp2 = rt::exp(sink - maximum0);
    const T add4 = total1 + exp2;
    const T div1 = T(1) / add4 / add4;
    const T where8 = rt::where(has_grad_grad_sink, -(grad_grad_sink * (exp2 * div1)), T(0));
    const T where9 = rt::where(has_grad_grad_x, -(scale * total2 * total3), T(0));
    const T where10 = rt::where(has_grad_grad_x, -(scale * div1 * total3), T(0));
    const T add5 = where8 + where10;
    const T where11 = rt::where(has_grad_grad_sink, -(exp2 * total2 * grad_grad_sink), T(0));
    const T add6 = where11 + where9;
    const T neg1 = -(div1 / add4 * add6);
    const T where14 = rt::where(has_grad_grad_x, -(scale * total4), T(0));
    const T add7 = neg1 - div1 * (add6 / add4) + where14;
    hoisted[0] = add4;
    hoisted[1] = div1;
    hoisted[2] = add5;
    hoisted[3] = add7;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_out = reads[2];
    const T x = reads[3];
    const T sink = reads[4];
    const T total0 = reads[5];
    const T total2 = reads[7];
    const T scale = params[0];
    const rt::Mask<T> has_grad_grad_x = params[1] != T(0);
    const T add4 = hoisted[0];
    const T div1 = hoisted[1];
    const T add5 = hoisted[2];
    const T add7 = hoisted[3];
    const T mul0 = scale * x;
    const T mul1 = grad_grad_x * scale;
    const T maximum0 = rt::maximum(total0, sink);
    const T exp1 = rt::exp(mul0 - maximum0);
    const T div_shared3 = rt::div_shared(grad_out, add4);
    const T where12 = rt::where(has_grad_grad_x, mul1 * div_shared3 - mul1 * total2 * div1, T(0));
    const T div_shared4 = rt::div_shared(mul1 * exp1, add4);
    const T where13 = rt::where(has_grad_grad_x, div_shared4, T(0));
    writes[0] = add5 * exp1 + where13;
    writes[1] = (where12 + add5 * grad_out + add7) * exp1 * scale;
  }
};

}  // namespace fusewise::ops::sink_softmax
