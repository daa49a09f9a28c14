// A vector of floats for the loops on the CPU: a pass runs on it as on one float, and gives each lane
// the bits that a float would have. Free of torch.
//
// A value is several registers, so that as many chains of dependent operations are under way at a
// time. The compiler's vector extensions do the arithmetic on any machine; intrinsics stand only where
// those have no word for an instruction.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include <fusewise/cpu/capability.h>
#include <fusewise/math/dtype.h>

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512BW__)
#define RT_AVX512
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define RT_AVX2
#endif
#if defined(RT_AVX512) || defined(RT_AVX2)
#include <immintrin.h>
#endif

// Four registers a value measured best with AVX2 and with AVX-512; where each fma is a call, two do and
// compile sooner. Written out, not as a loop: compilers take half the time where every index is a number
// from the start.
#if defined(RT_AVX512) || defined(RT_AVX2) || defined(__FP_FAST_FMAF)
#define RT_REGISTERS 4
#define RT_EACH_REGISTER(...)                 \
  do {                                        \
    RT_REGISTER(0, __VA_ARGS__)               \
    RT_REGISTER(1, __VA_ARGS__)               \
    RT_REGISTER(2, __VA_ARGS__)               \
    RT_REGISTER(3, __VA_ARGS__)               \
  } while (false)
#else
#define RT_REGISTERS 2
#define RT_EACH_REGISTER(...)                 \
  do {                                        \
    RT_REGISTER(0, __VA_ARGS__)               \
    RT_REGISTER(1, __VA_ARGS__)               \
  } while (false)
#endif
#define RT_REGISTER(number, ...) \
  {                              \
    constexpr int r = number;    \
    __VA_ARGS__;                 \
  }

namespace fusewise::rt {
inline namespace FUSEWISE_CAPABILITY {

#if defined(RT_AVX512)
inline constexpr int kRegisterBytes = 64;
#elif defined(RT_AVX2)
inline constexpr int kRegisterBytes = 32;
#else
inline constexpr int kRegisterBytes = 16;
#endif
inline constexpr int kRegisters = RT_REGISTERS;
inline constexpr int kRegisterLanes = kRegisterBytes / 4;
inline constexpr int kLanes = kRegisters * kRegisterLanes;

// S is float or int32_t. Copied register by register: where an array is part of a larger struct, GCC
// copies it as memory, in pieces of 16 bytes.
template <class S>
struct Registers {
  using Register [[gnu::vector_size(kRegisterBytes)]] = S;
  Register registers[kRegisters];

  Registers() = default;
  RT_FN Registers(const Registers& other) {
    RT_EACH_REGISTER(registers[r] = other.registers[r]);
  }
  RT_FN Registers& operator=(const Registers& other) {
    RT_EACH_REGISTER(registers[r] = other.registers[r]);
    return *this;
  }
};

template <class S>
struct Vec : Registers<S> {
  Vec() = default;
  RT_FN explicit Vec(S value) {
    using Register = typename Registers<S>::Register;
    RT_EACH_REGISTER(this->registers[r] = value - Register{});  // not the sum: -0 + 0 is 0
  }
};

using FloatRegister = Vec<float>::Register;
using IntRegister = Vec<int32_t>::Register;

// All bits of a lane are 1 where the condition holds, else 0.
struct VecMask : Registers<int32_t> {};

#define RT_BINARY(Result, op, Left, Right)                                                      \
  RT_FN Result operator op(const Left& a, const Right& b) {                                     \
    Result result;                                                                              \
    RT_EACH_REGISTER(result.registers[r] = a.registers[r] op b.registers[r]);                   \
    return result;                                                                              \
  }
#define RT_UNARY(Result, op, symbol)                                                            \
  RT_FN Result operator op(const Result& a) {                                                   \
    Result result;                                                                              \
    RT_EACH_REGISTER(result.registers[r] = symbol a.registers[r]);                              \
    return result;                                                                              \
  }

RT_BINARY(Vec<float>, +, Vec<float>, Vec<float>)
RT_BINARY(Vec<float>, -, Vec<float>, Vec<float>)
RT_BINARY(Vec<float>, *, Vec<float>, Vec<float>)
RT_BINARY(Vec<float>, /, Vec<float>, Vec<float>)
RT_UNARY(Vec<float>, -, -)

RT_BINARY(VecMask, <, Vec<float>, Vec<float>)
RT_BINARY(VecMask, <=, Vec<float>, Vec<float>)
RT_BINARY(VecMask, >, Vec<float>, Vec<float>)
RT_BINARY(VecMask, >=, Vec<float>, Vec<float>)
RT_BINARY(VecMask, ==, Vec<float>, Vec<float>)
RT_BINARY(VecMask, !=, Vec<float>, Vec<float>)

RT_BINARY(VecMask, &, VecMask, VecMask)
RT_BINARY(VecMask, |, VecMask, VecMask)
RT_BINARY(VecMask, ==, VecMask, VecMask)
RT_BINARY(VecMask, !=, VecMask, VecMask)
RT_UNARY(VecMask, !, ~)

RT_BINARY(Vec<int32_t>, +, Vec<int32_t>, Vec<int32_t>)
RT_BINARY(Vec<int32_t>, -, Vec<int32_t>, Vec<int32_t>)
RT_BINARY(Vec<int32_t>, &, Vec<int32_t>, Vec<int32_t>)
RT_BINARY(Vec<int32_t>, |, Vec<int32_t>, Vec<int32_t>)
RT_BINARY(Vec<int32_t>, ^, Vec<int32_t>, Vec<int32_t>)
RT_UNARY(Vec<int32_t>, ~, ~)
RT_UNARY(Vec<int32_t>, -, -)
RT_BINARY(VecMask, <, Vec<int32_t>, Vec<int32_t>)
RT_BINARY(VecMask, <=, Vec<int32_t>, Vec<int32_t>)
RT_BINARY(VecMask, >, Vec<int32_t>, Vec<int32_t>)
RT_BINARY(VecMask, >=, Vec<int32_t>, Vec<int32_t>)
RT_BINARY(VecMask, ==, Vec<int32_t>, Vec<int32_t>)
RT_BINARY(VecMask, !=, Vec<int32_t>, Vec<int32_t>)

#undef RT_BINARY
#undef RT_UNARY

RT_FN Vec<int32_t> operator<<(const Vec<int32_t>& x, int count) {
  Vec<int32_t> result;
  RT_EACH_REGISTER(result.registers[r] = x.registers[r] << count);
  return result;
}

RT_FN Vec<int32_t> operator>>(const Vec<int32_t>& x, int count) {
  Vec<int32_t> result;
  RT_EACH_REGISTER(result.registers[r] = x.registers[r] >> count);
  return result;
}

template <class S>
RT_FN Vec<S> where(const VecMask& condition, const Vec<S>& a, const Vec<S>& b) {
  Vec<S> result;
  RT_EACH_REGISTER(
      result.registers[r] = condition.registers[r] ? a.registers[r] : b.registers[r]);
  return result;
}

RT_FN VecMask where(const VecMask& condition, const VecMask& a, const VecMask& b) {
  return (condition & a) | ((!condition) & b);
}

// Whether a condition holds in any lane.
RT_FN bool any(const VecMask& condition) {
  IntRegister found = condition.registers[0];
  for (int r = 1; r < kRegisters; ++r) found |= condition.registers[r];
  uint64_t words[kRegisterBytes / 8];
  memcpy(words, &found, sizeof(words));
  for (const uint64_t word : words) words[0] |= word;
  return words[0] != 0;
}

// Bits and numbers

RT_FN Vec<int32_t> to_bits(const Vec<float>& x) {
  Vec<int32_t> result;
  RT_EACH_REGISTER(result.registers[r] = reinterpret_cast<IntRegister>(x.registers[r]));
  return result;
}

RT_FN Vec<float> from_bits(const Vec<int32_t>& x) {
  Vec<float> result;
  RT_EACH_REGISTER(result.registers[r] = reinterpret_cast<FloatRegister>(x.registers[r]));
  return result;
}

RT_FN Vec<float> to_float(const Vec<int32_t>& x) {
  Vec<float> result;
  RT_EACH_REGISTER(result.registers[r] = __builtin_convertvector(x.registers[r], FloatRegister));
  return result;
}

RT_FN Vec<float> abs(const Vec<float>& x) { return from_bits(to_bits(x) & Vec<int32_t>(0x7fffffff)); }

RT_FN Vec<float> copysign(const Vec<float>& magnitude, const Vec<float>& sign) {
  const Vec<int32_t> bits(0x7fffffff);
  return from_bits((to_bits(magnitude) & bits) | (to_bits(sign) & ~bits));
}

// Memory. Storage is float, half or bfloat16. A store that `bypasses` goes past the caches, where the
// machine can, to memory that is aligned to a vector.

RT_FN Vec<float> load(const float* from) {
  Vec<float> result;
  RT_EACH_REGISTER(memcpy(&result.registers[r], from + r * kRegisterLanes, kRegisterBytes));
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

// Two vectors: in memory one after the other, or the elements of even and those of odd index.
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

// A function of floats, lane by lane.

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

// bfloat16 is the upper half of a float.

using Words [[gnu::vector_size(kRegisterBytes)]] = uint32_t;
using Shorts [[gnu::vector_size(kRegisterBytes / 2)]] = uint16_t;

#if defined(RT_AVX512)
// With a mask of all lanes, because GCC 12 warns of what the plain forms have in its own headers.
#define RT_MM(name, ...) _mm512_maskz_##name(0xffff, __VA_ARGS__)
#elif defined(RT_AVX2)
#define RT_MM(name, ...) _mm256_##name(__VA_ARGS__)
#endif

#if defined(RT_AVX512)
RT_FN Words lengthened(Shorts x) {
  return reinterpret_cast<Words>(RT_MM(cvtepu16_epi32, reinterpret_cast<__m256i>(x)));
}
#elif defined(RT_AVX2)
RT_FN Words lengthened(Shorts x) {
  return reinterpret_cast<Words>(RT_MM(cvtepu16_epi32, reinterpret_cast<__m128i>(x)));
}
#else
RT_FN Words lengthened(Shorts x) { return __builtin_convertvector(x, Words); }
#endif

// Of each word of one register, then of each of the other.
RT_FN Words upper_halves(Words a, Words b) {
#if defined(RT_AVX512)
  using Whole [[gnu::vector_size(kRegisterBytes)]] = uint16_t;
  constexpr Whole kOdd = {1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31,
                          33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63};
  return reinterpret_cast<Words>(_mm512_permutex2var_epi16(
      reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(kOdd), reinterpret_cast<__m512i>(b)));
#elif defined(RT_AVX2)
  const __m256i mixed =  // the first half of a, of b, the second of a, of b
      _mm256_packus_epi32(reinterpret_cast<__m256i>(a >> 16), reinterpret_cast<__m256i>(b >> 16));
  return reinterpret_cast<Words>(_mm256_permute4x64_epi64(mixed, 0xd8));
#else
  const Shorts halves[] = {__builtin_convertvector(a >> 16, Shorts),
                           __builtin_convertvector(b >> 16, Shorts)};
  Words result;
  memcpy(&result, halves, sizeof(result));
  return result;
#endif
}

RT_FN Vec<float> load(const bfloat16* from) {
  Vec<float> result;
  RT_EACH_REGISTER(
      Shorts bits;
      memcpy(&bits, from + r * kRegisterLanes, sizeof(bits));
      result.registers[r] = reinterpret_cast<FloatRegister>(lengthened(bits) << 16));
  return result;
}

// As float_to_bfloat16_bits, in the upper half of each word. The instruction of AVX512_BF16 would make
// 0 of subnormals.
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

// The functions of x for which the machine has an instruction, lane by lane where it has none.

#if defined(RT_AVX512) || defined(RT_AVX2)

#if defined(RT_AVX512)
#define RT_ROUND(x, mode) RT_MM(roundscale_ps, x, mode)
using HalfRegister = __m256i;
#else
#define RT_ROUND(x, mode) RT_MM(round_ps, x, mode)
using HalfRegister = __m128i;
#endif

RT_FN Vec<float> fma(const Vec<float>& x, const Vec<float>& y, const Vec<float>& z) {
  Vec<float> result;
  RT_EACH_REGISTER(
      result.registers[r] = RT_MM(fmadd_ps, x.registers[r], y.registers[r], z.registers[r]));
  return result;
}

// Of two operands of which one is NaN, both instructions give the second.
RT_FN Vec<float> clamped(Vec<float> x, float low, float high) {
  const Vec<float> lowest(low);
  const Vec<float> highest(high);
  RT_EACH_REGISTER(
      const FloatRegister bounded = RT_MM(min_ps, highest.registers[r], x.registers[r]);
      x.registers[r] = RT_MM(max_ps, lowest.registers[r], bounded));
  return x;
}

#if defined(RT_AVX512)
// As the function of floats, by an instruction that rounds once.
RT_FN Vec<float> scaled(Vec<float> value, const Vec<int32_t>& shifted) {
  const Vec<float> exponent = from_bits(shifted) - Vec<float>(kShifter);
  RT_EACH_REGISTER(
      value.registers[r] = RT_MM(scalef_ps, value.registers[r], exponent.registers[r]));
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

// To the nearest, of a number that fits.
RT_FN Vec<int32_t> to_int(const Vec<float>& x) {
  Vec<int32_t> result;
  RT_EACH_REGISTER(
      result.registers[r] = reinterpret_cast<IntRegister>(RT_MM(cvtps_epi32, x.registers[r])));
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

#else

// Any machine's: loops of a fixed length that the compiler vectorises where it can.

#if defined(__FP_FAST_FMAF)
RT_FN FloatRegister fma_of_register(FloatRegister x, FloatRegister y, FloatRegister z) {
  for (int i = 0; i < kRegisterLanes; ++i) z[i] = __builtin_fmaf(x[i], y[i], z[i]);
  return z;
}
#else
// Without an instruction: in double, where the product is exact, rounded to odd. A second rounding of
// such a number is as if it were the only one. Not inline, as it is long and each function has many.
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
  const Longs towards = ((error < 0.0) ^ (sum < 0.0)) | 1;  // away from zero 1, else -1
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

// Adding 2^23 leaves no place for a fraction: the adder rounds it away.
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

// Not inline: no instruction converts a half, and each operand of a pass may be one.
[[gnu::noinline]] inline void widen_halves(float (&to)[kLanes], const half* from) {
  for (int i = 0; i < kLanes; ++i) to[i] = widen<float>(from[i]);
}

[[gnu::noinline]] inline void narrow_to_halves(half* to, const float (&from)[kLanes]) {
  for (int i = 0; i < kLanes; ++i) to[i] = narrow<half>(from[i]);
}

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

#endif

// The rest of math.h

RT_FN Vec<float> ceil(const Vec<float>& x) { return -floor(-x); }
RT_FN Vec<float> trunc(const Vec<float>& x) { return copysign(floor(abs(x)), x); }
RT_FN Vec<float> rsqrt(const Vec<float>& x) { return Vec<float>(1) / sqrt(x); }
RT_FN Vec<float> normal_cdf(const Vec<float>& x) {
  return half_erfc_of_scaled(x, Vec<float>(0.70710677f), Vec<float>(1.2101617e-08f));
}
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

// What is rare, lane by lane

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
