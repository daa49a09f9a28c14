#pragma once
#include <fusewise/math/math.h>

namespace fusewise::lltm_cell {

template <class T>
RT_FN T sigmoid(T x) {
  return T(1) / (T(1) + rt::exp(-x));
}

struct Forward {
  static constexpr int kReads = 4, kWrites = 2, kParams = 0, kInstructions = 8;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    const T candidate = rt::where(in[2] > T(0), in[2], rt::expm1(in[2]));
    const T new_cell = in[3] + candidate * sigmoid(in[0]);
    out[0] = rt::tanh(new_cell) * sigmoid(in[1]);
    out[1] = new_cell;
  }
};

struct Backward {
  static constexpr int kReads = 6, kWrites = 4, kParams = 0, kInstructions = 8;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    const T i = sigmoid(in[2]);
    const T o = sigmoid(in[3]);
    const T elu0 = rt::where(in[4] > T(0), in[4], rt::expm1(in[4]));
    const T slope = rt::where(in[4] > T(0), T(1), rt::exp(in[4]));
    const T t = rt::tanh(in[5]);
    const T grad_old_cell = in[1] + in[0] * o * (T(1) - t * t);
    out[0] = grad_old_cell * elu0 * i * (T(1) - i);
    out[1] = in[0] * t * o * (T(1) - o);
    out[2] = grad_old_cell * i * slope;
    out[3] = grad_old_cell;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 10, kWrites = 6, kParams = 0, kInstructions = 8;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    const T i = sigmoid(in[6]);
    const T o = sigmoid(in[7]);
    const T di = i * (T(1) - i);
    const T dout = o * (T(1) - o);
    const T elu0 = rt::where(in[8] > T(0), in[8], rt::expm1(in[8]));
    const T slope = rt::where(in[8] > T(0), T(1), rt::exp(in[8]));
    const T bend = rt::where(in[8] > T(0), T(0), rt::exp(in[8]));
    const T t = rt::tanh(in[9]);
    const T dt = T(1) - t * t;
    const T d = in[5] + in[4] * o * dt;
    const T along = in[3] + in[0] * elu0 * di + in[2] * i * slope;
    out[0] = along * o * dt + in[1] * t * dout;
    out[1] = along;
    out[2] = in[0] * d * elu0 * di * (T(1) - T(2) * i) + in[2] * d * di * slope;
    out[3] = along * in[4] * dt * dout + in[1] * in[4] * t * dout * (T(1) - T(2) * o);
    out[4] = in[0] * d * slope * di + in[2] * d * i * bend;
    out[5] = in[1] * in[4] * dout * dt - along * in[4] * o * T(2) * t * dt;
  }
};

}  // namespace fusewise::lltm_cell
