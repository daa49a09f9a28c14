// The value type of kernels whose operands are all of 16 bits. Free of torch.
//
// It is a float whose division, exponentials, logarithms and error functions have the precision that 16-bit
// results need: the relative error is 2^-14.9 or less over the whole range of float, subnormals included, while
// half rounds at 2^-12 and bfloat16 at 2^-9. On a GPU each function is a few instructions around a hardware
// approximation; the host replaces the latter by a library function.
//
// This header must be included before the headers of ops, whose templates find these overloads by name.
// tools/fit_functions.py computes the constants.
#pragma once

#include <fusewise/math/dtype.h>

namespace fusewise::rt {

struct LowPrecision {
  float value;

  LowPrecision() = default;
  template <class Number>
  RT_FN explicit LowPrecision(Number number) : value(static_cast<float>(number)) {}
  RT_FN explicit operator float() const { return value; }
};

RT_FN LowPrecision operator-(LowPrecision a) { return LowPrecision(-a.value); }
RT_FN LowPrecision operator+(LowPrecision a, LowPrecision b) { return LowPrecision(a.value + b.value); }
RT_FN LowPrecision operator-(LowPrecision a, LowPrecision b) { return LowPrecision(a.value - b.value); }
RT_FN LowPrecision operator*(LowPrecision a, LowPrecision b) { return LowPrecision(a.value * b.value); }
RT_FN bool operator<(LowPrecision a, LowPrecision b) { return a.value < b.value; }
RT_FN bool operator<=(LowPrecision a, LowPrecision b) { return a.value <= b.value; }
RT_FN bool operator>(LowPrecision a, LowPrecision b) { return a.value > b.value; }
RT_FN bool operator>=(LowPrecision a, LowPrecision b) { return a.value >= b.value; }
RT_FN bool operator==(LowPrecision a, LowPrecision b) { return a.value == b.value; }
RT_FN bool operator!=(LowPrecision a, LowPrecision b) { return a.value != b.value; }

// Dividend and divisor are scaled so that the divisor has a reciprocal.
RT_FN LowPrecision operator/(LowPrecision a, LowPrecision b) {
  const float scale = ::fabsf(b.value) < 0x1p-24f ? 0x1p24f : 0.25f;
  return LowPrecision(a.value * scale * approx::reciprocal(b.value * scale));
}
RT_FN LowPrecision div_shared(LowPrecision x, LowPrecision y) {
  const float scale = divisor_scale(y.value);
  return LowPrecision(x.value * scale * approx::shared_reciprocal(y.value * scale));
}
RT_FN LowPrecision div_moderate(LowPrecision x, LowPrecision y) {
  return LowPrecision(x.value * approx::reciprocal(y.value));
}

RT_FN LowPrecision minimum(LowPrecision x, LowPrecision y) { return LowPrecision(minimum(x.value, y.value)); }
RT_FN LowPrecision maximum(LowPrecision x, LowPrecision y) { return LowPrecision(maximum(x.value, y.value)); }
RT_FN LowPrecision abs(LowPrecision x) { return LowPrecision(::fabsf(x.value)); }
RT_FN LowPrecision copysign(LowPrecision x, LowPrecision y) {
  return LowPrecision(::copysignf(x.value, y.value));
}
RT_FN LowPrecision fma(LowPrecision x, LowPrecision y, LowPrecision z) {
  return LowPrecision(::fmaf(x.value, y.value, z.value));
}
RT_FN LowPrecision settled(LowPrecision x) { return LowPrecision(settled(x.value)); }

// The square of exp2(x / 2): the approximation flushes subnormal results to zero, but a product does not.
RT_FN LowPrecision exp2(LowPrecision x) {
  const float root = approx::exp2(0.5f * x.value);
  return LowPrecision(root * root);
}
RT_FN LowPrecision exp(LowPrecision x) {
  const float root = approx::exp2(0.72134752f * x.value);
  return LowPrecision(root * root);
}
RT_FN LowPrecision exp_negative(LowPrecision x) { return exp(x); }
RT_FN LowPrecision exp_mul(LowPrecision x, LowPrecision y) { return exp(x * y); }

// A series near zero; elsewhere exp(x) - 1, which does not cancel there. This difference is always computed, so
// that expm1 and exp_remainder of the same argument share it.
RT_FN LowPrecision expm1(LowPrecision x) {
  const float v = x.value;
  const float away = exp(x).value - 1.0f;
  const float series = ::fmaf(v * v, ::fmaf(v, 1.0f / 6, 0.5f), v);
  return LowPrecision(::fabsf(v) < 0.0625f ? series : away);
}

RT_FN LowPrecision exp_remainder(LowPrecision x) {
  const float v = x.value;
  const float away = exp(x).value - 1.0f;
  const float tail = ::fmaf(v, ::fmaf(v, 1.0f / 120, 1.0f / 24), 1.0f / 6);
  const float series = v * v * ::fmaf(v, tail, 0.5f);
  return LowPrecision(::fabsf(v) < 0.25f ? series : away - v);
}

// log((1 + s) / (1 - s)) = 2 s (1 + s^2 / 3 + s^4 / 5 + ...).
RT_FN float log_of_ratio(float s) {
  const float square = s * s;
  const float tail = ::fmaf(square, 1.0f / 7, 1.0f / 5);
  return ::fmaf(s * square, 2 * ::fmaf(tail, square, 1.0f / 3), 2 * s);
}
RT_FN LowPrecision log1p(LowPrecision x) {
  const float v = x.value;
  const float series = log_of_ratio(v * approx::reciprocal(v + 2.0f));
  return LowPrecision(::fabsf(v) < 0.5f ? series : approx::log2(v + 1.0f) * 0.69314718f);
}
RT_FN LowPrecision log1p_unit(LowPrecision x) {
  const float v = x.value;
  return LowPrecision(v * polynomial(v, 9.99990344e-01f, -4.99302834e-01f, 3.24759334e-01f,
                               -2.08835304e-01f, 9.98676568e-02f, -2.33369637e-02f));
}
RT_FN LowPrecision log(LowPrecision x) {
  const float v = x.value;
  const float series = log_of_ratio((v - 1.0f) * approx::reciprocal(v + 1.0f));
  return LowPrecision(::fabsf(v - 1.0f) < 0.5f ? series : approx::log2(v) * 0.69314718f);
}
RT_FN LowPrecision log2(LowPrecision x) { return LowPrecision(log(x).value * 1.4426950f); }
RT_FN LowPrecision log10(LowPrecision x) { return LowPrecision(log(x).value * 0.43429448f); }

RT_FN LowPrecision sqrt(LowPrecision x) { return LowPrecision(approx::sqrt(x.value)); }
RT_FN LowPrecision rsqrt(LowPrecision x) { return LowPrecision(approx::rsqrt(x.value)); }

RT_FN LowPrecision tanh(LowPrecision x) {
  const float power = approx::exp2(2.8853901f * x.value);
  const float away = ::fmaf(-2.0f, approx::reciprocal(1.0f + power), 1.0f);
  return LowPrecision(::fabsf(x.value) < 0.009f ? x.value : away);
}

RT_FN LowPrecision tanh_near_zero(LowPrecision x) {
  const float square = x.value * x.value;
  const float rest = polynomial(square, -3.33189338e-01f, 1.30854383e-01f, -4.13713157e-02f);
  return LowPrecision(x.value * ::fmaf(square, rest, 1.0f));
}

struct LowPrecisionSine {
  static constexpr int kParts = 2;
  RT_FN static float series(float square) {
    return polynomial(square, -1.66659147e-01f, 8.31504073e-03f, -1.85634242e-04f);
  }
  RT_FN static float squared(float square) {
    return polynomial(square, 0.25f, -2.08329335e-02f, 6.93496724e-04f, -1.17509062e-05f);
  }
};
RT_FN LowPrecision sin(LowPrecision x) { return LowPrecision(sin_by<LowPrecisionSine>(x.value)); }
RT_FN LowPrecision cos(LowPrecision x) { return LowPrecision(cos_by<LowPrecisionSine>(x.value)); }
RT_FN LowPrecision sin_doubled(LowPrecision x) {
  return LowPrecision(sin_doubled_by<LowPrecisionSine>(x.value));
}
RT_FN LowPrecision sin_squared(LowPrecision x) {
  return LowPrecision(sin_squared_by<LowPrecisionSine>(x.value));
}

// erfc(z) for z >= 0: exp(-z^2) times a polynomial in t = 1 / (0.44 z + 1). Beyond 10.2 it is zero in float.
RT_FN float erfc_above_zero(float z) {
  const float t = approx::reciprocal(::fmaf(0.44f, z, 1.0f));
  const float sum = polynomial(t, 2.48607397e-01f, 2.42060393e-01f, 2.65637189e-01f,
                               3.69012095e-02f, 3.54005426e-01f, -1.47217527e-01f);
  return exp(LowPrecision(-z * z)).value * (t * sum);
}
RT_FN LowPrecision erfc(LowPrecision x) {
  const float above = erfc_above_zero(::fabsf(x.value));
  return LowPrecision(x.value < 0 ? 2.0f - above : above);
}
RT_FN LowPrecision normal_cdf(LowPrecision x) {
  const float below = 0.5f * erfc_above_zero(0.70710678f * ::fabsf(x.value));
  return LowPrecision(x.value > 0 ? 1.0f - below : below);
}
RT_FN LowPrecision erf(LowPrecision x) {
  const float square = x.value * x.value;
  float sum = ::fmaf(square, 1.0f / 216, -1.0f / 42);
  sum = ::fmaf(square, sum, 1.0f / 10);
  sum = ::fmaf(square, sum, -1.0f / 3);
  const float series = 1.1283792f * ::fmaf(x.value * square, sum, x.value);
  const float away = 1.0f - erfc_above_zero(::fabsf(x.value));
  return LowPrecision(::fabsf(x.value) < 0.5f ? series : ::copysignf(away, x.value));
}

// All other functions are those of float.
#define FUSEWISE_AS_FLOAT(name) \
  RT_FN LowPrecision name(LowPrecision x) { return LowPrecision(name(x.value)); }
#define FUSEWISE_AS_FLOAT_2(name) \
  RT_FN LowPrecision name(LowPrecision x, LowPrecision y) { return LowPrecision(name(x.value, y.value)); }

FUSEWISE_AS_FLOAT(floor)
FUSEWISE_AS_FLOAT(ceil)
FUSEWISE_AS_FLOAT(trunc)
FUSEWISE_AS_FLOAT(round)
FUSEWISE_AS_FLOAT(cbrt)
FUSEWISE_AS_FLOAT(tan)
FUSEWISE_AS_FLOAT(asin)
FUSEWISE_AS_FLOAT(acos)
FUSEWISE_AS_FLOAT(atan)
FUSEWISE_AS_FLOAT(sinh)
FUSEWISE_AS_FLOAT(cosh)
FUSEWISE_AS_FLOAT(asinh)
FUSEWISE_AS_FLOAT(acosh)
FUSEWISE_AS_FLOAT(atanh)
FUSEWISE_AS_FLOAT(erfinv)
FUSEWISE_AS_FLOAT(lgamma)
FUSEWISE_AS_FLOAT(digamma)
FUSEWISE_AS_FLOAT_2(fmod)
FUSEWISE_AS_FLOAT_2(pow)
FUSEWISE_AS_FLOAT_2(hypot)
FUSEWISE_AS_FLOAT_2(atan2)
FUSEWISE_AS_FLOAT_2(zeta)

#undef FUSEWISE_AS_FLOAT
#undef FUSEWISE_AS_FLOAT_2

}  // namespace fusewise::rt
