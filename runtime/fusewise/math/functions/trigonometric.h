// Trigonometric functions and their inverses.
#pragma once

#include <fusewise/math/functions/arithmetic.h>

namespace fusewise::rt {

inline constexpr float kSin[] = {-1.66666538e-01f, 8.33210908e-03f, -1.95083703e-04f};
inline constexpr float kCos[] = {4.16666456e-02f, -1.38873013e-03f, 2.44306648e-05f};
inline constexpr float kTan[] = {3.33333552e-01f, 1.33324906e-01f, 5.40786497e-02f, 2.11879760e-02f,
    1.10759633e-02f, -2.11603037e-04f, 4.52376250e-03f};
inline constexpr float kSine[] = {-1.66666627e-01f, 8.33313260e-03f, -1.98135254e-04f,
    2.61263381e-06f};
inline constexpr float kSinSquared[] = {-3.33333284e-01f, 4.44437079e-02f, -3.17114219e-03f,
    1.34605536e-04f};
inline constexpr float kAtan[] = {-3.33333254e-01f, 1.99996233e-01f, -1.42792687e-01f,
    1.10548101e-01f, -8.79908800e-02f, 6.71563819e-02f, -4.43396755e-02f, 2.22524460e-02f,
    -7.18672061e-03f, 1.08821818e-03f};
inline constexpr float kAsin[] = {1.66667536e-01f, 7.49527663e-02f, 4.54714522e-02f,
    2.41787955e-02f, 4.21625003e-02f};
inline constexpr float kTwoOverPi[] = {6.36619747e-01f};
inline constexpr float kHalfPi[] = {1.57079637e+00f, -4.37113883e-08f, -1.71512451e-15f};

// An angle minus the nearest multiple of pi / 2, as the sum of two floats. The lowest bits of `quadrant`
// count the multiples.
template <class T>
struct Angle {
  Bits<T> quadrant;
  T high;
  T low;
};

inline constexpr float kLargestAngle = 131072;  // beyond it `reduced` is not exact enough
inline constexpr float kAngleShifter = 12582912;

template <class T>
RT_FN Angle<T> reduced(T x) {
  const T shifted = fma(x, T(kTwoOverPi[0]), T(kAngleShifter));
  const T n = shifted - T(kAngleShifter);
  const Sum<T> product = exact_product(n, T(-kHalfPi[1]));
  const Sum<T> sum = exact_sum(fma(n, T(-kHalfPi[0]), x), product.value);
  const T low = fma(n, T(-kHalfPi[2]), product.error);
  return {to_bits(shifted), sum.value, sum.error + low};
}

template <class T, size_t kCount>
RT_FN T sin_of(Angle<T> x, const float (&series)[kCount]) {
  const T square = x.high * x.high;
  const T low = fma(T(-0.5f) * square, x.low, x.low);
  return x.high + fma(x.high * square, polynomial(series, square), low);
}

template <class T>
RT_FN T cos_of(Angle<T> x) {
  const T square = x.high * x.high;
  const Sum<T> sum = exact_sum(T(1), T(-0.5f) * square);
  const T tail = fma(square * square, polynomial(kCos, square), -(x.high * x.low));
  return sum.value + (sum.error + tail);
}

template <class T>
RT_FN Mask<T> is_odd(Bits<T> quadrant) {
  return (quadrant & Bits<T>(1)) != Bits<T>(0);
}

// x, or -x in the third and fourth quadrants.
template <class T>
RT_FN T with_sign_of(Bits<T> quadrant, T x) {
  return from_bits(to_bits(x) ^ ((quadrant & Bits<T>(2)) << 30));
}

// `value`, with results of the C library in the lanes whose angles are too large for `reduced`.
template <class T>
RT_FN T with_large_angles(T x, T value, float (*function)(float)) {
  const Mask<T> large = abs(x) > T(kLargestAngle);
  if (!any(large)) return value;
  return where(large, each(x, function), value);
}

template <class T>
RT_FN T sin(T x) {
  const Angle<T> angle = reduced(x);
  const T value = where(is_odd<T>(angle.quadrant), cos_of(angle), sin_of(angle, kSin));
  const T result = where(x == T(0), x, with_sign_of<T>(angle.quadrant, value));
  return with_large_angles(x, result, ::sinf);
}

template <class T>
RT_FN T cos(T x) {
  const Angle<T> angle = reduced(x);
  const T value = where(is_odd<T>(angle.quadrant), sin_of(angle, kSin), cos_of(angle));
  const T result = with_sign_of<T>(angle.quadrant + Bits<T>(1), value);
  return with_large_angles(x, result, ::cosf);
}

// sin(x) ** 2; in the odd quadrants 1 - cos(x) ** 2.
template <class T>
RT_FN T sin_squared(T x) {
  const Angle<T> angle = reduced(x);
  const T rest = (angle.high + angle.high + angle.low) * angle.low;
  const T square = fma(angle.high, angle.high, rest);
  const T tail = fma(square * square, polynomial(kSinSquared, square), rest);
  const T even = fma(angle.high, angle.high, tail);
  const T value = where(is_odd<T>(angle.quadrant), T(1) - even, even);
  return with_large_angles(x, value, [](float lane) { return ::sinf(lane) * ::sinf(lane); });
}

// sin(2 * x), from twice the reduced angle, which is at most pi / 2.
template <class T>
RT_FN T sin_doubled(T x) {
  const Angle<T> angle = reduced(x);
  const T even = sin_of(Angle<T>{angle.quadrant, T(2) * angle.high, T(2) * angle.low}, kSine);
  const T value = where(is_odd<T>(angle.quadrant), -even, even);
  const T result = where(x == T(0), x, value);
  return with_large_angles(x, result, [](float lane) { return 2 * ::sinf(lane) * ::cosf(lane); });
}

// tan(x); in the odd quadrants -1 / tan, corrected by the rounding errors of the tangent and of the quotient.
template <class T>
RT_FN T tan(T x) {
  const Angle<T> angle = reduced(x);
  const T square = angle.high * angle.high;
  const T low = fma(T(1.6f) * square, angle.low, angle.low);  // 1.6 * x * x is about tan(x) squared
  const Sum<T> even =
      exact_sum(angle.high, fma(angle.high * square, polynomial(kTan, square), low));
  const T inverse = T(-1) / even.value;
  const T error = fma(inverse, even.value, T(1)) + inverse * even.error;
  const T odd = fma(inverse, error, inverse);
  const T value = where(is_odd<T>(angle.quadrant), odd, even.value);
  return with_large_angles(x, where(x == T(0), x, value), ::tanf);
}

// Inverse trigonometric functions

// atan(x); for abs(x) above 1, pi / 2 - atan(1 / x), corrected by the rounding error of the quotient.
template <class T>
RT_FN T atan(T x) {
  const T magnitude = clamped(abs(x), 0.0f, 1e10f);
  const Mask<T> large = magnitude > T(1);
  const T inverse = T(1) / magnitude;
  const T inverse_error = fma(-inverse, magnitude, T(1)) * inverse;
  const T y = where(large, inverse, magnitude);
  const T square = y * y;
  const Sum<T> sum = exact_sum(T(kHalfPi[0]), -y);
  const T slope = fma(y, T(-0.5f), T(1));  // about 1 / (1 + y * y)
  const T rest = fma(inverse_error, slope, T(-kHalfPi[1]) - sum.error);
  const T cube = y * square;
  const T ratio = fma(square, polynomial<1>(kAtan, square), T(kAtan[0]));
  return copysign(where(large, sum.value - fma(cube, ratio, rest), fma(cube, ratio, y)), x);
}

// asin(y) = y + tail, where y = abs(x) up to 0.5. Above it y = sqrt((1 - abs(x)) / 2), and
// asin(abs(x)) = pi / 2 - 2 * asin(y).
template <class T>
struct Arc {
  Mask<T> large;
  T y;
  T tail;
};

template <class T>
RT_FN Arc<T> arc(T x) {
  const T magnitude = abs(x);
  const Mask<T> large = magnitude > T(0.5f);
  const T halved = fma(magnitude, T(-0.5f), T(0.5f));
  const T root = sqrt(halved);
  const T root_error = fma(-root, root, halved) * T(0.5f) / (root + T(1e-30f));  // 0 at a root of 0
  const T y = where(large, root, magnitude);
  const T square = where(large, halved, magnitude * magnitude);
  const T tail = y * square * polynomial(kAsin, square);
  return {large, y, tail + where(large, root_error, T(0))};
}

template <class T>
RT_FN T asin(T x) {
  const Arc<T> part = arc(x);
  const Sum<T> sum = exact_sum(T(kHalfPi[0]), T(-2) * part.y);
  const T large = sum.value + (sum.error + fma(T(-2), part.tail, T(kHalfPi[1])));
  return copysign(where(part.large, large, part.y + part.tail), x);
}

template <class T>
RT_FN T acos(T x) {
  const Arc<T> part = arc(x);
  const Mask<T> positive = x > T(0);
  // base - factor * asin(y)
  const T turn = where(positive, T(0), T(2));
  const T base = where(part.large, turn, T(1));
  const T factor = where(part.large, T(2), T(1)) * where(positive == part.large, T(1), T(-1));
  const Sum<T> sum = exact_sum(base * T(kHalfPi[0]), factor * part.y);
  return sum.value + (sum.error + fma(factor, part.tail, base * T(kHalfPi[1])));
}

}  // namespace fusewise::rt
