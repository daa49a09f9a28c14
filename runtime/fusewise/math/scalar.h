// The operations that every value type has, for float, double and int64_t: selection, signs, rounding,
// roots and the bits of a float. Longer functions are made of these.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#if defined(__CUDACC__)
#define RT_FN __host__ __device__ __forceinline__
#else
#define RT_FN inline __attribute__((always_inline))
#endif

namespace fusewise::rt {

// The type of a comparison of two values of type T: bool, unless T is a vector.
template <class T>
using Mask = decltype(T() < T());

template <class T>
RT_FN T where(bool condition, T a, T b) {
  return condition ? a : b;
}

// True if the condition holds in any lane.
RT_FN bool any(bool condition) { return condition; }

RT_FN float abs(float x) { return ::fabsf(x); }
RT_FN double abs(double x) { return ::fabs(x); }
RT_FN int64_t abs(int64_t x) { return x < 0 ? -x : x; }

RT_FN float copysign(float x, float y) { return ::copysignf(x, y); }
RT_FN double copysign(double x, double y) { return ::copysign(x, y); }

// Rounding. Ties go to even.

RT_FN float floor(float x) { return ::floorf(x); }
RT_FN double floor(double x) { return ::floor(x); }
RT_FN int64_t floor(int64_t x) { return x; }

RT_FN float ceil(float x) { return ::ceilf(x); }
RT_FN double ceil(double x) { return ::ceil(x); }
RT_FN int64_t ceil(int64_t x) { return x; }

RT_FN float trunc(float x) { return ::truncf(x); }
RT_FN double trunc(double x) { return ::trunc(x); }
RT_FN int64_t trunc(int64_t x) { return x; }

RT_FN float round(float x) { return ::rintf(x); }
RT_FN double round(double x) { return ::rint(x); }
RT_FN int64_t round(int64_t x) { return x; }

RT_FN float sqrt(float x) { return ::sqrtf(x); }
RT_FN double sqrt(double x) { return ::sqrt(x); }

RT_FN float fma(float x, float y, float z) { return ::fmaf(x, y, z); }
RT_FN double fma(double x, double y, double z) { return ::fma(x, y, z); }

// The bits of a float as an integer, and integers as floats.

RT_FN int32_t to_bits(float x) {
  int32_t bits;
  memcpy(&bits, &x, sizeof(bits));
  return bits;
}

RT_FN float from_bits(int32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof(x));
  return x;
}

RT_FN float to_float(int32_t x) { return static_cast<float>(x); }

template <class T>
using Bits = decltype(to_bits(T()));

// A function of floats, applied to each lane.

template <class Function>
RT_FN float each(float x, const Function& function) {
  return function(x);
}

template <class Function>
RT_FN float each(float x, float y, const Function& function) {
  return function(x, y);
}

}  // namespace fusewise::rt
