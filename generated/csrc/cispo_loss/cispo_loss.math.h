// Generated from specs/losses/cispo_loss.yaml by `fusewise generate`. Do not edit.
//
// weight = stop_grad(minimum(exp(logp - old_logp), limit) * advantage)
// out = -weight * logp
//
// exp0 = exp(logp - old_logp)
// minimum0 = minimum(exp0, limit)
// weight = stop_grad(minimum0 * advantage)
// grad_logp = -(grad_out * weight)
//
// backward keeps logp, old_logp, advantage: 12 B of float32 an element, arithmetic 18
// double_backward keeps grad_out, logp, old_logp, advantage: 16 B of float32 an element, arithmetic
//     18
// forward: 3 read and 1 written for each element
// backward: 4 read and 1 written for each element
// double_backward: 4 read and 1 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::cispo_loss {

struct Forward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 17;
  static constexpr unsigned kRowScalars = 4;
  static constexpr unsigned kRepeated = 4;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T logp = reads[0];
    const T old_logp = reads[1];
    const T advantage = reads[2];
    const T limit = params[0];
    const T exp0 = rt::exp(logp - old_logp);
    const T minimum0 = rt::minimum(exp0, limit);
    const T weight = minimum0 * advantage;
    writes[0] = -(weight * logp);
  }
};

struct Backward {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 17;
  static constexpr unsigned kRowScalars = 8;
  static constexpr unsigned kRepeated = 8;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_out = reads[0];
    const T logp = reads[1];
    const T old_logp = reads[2];
    const T advantage = reads[3];
    const T limit = params[0];
    const T exp0 = rt::exp(logp - old_logp);
    const T minimum0 = rt::minimum(exp0, limit);
    const T weight = minimum0 * advantage;
    writes[0] = -(grad_out * weight);
  }
};

struct DoubleBackward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 17;
  static constexpr unsigned kRepeated = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_logp = reads[0];
    const T logp = reads[2];
    const T old_logp = reads[3];
    const T advantage = reads[4];
    const T limit = params[0];
    const T exp0 = rt::exp(logp - old_logp);
    const T minimum0 = rt::minimum(exp0, limit);
    const T weight = minimum0 * advantage;
    writes[0] = -(grad_grad_logp * weight);
  }
};

}  // namespace fusewise::ops::cispo_loss
