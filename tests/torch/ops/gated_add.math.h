#pragma once
#include <fusewise/math/math.h>

namespace fusewise::gated_add {

struct Forward {
  static constexpr int kReads = 4, kWrites = 1, kParams = 0, kInstructions = 8;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    const T x = in[0];
    const T y = in[1];
    const T a = in[2];
    const T b = in[3];
    out[0] = x + y + rt::where(x > T(0), a + b, T(0));
  }
};

struct Backward {
  static constexpr int kReads = 2, kWrites = 4, kParams = 0, kInstructions = 8;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    const T grad_out = in[0];
    const T x = in[1];
    const T where0 = rt::where(x > T(0), grad_out, T(0));
    out[0] = grad_out;
    out[1] = grad_out;
    out[2] = where0;
    out[3] = where0;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 6, kWrites = 1, kParams = 0, kInstructions = 8;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    const T grad_grad_x = in[0];
    const T grad_grad_y = in[1];
    const T grad_grad_a = in[2];
    const T grad_grad_b = in[3];
    const T x = in[5];
    out[0] = grad_grad_x + grad_grad_y + rt::where(x > T(0), grad_grad_a + grad_grad_b, T(0));
  }
};

}  // namespace fusewise::gated_add
