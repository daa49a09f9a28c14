// Generated from specs/activations/logsigmoid_temperature.yaml by `fusewise generate`. Do not edit.
//
// out = logsigmoid(x) / temperature
//
// sigmoid0 = sigmoid(-x)
// grad_x = grad_out / temperature * sigmoid0
//
// backward keeps x: 4 B of float32 an element, arithmetic 34
// double_backward keeps grad_out, x: 8 B of float32 an element, arithmetic 46
// forward: 1 read and 1 written for each element
// backward: 2 read and 1 written for each element
// double_backward: 3 read and 2 written for each element
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::logsigmoid_temperature {

struct Forward {
  static constexpr int kReads = 1;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 36;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T x = reads[0];
    const T temperature = params[0];
    const T abs0 = rt::abs(x);
    const T exp0 = rt::exp(-abs0);
    const T minimum0 = rt::minimum(x, T(0));
    const T log1p_unit0 = rt::log1p_unit(exp0);
    writes[0] = rt::div_shared(minimum0 - log1p_unit0, temperature);
  }
};

struct Backward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 34;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T temperature = params[0];
    const T abs0 = rt::abs(x);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T where0 = rt::where(-x >= T(0), div_moderate0, exp0 * div_moderate0);
    const T div_shared0 = rt::div_shared(grad_out, temperature);
    writes[0] = div_shared0 * where0;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 1;
  static constexpr int kInstructions = 46;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_out = reads[1];
    const T x = reads[2];
    const T temperature = params[0];
    const T abs0 = rt::abs(x);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T where0 = rt::where(-x >= T(0), div_moderate0, mul0);
    const T div_shared0 = rt::div_shared(grad_out, temperature);
    writes[0] = rt::div_shared(grad_grad_x * where0, temperature);
    writes[1] = -(grad_grad_x * div_shared0 * (mul0 * div_moderate0));
  }
};

}  // namespace fusewise::ops::logsigmoid_temperature
