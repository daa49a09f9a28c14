// Logarithms, and inverse hyperbolic functions, which are logarithms.
#pragma once

#include <fusewise/math/functions/exponential.h>

namespace fusewise::rt {

inline constexpr float kLog[] = {3.33333135e-01f, -2.49998793e-01f, 2.00018018e-01f,
    -1.66758776e-01f, 1.42368048e-01f, -1.22627206e-01f, 1.15706667e-01f, -1.24792084e-01f,
    8.61573294e-02f};
inline constexpr float kLog1pUnit[] = {-4.99999225e-01f, 3.33302051e-01f, -2.49553755e-01f,
    1.96788713e-01f, -1.53079122e-01f, 1.06005810e-01f, -5.68797179e-02f, 1.97892711e-02f,
    -3.22684762e-03f};
inline constexpr float kAsinh[] = {-1.66666657e-01f, 7.49994367e-02f, -4.46322933e-02f,
    3.02845296e-02f, -2.18499005e-02f, 1.55692659e-02f, -9.85088944e-03f, 4.83007496e-03f,
    -1.54249184e-03f, 2.32511680e-04f};
inline constexpr float kAtanh[] = {3.33332986e-01f, 2.00025827e-01f, 1.42217889e-01f,
    1.18304729e-01f, 5.11393435e-02f, 1.76961377e-01f};
inline constexpr float kShortLog2[] = {6.93145752e-01f, 1.42860677e-06f};
inline constexpr float kShortLog10Of2[] = {3.01025391e-01f, 4.60503907e-06f};
inline constexpr float kLog10OfE[] = {4.34294492e-01f, -1.01030500e-08f};

// 2 ** exponent * (1 + fraction + error), where 1 + fraction is from 0.6875 to 1.375 and error is far
// smaller.
template <class T>
struct Scientific {
  T exponent;
  T fraction;
  T error;
};

inline constexpr int32_t kLowestMantissa = 0x3f300000;  // the bits of 0.6875

// The field `exponent` of Scientific for a positive normal number.
template <class T>
RT_FN Bits<T> exponent_of(T x) {
  return (to_bits(abs(x)) - Bits<T>(kLowestMantissa)) >> 23;
}

template <class T>
RT_FN Scientific<T> scientific(T x) {
  const Mask<T> subnormal = x < T(1.17549435e-38f);
  const T normal = where(subnormal, x * T(8388608.0f), x);
  const Bits<T> exponent = exponent_of(normal);
  const T mantissa = from_bits(to_bits(abs(normal)) - (exponent << 23));
  return {to_float(exponent) - where(subnormal, T(23), T(0)), mantissa - T(1), T(0)};
}

// log(1 + fraction) - fraction
template <class T>
RT_FN T log_tail(T fraction) {
  const T square = fraction * fraction;
  return fma(square * fraction, polynomial(kLog, fraction), T(-0.5f) * square);
}

template <class T>
RT_FN T natural_log(Scientific<T> x) {
  const Sum<T> sum = exact_sum(x.exponent * T(kShortLog2[0]), x.fraction);
  const T tail = log_tail(x.fraction) + x.error;
  const T low = fma(x.exponent, T(kShortLog2[1]), tail);
  return sum.value + (sum.error + low);
}

// The logarithm to another base, given the logarithms of 2 and of e to that base as sums of two floats.
// of_2[0] has few bits, so that its product with an exponent is exact.
template <class T>
RT_FN T log_to_base(Scientific<T> x, const float (&of_2)[2], const float (&of_e)[2]) {
  const Sum<T> product = exact_product(x.fraction, T(of_e[0]));
  const Sum<T> sum = exact_sum(x.exponent * T(of_2[0]), product.value);
  const T tail = fma(log_tail(x.fraction), T(of_e[0]), x.fraction * T(of_e[1]));
  const T low = fma(x.exponent, T(of_2[1]), tail) + product.error;
  return sum.value + (sum.error + low);
}

// `value` for a positive finite x, else the logarithm of x: an infinity or NaN.
template <class T>
RT_FN T log_or_special(T x, T value) {
  const T special = where(x == T(0), T(-INFINITY), T(NAN));
  return where(x > T(0), where(x < T(INFINITY), value, x), special);
}

template <class T>
RT_FN T log(T x) {
  return log_or_special(x, natural_log(scientific(x)));
}

template <class T>
RT_FN T log2(T x) {
  return log_or_special(x, log_to_base(scientific(x), {1.0f, 0.0f}, kLog2OfE));
}

template <class T>
RT_FN T log10(T x) {
  return log_or_special(x, log_to_base(scientific(x), kShortLog10Of2, kLog10OfE));
}

// 1 + x + low, where low is far smaller than x.
template <class T>
RT_FN Scientific<T> one_plus(T x, T low) {
  const T sum = T(1) + x;
  const Bits<T> exponent = exponent_of(sum);
  const T mantissa = from_bits(to_bits(abs(sum)) - (exponent << 23));
  const T scale = from_bits(Bits<T>(0x3f800000) - (exponent << 23));
  const Sum<T> fraction = exact_sum(scale - T(1), x * scale);
  // Beyond 2 ** 26 the 1 rounds away, and the scale may not be a float.
  const Mask<T> moderate = x < T(67108864.0f);
  return {
      to_float(exponent),
      where(moderate, fraction.value, mantissa - T(1)),
      where(moderate, fma(low, scale, fraction.error), T(0)),
  };
}

template <class T>
RT_FN T log1p(T x) {
  return log_or_special(T(1) + x, copysign(natural_log(one_plus(x, T(0))), x));
}

template <class T>
RT_FN T log1p_unit(T x) {
  return fma(x * x, polynomial(kLog1pUnit, x), x);
}

// Inverse hyperbolic functions

// log(1 + sum), or log(2 * x) where x is so large that its square overflows.
template <class T>
RT_FN T log1p_or_log_of_twice(Sum<T> sum, T x) {
  const Mask<T> huge = x > T(1e18f);
  Scientific<T> parts = one_plus(where(huge, x, sum.value), where(huge, T(0), sum.error));
  parts.exponent = parts.exponent + where(huge, T(1), T(0));
  return where(x < T(INFINITY), natural_log(parts), x);
}

template <class T>
RT_FN T asinh(T x) {
  const T magnitude = abs(x);
  const T root = sqrt(fma(magnitude, magnitude, T(1)));
  const T large = log1p_or_log_of_twice(exact_sum(magnitude, root - T(1)), magnitude);
  const T small = odd_polynomial(kAsinh, magnitude);
  return copysign(where(magnitude < T(1), small, large), x);
}

template <class T>
RT_FN T acosh(T x) {
  const T y = x - T(1);
  const T root = sqrt(fma(y, y, y + y));
  return where(x < T(1), T(NAN), log1p_or_log_of_twice(exact_sum(root, y), x));
}

template <class T>
RT_FN T atanh(T x) {
  const T magnitude = abs(x);
  const T ratio = T(2) * magnitude / (T(1) - magnitude);
  const T large = T(0.5f) * natural_log(one_plus(ratio, T(0)));
  const T small = odd_polynomial(kAtanh, magnitude);
  const T special = where(magnitude == T(1), T(INFINITY), T(NAN));
  const T beyond_half = where(magnitude < T(1), large, special);
  return copysign(where(magnitude < T(0.5f), small, beyond_half), x);
}

}  // namespace fusewise::rt
