// Passes by hand, as the generator would write them, and the entry points that the tests call.
#pragma once

#include <cstdint>

#include <fusewise/dtype.h>

struct Multiply {
  static constexpr int kReads = 2, kWrites = 1, kParams = 1;
  template <class T>
  RT_FN static void apply(const T* in, const T* params, T* out) {
    out[0] = in[0] * in[1] + params[0];
  }
};

struct Swiglu {
  static constexpr int kReads = 2, kWrites = 1, kParams = 0;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    out[0] = in[0] / (T(1) + fusewise::rt::exp(-in[0])) * in[1];
  }
};

struct SwigluBackward {
  static constexpr int kReads = 3, kWrites = 2, kParams = 0;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    const T sigmoid = T(1) / (T(1) + fusewise::rt::exp(-in[1]));
    const T silu = in[1] * sigmoid;
    out[0] = in[0] * in[2] * (sigmoid + silu * (T(1) - sigmoid));
    out[1] = in[0] * silu;
  }
};

struct SwigluDoubleBackward {
  static constexpr int kReads = 5, kWrites = 3, kParams = 0;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    const T sigmoid = T(1) / (T(1) + fusewise::rt::exp(-in[3]));
    const T other = T(1) - sigmoid;
    const T silu = in[3] * sigmoid;
    const T slope = sigmoid + silu * other;
    const T curve = sigmoid * other * (T(2) + in[3] * (other - sigmoid));
    out[0] = in[1] * slope * in[4] + in[2] * silu;
    out[1] = in[0] * (in[1] * curve * in[4] + in[2] * slope);
    out[2] = in[0] * in[1] * slope;
  }
};

// A gradient that is cheap and exact: what the layouts and the reductions are tested with.
struct Mix {
  static constexpr int kReads = 3, kWrites = 2, kParams = 0;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    out[0] = in[0] * in[1];
    out[1] = in[0] + in[2];
  }
};

// What round_to and the stores make of a number.
struct Round {
  static constexpr int kReads = 3, kWrites = 2, kParams = 0;
  template <class T>
  RT_FN static void apply(const T* in, const T*, const fusewise::Dtype* types, T* out) {
    out[0] = fusewise::rt::round_to(in[0] * in[1], types[1]) + in[2];
    out[1] = in[0];
  }
};
