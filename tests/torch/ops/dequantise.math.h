#pragma once
#include <fusewise/math/math.h>

namespace fusewise::dequantise {

struct Forward {
  static constexpr int kReads = 2, kWrites = 1, kParams = 1, kInstructions = 8;
  template <class T>
  RT_FN static void apply(const T* in, const T* params, T* out) {
    out[0] = rt::where(in[1] != T(0), in[0] * params[0], T(0));
  }
};

}  // namespace fusewise::dequantise
