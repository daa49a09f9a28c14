// Storage types with fewer bits than a float, and their conversions from and to float.
//
// half and bfloat16 are storage types only: kernels widen on load, compute in float, and round once
// on store, to nearest even. NaN stays NaN and subnormals are exact, on the host and on the device.
// The float8 types are only written, with the bits of PyTorch's conversion from float.
#pragma once

#include <cstdint>

#include <fusewise/math/scalar.h>

namespace fusewise {

RT_FN uint32_t float_to_bits(float value) { return static_cast<uint32_t>(rt::to_bits(value)); }
RT_FN float bits_to_float(uint32_t bits) { return rt::from_bits(static_cast<int32_t>(bits)); }

// The host forms have no branches, so that compilers vectorise loops over them. They give the bits of the
// processor's instructions. This includes NaN, which keeps the bits that fit and becomes quiet.

// Rounds the bits of a float without its sign to a narrower format, to nearest even. The number must be
// in the range of that format.
template <uint32_t kMantissa, uint32_t kBias>
RT_FN uint32_t round_magnitude(uint32_t magnitude) {
  constexpr uint32_t kDropped = 23 - kMantissa;
  constexpr uint32_t kBelowHalf = (1u << (kDropped - 1)) - 1;
  const uint32_t odd = (magnitude >> kDropped) & 1u;
  const uint32_t normal = (magnitude - ((127 - kBias) << 23) + kBelowHalf + odd) >> kDropped;
  // The last place of this number is the unit of the subnormals, so that an addition rounds there.
  constexpr uint32_t kAnchor = (151 - kBias - kMantissa) << 23;
  const float anchored = bits_to_float(magnitude) + bits_to_float(kAnchor);
  const uint32_t subnormal = float_to_bits(anchored) - kAnchor;
  return magnitude < (128 - kBias) << 23 ? subnormal : normal;
}

RT_FN float half_bits_to_float(uint16_t bits) {
#if defined(__CUDA_ARCH__)
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
#else
  const uint32_t magnitude = bits & 0x7fffu;
  // Subnormals count units of 2^-24, the last place of 0.5. Other numbers need a new exponent bias only.
  const uint32_t subnormal = float_to_bits(bits_to_float(0x3f000000u | magnitude) - 0.5f);
  const uint32_t bias = magnitude >= 0x7c00u ? 224u << 23 : 112u << 23;
  const uint32_t quiet = magnitude > 0x7c00u ? 0x00400000u : 0;
  const uint32_t normal = ((magnitude << 13) + bias) | quiet;
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  return bits_to_float(sign | (magnitude < 0x0400u ? subnormal : normal));
#endif
}

RT_FN uint16_t float_to_half_bits(float value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  uint32_t pair;  // a pair rounds four times as fast as a single number
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(0.0f), "f"(value));
  return static_cast<uint16_t>(pair);
#elif defined(__CUDA_ARCH__)
  uint16_t bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
#else
  const uint32_t bits = float_to_bits(value);
  const uint32_t magnitude = bits & 0x7fffffffu;
  const uint32_t nan = 0x7e00u | ((magnitude >> 13) & 0x01ffu);
  const uint32_t special = magnitude > 0x7f800000u ? nan : 0x7c00u;
  const uint32_t finite = round_magnitude<10, 15>(magnitude);
  const uint32_t result = magnitude >= 0x47800000u ? special : finite;
  return static_cast<uint16_t>(result | ((bits >> 16) & 0x8000u));
#endif
}

RT_FN float bfloat16_bits_to_float(uint16_t bits) {
  return bits_to_float(static_cast<uint32_t>(bits) << 16);
}

RT_FN uint16_t float_to_bfloat16_bits(float value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  uint32_t pair;  // a pair rounds four times as fast as a single number
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(0.0f), "f"(value));
  return static_cast<uint16_t>(pair);
#else
  const uint32_t bits = float_to_bits(value);
  const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const uint32_t quiet = (bits >> 16) | 0x0040u;
  return static_cast<uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? quiet : rounded);
#endif
}

// The format has no infinity: a number that is too large gives the largest one, 448, as in PyTorch 2.13.
// PyTorch 2.11 gives NaN.
RT_FN uint8_t float_to_float8_e4m3fn_bits(float value) {
  const uint32_t bits = float_to_bits(value);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
  uint16_t pair;  // the instruction drops the sign of NaN
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(value));
  return static_cast<uint8_t>(pair | ((bits >> 24) & 0x80u));
#else
  const uint32_t magnitude = bits & 0x7fffffffu;
  const uint32_t special = magnitude > 0x7f800000u ? 0x7fu : 0x7eu;
  const uint32_t finite = round_magnitude<3, 7>(magnitude);
  const uint32_t result = magnitude >= 0x43e00000u ? special : finite;
  return static_cast<uint8_t>(result | ((bits >> 24) & 0x80u));
#endif
}

RT_FN uint8_t float_to_float8_e5m2_bits(float value) {
  const uint32_t bits = float_to_bits(value);
  const uint32_t magnitude = bits & 0x7fffffffu;
  const uint32_t special = magnitude > 0x7f800000u ? 0x7fu : 0x7cu;
  const uint32_t finite = round_magnitude<2, 15>(magnitude);
  const uint32_t result = magnitude >= 0x47800000u ? special : finite;
  return static_cast<uint8_t>(result | ((bits >> 24) & 0x80u));
}

struct half {
  uint16_t bits;
  half() = default;
  RT_FN explicit half(float value) : bits(float_to_half_bits(value)) {}
  RT_FN explicit operator float() const { return half_bits_to_float(bits); }
};

struct bfloat16 {
  uint16_t bits;
  bfloat16() = default;
  RT_FN explicit bfloat16(float value) : bits(float_to_bfloat16_bits(value)) {}
  RT_FN explicit operator float() const { return bfloat16_bits_to_float(bits); }
};

struct float8_e4m3fn {
  uint8_t bits;
  float8_e4m3fn() = default;
  RT_FN explicit float8_e4m3fn(float value) : bits(float_to_float8_e4m3fn_bits(value)) {}
};

struct float8_e5m2 {
  uint8_t bits;
  float8_e5m2() = default;
  RT_FN explicit float8_e5m2(float value) : bits(float_to_float8_e5m2_bits(value)) {}
};

}  // namespace fusewise
