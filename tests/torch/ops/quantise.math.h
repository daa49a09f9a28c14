#pragma once
#include <fusewise/math/dtype.h>

namespace fusewise::quantise {

// The product is rounded to the type of x, and goes on in the compute type.
struct Forward {
  static constexpr int kReads = 2, kWrites = 4, kParams = 0, kInstructions = 8;
  template <class T>
  RT_FN static void apply(const T* in, const T*, const Dtype* types, T* out) {
    const T product = rt::round_to(in[0] * in[1], types[0]);
    out[0] = product + in[1];
    out[1] = rt::round(product);
    out[2] = product;
    out[3] = product * in[0];
  }
};

struct Backward {
  static constexpr int kReads = 4, kWrites = 2, kParams = 0, kInstructions = 8;
  template <class T>
  RT_FN static void apply(const T* in, const T*, const Dtype* types, T* out) {
    const T product = rt::round_to(in[2] * in[3], types[2]);
    const T grad_product = in[0] + in[1] * in[2];
    out[0] = grad_product * in[3] + in[1] * product;
    out[1] = grad_product * in[2] + in[0];
  }
};

// Of one output, which has no gradient.
struct Scale {
  static constexpr int kReads = 2, kWrites = 1, kParams = 0, kInstructions = 8;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    out[0] = in[0] / in[1];
  }
};

}  // namespace fusewise::quantise
