// Functions of a float that cost a GPU fewer instructions than those of CUDA's library. Free of torch.
//
// They consist of polynomials and of hardware approximations; on the host, library functions replace the
// latter. Errors are within 2 ulp for every float, those of exp_negative within 3, those of exp_remainder,
// sin_doubled and sin_squared within 4, those of normal_cdf within 6; tests/runtime/function_cuda_check.cu
// measures all of them.
//
// tools/fit_functions.py computes the constants.
#pragma once

#include <fusewise/math/scalar.h>

namespace fusewise::rt {

// Hardware approximations, one instruction each. Subnormal results are flushed to zero.
namespace approx {

#if defined(__CUDA_ARCH__)
#define FUSEWISE_APPROX(name, instruction, host)            \
  RT_FN float name(float x) {                               \
    float result;                                           \
    asm(instruction " %0, %1;" : "=f"(result) : "f"(x));    \
    return result;                                          \
  }
#else
#define FUSEWISE_APPROX(name, instruction, host) \
  RT_FN float name(float x) { return host; }
#endif

FUSEWISE_APPROX(exp2, "ex2.approx.ftz.f32", ::exp2f(x))
FUSEWISE_APPROX(reciprocal, "rcp.approx.ftz.f32", 1 / x)
// These three also take subnormal arguments.
FUSEWISE_APPROX(log2, "lg2.approx.f32", ::log2f(x))
FUSEWISE_APPROX(sqrt, "sqrt.approx.f32", ::sqrtf(x))
FUSEWISE_APPROX(rsqrt, "rsqrt.approx.f32", 1 / ::sqrtf(x))

#undef FUSEWISE_APPROX

// The reciprocal by a function that the compiler knows: it takes one or two instructions more, but the
// compiler reuses the result for equal arguments.
RT_FN float shared_reciprocal(float x) {
#if defined(__CUDA_ARCH__)
  return __fdividef(1.0f, x);
#else
  return 1 / x;
#endif
}

}  // namespace approx

// c + next * x + ...
template <class... Floats>
RT_FN float polynomial(float x, float c, Floats... next) {
  if constexpr (sizeof...(next) == 0) return c;
  else return ::fmaf(x, polynomial(x, next...), c);
}

// If an operand is NaN, the result is NaN.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
RT_FN float minimum(float x, float y) {
  float result;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(x), "f"(y));
  return result;
}
RT_FN float maximum(float x, float y) {
  float result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(x), "f"(y));
  return result;
}
#endif

// x / y. The remainder corrects the quotient, so that only the last operation rounds.
RT_FN float div_moderate(float x, float y) {
  const float inverse = approx::reciprocal(y);
  const float quotient = x * inverse;
  return ::fmaf(::fmaf(-y, quotient, x), inverse, quotient);
}

// A scale for dividend and divisor, so that the reciprocal of the divisor neither overflows nor is subnormal.
RT_FN float divisor_scale(float y) {
  const float magnitude = ::fabsf(y);
  return magnitude < 0x1p-24f ? 0x1p24f : magnitude > 0x1p100f ? 0x1p-30f : 1.0f;
}

// x / y as the product of x and a reciprocal in two parts. The first part is below the reciprocal, so both
// parts have its sign, which keeps infinities and zeros. The compiler computes the part that depends on y
// alone once for all elements that share y.
RT_FN float div_shared(float x, float y) {
  const float scale = divisor_scale(y);
  const float divisor = y * scale;
  const float high = approx::shared_reciprocal(divisor) * 0x1.fffff8p-1f;
  const float rest = ::fmaf(-divisor, high, 1.0f);
  const float low = rest == rest ? rest * high : high;
  const float dividend = x * scale;
  return ::fmaf(dividend, high, dividend * low);
}

RT_FN float exp(float x) { return ::expf(x); }

// 2 ** t * (1 + rest), where t is a little below x / log(2), so that rest = x - t * log(2) is positive. It is NaN only
// where t is infinite, and saturation then gives 0.
RT_FN float exp_negative(float x) {
#if defined(__CUDA_ARCH__)
  const float t = x * 0x1.715478p+0f;
  const float power = approx::exp2(t);
  const float rest = __saturatef(::fmaf(t, 0x1.05c61p-29f, ::fmaf(t, -0x1.62e43p-1f, x)));
  return ::fmaf(power, rest, power);
#else
  return ::expf(x);
#endif
}

// exp(x) = 2 * half * (1 + rest + square * series), where 2 * half = 2 ** n and x = rest + n * log(2). The
// half is used because 2 ** 128 is not a float. Below -17, where exp(x) rounds away, the parts are
// unspecified. expm1 and exp_remainder of one x share these parts.
struct ExpParts {
  float n;
  float rest;
  float square;  // of the rest
  float half;
  float series;
};

RT_FN ExpParts exp_parts(float x) {
  constexpr float kPowerShifter = 12582912 + 126;  // leaves the exponent of half in the lowest bits
  const float bounded = ::fminf(x, 89.0f);
  const float shifted = ::fmaf(bounded, 1.44269502e+00f, kPowerShifter);
  ExpParts parts;
  parts.n = shifted - kPowerShifter;
  parts.rest = ::fmaf(parts.n, -6.93147182e-01f, bounded);
  parts.rest = ::fmaf(parts.n, 1.90465421e-09f, parts.rest);
  parts.square = parts.rest * parts.rest;
  parts.half = from_bits(to_bits(shifted) << 23);
  parts.series = polynomial(parts.rest, 5.00000000e-01f, 1.66666657e-01f, 4.16665077e-02f,
                            8.33359640e-03f, 1.39308826e-03f, 1.97154455e-04f);
  return parts;
}

RT_FN float expm1(float x) {
  const ExpParts parts = exp_parts(x);
  const float fraction = ::fmaf(parts.square, parts.series, parts.rest);
  const float value = ::fmaf(parts.half, fraction, parts.half - 0.5f);
  const float usual = x > -17 ? value + value : -1.0f;
  return ::fabsf(x) >= 1e-8f ? usual : x;  // zeros, their neighbours and NaN give x
}

// exp(x) - 1 - x, where 2 ** n - 1 - n * log(2) is summed first.
RT_FN float exp_remainder(float x) {
  const ExpParts parts = exp_parts(x);
  const float less_half = parts.half - 0.5f;
  float value = ::fmaf(parts.n, -3.46573591e-01f, less_half);
  value = ::fmaf(less_half, parts.rest, value);
  value = ::fmaf(parts.half, parts.square * parts.series, value);
  return x > -17 ? value + value : -1 - x;
}

RT_FN float log1p_unit(float x) {
  const float rest = polynomial(x, -4.99999225e-01f, 3.33302051e-01f, -2.49553755e-01f,
                                1.96788713e-01f, -1.53079122e-01f, 1.06005810e-01f,
                                -5.68797179e-02f, 1.97892711e-02f, -3.22684762e-03f);
  return ::fmaf(x * x, rest, x);
}

// tanh(x) for abs(x) up to 0.6.
RT_FN float tanh_near_zero(float x) {
  const float square = x * x;
  const float rest = polynomial(square, -3.33332986e-01f, 1.33319393e-01f, -5.37850969e-02f,
                                2.08001435e-02f, -5.89989685e-03f);
  return ::copysignf(::fmaf(x * square, rest, x), x);  // keeps the sign of zero
}

// The fma with 0 keeps the sign of zero.
RT_FN float tanh(float x) {
  const float power = approx::exp2(2.88539004f * ::fabsf(x));
  const float away = ::copysignf(::fmaf(-2.0f, approx::reciprocal(1.0f + power), 1.0f), x);
  const float square = x * x;
  const float rest = polynomial(square, -3.33325893e-01f, 1.33130208e-01f, -5.22083305e-02f,
                                1.56086208e-02f);
  const float near = ::fmaf(x, ::fmaf(square, rest, 0.0f), x);
  return ::fabsf(x) < 0.6f ? near : away;
}

// Error functions

template <class T>
RT_FN T exp_mul(T x, T y);  // of math.h

// The formula stands in functions/error.h.
RT_FN float normal_cdf(float x) {
  const float magnitude = ::fminf(::fabsf(x), 15.0f);
  const float t = approx::reciprocal(::fmaf(magnitude, 0.265f, 1.0f));
  const float ratio = polynomial(::fmaf(magnitude, t, -1.5f), 2.35362619e-01f, -1.06337719e-01f,
                                 3.43423150e-02f, -7.35053606e-03f, 7.57867878e-04f,
                                 6.65786356e-05f, -2.67421601e-05f, -3.97196118e-07f,
                                 7.50642869e-07f);
  const float below = exp_mul(-0.5f * x, x) * (t * ratio);
  return x > 0 ? 1 - below : below;
}

// Sines

inline constexpr float kLargestAngle = 131072;

// Large angles are rare, so their functions are not inlined.
#if defined(__CUDA_ARCH__)
__device__ __noinline__ inline float sin_of_large(float x) { return ::sinf(x); }
__device__ __noinline__ inline float cos_of_large(float x) { return ::cosf(x); }
#else
inline float sin_of_large(float x) { return ::sinf(x); }
inline float cos_of_large(float x) { return ::cosf(x); }
#endif

inline constexpr float kShifter = 12582912;  // rounds to an integer, and leaves it in the lowest bits

// x - turns * pi. pi is the sum of two or three parts of one sign; any number of turns times the first part
// is exact.
template <int kParts>
RT_FN float less_turns(float x, float turns) {
  float rest = ::fmaf(turns, -3.14159203e+00f, x);
  rest = ::fmaf(turns, -6.27832947e-07f, rest);
  if (kParts > 2) rest = ::fmaf(turns, -1.07806059e-14f, rest);
  return rest;
}

// The number of parts of pi that reduce an angle, and two series in the square of the rest:
// sin(rest) = rest + rest * square * series(square), and sin(rest / 2) ** 2 = square * squared(square).
struct FloatSine {
  static constexpr int kParts = 3;
  RT_FN static float series(float square) {
    return polynomial(square, -1.66666627e-01f, 8.33313260e-03f, -1.98135254e-04f, 2.61263381e-06f);
  }
  RT_FN static float squared(float square) {
    return polynomial(square, 0.25f, -2.08333302e-02f, 6.94433053e-04f, -1.23874206e-05f,
                      1.31493806e-07f);
  }
};

// The sine of x - turns * pi, negated if the lowest bit of `shifted` is set. The sign is added to the bits,
// because a shift and an addition are one instruction.
template <class Sine>
RT_FN float sine_of_rest(float x, float turns, float shifted) {
  const float rest = less_turns<Sine::kParts>(x, turns);
  const float square = rest * rest;
  const float sine = ::fmaf(rest * square, Sine::series(square), rest);
  const uint32_t with_sign = static_cast<uint32_t>(to_bits(copysign(sine, rest)));  // keeps the sign of zero
  const uint32_t negation = static_cast<uint32_t>(to_bits(shifted)) << 31;
  return from_bits(static_cast<int32_t>(with_sign + negation));
}

template <class Sine>
RT_FN float sin_by(float x) {
  if (::fabsf(x) > kLargestAngle) [[unlikely]] return sin_of_large(x);
  const float shifted = ::fmaf(x, 0.318309886f, kShifter);
  return sine_of_rest<Sine>(x, shifted - kShifter, shifted);
}

// cos(x) = sin(x + pi / 2)
template <class Sine>
RT_FN float cos_by(float x) {
  if (::fabsf(x) > kLargestAngle) [[unlikely]] return cos_of_large(x);
  const float shifted = ::fmaf(x, 0.318309886f, 0.5f) + kShifter;
  return sine_of_rest<Sine>(x, (shifted - kShifter) - 0.5f, shifted);
}

template <class Sine>
RT_FN float sin_doubled_by(float x) {
  if (::fabsf(x) > kLargestAngle) [[unlikely]] return 2 * sin_of_large(x) * cos_of_large(x);
  const float twice = 2 * x;
  const float shifted = ::fmaf(twice, 0.318309886f, kShifter);
  return sine_of_rest<Sine>(twice, shifted - kShifter, shifted);
}

// (1 - cos(2 * x)) / 2. The reduction of 2 * x is shared with the derivative, sin(2 * x). The result for a
// moderate angle is always computed, without a branch, so that neighbouring elements are computed in parallel.
template <class Sine>
RT_FN float sin_squared_by(float x) {
  const float twice = 2 * x;
  const float shifted = ::fmaf(twice, 0.318309886f, kShifter);
  const float rest = less_turns<Sine::kParts>(twice, shifted - kShifter);
  const float square = rest * rest;
  float result = square * Sine::squared(square);
  if ((to_bits(shifted) & 1) != 0) result = 1 - result;
  if (::fabsf(x) > kLargestAngle) {
    const float sine = sin_of_large(x);
    result = sine * sine;
  }
  return result;
}

RT_FN float sin(float x) { return sin_by<FloatSine>(x); }
RT_FN float cos(float x) { return cos_by<FloatSine>(x); }
RT_FN float sin_doubled(float x) { return sin_doubled_by<FloatSine>(x); }
RT_FN float sin_squared(float x) { return sin_squared_by<FloatSine>(x); }

}  // namespace fusewise::rt
