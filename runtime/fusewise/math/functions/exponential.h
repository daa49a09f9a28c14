// Exponential and hyperbolic functions.
#pragma once

#include <bit>

#include <fusewise/math/functions/arithmetic.h>

namespace fusewise::rt {

inline constexpr float kExp[] = {5.00000000e-01f, 1.66665405e-01f, 4.16664779e-02f, 8.36684275e-03f,
    1.39337149e-03f};
inline constexpr float kExp2[] = {2.40226507e-01f, 5.55036888e-02f, 9.61808302e-03f,
    1.33871252e-03f, 1.54538764e-04f};
inline constexpr float kTanh[] = {-3.33332986e-01f, 1.33319393e-01f, -5.37850969e-02f,
    2.08001435e-02f, -5.89989685e-03f};
inline constexpr float kSinh[] = {1.66666672e-01f, 8.33331607e-03f, 1.98414200e-04f,
    2.79153824e-06f};
inline constexpr float kLog2[] = {6.93147182e-01f, -1.90465421e-09f};
inline constexpr float kLog2OfE[] = {1.44269502e+00f, 1.92596303e-08f};

// The sum of a number and this constant is rounded to an integer n, and has n + 254 in its lowest bits.
inline constexpr float kShifter = 12582912.0f + 254.0f;
inline constexpr int32_t kShifterBits = std::bit_cast<int32_t>(kShifter);

// 2 ** n * (1 + fraction) * (1 + error), where n + 254 is in the lowest nine bits of `shifted`. Most
// functions leave out the error.
template <class T>
struct Power {
  Bits<T> shifted;
  T fraction;
  T error;
};

// exp(x) in parts.
template <class T>
RT_FN Power<T> exp_parts(T x) {
  const T shifted = fma(x, T(kLog2OfE[0]), T(kShifter));
  const T n = shifted - T(kShifter);
  const T high = fma(n, T(-kLog2[0]), x);
  const T r = fma(n, T(-kLog2[1]), high);
  const T error = fma(n, T(-kLog2[1]), high - r);
  return {to_bits(shifted), fma(r * r, polynomial(kExp, r), r), error};
}

// The least n of a power. It is that of 0: subnormal results take a processor hundreds of cycles, but zeros do not.
inline constexpr float kLeastExponent = -254;

// value * 2 ** n, where n is at least kLeastExponent. The power is multiplied in two steps: a subnormal result is
// rounded once, results reach the whole range of float, and the step of kLeastExponent has the bits of 0.
template <class T>
RT_FN T scaled(T value, Bits<T> shifted) {
  const Bits<T> half = shifted >> 1;
  return value * from_bits(half << 23) * from_bits((shifted - half) << 23);
}

// 2 ** (n + kOffset), a normal number.
template <class T, int kOffset = 0>
RT_FN T power_of_two(Bits<T> shifted) {
  return from_bits((shifted + Bits<T>(kOffset - 127)) << 23);
}

inline constexpr float kExpBounds[] = {-176, 89};  // the lower one has kLeastExponent

template <class T>
RT_FN T exp(T x) {
  const Power<T> power = exp_parts(clamped(x, kExpBounds[0], kExpBounds[1]));
  return scaled(T(1) + power.fraction, power.shifted);
}

template <class T>
RT_FN T exp_negative(T x) {
  return exp(x);
}

// 2 ** (shifted - kShifter + r)
template <class T>
RT_FN T exp2_of_parts(T shifted, T r) {
  const T fraction = fma(r, T(kLog2[0]), r * r * polynomial(kExp2, r));
  return scaled(T(1) + fraction, to_bits(shifted));
}

template <class T>
RT_FN T exp2(T x) {
  const T bounded = clamped(x, kLeastExponent, 129.0f);
  const T shifted = bounded + T(kShifter);
  return exp2_of_parts(shifted, bounded - (shifted - T(kShifter)));
}

// exp(x) - 1, computed with half the power, because 2 ** 128 is not a float. The bounds are those of exp, so
// that a compiler evaluates the parts of exp(x) and expm1(x) once. A power below 2 ** -64 rounds away.
template <class T>
RT_FN T expm1(T x) {
  const Power<T> power = exp_parts(clamped(x, kExpBounds[0], kExpBounds[1]));
  const Mask<T> small = power.shifted < Bits<T>(kShifterBits - 64);
  const T half = where(small, T(0), power_of_two<T, -1>(power.shifted));
  const T value = T(2) * fma(half, power.fraction, half - T(0.5f));
  return where(abs(x) < T(1e-8f), x, value);
}

// exp(x) / 2
template <class T>
RT_FN T half_exp(T x) {
  const Power<T> power = exp_parts(clamped(x, -104.0f, 90.0f));
  return scaled(fma(power.fraction, T(0.5f), T(0.5f)), power.shifted);
}

template <class T>
RT_FN T sinh(T x) {
  const T magnitude = abs(x);
  const T large = half_exp(magnitude);
  const T small = odd_polynomial(kSinh, magnitude);
  return copysign(where(magnitude < T(1), small, large - T(0.25f) / large), x);
}

template <class T>
RT_FN T cosh(T x) {
  const T large = half_exp(abs(x));
  return large + T(0.25f) / large;
}

// tanh(x) for abs(x) up to 0.6.
template <class T>
RT_FN T tanh_near_zero(T x) {
  return copysign(odd_polynomial(kTanh, x), x);  // keeps the sign of zero
}

template <class T>
RT_FN T tanh(T x) {
  const T magnitude = abs(x);
  const Power<T> power = exp_parts(clamped(T(2) * magnitude, 0.0f, 20.0f));
  const T scale = power_of_two<T>(power.shifted);
  const T large = T(1) - T(2) / (fma(scale, power.fraction, scale) + T(1));
  const T small = odd_polynomial(kTanh, magnitude);
  return copysign(where(magnitude < T(0.6f), small, large), x);
}

}  // namespace fusewise::rt
