// Polynomials, and sums and products whose rounding errors are known.
#pragma once

#include <bit>
#include <cstddef>

#include <fusewise/math/scalar.h>

namespace fusewise::rt {

// c[kFirst] + c[kFirst + 1] * x + ..., of kCount coefficients. Estrin's scheme makes short chains of
// multiplications, which run in parallel. powers[i] is x ** (2 ** i).
template <size_t kFirst, size_t kCount, class T, size_t N>
RT_FN T part_of_polynomial(const float (&c)[N], const T* powers) {
  if constexpr (kCount == 1) {
    return T(c[kFirst]);
  } else {
    constexpr size_t kLow = std::bit_floor(kCount - 1);
    const T low = part_of_polynomial<kFirst, kLow>(c, powers);
    const T high = part_of_polynomial<kFirst + kLow, kCount - kLow>(c, powers);
    return fma(high, powers[std::countr_zero(kLow)], low);
  }
}

// c[kFirst] + c[kFirst + 1] * x + .... The first term, the largest, is added last.
template <size_t kFirst = 0, class T, size_t N>
RT_FN T polynomial(const float (&c)[N], T x) {
  static_assert(N - kFirst <= 17);
  const T square = x * x;
  const T fourth = square * square;
  const T powers[] = {x, square, fourth, fourth * fourth};
  return fma(part_of_polynomial<kFirst + 1, N - kFirst - 1>(c, powers), x, T(c[kFirst]));
}

// x + x * x * x * polynomial(x * x)
template <class T, size_t N>
RT_FN T odd_polynomial(const float (&c)[N], T x) {
  const T square = x * x;
  return fma(x * square, polynomial(c, square), x);
}

// x within [low, high]; NaN stays NaN.
template <class T>
RT_FN T clamped(T x, float low, float high) {
  return where(x < T(low), T(low), where(x > T(high), T(high), x));
}

// An exact number as a rounded value and the error of the rounding.
template <class T>
struct Sum {
  T value;
  T error;
};

// a + b, where abs(a) >= abs(b) or a is 0.
template <class T>
RT_FN Sum<T> exact_sum(T a, T b) {
  const T value = a + b;
  return {value, b - (value - a)};
}

template <class T>
RT_FN Sum<T> exact_product(T a, T b) {
  const T value = a * b;
  return {value, fma(a, b, -value)};
}

}  // namespace fusewise::rt
