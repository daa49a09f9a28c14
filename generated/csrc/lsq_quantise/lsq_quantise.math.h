// Generated from specs/quantised/lsq_quantise.yaml by `fusewise generate`. Do not edit.
//
// steps = x / step
// v = clamp(steps, low, high)
// inside = steps >= low and steps <= high
// level = straight_through(round(v), v)
// out = level * step
// grad_x = grad_out if inside else 0
// grad_step = grad_out * (level - v if inside else v)
//
// steps = x / step
// v = clamp(steps, low, high)
// inside = steps >= low and steps <= high
// round0 = round(v)
// level = straight_through(round0, v)
// where0 = level - v if inside else v
// grad_x = grad_out if inside else 0
// grad_step = grad_out * where0
//
// backward keeps x, step: 8 B of float32 an element, arithmetic 23
// double_backward keeps grad_out, x, step: 12 B of float32 an element, arithmetic 49
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::lsq_quantise {

struct Forward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 16;
  static constexpr unsigned kRowScalars = 2;
  static constexpr unsigned kHoistedFrom = 2;
  static constexpr unsigned kRepeated = 2;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T x = reads[0];
    const T step = reads[1];
    const T low = params[0];
    const T high = params[1];
    const T steps = rt::div_shared(x, step);
    const T maximum0 = rt::maximum(steps, low);
    const T v = rt::minimum(maximum0, high);
    const T level = rt::round(v);
    writes[0] = level * step;
  }
};

struct Backward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 2;
  static constexpr int kInstructions = 22;
  static constexpr unsigned kFull = 11;
  static constexpr unsigned kRowScalars = 4;
  static constexpr unsigned kHoistedFrom = 4;
  static constexpr unsigned kRepeated = 4;
  static constexpr unsigned kSummed = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T step = reads[2];
    const T low = params[0];
    const T high = params[1];
    const T steps = rt::div_shared(x, step);
    const rt::Mask<T> inside = (steps >= low) & (steps <= high);
    const T maximum0 = rt::maximum(steps, low);
    const T v = rt::minimum(maximum0, high);
    const T level = rt::round(v);
    const T where0 = rt::where(inside, level - v, v);
    writes[0] = rt::where(inside, grad_out, T(0));
    writes[1] = grad_out * where0;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 48;
  static constexpr unsigned kRepeated = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_step = reads[1];
    const T grad_out = reads[2];
    const T x = reads[3];
    const T step = reads[4];
    const T low = params[0];
    const T high = params[1];
    const rt::Mask<T> has_grad_grad_step = params[2] != T(0);
    const T steps = x / step;
    const rt::Mask<T> inside = (steps >= low) & (steps <= high);
    const T maximum0 = rt::maximum(steps, low);
    const T v = rt::minimum(maximum0, high);
    const T level = rt::round(v);
    const T where0 = rt::where(inside, grad_grad_x, T(0));
    const T mul0 = grad_grad_step * grad_out;
    const T sub0 = mul0 - mul0;
    const T where1 = rt::where(has_grad_grad_step, sub0 / step, T(0));
    const T where2 = rt::where(has_grad_grad_step, -(steps / step * sub0), T(0));
    const T where3 = rt::where(inside, level - v, v);
    const T where4 = rt::where(has_grad_grad_step, grad_grad_step * where3, T(0));
    writes[0] = where4 + where0;
    writes[1] = rt::where(inside, where1, T(0));
    writes[2] = rt::where(inside, where2, T(0));
  }
};

}  // namespace fusewise::ops::lsq_quantise
