// A vector of floats: its registers, arithmetic, comparisons and bits. Free of torch.
//
// A vector consists of several registers, so that as many chains of dependent operations run in parallel. The
// compiler's vector extensions provide the arithmetic on any processor.
#pragma once

#include <cstdint>
#include <cstring>

#include <fusewise/cpu/capability.h>
#include <fusewise/math/dtype.h>

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512BW__)
#define RT_AVX512
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define RT_AVX2
#endif
#if defined(RT_AVX512) || defined(RT_AVX2)
#if defined(__clang__) || __GNUC__ > 15
#include <immintrin.h>
#else
// The parts of immintrin.h that are used. All of it takes a fifth of the time to compile an op.
#include <smmintrin.h>
#define _IMMINTRIN_H_INCLUDED
#include <avxintrin.h>
#include <avx2intrin.h>
#include <f16cintrin.h>
#include <fmaintrin.h>
#if defined(RT_AVX512)
#include <avx512fintrin.h>
#endif
#undef _IMMINTRIN_H_INCLUDED
#endif
#endif

// Four registers a vector are fastest with AVX2 and with AVX-512. If each fma is a call, two are as fast and
// compile sooner. Operations are written out for each register, because constant indices halve compile time.
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

// The copy goes register by register, because GCC copies an array in a larger struct as memory, in pieces of
// 16 bytes.
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

// S is float or int32_t.
template <class S>
struct Vec : Registers<S> {
  Vec() = default;
  RT_FN explicit Vec(S value) {
    using Register = typename Registers<S>::Register;
    RT_EACH_REGISTER(this->registers[r] = value - Register{});  // a sum would turn -0 into 0
  }
};

using FloatRegister = Vec<float>::Register;
using IntRegister = Vec<int32_t>::Register;
using Words [[gnu::vector_size(kRegisterBytes)]] = uint32_t;
using Shorts [[gnu::vector_size(kRegisterBytes / 2)]] = uint16_t;

// A condition for each lane: all bits of the lane are 1 if it holds, else 0.
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

// True if the condition holds in any lane.
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

}  // inline namespace FUSEWISE_CAPABILITY
}  // namespace fusewise::rt
