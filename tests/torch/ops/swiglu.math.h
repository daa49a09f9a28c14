#pragma once
#include <fusewise/math/math.h>

namespace fusewise::swiglu {

struct Forward {
  static constexpr int kReads = 2, kWrites = 1, kParams = 0, kInstructions = 8;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    const T x = in[0];
    const T y = in[1];
    out[0] = x / (T(1) + rt::exp(-x)) * y;
  }
};

struct Backward {
  static constexpr int kReads = 3, kWrites = 2, kParams = 0, kInstructions = 8;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    const T grad_out = in[0];
    const T x = in[1];
    const T y = in[2];
    const T sigmoid0 = T(1) / (T(1) + rt::exp(-x));
    const T mul0 = x * sigmoid0;
    out[0] = grad_out * y * (sigmoid0 + mul0 * (T(1) - sigmoid0));
    out[1] = grad_out * mul0;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 5, kWrites = 3, kParams = 0, kInstructions = 8;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    const T grad_grad_x = in[0];
    const T grad_grad_y = in[1];
    const T grad_out = in[2];
    const T x = in[3];
    const T y = in[4];
    const T sigmoid0 = T(1) / (T(1) + rt::exp(-x));
    const T mul0 = x * sigmoid0;
    const T first = sigmoid0 + mul0 * (T(1) - sigmoid0);
    const T second = sigmoid0 * (T(1) - sigmoid0) * (T(2) + x * (T(1) - T(2) * sigmoid0));
    out[0] = grad_grad_x * y * first + grad_grad_y * mul0;
    out[1] = grad_grad_x * grad_out * y * second + grad_grad_y * grad_out * first;
    out[2] = grad_grad_x * grad_out * first;
  }
};

}  // namespace fusewise::swiglu
