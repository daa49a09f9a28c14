// Generated from specs/norms/rms_norm_rope.yaml by `fusewise generate`. Do not edit.
//
// rstd = rsqrt(mean(x1 * x1 + x2 * x2) / 2 + eps)
// a = x1 * rstd * w1
// b = x2 * rstd * w2
// out = [a * cosine - b * sine, b * cosine + a * sine]
//
// mean0 = mean(x1 * x1 + x2 * x2)
// rstd = rsqrt(mean0 / 2 + eps)
// mul0 = x1 * rstd
// a = mul0 * w1
// mul1 = x2 * rstd
// b = mul1 * w2
// sub0 = grad_out_1 * cosine - grad_out_0 * sine
// add0 = grad_out_1 * sine + grad_out_0 * cosine
// mul2 = sub0 * w2
// mul3 = add0 * w1
// sum0 = sum(mul2 * x2 + mul3 * x1)
// div0 = -0.25 * sum0 * rstd * rstd * rstd / length
// mul4 = div0 * x2
// mul5 = div0 * x1
// grad_x1 = mul3 * rstd + mul5 + mul5
// grad_x2 = mul2 * rstd + mul4 + mul4
// grad_w1 = add0 * mul0
// grad_w2 = sub0 * mul1
// grad_cosine = grad_out_1 * b + grad_out_0 * a
// grad_sine = grad_out_1 * a - grad_out_0 * b
//
// backward keeps x, weight, cosine, sine: 24 B of float32 an element, arithmetic 66
// double_backward keeps grad_out, x, weight, cosine, sine: 32 B of float32 an element, arithmetic
//     199
// forward: 6 read and 2 written for each element, 0 read and 1 written for each row
// backward: 8 read and 6 written for each element, 1 read and 0 written for each row
// double_backward: 14 read and 8 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::rms_norm_rope {

struct ForwardTotals0 {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 3;
  static constexpr unsigned kRowScalars = 64;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x1 = reads[0];
    const T x2 = reads[1];
    writes[0] = x1 * x1 + x2 * x2;
  }
};

struct ForwardRows {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 0;
  static constexpr unsigned kRowScalars = 64;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T total0 = reads[6];
    writes[0] = total0;
  }
};

struct ForwardElements {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 10;
  static constexpr unsigned kRowScalars = 64;
  static constexpr unsigned kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 64;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total0 = reads[6];
    const T eps = params[0];
    const T length = params[1];
    const T rsqrt0 = rt::rsqrt(total0 / length / T(2) + eps);
    hoisted[0] = rsqrt0;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T x1 = reads[0];
    const T x2 = reads[1];
    const T w1 = reads[2];
    const T w2 = reads[3];
    const T cosine = reads[4];
    const T sine = reads[5];
    const T rsqrt0 = hoisted[0];
    const T mul0 = x1 * rsqrt0 * w1;
    const T mul1 = x2 * rsqrt0 * w2;
    writes[0] = mul0 * cosine - mul1 * sine;
    writes[1] = mul1 * cosine + mul0 * sine;
  }
};

struct BackwardTotals0 {
  static constexpr int kReads = 10;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 11;
  static constexpr unsigned kRowScalars = 768;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out_0 = reads[0];
    const T grad_out_1 = reads[1];
    const T x1 = reads[2];
    const T x2 = reads[3];
    const T w1 = reads[4];
    const T w2 = reads[5];
    const T cosine = reads[6];
    const T sine = reads[7];
    const T sub0 = grad_out_1 * cosine - grad_out_0 * sine;
    const T add0 = grad_out_1 * sine + grad_out_0 * cosine;
    const T mul0 = sub0 * w2;
    const T mul1 = add0 * w1;
    writes[0] = mul0 * x2 + mul1 * x1;
  }
};

struct BackwardElements {
  static constexpr int kReads = 10;
  static constexpr int kWrites = 6;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 28;
  static constexpr unsigned kRowScalars = 768;
  static constexpr unsigned kHoisted = 2;
  static constexpr unsigned kHoistedFrom = 768;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T kept_total0 = reads[8];
    const T total0 = reads[9];
    const T eps = params[0];
    const T length = params[1];
    const T rstd = rt::rsqrt(kept_total0 / length / T(2) + eps);
    const T div1 = T(-0.25) * total0 * rstd * rstd * rstd / length;
    hoisted[0] = rstd;
    hoisted[1] = div1;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T*, const T* hoisted, T* writes) {
    const T grad_out_0 = reads[0];
    const T grad_out_1 = reads[1];
    const T x1 = reads[2];
    const T x2 = reads[3];
    const T w1 = reads[4];
    const T w2 = reads[5];
    const T cosine = reads[6];
    const T sine = reads[7];
    const T rstd = hoisted[0];
    const T div1 = hoisted[1];
    const T sub0 = grad_out_1 * cosine - grad_out_0 * sine;
    const T add0 = grad_out_1 * sine + grad_out_0 * cosine;
    const T mul0 = sub0 * w2;
    const T mul1 = add0 * w1;
    const T mul2 = x1 * rstd;
    const T a = mul2 * w1;
    const T mul3 = x2 * rstd;
    const T b = mul3 * w2;
    const T mul6 = div1 * x2;
    const T mul7 = div1 * x1;
    writes[0] = mul1 * rstd + mul7 + mul7;
    writes[1] = mul0 * rstd + mul6 + mul6;
    writes[2] = add0 * mul2;
    writes[3] = sub0 * mul3;
    writes[4] = grad_out_1 * b + grad_out_0 * a;
    writes[5] = grad_out_1 * a - grad_out_0 * b;
  }
};

struct DoubleBackwardTotals0 {
  static constexpr int kReads = 18;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 6;
  static constexpr int kInstructions = 54;
  static constexpr unsigned kRowScalars = 245760;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x1 = reads[0];
    const T grad_grad_x2 = reads[1];
    const T grad_grad_w1 = reads[2];
    const T grad_grad_w2 = reads[3];
    const T grad_grad_cosine = reads[4];
    const T grad_grad_sine = reads[5];
    const T grad_out_0 = reads[6];
    const T grad_out_1 = reads[7];
    const T x1 = reads[8];
    const T x2 = reads[9];
    const T w1 = reads[10];
    const T w2 = reads[11];
    const T cosine = reads[12];
    const T sine = reads[13];
    const rt::Mask<T> has_grad_grad_x = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_weight = params[2] != T(0);
    const rt::Mask<T> has_grad_grad_cosine = params[3] != T(0);
    const rt::Mask<T> has_grad_grad_sine = params[4] != T(0);
    const T sub0 = grad_out_1 * cosine - grad_out_0 * sine;
    const T add0 = grad_out_1 * sine + grad_out_0 * cosine;
    const T mul0 = sub0 * w2;
    const T mul1 = add0 * w1;
    const T add1 = grad_grad_x1 + grad_grad_x1;
    const T add2 = grad_grad_x2 + grad_grad_x2;
    const T where0 = rt::where(has_grad_grad_weight, grad_grad_w1 * add0, T(0));
    const T where1 = rt::where(has_grad_grad_x, grad_grad_x1 * mul1 + grad_grad_x2 * mul0, T(0));
    const T where2 = rt::where(has_grad_grad_weight, grad_grad_w2 * sub0, T(0));
    const T where3 = rt::where(has_grad_grad_cosine, grad_grad_cosine * grad_out_0, T(0));
    const T where4 = rt::where(has_grad_grad_sine, -(grad_grad_sine * grad_out_0), T(0));
    const T where5 = rt::where(has_grad_grad_cosine, grad_grad_cosine * grad_out_1, T(0));
    const T add3 = where4 + where5;
    const T where6 = rt::where(has_grad_grad_sine, grad_grad_sine * grad_out_1, T(0));
    const T add4 = where3 + where6;
    const rt::Mask<T> logical_or1 = has_grad_grad_sine | has_grad_grad_cosine;
    const T where7 = rt::where(logical_or1, add3 * w2, T(0));
    const T add5 = where2 + where7;
    const rt::Mask<T> logical_or2 = has_grad_grad_weight | logical_or1;
    const T where8 = rt::where(logical_or2, add5 * x2, T(0));
    const rt::Mask<T> logical_or3 = has_grad_grad_cosine | has_grad_grad_sine;
    const T where9 = rt::where(logical_or3, add4 * w1, T(0));
    const T add6 = where0 + where9;
    const rt::Mask<T> logical_or4 = has_grad_grad_weight | logical_or3;
    const T where10 = rt::where(logical_or4, add6 * x1, T(0));
    writes[0] = mul0 * x2 + mul1 * x1;
    writes[1] = x1 * x1 + x2 * x2;
    writes[2] = add1 * x1 + add2 * x2;
    writes[3] = where1 + where8 + where10;
  }
};

struct DoubleBackwardElements {
  static constexpr int kReads = 18;
  static constexpr int kWrites = 8;
  static constexpr int kParams = 6;
  static constexpr int kInstructions = 115;
  static constexpr unsigned kRowScalars = 245760;
  static constexpr unsigned kHoisted = 4;
  static constexpr unsigned kHoistedFrom = 245760;

  template <class T>
  RT_FN static void hoist(const T* reads, const T* params, T* hoisted) {
    const T total0 = reads[14];
    const T total1 = reads[15];
    const T total2 = reads[16];
    const T total3 = reads[17];
    const T eps = params[0];
    const rt::Mask<T> has_grad_grad_x = params[1] != T(0);
    const T length = params[5];
    const T mul13 = T(-0.25) * total0;
    const T rsqrt0 = rt::rsqrt(total1 / length / T(2) + eps);
    const T mul18 = mul13 * rsqrt0;
    const T mul19 = mul18 * rsqrt0;
    const T div3 = mul19 * rsqrt0 / length;
    const T div4 = total2 / length;
    const T mul20 = div4 * rsqrt0;
    const T mul21 = mul20 * rsqrt0;
    const T add12 = div4 * mul19 + mul20 * mul18 + mul21 * mul13;
    const T where30 = rt::where(has_grad_grad_x, add12, T(0));
    const T mul22 = mul21 * rsqrt0 * T(-0.25);
    const T mul23 = T(-0.25) * (where30 + total3) * rsqrt0 * rsqrt0 * rsqrt0;
    const T div5 = mul23 / length;
    hoisted[0] = rsqrt0;
    hoisted[1] = div3;
    hoisted[2] = mul22;
    hoisted[3] = div5;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, const T* hoisted, T* writes) {
    const T grad_grad_x1 = reads[0];
    const T grad_grad_x2 = reads[1];
    const T grad_grad_w1 = reads[2];
    const T grad_grad_w2 = reads[3];
    const T grad_grad_cosine = reads[4];
    const T grad_grad_sine = reads[5];
    const T grad_out_0 = reads[6];
    const T grad_out_1 = reads[7];
    const T x1 = reads[8];
    const T x2 = reads[9];
    const T w1 = reads[10];
    const T w2 = reads[11];
    const T cosine = reads[12];
    const T sine = reads[13];
    const rt::Mask<T> has_grad_grad_x = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_weight = params[2] != T(0);
    const rt::Mask<T> has_grad_grad_cosine = params[3] != T(0);
    const rt::Mask<T> has_grad_grad_sine = params[4] != T(0);
    const T rsqrt0 = hoisted[0];
    const T div3 = hoisted[1];
    const T mul22 = hoisted[2];
    const T div5 = hoisted[3];
    const T sub0 = grad_out_1 * cosine - grad_out_0 * sine;
    const T add0 = grad_out_1 * sine + grad_out_0 * cosine;
    const T mul0 = sub0 * w2;
    const T mul1 = add0 * w1;
    const T add1 = grad_grad_x1 + grad_grad_x1;
    const T add2 = grad_grad_x2 + grad_grad_x2;
    const T where0 = rt::where(has_grad_grad_weight, grad_grad_w1 * add0, T(0));
    const T where2 = rt::where(has_grad_grad_weight, grad_grad_w2 * sub0, T(0));
    const T where3 = rt::where(has_grad_grad_cosine, grad_grad_cosine * grad_out_0, T(0));
    const rt::Mask<T> logical_or0 = has_grad_grad_weight | has_grad_grad_x;
    const T where4 = rt::where(has_grad_grad_sine, -(grad_grad_sine * grad_out_0), T(0));
    const T where5 = rt::where(has_grad_grad_cosine, grad_grad_cosine * grad_out_1, T(0));
    const T add3 = where4 + where5;
    const T where6 = rt::where(has_grad_grad_sine, grad_grad_sine * grad_out_1, T(0));
    const T add4 = where3 + where6;
    const rt::Mask<T> logical_or1 = has_grad_grad_sine | has_grad_grad_cosine;
    const T where7 = rt::where(logical_or1, add3 * w2, T(0));
    const T add5 = where2 + where7;
    const rt::Mask<T> logical_or2 = has_grad_grad_weight | logical_or1;
    const rt::Mask<T> logical_or3 = has_grad_grad_cosine | has_grad_grad_sine;
    const T where9 = rt::where(logical_or3, add4 * w1, T(0));
    const T add6 = where0 + where9;
    const rt::Mask<T> logical_or4 = has_grad_grad_weight | logical_or3;
    const T mul14 = x1 * rsqrt0;
    const T mul15 = mul14 * w1;
    const T mul16 = x2 * rsqrt0;
    const T mul17 = mul16 * w2;
    const T where31 = rt::where(has_grad_grad_x, add1 * div3 + mul22 * mul1, T(0));
    const T add13 = mul22 * x1 + grad_grad_x1 * rsqrt0;
    const T where32 = rt::where(has_grad_grad_weight, grad_grad_w1 * mul14, T(0));
    const T where33 = rt::where(has_grad_grad_x, add13 * w1, T(0));
    const T add14 = where32 + where33;
    const T where34 = rt::where(has_grad_grad_x, add13 * add0, T(0));
    const T where35 = rt::where(has_grad_grad_x, add2 * div3 + mul22 * mul0, T(0));
    const T add15 = mul22 * x2 + grad_grad_x2 * rsqrt0;
    const T where36 = rt::where(has_grad_grad_weight, grad_grad_w2 * mul16, T(0));
    const T where37 = rt::where(has_grad_grad_x, add15 * w2, T(0));
    const T add16 = where36 + where37;
    const T where38 = rt::where(has_grad_grad_x, add15 * sub0, T(0));
    const T where39 = rt::where(has_grad_grad_cosine, grad_grad_cosine * mul15, T(0));
    const T where40 = rt::where(has_grad_grad_sine, -(grad_grad_sine * mul17), T(0));
    const T where41 = rt::where(logical_or0, add14 * cosine - add16 * sine, T(0));
    const T where42 = rt::where(has_grad_grad_cosine, grad_grad_cosine * mul17, T(0));
    const T where43 = rt::where(has_grad_grad_sine, grad_grad_sine * mul15, T(0));
    const T where44 = rt::where(logical_or0, add16 * cosine + add14 * sine, T(0));
    const T where45 = rt::where(logical_or1, add3 * mul16, T(0));
    const T where46 = rt::where(logical_or2, add5 * rsqrt0, T(0));
    const T where47 = rt::where(logical_or3, add4 * mul14, T(0));
    const T where48 = rt::where(logical_or4, add6 * rsqrt0, T(0));
    const T mul24 = div5 * x2;
    const T mul25 = div5 * x1;
    writes[0] = where39 + where41 + where40;
    writes[1] = where42 + where44 + where43;
    writes[2] = where31 + where48 + mul25 + mul25;
    writes[3] = where35 + where46 + mul24 + mul24;
    writes[4] = where34 + where47;
    writes[5] = where38 + where45;
    writes[6] = rt::where(logical_or0, add14 * grad_out_0 + add16 * grad_out_1, T(0));
    writes[7] = rt::where(logical_or0, add14 * grad_out_1 - add16 * grad_out_0, T(0));
  }
};

}  // namespace fusewise::ops::rms_norm_rope
