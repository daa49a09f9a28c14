// Error functions.
#pragma once

#include <fusewise/math/functions/exponential.h>

namespace fusewise::rt {

inline constexpr float kErf[] = {1.28379166e-01f, -3.76126289e-01f, 1.12836279e-01f,
    -2.68559158e-02f, 5.19293407e-03f, -8.05615389e-04f, 8.02436261e-05f};
inline constexpr float kErfTail[] = {1.12858212e+00f, 6.35485947e-01f, 1.05530918e-01f,
    -2.29548346e-02f, 3.10251513e-03f, -1.11651920e-04f, -3.34501201e-05f, 3.94563403e-06f};
inline constexpr float kErfc[] = {8.84212315e-01f, 2.28376436e+00f, 4.00248718e+00f,
    3.30239320e+00f, -3.23281884e+00f, -9.53300858e+00f, 4.55995941e+00f, 2.59330807e+01f,
    -2.66155033e+01f};
inline constexpr float kNormalTail[] = {2.35362619e-01f, -1.06337719e-01f, 3.43423150e-02f,
    -7.35053606e-03f, 7.57867878e-04f, 6.65786356e-05f, -2.67421601e-05f, -3.97196118e-07f,
    7.50642869e-07f};

template <class T>
RT_FN T erf(T x) {
  const T magnitude = clamped(abs(x), 0.0f, 4.0f);
  const T square = magnitude * magnitude;
  const T small_ratio = fma(square, polynomial<1>(kErf, square), T(kErf[0]));
  const T small = fma(magnitude, small_ratio, magnitude);
  const T ratio = fma(magnitude, polynomial<1>(kErfTail, magnitude), T(kErfTail[0]));
  const T exponent = magnitude * ratio;
  const T exponent_error = fma(magnitude, ratio, -exponent);
  const Power<T> power = exp_parts(-exponent);
  const T scale = power_of_two<T>(power.shifted);
  const T large = T(1) - fma(scale, power.fraction - exponent_error, scale);
  return copysign(where(magnitude < T(0.96f), small, large), x);
}

// 1 - erf(x) below 0.75, above it exp(-x * x) * t * kErfc(t - 25 / 128) with t = 1 / (x + 2). The rounding
// errors of x * x, of t and of the last product are added up relative to the value. A relative error of t
// counts about 0.95 + 2.9 t times.
template <class T>
RT_FN T erfc(T x) {
  const T magnitude = clamped(abs(x), 0.0f, 10.5f);
  const Sum<T> square = exact_product(magnitude, magnitude);
  const Sum<T> difference = exact_sum(T(1), -magnitude);
  const T below = fma(-magnitude, polynomial(kErf, square.value), difference.error);
  const T small = difference.value + below;

  const Sum<T> sum = exact_sum(T(2), magnitude);
  const T t = T(1) / sum.value;
  const T t_error = fma(-t, sum.value, T(1)) - t * sum.error;
  const T shifted = t - T(0.1953125f);
  const Sum<T> ratio = exact_sum(T(kErfc[0]), shifted * polynomial<1>(kErfc, shifted));
  const Sum<T> product = exact_product(t, ratio.value);
  const T product_error = fma(t, ratio.error, product.error);
  const Power<T> power = exp_parts(-square.value);
  const T error = fma(fma(t, T(2.9f), T(0.95f)), t_error, power.error - square.error);
  const T correction = fma(product.value, fma(power.fraction, error, error), product_error);
  const T rest = fma(product.value, power.fraction, correction);
  const T large = scaled(product.value + rest, power.shifted);

  const T value = where(magnitude < T(0.75f), small, large);
  return where(x < T(0), T(2) - value, value);
}

// The normal distribution below -abs(x) is exp(-x * x / 2) times t times a polynomial in abs(x) * t - 1.5, with
// t = 1 / (1 + 0.265 * abs(x)); this argument keeps the terms of the polynomial small. The parts of the exponential
// are those that exp_mul takes for the density, so that a compiler computes them once for both.
template <class T>
RT_FN T normal_cdf(T x) {
  const T magnitude = clamped(abs(x), 0.0f, 15.0f);
  const T t = T(1) / fma(magnitude, T(0.265f), T(1));
  const T ratio = t * polynomial(kNormalTail, fma(magnitude, t, T(-1.5f)));
  const T half = T(-0.5f) * x;
  const T exponent = half * x;
  const Power<T> power = exp_parts(clamped(exponent, kExpBounds[0], kExpBounds[1]));
  const T error = power.error + where(exponent > T(-1000), fma(half, x, -exponent), T(0));
  const T fraction = power.fraction + fma(power.fraction, error, error);
  const T below = scaled(fma(ratio, fraction, ratio), power.shifted);
  return where(x > T(0), T(1) - below, below);
}

}  // namespace fusewise::rt
