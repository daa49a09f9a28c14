// Generated from specs/rotary/rope_qk.yaml by `fusewise generate`. Do not edit.
//
// q_out = [q1 * cosine - q2 * sine, q2 * cosine + q1 * sine]
// k_out = [k1 * cosine - k2 * sine, k2 * cosine + k1 * sine]
//
// where0 = grad_k_out_1 * k1 - grad_k_out_0 * k2 if has_grad_k_out else 0
// where1 = grad_k_out_1 * k2 + grad_k_out_0 * k1 if has_grad_k_out else 0
// where2 = grad_q_out_1 * q1 - grad_q_out_0 * q2 if has_grad_q_out else 0
// where3 = grad_q_out_1 * q2 + grad_q_out_0 * q1 if has_grad_q_out else 0
// grad_q1 = grad_q_out_1 * sine + grad_q_out_0 * cosine if has_grad_q_out else 0
// grad_q2 = grad_q_out_1 * cosine - grad_q_out_0 * sine if has_grad_q_out else 0
// grad_k1 = grad_k_out_1 * sine + grad_k_out_0 * cosine if has_grad_k_out else 0
// grad_k2 = grad_k_out_1 * cosine - grad_k_out_0 * sine if has_grad_k_out else 0
// grad_cosine = where1 + where3
// grad_sine = where0 + where2
//
// backward keeps q, k, cosine, sine: 24 B of float32 an element, arithmetic 34
// double_backward keeps grad_q_out, grad_k_out, q, k, cosine, sine: 40 B of float32 an element,
//     arithmetic 96
// forward: 6 read and 4 written for each element
// backward: 10 read and 6 written for each element
// double_backward: 16 read and 10 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::rope_qk {

struct Forward {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 4;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 12;
  static constexpr unsigned kRepeated = 48;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T q1 = reads[0];
    const T q2 = reads[1];
    const T k1 = reads[2];
    const T k2 = reads[3];
    const T cosine = reads[4];
    const T sine = reads[5];
    writes[0] = q1 * cosine - q2 * sine;
    writes[1] = q2 * cosine + q1 * sine;
    writes[2] = k1 * cosine - k2 * sine;
    writes[3] = k2 * cosine + k1 * sine;
  }
};

struct Backward {
  static constexpr int kReads = 10;
  static constexpr int kWrites = 6;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 34;
  static constexpr unsigned kFull = 15615;
  static constexpr unsigned kRepeated = 768;
  static constexpr unsigned kSummed = 49152;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_q_out_0 = reads[0];
    const T grad_q_out_1 = reads[1];
    const T grad_k_out_0 = reads[2];
    const T grad_k_out_1 = reads[3];
    const T q1 = reads[4];
    const T q2 = reads[5];
    const T k1 = reads[6];
    const T k2 = reads[7];
    const T cosine = reads[8];
    const T sine = reads[9];
    const rt::Mask<T> has_grad_q_out = params[0] != T(0);
    const rt::Mask<T> has_grad_k_out = params[1] != T(0);
    const T where0 = rt::where(has_grad_k_out, grad_k_out_1 * k1 - grad_k_out_0 * k2, T(0));
    const T where1 = rt::where(has_grad_k_out, grad_k_out_1 * k2 + grad_k_out_0 * k1, T(0));
    const T where2 = rt::where(has_grad_q_out, grad_q_out_1 * q1 - grad_q_out_0 * q2, T(0));
    const T where3 = rt::where(has_grad_q_out, grad_q_out_1 * q2 + grad_q_out_0 * q1, T(0));
    writes[0] = rt::where(has_grad_q_out, grad_q_out_1 * sine + grad_q_out_0 * cosine, T(0));
    writes[1] = rt::where(has_grad_q_out, grad_q_out_1 * cosine - grad_q_out_0 * sine, T(0));
    writes[2] = rt::where(has_grad_k_out, grad_k_out_1 * sine + grad_k_out_0 * cosine, T(0));
    writes[3] = rt::where(has_grad_k_out, grad_k_out_1 * cosine - grad_k_out_0 * sine, T(0));
    writes[4] = where1 + where3;
    writes[5] = where0 + where2;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 16;
  static constexpr int kWrites = 10;
  static constexpr int kParams = 6;
  static constexpr int kInstructions = 96;
  static constexpr unsigned kRepeated = 49152;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_q1 = reads[0];
    const T grad_grad_q2 = reads[1];
    const T grad_grad_k1 = reads[2];
    const T grad_grad_k2 = reads[3];
    const T grad_grad_cosine = reads[4];
    const T grad_grad_sine = reads[5];
    const T grad_q_out_0 = reads[6];
    const T grad_q_out_1 = reads[7];
    const T grad_k_out_0 = reads[8];
    const T grad_k_out_1 = reads[9];
    const T q1 = reads[10];
    const T q2 = reads[11];
    const T k1 = reads[12];
    const T k2 = reads[13];
    const T cosine = reads[14];
    const T sine = reads[15];
    const rt::Mask<T> has_grad_q_out = params[0] != T(0);
    const rt::Mask<T> has_grad_k_out = params[1] != T(0);
    const rt::Mask<T> has_grad_grad_q = params[2] != T(0);
    const rt::Mask<T> has_grad_grad_k = params[3] != T(0);
    const rt::Mask<T> has_grad_grad_cosine = params[4] != T(0);
    const rt::Mask<T> has_grad_grad_sine = params[5] != T(0);
    const T where0 = rt::where(has_grad_grad_cosine, grad_grad_cosine * q1, T(0));
    const T where1 = rt::where(has_grad_grad_cosine, grad_grad_cosine * grad_q_out_0, T(0));
    const T where2 = rt::where(has_grad_grad_q, grad_grad_q1 * cosine, T(0));
    const T where3 = rt::where(has_grad_grad_sine, -(grad_grad_sine * q2), T(0));
    const T where4 = rt::where(has_grad_grad_sine, -(grad_grad_sine * grad_q_out_0), T(0));
    const T where5 = rt::where(has_grad_grad_q, -(grad_grad_q2 * sine), T(0));
    const T where6 = rt::where(has_grad_grad_cosine, grad_grad_cosine * q2, T(0));
    const T where7 = rt::where(has_grad_grad_cosine, grad_grad_cosine * grad_q_out_1, T(0));
    const T where8 = rt::where(has_grad_grad_q, grad_grad_q2 * cosine, T(0));
    const T where9 = rt::where(has_grad_grad_q, grad_grad_q1 * grad_q_out_0 + grad_grad_q2 *
        grad_q_out_1, T(0));
    const T where10 = rt::where(has_grad_q_out, where9, T(0));
    const T where11 = rt::where(has_grad_grad_sine, grad_grad_sine * q1, T(0));
    const T where12 = rt::where(has_grad_grad_sine, grad_grad_sine * grad_q_out_1, T(0));
    const T where13 = rt::where(has_grad_grad_q, grad_grad_q1 * sine, T(0));
    const T where14 = rt::where(has_grad_grad_q, grad_grad_q1 * grad_q_out_1 - grad_grad_q2 *
        grad_q_out_0, T(0));
    const T where15 = rt::where(has_grad_q_out, where14, T(0));
    const T where16 = rt::where(has_grad_grad_cosine, grad_grad_cosine * k1, T(0));
    const T where17 = rt::where(has_grad_grad_cosine, grad_grad_cosine * grad_k_out_0, T(0));
    const T where18 = rt::where(has_grad_grad_k, grad_grad_k1 * cosine, T(0));
    const T where19 = rt::where(has_grad_grad_sine, -(grad_grad_sine * k2), T(0));
    const T where20 = rt::where(has_grad_grad_sine, -(grad_grad_sine * grad_k_out_0), T(0));
    const T where21 = rt::where(has_grad_grad_k, -(grad_grad_k2 * sine), T(0));
    const T where22 = rt::where(has_grad_grad_cosine, grad_grad_cosine * k2, T(0));
    const T where23 = rt::where(has_grad_grad_cosine, grad_grad_cosine * grad_k_out_1, T(0));
    const T where24 = rt::where(has_grad_grad_k, grad_grad_k2 * cosine, T(0));
    const T where25 = rt::where(has_grad_grad_k, grad_grad_k1 * grad_k_out_0 + grad_grad_k2 *
        grad_k_out_1, T(0));
    const T where26 = rt::where(has_grad_k_out, where25, T(0));
    const T where27 = rt::where(has_grad_grad_sine, grad_grad_sine * k1, T(0));
    const T where28 = rt::where(has_grad_grad_sine, grad_grad_sine * grad_k_out_1, T(0));
    const T where29 = rt::where(has_grad_grad_k, grad_grad_k1 * sine, T(0));
    const T where30 = rt::where(has_grad_grad_k, grad_grad_k1 * grad_k_out_1 - grad_grad_k2 *
        grad_k_out_0, T(0));
    const T where31 = rt::where(has_grad_k_out, where30, T(0));
    writes[0] = where0 + where2 + where3 + where5;
    writes[1] = where6 + where8 + where11 + where13;
    writes[2] = where16 + where18 + where19 + where21;
    writes[3] = where22 + where24 + where27 + where29;
    writes[4] = rt::where(has_grad_q_out, where1 + where12, T(0));
    writes[5] = rt::where(has_grad_q_out, where4 + where7, T(0));
    writes[6] = rt::where(has_grad_k_out, where17 + where28, T(0));
    writes[7] = rt::where(has_grad_k_out, where20 + where23, T(0));
    writes[8] = where10 + where26;
    writes[9] = where15 + where31;
  }
};

}  // namespace fusewise::ops::rope_qk
