// Storage types, which kernels read and write, and conversions between them and the compute type of a pass.
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

// A list of storage types, for which a kernel is compiled.
template <class... Storage>
struct Dtypes {};

using Floats = Dtypes<float, double, half, bfloat16>;
using Numbers = Dtypes<float, double, half, bfloat16, int64_t>;  // for an op that also takes integers
using Integers = Dtypes<int64_t>;
// For a pass that also reads totals of rows: beside these, all tensors never have one dtype of 16 bits.
using WideFloats = Dtypes<float, double>;
using WideNumbers = Dtypes<float, double, int64_t>;
using FloatsAndFloat8 =  // for an op that writes float8
    Dtypes<float, double, half, bfloat16, float8_e4m3fn, float8_e5m2>;

template <class S>
inline constexpr bool kIsSixteenBit = std::is_same_v<S, half> || std::is_same_v<S, bfloat16>;

template <class S>
inline constexpr bool kIsFloat8 = std::is_same_v<S, float8_e4m3fn> || std::is_same_v<S, float8_e5m2>;

// The compute type of a storage type: float for float and narrower floats, double for double, int64_t for
// integers and bool.
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

// Calls `visitor` with a null pointer to the storage type.
template <class Visitor>
RT_FN void visit(Dtype dtype, const Visitor& visitor) {
  switch (dtype) {
    case Dtype::kBool: return visitor(static_cast<bool*>(nullptr));
    case Dtype::kUInt8: return visitor(static_cast<uint8_t*>(nullptr));
    case Dtype::kInt8: return visitor(static_cast<int8_t*>(nullptr));
    case Dtype::kInt16: return visitor(static_cast<int16_t*>(nullptr));
    case Dtype::kInt32: return visitor(static_cast<int32_t*>(nullptr));
    case Dtype::kInt64: return visitor(static_cast<int64_t*>(nullptr));
    case Dtype::kHalf: return visitor(static_cast<half*>(nullptr));
    case Dtype::kBFloat16: return visitor(static_cast<bfloat16*>(nullptr));
    case Dtype::kFloat: return visitor(static_cast<float*>(nullptr));
    case Dtype::kDouble: return visitor(static_cast<double*>(nullptr));
    case Dtype::kFloat8E4M3FN: return visitor(static_cast<float8_e4m3fn*>(nullptr));
    case Dtype::kFloat8E5M2: return visitor(static_cast<float8_e5m2*>(nullptr));
  }
}

RT_FN int size_of(Dtype dtype) {
  int size = 0;
  visit(dtype, [&]<class S>(S*) { size = sizeof(S); });
  return size;
}

// Converts a value from storage type to compute type.
template <class T, class S>
RT_FN T widen(S value) {
  if constexpr (kIsSixteenBit<S>) return static_cast<T>(static_cast<float>(value));
  else return static_cast<T>(value);
}

// Converts a float or double to int32_t or int64_t, towards zero. C++ does not define the conversion of a
// value out of range: here it gives the end of the range, and NaN gives 0 or the lowest number.
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

// Converts a value from compute type to storage type as PyTorch does; a bool is `value != 0`. A double goes
// through float to a narrower type. A float goes through int32_t or int64_t to an integer, so that values
// beyond the range of a short integer wrap around.
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

// Returns the value, rounded. Without this call a compiler may contract a product and the sum that uses it to
// an fma in one kernel and not in another.
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

// The function round_to(value, x) of the language, where x has the storage type `type`.
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

// A bool is read as a byte; any byte but 0 is true. float8 is only written.
template <class T>
RT_FN T load_as(const void* data, Dtype dtype) {
  T value = T(0);
  visit(dtype, [&]<class S>(S*) {
    if constexpr (std::is_same_v<S, bool>) value = *static_cast<const uint8_t*>(data) != 0 ? T(1) : T(0);
    else if constexpr (!kIsFloat8<S>) value = widen<T>(*static_cast<const S*>(data));
  });
  return value;
}

// A kernel that never writes float8 does not contain the code for it.
template <class T, bool kWithFloat8 = false>
RT_FN void store_as(void* data, Dtype dtype, T value) {
  visit(dtype, [&]<class S>(S*) {
    if constexpr (kWithFloat8 || !kIsFloat8<S>) *static_cast<S*>(data) = narrow<S>(value);
  });
}

}  // namespace fusewise
