// The value type of loops on the CPU, Vec<float>. A pass takes it in place of float, and each lane has the
// bits that a float would have. Free of torch.
#pragma once

#include <cmath>

#include <fusewise/cpu/vector_memory.h>
#include <fusewise/math/dtype.h>

#if defined(RT_AVX512) || defined(RT_AVX2)
#include <fusewise/cpu/vector_avx.h>
#else
#include <fusewise/cpu/vector_portable.h>
#endif

namespace fusewise::rt {
inline namespace FUSEWISE_CAPABILITY {

// bfloat16 is the upper half of a float.

RT_FN Vec<float> load(const bfloat16* from) {
  Vec<float> result;
  RT_EACH_REGISTER(
      Shorts bits;
      memcpy(&bits, from + r * kRegisterLanes, sizeof(bits));
      result.registers[r] = reinterpret_cast<FloatRegister>(lengthened(bits) << 16));
  return result;
}

// The bits of float_to_bfloat16_bits in the upper half of each word. The instruction of AVX512_BF16 would
// flush subnormals to zero.
RT_FN Words rounded_to_upper_half(const FloatRegister& x) {
  const Words bits = reinterpret_cast<Words>(x);
#if defined(RT_AVX512)
  const Words rounded = (bits & 0x00010000u) != 0 ? bits + 0x8000u : bits + 0x7fffu;
#else
  const Words rounded = bits + 0x7fffu + ((bits >> 16) & 1u);
#endif
  return x != x ? bits | 0x00400000u : rounded;
}

RT_FN void store(bfloat16* to, const Vec<float>& x, bool bypasses = false) {
  _Pragma("GCC unroll 8") for (int r = 0; r < kRegisters; r += 2) {
    const Words low = rounded_to_upper_half(x.registers[r]);
    const Words high = rounded_to_upper_half(x.registers[r + 1]);
    const Words result = upper_halves(low, high);
    store_register(to + r * kRegisterLanes, result, bypasses);
  }
}

// Other functions of math.h

RT_FN Vec<float> ceil(const Vec<float>& x) { return -floor(-x); }
RT_FN Vec<float> trunc(const Vec<float>& x) { return copysign(floor(abs(x)), x); }
RT_FN Vec<float> rsqrt(const Vec<float>& x) { return Vec<float>(1) / sqrt(x); }
RT_FN Vec<float> settled(const Vec<float>& x) { return x; }

RT_FN Vec<float> round_to(const Vec<float>& x, Dtype type) {
  half halves[kLanes];
  bfloat16 bfloat16s[kLanes];
  switch (type) {
    case Dtype::kHalf: store(halves, x); return load(halves);
    case Dtype::kBFloat16: store(bfloat16s, x); return load(bfloat16s);
    default: return x;
  }
}

// Rare functions, applied to each lane

#define RT_LANE_BY_LANE(name)                                            \
  RT_FN Vec<float> name(const Vec<float>& x) {                           \
    return each(x, [](float lane) { return rt::name(lane); });           \
  }
#define RT_LANE_BY_LANE_2(name)                                                      \
  RT_FN Vec<float> name(const Vec<float>& x, const Vec<float>& y) {                  \
    return each(x, y, [](float lane, float other) { return rt::name(lane, other); }); \
  }

RT_LANE_BY_LANE(cbrt)
RT_LANE_BY_LANE(erfinv)
RT_LANE_BY_LANE(lgamma)
RT_LANE_BY_LANE(digamma)
RT_LANE_BY_LANE_2(fmod)
RT_LANE_BY_LANE_2(hypot)
RT_LANE_BY_LANE_2(atan2)
RT_LANE_BY_LANE_2(zeta)

#undef RT_LANE_BY_LANE
#undef RT_LANE_BY_LANE_2

}  // inline namespace FUSEWISE_CAPABILITY
}  // namespace fusewise::rt
