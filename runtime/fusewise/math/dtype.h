// The element types that kernels read and write, and the conversions between them. Free of torch.
//
// half and bfloat16 are storage types only: kernels widen on load, compute in float, and round once
// on store, to nearest even. NaN stays NaN and subnormals are exact, on the host and on the device.
// The float8 types are written only, and have the bits of PyTorch's conversion from float.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include <fusewise/math/math.h>

namespace fusewise {

RT_FN uint32_t float_to_bits(float value) { return static_cast<uint32_t>(rt::to_bits(value)); }
RT_FN float bits_to_float(uint32_t bits) { return rt::from_bits(static_cast<int32_t>(bits)); }

// The host forms are free of branches, so that compilers vectorise loops over them. They have the bits
// of the processors' instructions, of a NaN too: it keeps the bits that fit, and is quiet.

// The bits of a float without its sign, in a format of fewer: rounded to nearest even. A number above
// the format's range must not come here.
template <uint32_t kMantissa, uint32_t kBias>
RT_FN uint32_t round_magnitude(uint32_t magnitude) {
  constexpr uint32_t kDropped = 23 - kMantissa;
  constexpr uint32_t kBelowHalf = (1u << (kDropped - 1)) - 1;
  const uint32_t odd = (magnitude >> kDropped) & 1u;
  const uint32_t normal = (magnitude - ((127 - kBias) << 23) + kBelowHalf + odd) >> kDropped;
  // Adding a number whose last place is the unit of the subnormals lets the adder round there.
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
  // Subnormals count units of 2^-24, the last place of 0.5; others need a new exponent bias only.
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
  uint32_t pair;  // is rounded four times as fast as one number
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
  uint32_t pair;  // is rounded four times as fast as one number
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(0.0f), "f"(value));
  return static_cast<uint16_t>(pair);
#else
  const uint32_t bits = float_to_bits(value);
  const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const uint32_t quiet = (bits >> 16) | 0x0040u;
  return static_cast<uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? quiet : rounded);
#endif
}

// There is no infinity: what is too large gives the largest number, 448. So does PyTorch 2.13, where
// 2.11 makes NaN of it.
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

enum class Dtype : int8_t {
  kBool,
  kUInt8,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kHalf,
  kBFloat16,
  kFloat,
  kDouble,
  kFloat8E4M3FN,
  kFloat8E5M2,
};

// The storage types that a kernel is compiled for.
template <class... Storage>
struct Dtypes {};

using Floats = Dtypes<float, double, half, bfloat16>;
using Numbers = Dtypes<float, double, half, bfloat16, int64_t>;  // of an op that takes integers too
using Integers = Dtypes<int64_t>;
using FloatsAndFloat8 =  // of an op that writes float8
    Dtypes<float, double, half, bfloat16, float8_e4m3fn, float8_e5m2>;

template <class S>
inline constexpr bool kIsSixteenBit = std::is_same_v<S, half> || std::is_same_v<S, bfloat16>;

template <class S>
inline constexpr bool kIsFloat8 = std::is_same_v<S, float8_e4m3fn> || std::is_same_v<S, float8_e5m2>;

// What a storage type is computed in: float for the narrower types and float, double for double,
// int64_t for integers and bool.
template <class S>
using Compute = std::conditional_t<
    std::is_integral_v<S>, int64_t,
    std::conditional_t<std::is_same_v<S, double>, double, float>>;

template <class S>
RT_FN constexpr Dtype dtype_of() {
  if constexpr (std::is_same_v<S, bool>) return Dtype::kBool;
  else if constexpr (std::is_same_v<S, uint8_t>) return Dtype::kUInt8;
  else if constexpr (std::is_same_v<S, int8_t>) return Dtype::kInt8;
  else if constexpr (std::is_same_v<S, int16_t>) return Dtype::kInt16;
  else if constexpr (std::is_same_v<S, int32_t>) return Dtype::kInt32;
  else if constexpr (std::is_same_v<S, int64_t>) return Dtype::kInt64;
  else if constexpr (std::is_same_v<S, half>) return Dtype::kHalf;
  else if constexpr (std::is_same_v<S, bfloat16>) return Dtype::kBFloat16;
  else if constexpr (std::is_same_v<S, float>) return Dtype::kFloat;
  else if constexpr (std::is_same_v<S, float8_e4m3fn>) return Dtype::kFloat8E4M3FN;
  else if constexpr (std::is_same_v<S, float8_e5m2>) return Dtype::kFloat8E5M2;
  else {
    static_assert(std::is_same_v<S, double>, "not a storage type");
    return Dtype::kDouble;
  }
}

RT_FN int size_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kBool:
    case Dtype::kUInt8:
    case Dtype::kInt8:
    case Dtype::kFloat8E4M3FN:
    case Dtype::kFloat8E5M2: return 1;
    case Dtype::kInt16:
    case Dtype::kHalf:
    case Dtype::kBFloat16: return 2;
    case Dtype::kInt32:
    case Dtype::kFloat: return 4;
    case Dtype::kInt64:
    case Dtype::kDouble: return 8;
  }
  return 0;
}

// Storage to compute type.
template <class T, class S>
RT_FN T widen(S value) {
  if constexpr (kIsSixteenBit<S>) return static_cast<T>(static_cast<float>(value));
  else return static_cast<T>(value);
}

// A float or double as int32_t or int64_t, towards zero. One that does not fit, of which C++ makes
// anything, gives the end of the range; NaN gives 0 or the lowest number.
template <class Whole, class T>
RT_FN Whole truncate(T value) {
#if defined(__CUDA_ARCH__)
  constexpr bool kLong = std::is_same_v<Whole, int64_t>;
  if constexpr (std::is_same_v<T, float>) {
    if constexpr (kLong) return __float2ll_rz(value);
    else return __float2int_rz(value);
  } else {
    if constexpr (kLong) return __double2ll_rz(value);
    else return __double2int_rz(value);
  }
#else
  using Limits = std::numeric_limits<Whole>;
  constexpr T kEnd = -static_cast<T>(Limits::min());
  if (value > -kEnd && value < kEnd) return static_cast<Whole>(value);
  return value > 0 ? Limits::max() : Limits::min();
#endif
}

// Compute to storage type: `value != 0` for bool, and otherwise like PyTorch's conversions. The way
// from double to a type of fewer than 32 bits leads through float; the way to an integer leads through
// int32_t or int64_t, so that a number beyond a short one's range wraps around as integers do.
template <class S, class T>
RT_FN S narrow(T value) {
  using Whole = std::conditional_t<sizeof(S) == 8, int64_t, int32_t>;
  if constexpr (kIsSixteenBit<S> || kIsFloat8<S>) return S(static_cast<float>(value));
  else if constexpr (std::is_same_v<S, bool>) return value != T(0);
  else if constexpr (std::is_integral_v<S> && std::is_floating_point_v<T>) {
    return static_cast<S>(truncate<Whole>(value));
  } else return static_cast<S>(value);
}

// To what a pass has written as round_to(value, x), x of this type.
namespace rt {

// The value itself, rounded before it is used: a compiler may otherwise make one fma of a product and
// the sum that it goes into, in one kernel and not in another.
RT_FN float settled(float value) {
#if defined(__CUDA_ARCH__)
  return __fadd_rn(value, -0.0f);
#else
  return value;
#endif
}
RT_FN double settled(double value) {
#if defined(__CUDA_ARCH__)
  return __dadd_rn(value, -0.0);
#else
  return value;
#endif
}
RT_FN int64_t settled(int64_t value) { return value; }

template <class T>
RT_FN T round_to(T value, Dtype type) {
  const T rounded = settled(value);
  switch (type) {
    case Dtype::kHalf: return widen<T>(narrow<half>(rounded));
    case Dtype::kBFloat16: return widen<T>(narrow<bfloat16>(rounded));
    case Dtype::kFloat: return widen<T>(narrow<float>(rounded));
    default: return rounded;
  }
}

}  // namespace rt

// How many values a pass prepares. They, and the divisors of div_shared, depend on nothing but params and
// the reads of which kPreparedFrom has the bits; where those are one number a row, it is done once for
// many elements.
template <class Op>
inline constexpr int kPrepared = 0;
template <class Op>
  requires(Op::kPrepared != 0)
inline constexpr int kPrepared<Op> = Op::kPrepared;

template <class Op>
inline constexpr uint32_t kPreparedFrom = 0;
template <class Op>
  requires(Op::kPreparedFrom != 0)
inline constexpr uint32_t kPreparedFrom<Op> = Op::kPreparedFrom;

// The reads that are one number a row where the op is timed, a bit each.
template <class Op>
inline constexpr uint32_t kNumbers = 0;
template <class Op>
  requires(Op::kNumbers != 0)
inline constexpr uint32_t kNumbers<Op> = Op::kNumbers;

// The reads that are smaller than the loop where the op is timed, a bit each.
template <class Op>
inline constexpr uint32_t kRepeated = 0;
template <class Op>
  requires(Op::kRepeated != 0)
inline constexpr uint32_t kRepeated<Op> = Op::kRepeated;

// Where the sums of a pass are timed, the operands that are as large as the loop, reads before writes, and
// those that are sums.
template <class Op>
inline constexpr uint32_t kFull = 0;
template <class Op>
  requires(Op::kFull != 0)
inline constexpr uint32_t kFull<Op> = Op::kFull;

template <class Op>
inline constexpr uint32_t kSummed = 0;
template <class Op>
  requires(Op::kSummed != 0)
inline constexpr uint32_t kSummed<Op> = Op::kSummed;

template <class Op, class T>
RT_FN void prepare([[maybe_unused]] const T* reads, [[maybe_unused]] const T* params,
                   [[maybe_unused]] T* prepared) {
  if constexpr (kPrepared<Op> != 0) {
    using rt::settled;
    Op::prepare(reads, params, prepared);
    for (int k = 0; k < kPrepared<Op>; ++k) prepared[k] = settled(prepared[k]);
  }
}

// A pass that rounds to the types of its reads is told them.
template <class Op>
inline constexpr bool kRounds = requires(const float* numbers, const Dtype* types, float* writes) {
  Op::apply(numbers, numbers, types, writes);
} || requires(const float* numbers, const Dtype* types, float* writes) {
  Op::apply(numbers, numbers, numbers, types, writes);
};

template <class Op, class T>
RT_FN void apply(const T* reads, const T* params, [[maybe_unused]] const T* prepared,
                 [[maybe_unused]] const Dtype* types, T* writes) {
  if constexpr (kPrepared<Op> != 0 && kRounds<Op>) Op::apply(reads, params, prepared, types, writes);
  else if constexpr (kPrepared<Op> != 0) Op::apply(reads, params, prepared, writes);
  else if constexpr (kRounds<Op>) Op::apply(reads, params, types, writes);
  else Op::apply(reads, params, writes);
}

template <class T>
RT_FN T load_as(const void* data, Dtype dtype) {
  switch (dtype) {
    case Dtype::kBool: return *static_cast<const uint8_t*>(data) != 0 ? T(1) : T(0);
    case Dtype::kUInt8: return widen<T>(*static_cast<const uint8_t*>(data));
    case Dtype::kInt8: return widen<T>(*static_cast<const int8_t*>(data));
    case Dtype::kInt16: return widen<T>(*static_cast<const int16_t*>(data));
    case Dtype::kInt32: return widen<T>(*static_cast<const int32_t*>(data));
    case Dtype::kInt64: return widen<T>(*static_cast<const int64_t*>(data));
    case Dtype::kHalf: return widen<T>(*static_cast<const half*>(data));
    case Dtype::kBFloat16: return widen<T>(*static_cast<const bfloat16*>(data));
    case Dtype::kFloat: return widen<T>(*static_cast<const float*>(data));
    case Dtype::kDouble: return widen<T>(*static_cast<const double*>(data));
    case Dtype::kFloat8E4M3FN:
    case Dtype::kFloat8E5M2: break;
  }
  return T(0);
}

// Kernels that never write float8 do without the code for it.
template <class T, bool kWithFloat8 = false>
RT_FN void store_as(void* data, Dtype dtype, T value) {
  switch (dtype) {
    case Dtype::kBool: *static_cast<bool*>(data) = narrow<bool>(value); break;
    case Dtype::kUInt8: *static_cast<uint8_t*>(data) = narrow<uint8_t>(value); break;
    case Dtype::kInt8: *static_cast<int8_t*>(data) = narrow<int8_t>(value); break;
    case Dtype::kInt16: *static_cast<int16_t*>(data) = narrow<int16_t>(value); break;
    case Dtype::kInt32: *static_cast<int32_t*>(data) = narrow<int32_t>(value); break;
    case Dtype::kInt64: *static_cast<int64_t*>(data) = narrow<int64_t>(value); break;
    case Dtype::kHalf: *static_cast<half*>(data) = narrow<half>(value); break;
    case Dtype::kBFloat16: *static_cast<bfloat16*>(data) = narrow<bfloat16>(value); break;
    case Dtype::kFloat: *static_cast<float*>(data) = narrow<float>(value); break;
    case Dtype::kDouble: *static_cast<double*>(data) = narrow<double>(value); break;
    case Dtype::kFloat8E4M3FN:
      if constexpr (kWithFloat8) *static_cast<float8_e4m3fn*>(data) = narrow<float8_e4m3fn>(value);
      break;
    case Dtype::kFloat8E5M2:
      if constexpr (kWithFloat8) *static_cast<float8_e5m2*>(data) = narrow<float8_e5m2>(value);
      break;
  }
}

}  // namespace fusewise
