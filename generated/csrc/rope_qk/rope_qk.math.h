// Generated from specs/rotary/rope_qk.yaml by `fusewise generate`. Do not edit.
//
// q_out = [q1 * cosine - q2 * sine, q2 * cosine + q1 * sine]
// k_out = [k1 * cosine - k2 * sine, k2 * cosine + k1 * sine]
//
// add0 = grad_k_out_1 * k1 - grad_k_out_0 * k2 + grad_q_out_1 * q1
// add1 = grad_k_out_1 * k2 + grad_k_out_0 * k1 + grad_q_out_1 * q2
// grad_q1 = grad_q_out_1 * sine + grad_q_out_0 * cosine
// grad_q2 = grad_q_out_1 * cosine - grad_q_out_0 * sine
// grad_k1 = grad_k_out_1 * sine + grad_k_out_0 * cosine
// grad_k2 = grad_k_out_1 * cosine - grad_k_out_0 * sine
// grad_cosine = add1 + grad_q_out_0 * q1
// grad_sine = add0 - grad_q_out_0 * q2
//
// backward keeps q, k, cosine, sine: 24 B of float32 an element, arithmetic 26
// double_backward keeps grad_q_out, grad_k_out, q, k, cosine, sine: 40 B of float32 an element,
//     arithmetic 54
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
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 26;
  static constexpr unsigned kFull = 15615;
  static constexpr unsigned kRepeated = 768;
  static constexpr unsigned kSummed = 49152;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
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
    const T add0 = grad_k_out_1 * k1 - grad_k_out_0 * k2 + grad_q_out_1 * q1;
    const T add1 = grad_k_out_1 * k2 + grad_k_out_0 * k1 + grad_q_out_1 * q2;
    writes[0] = grad_q_out_1 * sine + grad_q_out_0 * cosine;
    writes[1] = grad_q_out_1 * cosine - grad_q_out_0 * sine;
    writes[2] = grad_k_out_1 * sine + grad_k_out_0 * cosine;
    writes[3] = grad_k_out_1 * cosine - grad_k_out_0 * sine;
    writes[4] = add1 + grad_q_out_0 * q1;
    writes[5] = add0 - grad_q_out_0 * q2;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 16;
  static constexpr int kWrites = 10;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 54;
  static constexpr unsigned kRepeated = 49152;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
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
    const T sub0 = grad_grad_cosine * q1 + grad_grad_q1 * cosine - grad_grad_sine * q2;
    const T add0 = grad_grad_cosine * q2 + grad_grad_q2 * cosine + grad_grad_sine * q1;
    const T add1 = grad_grad_q1 * grad_q_out_0 + grad_grad_q2 * grad_q_out_1 + grad_grad_k1 *
        grad_k_out_0;
    const T sub1 = grad_grad_cosine * k1 + grad_grad_k1 * cosine - grad_grad_sine * k2;
    const T sub2 = grad_grad_q1 * grad_q_out_1 - grad_grad_q2 * grad_q_out_0 - grad_grad_k2 *
        grad_k_out_0;
    const T add2 = grad_grad_cosine * k2 + grad_grad_k2 * cosine + grad_grad_sine * k1;
    writes[0] = sub0 - grad_grad_q2 * sine;
    writes[1] = add0 + grad_grad_q1 * sine;
    writes[2] = sub1 - grad_grad_k2 * sine;
    writes[3] = add2 + grad_grad_k1 * sine;
    writes[4] = grad_grad_cosine * grad_q_out_0 + grad_grad_sine * grad_q_out_1;
    writes[5] = grad_grad_cosine * grad_q_out_1 - grad_grad_sine * grad_q_out_0;
    writes[6] = grad_grad_cosine * grad_k_out_0 + grad_grad_sine * grad_k_out_1;
    writes[7] = grad_grad_cosine * grad_k_out_1 - grad_grad_sine * grad_k_out_0;
    writes[8] = add1 + grad_grad_k2 * grad_k_out_1;
    writes[9] = sub2 + grad_grad_k1 * grad_k_out_1;
  }
};

}  // namespace fusewise::ops::rope_qk
