// Generated from specs/losses/grpo_loss.yaml by `fusewise generate`. Do not edit.
//
// a = stop_grad(advantage)
// ratio = exp(logp - stop_grad(old_logp))
// bound = 1 + eps_high if a > 0 else 1 - eps_low
// is_clipped = ratio > bound if a > 0 else ratio < bound
// d = stop_grad(ref_logp) - logp
// divergence = expm1(d) - d
// loss = beta * divergence - (bound if is_clipped else ratio) * a
// kl = divergence
// clipped = is_clipped
//
// a = stop_grad(advantage)
// stop_grad0 = stop_grad(old_logp)
// ratio = exp(logp - stop_grad0)
// gt0 = a > 0
// bound = 1 + eps_high if gt0 else 1 - eps_low
// is_clipped = ratio > bound if gt0 else ratio < bound
// stop_grad1 = stop_grad(ref_logp)
// d = stop_grad1 - logp
// expm1_0 = expm1(d)
// where0 = grad_loss * beta if has_grad_loss else 0
// where1 = -(grad_loss * a * ratio) if has_grad_loss else 0
// where2 = 0 if is_clipped else where1
// grad_logp = where2 - (grad_kl + where0) * expm1_0
//
// backward keeps logp, old_logp, ref_logp, advantage: 16 B of float32 an element, arithmetic 46
// double_backward keeps grad_loss, grad_kl, logp, old_logp, ref_logp, advantage: 24 B of float32 an
//     element, arithmetic 66
// forward: 4 read and 3 written for each element
// backward: 6 read and 1 written for each element
// double_backward: 7 read and 3 written for each element
#pragma once

#include <fusewise/math/dtype.h>

namespace fusewise::ops::grpo_loss {

struct Forward {
  static constexpr int kReads = 4;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 53;
  static constexpr unsigned kRowScalars = 8;
  static constexpr unsigned kRepeated = 8;

  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 6 ? Dtype::kBool : others;
  }

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T logp = reads[0];
    const T old_logp = reads[1];
    const T ref_logp = reads[2];
    const T advantage = reads[3];
    const T eps_low = params[0];
    const T eps_high = params[1];
    const T beta = params[2];
    const T ratio = rt::exp(logp - old_logp);
    const rt::Mask<T> gt0 = advantage > T(0);
    const T bound = rt::where(gt0, T(1) + eps_high, T(1) - eps_low);
    const rt::Mask<T> is_clipped = rt::where(gt0, ratio > bound, ratio < bound);
    const T d = ref_logp - logp;
    const T where0 = rt::where(is_clipped, bound, ratio);
    const T divergence = rt::exp_remainder(d);
    writes[0] = beta * divergence - where0 * advantage;
    writes[1] = divergence;
    writes[2] = rt::where(is_clipped, T(1), T(0));
  }
};

struct Backward {
  static constexpr int kReads = 6;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 43;
  static constexpr unsigned kRowScalars = 32;
  static constexpr unsigned kRepeated = 32;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_loss = reads[0];
    const T grad_kl = reads[1];
    const T logp = reads[2];
    const T old_logp = reads[3];
    const T ref_logp = reads[4];
    const T advantage = reads[5];
    const T eps_low = params[0];
    const T eps_high = params[1];
    const T beta = params[2];
    const rt::Mask<T> has_grad_loss = params[3] != T(0);
    const T where0 = rt::where(has_grad_loss, grad_loss * beta, T(0));
    const T ratio = rt::exp(logp - old_logp);
    const rt::Mask<T> gt0 = advantage > T(0);
    const T bound = rt::where(gt0, T(1) + eps_high, T(1) - eps_low);
    const rt::Mask<T> is_clipped = rt::where(gt0, ratio > bound, ratio < bound);
    const T d = ref_logp - logp;
    const T expm1_0 = rt::expm1(d);
    const T where1 = rt::where(has_grad_loss, -(grad_loss * advantage * ratio), T(0));
    const T where2 = rt::where(is_clipped, T(0), where1);
    writes[0] = where2 - (grad_kl + where0) * expm1_0;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 7;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 4;
  static constexpr int kInstructions = 63;
  static constexpr unsigned kRepeated = 64;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_logp = reads[0];
    const T grad_loss = reads[1];
    const T grad_kl = reads[2];
    const T logp = reads[3];
    const T old_logp = reads[4];
    const T ref_logp = reads[5];
    const T advantage = reads[6];
    const T eps_low = params[0];
    const T eps_high = params[1];
    const T beta = params[2];
    const rt::Mask<T> has_grad_loss = params[3] != T(0);
    const T where0 = rt::where(has_grad_loss, grad_loss * beta, T(0));
    const T ratio = rt::exp(logp - old_logp);
    const rt::Mask<T> gt0 = advantage > T(0);
    const T bound = rt::where(gt0, T(1) + eps_high, T(1) - eps_low);
    const rt::Mask<T> is_clipped = rt::where(gt0, ratio > bound, ratio < bound);
    const T d = ref_logp - logp;
    const T expm1_0 = rt::expm1(d);
    const T where1 = rt::where(is_clipped, T(0), -(grad_grad_logp * ratio * advantage));
    const T mul0 = grad_grad_logp * expm1_0;
    const T exp0 = rt::exp(d);
    const T where2 = rt::where(is_clipped, T(0), -(grad_grad_logp * (grad_loss * advantage) *
        ratio));
    const T where3 = rt::where(has_grad_loss, where2, T(0));
    writes[0] = where1 - mul0 * beta;
    writes[1] = -mul0;
    writes[2] = grad_grad_logp * (grad_kl + where0) * exp0 + where3;
  }
};

}  // namespace fusewise::ops::grpo_loss
