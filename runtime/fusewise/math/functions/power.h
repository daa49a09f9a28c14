// Powers with any exponent.
#pragma once

#include <fusewise/math/functions/logarithm.h>

namespace fusewise::rt {

inline constexpr float kLog2OfRatio[] = {5.77077985e-01f, 4.12206650e-01f, 3.19950938e-01f,
    2.82961905e-01f};
inline constexpr float kLog2OfRatio0[] = {2.88539004e+00f, 3.85192607e-08f};
inline constexpr float kLog2OfRatio1[] = {9.61796701e-01f, -7.02846181e-09f};

// The logarithm to base 2 of a positive number, to more than 36 bits:
// log2((1 + q) / (1 - q)) = q * (c0 + c1 * q * q + q ** 4 * kLog2OfRatio(q * q)).
template <class T>
RT_FN Sum<T> precise_log2(T x) {
  const Scientific<T> parts = scientific(x);
  const Sum<T> sum = exact_sum(T(2), parts.fraction);
  const T inverse = T(1) / sum.value;
  const T q = parts.fraction * inverse;
  const T q_low = (fma(-q, sum.value, parts.fraction) - q * sum.error) * inverse;
  const Sum<T> square = exact_product(q, q);
  const T square_low = fma(q + q, q_low, square.error);

  const T rest = fma(square.value, polynomial(kLog2OfRatio, square.value), T(kLog2OfRatio1[1]));
  const Sum<T> factor = exact_sum(T(kLog2OfRatio1[0]), rest);
  const Sum<T> product = exact_product(square.value, factor.value);
  const T product_low =
      fma(square.value, factor.error, fma(square_low, factor.value, product.error));
  const Sum<T> cubic = exact_product(q, product.value);
  const T cubic_low = fma(q, product_low, fma(q_low, product.value, cubic.error));
  const Sum<T> linear = exact_product(q, T(kLog2OfRatio0[0]));
  const T linear_low =
      fma(q, T(kLog2OfRatio0[1]), fma(q_low, T(kLog2OfRatio0[0]), linear.error));

  const Sum<T> log = exact_sum(linear.value, cubic.value);
  const Sum<T> total = exact_sum(parts.exponent, log.value);
  return {total.value, total.error + (log.error + (linear_low + cubic_low))};
}

// abs(x) ** y, where abs(x) is not 0, 1 or infinite.
template <class T>
RT_FN T power_of_magnitude(T magnitude, T y) {
  const Sum<T> log = precise_log2(magnitude);
  const Sum<T> exponent = exact_product(log.value, y);
  const T bounded = clamped(exponent.value, kLeastExponent, 129.0f);
  const T shifted = bounded + T(kShifter);
  const T low = where(bounded == exponent.value, fma(log.error, y, exponent.error), T(0));
  return exp2_of_parts(shifted, bounded - (shifted - T(kShifter)) + low);
}

template <class T>
RT_FN T pow(T x, T y) {
  const T magnitude = abs(x);
  const Mask<T> zero = magnitude == T(0);
  const Mask<T> infinite = magnitude == T(INFINITY);
  const Mask<T> whole = floor(y) == y;
  const T half = T(0.5f) * y;
  const Mask<T> odd = whole & (floor(half) != half);
  const T extreme = where(zero == (y > T(0)), T(0), T(INFINITY));
  const T usual = where(magnitude == T(1), T(1), power_of_magnitude(magnitude, y));
  const T absolute = where(zero | infinite, extreme, usual);
  const T value = where(odd, copysign(absolute, x), absolute);
  const Mask<T> undefined = (x != x) | (y != y) | ((x < T(0)) & !whole & !infinite);
  return where((y == T(0)) | (x == T(1)), T(1), where(undefined, T(NAN), value));
}

}  // namespace fusewise::rt
