// The operations of vector_avx.h for any processor: loops of a fixed length, which the compiler vectorises if
// it can.
#pragma once

#include <fusewise/cpu/vector_memory.h>

namespace fusewise::rt {
inline namespace FUSEWISE_CAPABILITY {

RT_FN Words lengthened(Shorts x) { return __builtin_convertvector(x, Words); }

RT_FN Words upper_halves(Words a, Words b) {
  const Shorts halves[] = {__builtin_convertvector(a >> 16, Shorts),
                           __builtin_convertvector(b >> 16, Shorts)};
  Words result;
  memcpy(&result, halves, sizeof(result));
  return result;
}

#if defined(__FP_FAST_FMAF)
RT_FN FloatRegister fma_of_register(FloatRegister x, FloatRegister y, FloatRegister z) {
  for (int i = 0; i < kRegisterLanes; ++i) z[i] = __builtin_fmaf(x[i], y[i], z[i]);
  return z;
}
#else
// The fma is computed in double, where the product is exact, and its sum is rounded to odd: rounding such a
// sum to float gives the result of a single rounding. The code is long and often called, so it is not inlined.
[[gnu::noinline]] inline FloatRegister fma_of_register(FloatRegister x, FloatRegister y,
                                                       FloatRegister z) {
  using Doubles [[gnu::vector_size(2 * kRegisterBytes)]] = double;
  using Longs [[gnu::vector_size(2 * kRegisterBytes)]] = int64_t;
  const Doubles addend = __builtin_convertvector(z, Doubles);
  const Doubles product = __builtin_convertvector(x, Doubles) * __builtin_convertvector(y, Doubles);
  const Doubles sum = product + addend;
  const Doubles part = sum - product;
  const Doubles error = (product - (sum - part)) + (addend - part);
  const Longs bits = reinterpret_cast<Longs>(sum);
  const Longs is_even_and_inexact = ((error < 0.0) | (error > 0.0)) & ((bits & 1) - 1);
  const Longs towards = ((error < 0.0) ^ (sum < 0.0)) | 1;  // 1 away from zero, -1 towards zero
  const Longs odd = bits + (is_even_and_inexact & towards);
  return __builtin_convertvector(reinterpret_cast<Doubles>(odd), FloatRegister);
}
#endif
RT_FN Vec<float> fma(const Vec<float>& x, const Vec<float>& y, const Vec<float>& z) {
  Vec<float> result;
  RT_EACH_REGISTER(
      result.registers[r] = fma_of_register(x.registers[r], y.registers[r], z.registers[r]));
  return result;
}

RT_FN Vec<float> sqrt(const Vec<float>& x) {
  return each(x, [](float lane) { return ::sqrtf(lane); });
}

// The addition of 2^23 rounds the fraction.
RT_FN Vec<float> round(const Vec<float>& x) {
  const Vec<float> whole(8388608.0f);
  const Vec<float> rounded = (abs(x) + whole) - whole;
  return where(abs(x) < whole, copysign(rounded, x), x);
}

RT_FN Vec<float> floor(const Vec<float>& x) {
  const Vec<float> rounded = round(x);
  const Vec<float> below = rounded - Vec<float>(1);
  return where(rounded > x, below, rounded);
}

RT_FN Vec<int32_t> to_int(const Vec<float>& x) {
  const Vec<float> whole = round(x);
  Vec<int32_t> result;
  RT_EACH_REGISTER(result.registers[r] = __builtin_convertvector(whole.registers[r], IntRegister));
  return result;
}

// Not inlined: the conversion of a half is long, and each operand of a pass may be one.
[[gnu::noinline]] inline void widen_halves(float (&to)[kLanes], const half* from) {
  for (int i = 0; i < kLanes; ++i) to[i] = widen<float>(from[i]);
}

[[gnu::noinline]] inline void narrow_to_halves(half* to, const float (&from)[kLanes]) {
  for (int i = 0; i < kLanes; ++i) to[i] = narrow<half>(from[i]);
}

template <class Byte>
RT_FN Vec<float> load_bytes(const Byte* from) {
  float lanes[kLanes];
  for (int i = 0; i < kLanes; ++i) lanes[i] = from[i];
  return load(lanes);
}

RT_FN Vec<float> load(const int8_t* from) { return load_bytes(from); }
RT_FN Vec<float> load(const uint8_t* from) { return load_bytes(from); }

RT_FN Vec<float> load(const half* from) {
  float lanes[kLanes];
  widen_halves(lanes, from);
  return load(lanes);
}

RT_FN void store(half* to, const Vec<float>& x, bool = false) {
  float lanes[kLanes];
  store(lanes, x);
  narrow_to_halves(to, lanes);
}

}  // inline namespace FUSEWISE_CAPABILITY
}  // namespace fusewise::rt
