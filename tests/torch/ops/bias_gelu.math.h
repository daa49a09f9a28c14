#pragma once
#include <fusewise/math/math.h>

namespace fusewise::bias_gelu {

struct Forward {
  static constexpr int kReads = 2, kWrites = 1, kParams = 1, kInstructions = 8;
  template <class T>
  RT_FN static void apply(const T* in, const T* params, T* out) {
    const T u = in[0] + in[1];
    out[0] = u / (T(1) + rt::exp(-(params[0] * u)));
  }
};

struct Backward {
  static constexpr int kReads = 3, kWrites = 2, kParams = 1, kInstructions = 8;
  template <class T>
  RT_FN static void apply(const T* in, const T* params, T* out) {
    const T u = in[1] + in[2];
    const T s = T(1) / (T(1) + rt::exp(-(params[0] * u)));
    const T grad_u = in[0] * (s + params[0] * u * s * (T(1) - s));
    out[0] = grad_u;
    out[1] = grad_u;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 5, kWrites = 3, kParams = 1, kInstructions = 8;
  template <class T>
  RT_FN static void apply(const T* in, const T* params, T* out) {
    const T alpha = params[0];
    const T u = in[3] + in[4];
    const T s = T(1) / (T(1) + rt::exp(-(alpha * u)));
    const T slope = alpha * s * (T(1) - s);
    const T grad_grad_u = in[0] + in[1];
    const T grad_u = grad_grad_u * in[2] * slope * (T(2) + alpha * u * (T(1) - T(2) * s));
    out[0] = grad_grad_u * (s + u * slope);
    out[1] = grad_u;
    out[2] = grad_u;
  }
};

}  // namespace fusewise::bias_gelu
