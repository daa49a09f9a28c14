// The functions of the language that are not defined by other functions, for float, double and, where
// integers make sense, int64_t. Free of torch; the host and CUDA share the code.
//
// Generated code calls each as `rt::name(x, y)` with all arguments of one type T. Conditions have type
// Mask<T> and are joined by & | !. Another value type needs overloads of the functions that are defined here
// for float; the templates call no others.
//
// The table of functions states the error bounds, and a test measures them.
#pragma once

#include <type_traits>

#if defined(__CUDACC__)
#include <fusewise/math/functions.cuh>
#else
#include <fusewise/math/functions.h>
#endif

namespace fusewise::rt {

// Order. minimum and maximum propagate NaN; the sign of NaN is 0, as in PyTorch.

template <class T>
RT_FN T sign(T x) {
  return where(x > T(0), T(1), where(x < T(0), T(-1), T(0)));
}

template <class T>
RT_FN T minimum(T x, T y) {
  return where((x < y) | (x != x), x, y);
}

template <class T>
RT_FN T maximum(T x, T y) {
  return where((x > y) | (x != x), x, y);
}

// Division that rounds down, and its remainder, which has the sign of the divisor.

RT_FN float fmod(float x, float y) { return ::fmodf(x, y); }
RT_FN double fmod(double x, double y) { return ::fmod(x, y); }

template <class T>
RT_FN T mod(T x, T y) {
  const T remainder = fmod(x, y);
  return where((remainder != T(0)) & ((remainder < T(0)) != (y < T(0))), remainder + y, remainder);
}

// x / y may round up to an integer, so the remainder is subtracted first.
template <class T>
RT_FN T floordiv(T x, T y) {
  const T remainder = fmod(x, y);
  const T whole = round((x - remainder) / y);
  const Mask<T> below = (remainder != T(0)) & ((remainder < T(0)) != (y < T(0)));
  const T quotient = where(below, whole - T(1), whole);
  return where(y == T(0), x / y, where(quotient == T(0), copysign(T(0), x / y), quotient));
}

// Integer division. Division by zero gives -1 with remainder x; PyTorch raises an error on the host only.

template <>
RT_FN int64_t mod(int64_t x, int64_t y) {
  if (y == 0) return x;
  if (y == -1) return 0;  // the lowest number has no quotient in range
  const int64_t remainder = x % y;
  return remainder != 0 && (remainder < 0) != (y < 0) ? remainder + y : remainder;
}

template <>
RT_FN int64_t floordiv(int64_t x, int64_t y) {
  if (y == 0) return -1;
  if (y == -1) return static_cast<int64_t>(-static_cast<uint64_t>(x));
  return x / y - (x % y != 0 && (x < 0) != (y < 0));
}

// A quotient whose divisor is neither tiny nor huge.
template <class T>
RT_FN T div_moderate(T x, T y) {
  return x / y;
}

// A quotient whose divisor is shared by many elements.
template <class T>
RT_FN T div_shared(T x, T y) {
  return x / y;
}

// Powers and roots

RT_FN double pow(double x, double y) { return ::pow(x, y); }

// Overflow wraps around as in PyTorch; a negative power rounds towards zero.
RT_FN int64_t pow(int64_t x, int64_t y) {
  if (y < 0) return x == 1 ? 1 : x == -1 ? (y % 2 == 0 ? 1 : -1) : 0;
  uint64_t result = 1;
  for (uint64_t base = x; y != 0; y /= 2, base *= base) {
    if (y % 2 != 0) result *= base;
  }
  return static_cast<int64_t>(result);
}

RT_FN float rsqrt(float x) {
#if defined(__CUDA_ARCH__)
  return ::rsqrtf(x);
#else
  return 1 / ::sqrtf(x);
#endif
}
RT_FN double rsqrt(double x) {
#if defined(__CUDA_ARCH__)
  return ::rsqrt(x);
#else
  return 1 / ::sqrt(x);
#endif
}

RT_FN float cbrt(float x) { return ::cbrtf(x); }
RT_FN double cbrt(double x) { return ::cbrt(x); }

RT_FN float hypot(float x, float y) { return ::hypotf(x, y); }
RT_FN double hypot(double x, double y) { return ::hypot(x, y); }

// These functions of a float come from CUDA's library on a GPU, and from functions/ on the CPU.
#if defined(__CUDACC__)
RT_FN float exp2(float x) { return ::exp2f(x); }
RT_FN float log(float x) { return ::logf(x); }
RT_FN float log2(float x) { return ::log2f(x); }
RT_FN float log10(float x) { return ::log10f(x); }
RT_FN float log1p(float x) { return ::log1pf(x); }
RT_FN float pow(float x, float y) { return ::powf(x, y); }
RT_FN float tan(float x) { return ::tanf(x); }
RT_FN float asin(float x) { return ::asinf(x); }
RT_FN float acos(float x) { return ::acosf(x); }
RT_FN float atan(float x) { return ::atanf(x); }
RT_FN float sinh(float x) { return ::sinhf(x); }
RT_FN float cosh(float x) { return ::coshf(x); }
RT_FN float asinh(float x) { return ::asinhf(x); }
RT_FN float acosh(float x) { return ::acoshf(x); }
RT_FN float atanh(float x) { return ::atanhf(x); }
RT_FN float erf(float x) { return ::erff(x); }
RT_FN float erfc(float x) { return ::erfcf(x); }
#endif

// Exponentials and logarithms

RT_FN double exp(double x) { return ::exp(x); }
RT_FN double exp2(double x) { return ::exp2(x); }
RT_FN double exp_negative(double x) { return ::exp(x); }
RT_FN double expm1(double x) { return ::expm1(x); }
RT_FN double log(double x) { return ::log(x); }
RT_FN double log2(double x) { return ::log2(x); }
RT_FN double log10(double x) { return ::log10(x); }
RT_FN double log1p(double x) { return ::log1p(x); }
RT_FN double log1p_unit(double x) { return ::log1p(x); }

// exp(x * y), corrected by the rounding error of the product, which the fma gives.
template <class T>
RT_FN T exp_mul(T x, T y) {
  const T product = x * y;
  const T result = exp(product);
  const T correction = result * fma(x, y, -product);
  return where((product > T(-1000)) & (result < T(INFINITY)), result + correction, result);
}

// exp(x) - 1 - x. Up to 0.5, where the difference would cancel, it is computed by its series.
template <class T>
RT_FN T exp_remainder(T x) {
  const double kSeries[] = {1.0 / 20922789888000, 1.0 / 1307674368000,
                            1.0 / 87178291200, 1.0 / 6227020800,
                            1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800,
                            1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720,
                            1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2};
  constexpr bool kIsDouble = std::is_same_v<T, double>;  // an fma of doubles may be a call on the CPU
  constexpr int kFirst = kIsDouble ? 0 : 6;              // earlier terms round away in float
  T sum = T(kSeries[kFirst]);
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (int i = kFirst + 1; i < 15; ++i) {
    const T next = T(kSeries[i]);
    sum = kIsDouble ? sum * x + next : fma(sum, x, next);
  }
  return where(abs(x) < T(0.5), x * x * sum, expm1(x) - x);
}

// Trigonometric and hyperbolic functions

RT_FN double sin(double x) { return ::sin(x); }
RT_FN double cos(double x) { return ::cos(x); }
RT_FN double sin_doubled(double x) { return 2 * ::sin(x) * ::cos(x); }
RT_FN double sin_squared(double x) { return ::sin(x) * ::sin(x); }
RT_FN double tan(double x) { return ::tan(x); }
RT_FN double asin(double x) { return ::asin(x); }
RT_FN double acos(double x) { return ::acos(x); }
RT_FN double atan(double x) { return ::atan(x); }

RT_FN float atan2(float y, float x) { return ::atan2f(y, x); }
RT_FN double atan2(double y, double x) { return ::atan2(y, x); }

RT_FN double sinh(double x) { return ::sinh(x); }
RT_FN double cosh(double x) { return ::cosh(x); }
RT_FN double tanh(double x) { return ::tanh(x); }
RT_FN double tanh_near_zero(double x) { return ::tanh(x); }
RT_FN double asinh(double x) { return ::asinh(x); }
RT_FN double acosh(double x) { return ::acosh(x); }
RT_FN double atanh(double x) { return ::atanh(x); }

// Error functions

RT_FN double erf(double x) { return ::erf(x); }
RT_FN double erfc(double x) { return ::erfc(x); }

// erfc(-x * (high + low)) / 2, where high + low is sqrt(1/2). The argument of erfc is z + error, z rounded.
// The relative slope of erfc is -2 z wherever the error matters.
RT_FN double normal_cdf(double x) {
  const double high = 0.7071067811865476;
  const double low = -4.833646656726457e-17;
  const double z = -high * x;
  const double error = fma(-high, x, -z) - low * x;
  const double correction = z > 0 && z < 100 ? 2 * z * error : 0;
  const double half = 0.5 * erfc(z);
  return half - half * correction;
}

// A polynomial in x, highest coefficient first.
template <int N>
RT_FN double polynomial(const double (&coefficients)[N], double x) {
  double value = coefficients[0];
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (int i = 1; i < N; ++i) value = ::fma(value, x, coefficients[i]);
  return value;
}

// An approximation with an error of 1e-5, then one step of Halley's method for erf(y) = x.
RT_FN double erfinv(double x) {
  if (::fabs(x) == 1) return x * INFINITY;
  const double kCentral[] = {3.561808433218279e-07,  -3.173345401025414e-06, -4.533462917885738e-06,
                             0.00021721999192199742, -0.0012532781863537248, -0.004175992616376222,
                             0.24664038783754394,    1.5014090909660742};
  const double kTail[] = {1.598796785088994e-05,  -7.890670425245883e-05, 0.00010540123342747008,
                          -2.7080719402593887e-05, 0.00021863361761146366, -0.00094461781752327,
                          0.0013234066223146218,  1.009512725594454,      3.839777597431096};
  const double w = -::log((1 - x) * (1 + x));
  const double ratio =
      w < 5 ? polynomial(kCentral, w - 2.5) : polynomial(kTail, ::sqrt(w) - 4);
  const double magnitude = ::fabs(x);
  const double y = magnitude * ratio;
  // Above 0.5, 1 - magnitude is exact and erfc is more precise than erf.
  const double residual = magnitude > 0.5 ? (1 - magnitude) - ::erfc(y) : ::erf(y) - magnitude;
  const double step = residual * 0.886226925452758 * ::exp(y * y);
  return ::copysign(y - step / (1 + y * step), x);
}
RT_FN float erfinv(float x) { return static_cast<float>(erfinv(static_cast<double>(x))); }

// The gamma function and related functions. The float results are the double results, rounded.

RT_FN double lgamma(double x) {
#if defined(__CUDA_ARCH__)
  return ::lgamma(x);
#else
  int sign;  // lgamma writes a global variable
  return ::lgamma_r(x, &sign);
#endif
}
RT_FN float lgamma(float x) {
#if defined(__CUDA_ARCH__)
  return ::lgammaf(x);
#else
  return static_cast<float>(lgamma(static_cast<double>(x)));
#endif
}

// digamma(x) for x > 0: the asymptotic series from 10 on. Below 10 the recurrence leads to [1, 2], where
// x * digamma(x) / (x - root) is approximated.
RT_FN double digamma_positive(double x) {
  if (x >= 10) {
    const double kSeries[] = {-1.0 / 12, 691.0 / 32760, -1.0 / 132, 1.0 / 240,
                              -1.0 / 252, 1.0 / 120,    -1.0 / 12};
    const double square = 1 / (x * x);
    return ::log(x) - 0.5 / x + square * polynomial(kSeries, square);
  }
  double sum = 0;
  for (; x > 2; x -= 1) sum += 1 / (x - 1);
  if (x < 1) {
    sum = -1 / x;
    x += 1;
  }
  const double kRatio[] = {
      -8.330017764155427e-08,  2.086174950945902e-07,   -4.343344704424389e-07,
      1.0900440594791301e-06,  -2.778815077217573e-06,  7.00085274570018e-06,
      -1.7687223169837115e-05, 4.4924967963555466e-05,  -0.00011492419795785276,
      0.0002971387135965835,   -0.0007808823636548008,  0.002105524543932196,
      -0.005921836374555441,   0.017935099659936202,    -0.06281369492028008,
      0.315614744109642,       1.4265838140477494};
  const double above_root = (x - 1.4616321449683622) - 9.549995429965697e-17;
  return sum + above_root / x * polynomial(kRatio, x - 1.5);
}

RT_FN double digamma(double x) {
  if (x == 0) return ::copysign(INFINITY, -x);
  if (x > 0 || x != x) return digamma_positive(x);
  const double fraction = x - ::rint(x);
  if (fraction == 0) return NAN;
  constexpr double kPi = 3.141592653589793;
  return digamma_positive(1 - x) - kPi / ::tan(kPi * fraction);
}
RT_FN float digamma(float x) { return static_cast<float>(digamma(static_cast<double>(x))); }

// The sum of (x + k)^-s over all k >= 0, by the Euler-Maclaurin formula, for s > 1 and x > 0.
RT_FN double zeta_positive(double s, double x) {
  double sum = 0;
  for (; x < 10 || x < s; x += 1) {
    const double term = ::pow(x, -s);
    sum += term;
    if (term <= sum * 1e-17) return sum;  // after some 40 terms at most
  }
  // Bernoulli numbers over factorials: B(2 j) / (2 j)!
  const double kBernoulli[] = {1.0 / 12,
                               -1.0 / 720,
                               1.0 / 30240,
                               -1.0 / 1209600,
                               1.0 / 47900160,
                               -691.0 / 1307674368000,
                               1.0 / 74724249600,
                               -3617.0 / 10670622842880000};
  const double power = ::pow(x, -s);
  sum += ::pow(x, 1 - s) / (s - 1) + 0.5 * power;
  double factor = power * s / x;
  for (int j = 0; j < 8; ++j) {
    sum += kBernoulli[j] * factor;
    factor *= (s + 2 * j + 1) / x * ((s + 2 * j + 2) / x);
  }
  return sum;
}

// For x < 0 and an integer s, the terms with x + k < 0 are summed by their absolute values, apart from the
// terms with x + k > 0.
RT_FN double zeta(double s, double x) {
  if (s == 1 || x == -INFINITY) return s == 1 ? INFINITY : NAN;
  if (!(s > 1) || x != x) return NAN;
  if (x > 0) return x == INFINITY ? 0 : zeta_positive(s, x);
  const double above = x - ::floor(x);
  const double below = ::ceil(x) - x;
  if (above == 0) return INFINITY;
  if (s != ::floor(s)) return NAN;
  const double mirrored = zeta_positive(s, below) - zeta_positive(s, 1 - x);
  return zeta_positive(s, above) + (::fmod(s, 2.0) == 0 ? mirrored : -mirrored);
}
RT_FN float zeta(float s, float x) {
  return static_cast<float>(zeta(static_cast<double>(s), static_cast<double>(x)));
}

}  // namespace fusewise::rt
