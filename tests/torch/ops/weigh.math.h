#pragma once
#include <fusewise/math/math.h>

namespace fusewise::weigh {

struct Forward {
  static constexpr int kReads = 2, kWrites = 2, kParams = 0, kInstructions = 16;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    const T x = in[0];
    const T w = in[1];
    out[0] = x * x * w;
    out[1] = rt::exp(w);
  }
};

struct Backward {
  static constexpr int kReads = 3, kWrites = 1, kParams = 0, kInstructions = 3;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    const T grad_out = in[0];
    const T x = in[1];
    const T w = in[2];
    out[0] = grad_out * T(2) * x * w;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 4, kWrites = 2, kParams = 0, kInstructions = 5;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    const T grad_grad_x = in[0];
    const T grad_out = in[1];
    const T x = in[2];
    const T w = in[3];
    const T mul0 = T(2) * grad_grad_x * w;
    out[0] = mul0 * x;
    out[1] = mul0 * grad_out;
  }
};

}  // namespace fusewise::weigh
