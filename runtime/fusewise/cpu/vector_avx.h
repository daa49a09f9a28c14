// Vector operations by instructions of AVX2 or AVX-512.
#pragma once

#include <fusewise/cpu/vector_memory.h>

namespace fusewise::rt {
inline namespace FUSEWISE_CAPABILITY {

#if defined(RT_AVX512)
// The intrinsics with a mask, here of all lanes: GCC 12 warns about the plain ones in its own headers.
#define RT_MM(name, ...) _mm512_maskz_##name(0xffff, __VA_ARGS__)
#define RT_ROUND(x, mode) RT_MM(roundscale_ps, x, mode)
using HalfRegister = __m256i;
#else
#define RT_MM(name, ...) _mm256_##name(__VA_ARGS__)
#define RT_ROUND(x, mode) RT_MM(round_ps, x, mode)
using HalfRegister = __m128i;
#endif

RT_FN Words lengthened(Shorts x) {
  return reinterpret_cast<Words>(RT_MM(cvtepu16_epi32, reinterpret_cast<HalfRegister>(x)));
}

// The upper half of each word of a, then of each word of b.
RT_FN Words upper_halves(Words a, Words b) {
#if defined(RT_AVX512)
  using Whole [[gnu::vector_size(kRegisterBytes)]] = uint16_t;
  return reinterpret_cast<Words>(__builtin_shufflevector(
      reinterpret_cast<Whole>(a), reinterpret_cast<Whole>(b),  //
      1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31,
      33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63));
#else
  const __m256i mixed =  // the first halves of a and b, then the second halves
      _mm256_packus_epi32(reinterpret_cast<__m256i>(a >> 16), reinterpret_cast<__m256i>(b >> 16));
  return reinterpret_cast<Words>(_mm256_permute4x64_epi64(mixed, 0xd8));
#endif
}

RT_FN Vec<float> fma(const Vec<float>& x, const Vec<float>& y, const Vec<float>& z) {
  Vec<float> result;
  RT_EACH_REGISTER(
      result.registers[r] = RT_MM(fmadd_ps, x.registers[r], y.registers[r], z.registers[r]));
  return result;
}

// x within [low, high]. If an operand is NaN, min and max give the second one, so that NaN stays NaN.
RT_FN Vec<float> clamped(Vec<float> x, float low, float high) {
  const Vec<float> lowest(low);
  const Vec<float> highest(high);
  RT_EACH_REGISTER(
      const FloatRegister bounded = RT_MM(min_ps, highest.registers[r], x.registers[r]);
      x.registers[r] = RT_MM(max_ps, lowest.registers[r], bounded));
  return x;
}

#if defined(RT_AVX512)
// Replaces the template in exponential.h by an instruction that rounds once.
RT_FN Vec<float> scaled(Vec<float> value, const Vec<int32_t>& shifted) {
  const Vec<float> exponent = from_bits(shifted) - Vec<float>(kShifter);
  const Vec<float> least(kLeastExponent);
  RT_EACH_REGISTER(
      const __mmask16 above = _mm512_cmp_ps_mask(exponent.registers[r], least.registers[r], _CMP_NLE_UQ);  // or NaN
      value.registers[r] = _mm512_maskz_scalef_ps(above, value.registers[r], exponent.registers[r]));
  return value;
}
#endif

RT_FN Vec<float> sqrt(Vec<float> x) {
  RT_EACH_REGISTER(x.registers[r] = RT_MM(sqrt_ps, x.registers[r]));
  return x;
}

RT_FN Vec<float> round(Vec<float> x) {
  RT_EACH_REGISTER(
      x.registers[r] = RT_ROUND(x.registers[r], _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  return x;
}

RT_FN Vec<float> floor(Vec<float> x) {
  RT_EACH_REGISTER(
      x.registers[r] = RT_ROUND(x.registers[r], _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC));
  return x;
}

// x rounded to nearest. x must be in the range of int32_t.
RT_FN Vec<int32_t> to_int(const Vec<float>& x) {
  Vec<int32_t> result;
  RT_EACH_REGISTER(
      result.registers[r] = reinterpret_cast<IntRegister>(RT_MM(cvtps_epi32, x.registers[r])));
  return result;
}

// GCC 12 converts vectors of bytes one by one.
RT_FN Vec<float> load(const int8_t* from) {
  Vec<float> result;
  RT_EACH_REGISTER(
      __m128i bytes = {};
      memcpy(&bytes, from + r * kRegisterLanes, kRegisterLanes);
      const auto integers = reinterpret_cast<IntRegister>(RT_MM(cvtepi8_epi32, bytes));
      result.registers[r] = __builtin_convertvector(integers, FloatRegister));
  return result;
}

RT_FN Vec<float> load(const uint8_t* from) {
  Vec<float> result;
  RT_EACH_REGISTER(
      __m128i bytes = {};
      memcpy(&bytes, from + r * kRegisterLanes, kRegisterLanes);
      const auto integers = reinterpret_cast<IntRegister>(RT_MM(cvtepu8_epi32, bytes));
      result.registers[r] = __builtin_convertvector(integers, FloatRegister));
  return result;
}

RT_FN Vec<float> load(const half* from) {
  Vec<float> result;
  RT_EACH_REGISTER(
      HalfRegister bits;
      memcpy(&bits, from + r * kRegisterLanes, sizeof(bits));
      result.registers[r] = RT_MM(cvtph_ps, bits));
  return result;
}

RT_FN void store(half* to, const Vec<float>& x, bool bypasses = false) {
  RT_EACH_REGISTER(
      const HalfRegister bits = RT_MM(cvtps_ph, x.registers[r], _MM_FROUND_TO_NEAREST_INT);
      store_register(to + r * kRegisterLanes, bits, bypasses));
}

#undef RT_MM
#undef RT_ROUND

}  // inline namespace FUSEWISE_CAPABILITY
}  // namespace fusewise::rt
