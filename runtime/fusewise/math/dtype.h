// The element types that kernels read and write, and the conversions to the type that a pass computes in.
// Free of torch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include <fusewise/math/math.h>
#include <fusewise/math/narrow_floats.h>

namespace fusewise {

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
using Numbers = Dtypes<float, double, half, bfloat16, int64_t>;  // for an op that also takes integers
using Integers = Dtypes<int64_t>;
using FloatsAndFloat8 =  // for an op that writes float8
    Dtypes<float, double, half, bfloat16, float8_e4m3fn, float8_e5m2>;

template <class S>
inline constexpr bool kIsSixteenBit = std::is_same_v<S, half> || std::is_same_v<S, bfloat16>;

template <class S>
inline constexpr bool kIsFloat8 = std::is_same_v<S, float8_e4m3fn> || std::is_same_v<S, float8_e5m2>;

// The type that a storage type is computed in: float for float and narrower floats, double for double,
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

// From storage type to compute type.
template <class T, class S>
RT_FN T widen(S value) {
  if constexpr (kIsSixteenBit<S>) return static_cast<T>(static_cast<float>(value));
  else return static_cast<T>(value);
}

// A float or double as int32_t or int64_t, rounded towards zero. A value out of range, whose conversion is
// undefined in C++, gives the end of the range; NaN gives 0 or the lowest number.
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

// From compute type to storage type: `value != 0` for bool, else as PyTorch converts. A double goes through
// float to a narrower type. A float goes through int32_t or int64_t to an integer, so that values beyond the
// range of a short integer wrap around.
template <class S, class T>
RT_FN S narrow(T value) {
  using Whole = std::conditional_t<sizeof(S) == 8, int64_t, int32_t>;
  if constexpr (kIsSixteenBit<S> || kIsFloat8<S>) return S(static_cast<float>(value));
  else if constexpr (std::is_same_v<S, bool>) return value != T(0);
  else if constexpr (std::is_integral_v<S> && std::is_floating_point_v<T>) {
    return static_cast<S>(truncate<Whole>(value));
  } else return static_cast<S>(value);
}

namespace rt {

// The value, rounded before it is used. Otherwise a compiler may contract a product and a sum to an fma in
// one kernel and not in another.
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

// round_to(value, x) of a formula, where x has this type.
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

// A kernel that never writes float8 does not contain the code for it.
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
