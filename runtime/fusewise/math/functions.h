// Functions of a float or a vector of floats on the CPU, each written once: scalars and vectors of
// any width give the same bits. There are no tables and no branches by lane.
//
// T is float, or a type with all that scalar.h has for float. Where a product is part of a sum,
// fma says so: compilers must not contract (-ffp-contract=off). Errors are within 2 ulp for every
// float, and within the bounds of the primitive table; results are exact at zeros, infinities and
// NaN.
//
// The constants are made by tools/fit_functions.py.
#pragma once

#include <bit>
#include <cstddef>

#include <fusewise/math/scalar.h>

namespace fusewise::rt {

inline constexpr float kExp[] = {5.00000000e-01f, 1.66665405e-01f, 4.16664779e-02f, 8.36684275e-03f,
    1.39337149e-03f};
inline constexpr float kExp2[] = {2.40226507e-01f, 5.55036888e-02f, 9.61808302e-03f,
    1.33871252e-03f, 1.54538764e-04f};
inline constexpr float kLog[] = {3.33333135e-01f, -2.49998793e-01f, 2.00018018e-01f,
    -1.66758776e-01f, 1.42368048e-01f, -1.22627206e-01f, 1.15706667e-01f, -1.24792084e-01f,
    8.61573294e-02f};
inline constexpr float kLog1pUnit[] = {-4.99999225e-01f, 3.33302051e-01f, -2.49553755e-01f,
    1.96788713e-01f, -1.53079122e-01f, 1.06005810e-01f, -5.68797179e-02f, 1.97892711e-02f,
    -3.22684762e-03f};
inline constexpr float kLog2OfRatio[] = {5.77077985e-01f, 4.12206650e-01f, 3.19950938e-01f,
    2.82961905e-01f};
inline constexpr float kTanh[] = {-3.33332986e-01f, 1.33319393e-01f, -5.37850969e-02f,
    2.08001435e-02f, -5.89989685e-03f};
inline constexpr float kSinh[] = {1.66666672e-01f, 8.33331607e-03f, 1.98414200e-04f,
    2.79153824e-06f};
inline constexpr float kSin[] = {-1.66666538e-01f, 8.33210908e-03f, -1.95083703e-04f};
inline constexpr float kTan[] = {3.33333552e-01f, 1.33324906e-01f, 5.40786497e-02f, 2.11879760e-02f,
    1.10759633e-02f, -2.11603037e-04f, 4.52376250e-03f};
inline constexpr float kAtan[] = {-3.33333254e-01f, 1.99996233e-01f, -1.42792687e-01f,
    1.10548101e-01f, -8.79908800e-02f, 6.71563819e-02f, -4.43396755e-02f, 2.22524460e-02f,
    -7.18672061e-03f, 1.08821818e-03f};
inline constexpr float kSine[] = {-1.66666627e-01f, 8.33313260e-03f, -1.98135254e-04f,
    2.61263381e-06f};
inline constexpr float kAsin[] = {1.66667536e-01f, 7.49527663e-02f, 4.54714522e-02f,
    2.41787955e-02f, 4.21625003e-02f};
inline constexpr float kAsinh[] = {-1.66666657e-01f, 7.49994367e-02f, -4.46322933e-02f,
    3.02845296e-02f, -2.18499005e-02f, 1.55692659e-02f, -9.85088944e-03f, 4.83007496e-03f,
    -1.54249184e-03f, 2.32511680e-04f};
inline constexpr float kAtanh[] = {3.33332986e-01f, 2.00025827e-01f, 1.42217889e-01f,
    1.18304729e-01f, 5.11393435e-02f, 1.76961377e-01f};
inline constexpr float kCos[] = {4.16666456e-02f, -1.38873013e-03f, 2.44306648e-05f};
inline constexpr float kSinSquared[] = {-3.33333284e-01f, 4.44437079e-02f, -3.17114219e-03f,
    1.34605536e-04f};
inline constexpr float kErf[] = {1.28379166e-01f, -3.76126289e-01f, 1.12836279e-01f,
    -2.68559158e-02f, 5.19293407e-03f, -8.05615389e-04f, 8.02436261e-05f};
inline constexpr float kErfTail[] = {1.12858212e+00f, 6.35485947e-01f, 1.05530918e-01f,
    -2.29548346e-02f, 3.10251513e-03f, -1.11651920e-04f, -3.34501201e-05f, 3.94563403e-06f};
inline constexpr float kErfc[] = {8.84212315e-01f, 2.28376436e+00f, 4.00248718e+00f,
    3.30239320e+00f, -3.23281884e+00f, -9.53300858e+00f, 4.55995941e+00f, 2.59330807e+01f,
    -2.66155033e+01f};
inline constexpr float kTwoOverPi[] = {6.36619747e-01f};
inline constexpr float kLog2[] = {6.93147182e-01f, -1.90465421e-09f};
inline constexpr float kHalfPi[] = {1.57079637e+00f, -4.37113883e-08f, -1.71512451e-15f};
inline constexpr float kShortLog2[] = {6.93145752e-01f, 1.42860677e-06f};
inline constexpr float kShortLog10Of2[] = {3.01025391e-01f, 4.60503907e-06f};
inline constexpr float kLog2OfE[] = {1.44269502e+00f, 1.92596303e-08f};
inline constexpr float kLog2OfRatio0[] = {2.88539004e+00f, 3.85192607e-08f};
inline constexpr float kLog2OfRatio1[] = {9.61796701e-01f, -7.02846181e-09f};
inline constexpr float kLog10OfE[] = {4.34294492e-01f, -1.01030500e-08f};

// Parts that functions share

// c[kFirst] + c[kFirst + 1] * x + ..., of kCount coefficients, by Estrin's scheme: short chains of
// multiplications run side by side. powers[i] is x to the power of 2 to the power of i.
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

// c[kFirst] + c[kFirst + 1] * x + ..., the first term added last, to the smaller rest.
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

// NaN stays NaN.
template <class T>
RT_FN T clamped(T x, float low, float high) {
  return where(x < T(low), T(low), where(x > T(high), T(high), x));
}

// a + b is sum + error, where a is not the smaller or is 0.
template <class T>
struct Sum {
  T value;
  T error;
};

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

// Exponentials

// Adding this to a number rounds it to a whole one, n, and leaves n + 254 in the lowest bits.
inline constexpr float kShifter = 12582912.0f + 254.0f;
inline constexpr int32_t kShifterBits = std::bit_cast<int32_t>(kShifter);

// 2 ** n * (1 + fraction), where n + 254 is in the lowest nine bits of `shifted`; times 1 + error,
// which most functions leave out.
template <class T>
struct Power {
  Bits<T> shifted;
  T fraction;
  T error;
};

// exp(x)
template <class T>
RT_FN Power<T> exp_parts(T x) {
  const T shifted = fma(x, T(kLog2OfE[0]), T(kShifter));
  const T n = shifted - T(kShifter);
  const T high = fma(n, T(-kLog2[0]), x);
  const T r = fma(n, T(-kLog2[1]), high);
  const T error = fma(n, T(-kLog2[1]), high - r);
  return {to_bits(shifted), fma(r * r, polynomial(kExp, r), r), error};
}

// 2 ** n in two steps, so that a subnormal result is rounded once and all of the range is reached.
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

inline constexpr float kExpBounds[] = {-104, 89};

template <class T>
RT_FN T exp(T x) {
  const Power<T> power = exp_parts(clamped(x, kExpBounds[0], kExpBounds[1]));
  return scaled(T(1) + power.fraction, power.shifted);
}

// 2 ** (shifted - kShifter + r)
template <class T>
RT_FN T exp2_of_parts(T shifted, T r) {
  const T fraction = fma(r, T(kLog2[0]), r * r * polynomial(kExp2, r));
  return scaled(T(1) + fraction, to_bits(shifted));
}

template <class T>
RT_FN T exp2(T x) {
  const T bounded = clamped(x, -151.0f, 129.0f);
  const T shifted = bounded + T(kShifter);
  return exp2_of_parts(shifted, bounded - (shifted - T(kShifter)));
}

// Of half the power, because 2 ** 128 is no float. The bounds are those of exp, so that compilers work out
// the parts of both once; a power below 2 ** -64 rounds away.
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

// Up to 0.6.
template <class T>
RT_FN T tanh_near_zero(T x) {
  return copysign(odd_polynomial(kTanh, x), x);  // of zero too
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

// Logarithms

// 2 ** exponent * (1 + fraction + error), 1 + fraction from 0.6875 to 1.375, error far smaller.
template <class T>
struct Scientific {
  T exponent;
  T fraction;
  T error;
};

inline constexpr int32_t kLowestMantissa = 0x3f300000;  // the bits of 0.6875

// Of a normal number above 0.
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

// The logarithm to another base, given that of 2 and that of e as sums of two floats, of which the
// first of 2 has few bits.
template <class T>
RT_FN T log_to_base(Scientific<T> x, const float (&of_2)[2], const float (&of_e)[2]) {
  const Sum<T> product = exact_product(x.fraction, T(of_e[0]));
  const Sum<T> sum = exact_sum(x.exponent * T(of_2[0]), product.value);
  const T tail = fma(log_tail(x.fraction), T(of_e[0]), x.fraction * T(of_e[1]));
  const T low = fma(x.exponent, T(of_2[1]), tail) + product.error;
  return sum.value + (sum.error + low);
}

// What a logarithm is at the ends of its domain and outside.
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

// 1 + x + low, where low is far smaller than the others.
template <class T>
RT_FN Scientific<T> one_plus(T x, T low) {
  const T sum = T(1) + x;
  const Bits<T> exponent = exponent_of(sum);
  const T mantissa = from_bits(to_bits(abs(sum)) - (exponent << 23));
  const T scale = from_bits(Bits<T>(0x3f800000) - (exponent << 23));
  const Sum<T> fraction = exact_sum(scale - T(1), x * scale);
  // Beyond 2 ** 26 the 1 does not count, and its scale may be no number.
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

// Powers

// The logarithm to base 2 of a number above 0, to more than 36 bits: that of (1 + q) / (1 - q) is
// q * (c0 + c1 * q * q + q ** 4 * kLog2OfRatio(q * q)).
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

// abs(x) ** y for what is neither zero nor infinite nor 1
template <class T>
RT_FN T power_of_magnitude(T magnitude, T y) {
  const Sum<T> log = precise_log2(magnitude);
  const Sum<T> exponent = exact_product(log.value, y);
  const T bounded = clamped(exponent.value, -151.0f, 129.0f);
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

// Inverse hyperbolic functions

// log(1 + sum), or log(2 * x) where x is so large that its square is no number.
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

// Trigonometric functions

// An angle less the nearest multiple of pi / 2, as the sum of two floats; the number of that
// multiple is in the lowest bits of `quadrant`.
template <class T>
struct Angle {
  Bits<T> quadrant;
  T high;
  T low;
};

inline constexpr float kLargestAngle = 131072;  // that `reduced` takes
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

// x, or -x in the third and the fourth quadrant.
template <class T>
RT_FN T with_sign_of(Bits<T> quadrant, T x) {
  return from_bits(to_bits(x) ^ ((quadrant & Bits<T>(2)) << 30));
}

// The value, of which lanes with angles too large to be reduced here are taken from the C library.
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

// In the odd quadrants what the square of the cosine leaves of 1.
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

// sin(2 * x): that of twice the rest, which is up to half of pi.
template <class T>
RT_FN T sin_doubled(T x) {
  const Angle<T> angle = reduced(x);
  const T even = sin_of(Angle<T>{angle.quadrant, T(2) * angle.high, T(2) * angle.low}, kSine);
  const T value = where(is_odd<T>(angle.quadrant), -even, even);
  const T result = where(x == T(0), x, value);
  return with_large_angles(x, result, [](float lane) { return 2 * ::sinf(lane) * ::cosf(lane); });
}

// -1 / tan in the odd quadrants, corrected by what rounding leaves out of tan and of the quotient.
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

// Beyond 1, pi / 2 - atan(1 / x), corrected by what rounding leaves out of the quotient.
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

// asin(y) is y + tail; y is abs(x), or beyond a half sqrt((1 - abs(x)) / 2), of which twice the arc
// sine is missing from pi / 2.
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
  const T root_error = fma(-root, root, halved) * T(0.5f) / (root + T(1e-30f));  // of 0 too
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

// Error functions

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

// 1 - erf(x) below 0.75; then exp(-x * x) * t * kErfc(t - 25 / 128), t = 1 / (x + 2). What
// rounding leaves out of x * x, of t and of the last product is summed up in relation to the
// value, which t changes by about 0.95 + 2.9 t times as much as itself.
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

}  // namespace fusewise::rt
