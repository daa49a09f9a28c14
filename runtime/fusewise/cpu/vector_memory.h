// Vectors of floats in memory: loads, stores, interleaved pairs, and functions applied to each lane.
#pragma once

#include <utility>

#include <fusewise/cpu/vector.h>

namespace fusewise::rt {
inline namespace FUSEWISE_CAPABILITY {

// A store with `bypasses` is non-temporal if the processor has such stores; its address must be a multiple
// of the register size.

RT_FN Vec<float> load(const float* from) {
  Vec<float> result;
  RT_EACH_REGISTER(memcpy(&result.registers[r], from + r * kRegisterLanes, kRegisterBytes));
  return result;
}

RT_FN Vec<float> load(const int32_t* from) {
  Vec<float> result;
  RT_EACH_REGISTER(
      IntRegister integers;
      memcpy(&integers, from + r * kRegisterLanes, sizeof(integers));
      result.registers[r] = __builtin_convertvector(integers, FloatRegister));
  return result;
}

template <class Register>
RT_FN void store_register(void* to, const Register& value, [[maybe_unused]] bool bypasses) {
#if defined(RT_AVX512) || defined(RT_AVX2)
  if (bypasses) {
    if constexpr (sizeof(value) == 16) {
      return _mm_stream_si128(static_cast<__m128i*>(to), reinterpret_cast<const __m128i&>(value));
    } else if constexpr (sizeof(value) == 32) {
      return _mm256_stream_si256(static_cast<__m256i*>(to), reinterpret_cast<const __m256i&>(value));
    } else {
#if defined(RT_AVX512)
      return _mm512_stream_si512(static_cast<__m512i*>(to), reinterpret_cast<const __m512i&>(value));
#endif
    }
  }
#endif
  memcpy(to, &value, sizeof(value));
}

RT_FN void store(float* to, const Vec<float>& x, bool bypasses = false) {
  RT_EACH_REGISTER(store_register(to + r * kRegisterLanes, x.registers[r], bypasses));
}

// Two vectors: two that are adjacent in memory, or the elements of even and of odd index.
struct Pair {
  Vec<float> first;
  Vec<float> second;
};

using Lanes = std::make_integer_sequence<int, kRegisterLanes>;

template <int kStart, int... kLane>
RT_FN FloatRegister every_other(FloatRegister a, FloatRegister b,
                                std::integer_sequence<int, kLane...>) {
  return __builtin_shufflevector(a, b, (kStart + 2 * kLane)...);
}

template <int kStart, int... kLane>
RT_FN FloatRegister in_turns(FloatRegister a, FloatRegister b,
                             std::integer_sequence<int, kLane...>) {
  return __builtin_shufflevector(a, b, (kStart + kLane / 2 + kLane % 2 * kRegisterLanes)...);
}

RT_FN Pair deinterleaved(const Pair& x) {
  Pair result;
  RT_EACH_REGISTER(
      const Vec<float>& from = r < kRegisters / 2 ? x.first : x.second;
      const FloatRegister a = from.registers[2 * r % kRegisters];
      const FloatRegister b = from.registers[2 * r % kRegisters + 1];
      result.first.registers[r] = every_other<0>(a, b, Lanes());
      result.second.registers[r] = every_other<1>(a, b, Lanes()));
  return result;
}

RT_FN Pair interleaved(const Pair& x) {
  Pair result;
  RT_EACH_REGISTER(
      Vec<float>& to = r < kRegisters / 2 ? result.first : result.second;
      const FloatRegister a = x.first.registers[r];
      const FloatRegister b = x.second.registers[r];
      to.registers[2 * r % kRegisters] = in_turns<0>(a, b, Lanes());
      to.registers[2 * r % kRegisters + 1] = in_turns<kRegisterLanes / 2>(a, b, Lanes()));
  return result;
}

// A function of floats, applied to each lane.

template <class Function>
RT_FN Vec<float> each(const Vec<float>& x, const Function& function) {
  float lanes[kLanes];
  store(lanes, x);
  for (float& lane : lanes) lane = function(lane);
  return load(lanes);
}

template <class Function>
RT_FN Vec<float> each(const Vec<float>& x, const Vec<float>& y, const Function& function) {
  float lanes[2][kLanes];
  store(lanes[0], x);
  store(lanes[1], y);
  for (int i = 0; i < kLanes; ++i) lanes[0][i] = function(lanes[0][i], lanes[1][i]);
  return load(lanes[0]);
}

}  // inline namespace FUSEWISE_CAPABILITY
}  // namespace fusewise::rt
