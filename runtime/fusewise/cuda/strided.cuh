// Strided access: a vector is a few elements of any dtype at any stride. It is compiled once for each compute
// type. Free of torch.
#pragma once

#include <cstdint>

#include <fusewise/cuda/arguments.cuh>
#include <fusewise/math/low_precision.h>

namespace fusewise::cuda {

// Up to 16 bytes of elements as they are stored, and the values of the elements.
struct Words {
  uint32_t at[4];
};
template <class T, int N>
struct Values {
  T at[N];
};

// The bits of element i of the words. An element has `size` bytes.
__device__ __forceinline__ uint64_t get_bits(const Words& words, int i, int size) {
  switch (size) {
    case 1: return words.at[i / 4] >> i % 4 * 8 & 0xff;
    case 2: return words.at[i / 2] >> i % 2 * 16 & 0xffff;
    case 4: return words.at[i % 4];
    default: return words.at[2 * i % 4] | uint64_t{words.at[(2 * i + 1) % 4]} << 32;
  }
}

__device__ __forceinline__ void put_bits(Words& words, int i, int size, uint64_t bits) {
  const uint32_t low = static_cast<uint32_t>(bits);
  switch (size) {
    case 1: words.at[i / 4] |= low << i % 4 * 8; break;
    case 2: words.at[i / 2] |= low << i % 2 * 16; break;
    case 4: words.at[i % 4] = low; break;
    default:
      words.at[2 * i % 4] = low;
      words.at[(2 * i + 1) % 4] = static_cast<uint32_t>(bits >> 32);
  }
}

// Loads and stores of elements that are not contiguous are rare, so these functions are not inlined: all
// operands of a kernel share one copy. Loads are pure, so that the compiler omits those of values that no formula
// reads. An element has up to kMostBytes bytes.
template <int N, int kMostBytes>
__device__ __noinline__ __nv_pure__ Words gather(const char* from, int64_t stride, int size) {
  Words words{};
#pragma unroll
  for (int i = 0; i < N; ++i, from += stride) {
    if (size == 1) put_bits(words, i, 1, *reinterpret_cast<const uint8_t*>(from));
    else if (kMostBytes == 2 || size == 2) {
      put_bits(words, i, 2, *reinterpret_cast<const uint16_t*>(from));
    } else if (kMostBytes == 4 || size == 4) {
      put_bits(words, i, 4, *reinterpret_cast<const uint32_t*>(from));
    } else {
      put_bits(words, i, 8, *reinterpret_cast<const uint64_t*>(from));
    }
  }
  return words;
}

template <int N, int kMostBytes>
__device__ __noinline__ void scatter(Words words, char* to, int64_t stride, int size) {
#pragma unroll
  for (int i = 0; i < N; ++i, to += stride) {
    if (size == 1) {
      *reinterpret_cast<uint8_t*>(to) = static_cast<uint8_t>(get_bits(words, i, 1));
    } else if (kMostBytes == 2 || size == 2) {
      *reinterpret_cast<uint16_t*>(to) = static_cast<uint16_t>(get_bits(words, i, 2));
    } else if (kMostBytes == 4 || size == 4) {
      *reinterpret_cast<uint32_t*>(to) = static_cast<uint32_t>(get_bits(words, i, 4));
    } else {
      *reinterpret_cast<uint64_t*>(to) = get_bits(words, i, 8);
    }
  }
}

// Conversions of any dtype are much code, so each stands once, in a loop that shifts the elements past it. The
// first `count` elements of the words are the last `count` values.

template <class T, int N>
__device__ __noinline__ Values<T, N> decode(Words words, Dtype dtype, int size, int count) {
  Values<T, N> values{};
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    const uint64_t bits = words.at[0] | uint64_t{words.at[1]} << 32;
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      words.at[w] = __funnelshift_rc(words.at[w], w < 3 ? words.at[w + 1] : 0, 8 * size);
    }
#pragma unroll
    for (int k = 0; k + 1 < N; ++k) values.at[k] = values.at[k + 1];
    values.at[N - 1] = load_as<T>(&bits, dtype);
  }
  return values;
}

template <class T, int N, bool kWithFloat8>
__device__ __noinline__ Words encode(Values<T, N> values, Dtype dtype, int size, int count) {
  using Stored = std::conditional_t<std::is_same_v<T, rt::LowPrecision>, float, T>;
  Words words{};
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    uint64_t bits = 0;
    store_as<Stored, kWithFloat8>(&bits, dtype, static_cast<Stored>(values.at[N - 1]));
#pragma unroll
    for (int k = N - 1; k > 0; --k) values.at[k] = values.at[k - 1];
#pragma unroll
    for (int w = 3; w >= 0; --w) {
      words.at[w] = __funnelshift_lc(w > 0 ? words.at[w - 1] : 0, words.at[w], 8 * size);
    }
    words.at[0] |= static_cast<uint32_t>(bits);
    words.at[1] |= static_cast<uint32_t>(bits >> 32);
  }
  return words;
}

// Elements of 8 bytes that are computed in float: N of them are more bytes than Words has.
template <class T, int N>
__device__ __noinline__ __nv_pure__ Values<T, N> gather_long(const char* from, int64_t stride, Dtype dtype) {
  Values<T, N> values;
#pragma unroll
  for (int i = 0; i < N; ++i, from += stride) {
    if (dtype == Dtype::kInt64) values.at[i] = T(*reinterpret_cast<const int64_t*>(from));
    else values.at[i] = T(*reinterpret_cast<const double*>(from));
  }
  return values;
}

template <class T, int N>
__device__ __noinline__ void scatter_long(Values<T, N> values, char* to, int64_t stride,
                                          Dtype dtype) {
#pragma unroll
  for (int i = 0; i < N; ++i, to += stride) {
    if (dtype == Dtype::kInt64) *reinterpret_cast<int64_t*>(to) = narrow<int64_t>(values.at[i]);
    else *reinterpret_cast<double*>(to) = static_cast<double>(values.at[i]);
  }
}

// A vector of N elements. It is loaded with as few accesses to memory as the layout allows.
template <class T, int N, bool kWithFloat8 = false>
struct Strided {
  using Value = T;
  using Sum = std::conditional_t<std::is_same_v<T, rt::LowPrecision>, float, T>;
  using Stored = Sum;  // the type of a sum that the kernel stores as the result
  static constexpr bool kIsVectorized = false;
  static constexpr int kSize = N;

  Words words;
  Values<T, N> values;

  __device__ __forceinline__ T get(Dtype, int i) const { return values.at[i]; }
  __device__ __forceinline__ void set(Dtype, const T* results) {
#pragma unroll
    for (int i = 0; i < N; ++i) values.at[i] = results[i];
  }

  // Loads the bits of a vector. `unpack` converts them to values once other loads are in flight.
  __device__ __forceinline__ void load(Dtype type, const KernelOperand<T>& operand, const char* from) {
    if (operand.is_absent()) return;
    if (N == 1 || operand.is_broadcast) {
      load_words<1>(from, operand.size);
    } else if (is_long(operand)) {
      if constexpr (kHoldsLong) values = gather_long<T, N>(from, stride(operand), type);
    } else if (operand.is_contiguous) {
      load_words<N>(from, operand.size);
    } else {
      words = gather<N, kMostBytes>(from, stride(operand), operand.size);
    }
  }

  __device__ __forceinline__ void unpack(Dtype type, const KernelOperand<T>& operand) {
    const auto convert = [&](const auto& one) {
#pragma unroll
      for (int i = 0; i < N; ++i) values.at[i] = T(one(i));
    };
    if (operand.is_absent()) return convert([&](int) { return operand.fill; });
    const bool is_repeated = N > 1 && operand.is_broadcast;
    if (is_long(operand) && !is_repeated) return;
    if (is_repeated && operand.size < 8) splat(operand.size);
    const auto sixteen = [&](int i) { return static_cast<uint16_t>(get_bits(words, i, 2)); };
    if constexpr (sizeof(T) == 4) {
      if (type == Dtype::kBFloat16) {
        return convert([&](int i) { return bfloat16_bits_to_float(sixteen(i)); });
      }
      if (type == Dtype::kHalf) {
        return convert([&](int i) { return half_bits_to_float(sixteen(i)); });
      }
    }
    if constexpr (std::is_same_v<T, float>) {
      if (type == Dtype::kFloat) return convert([&](int i) { return bits_to_float(words.at[i % 4]); });
    }
    if constexpr (std::is_same_v<T, rt::LowPrecision>) {
      return convert([&](int i) { return get_bits(words, i, 1) != 0 ? 1.0f : 0.0f; });
    } else if (is_repeated) {  // the words hold fewer than N elements of eight bytes
      const T one = decode<T, N>(words, type, operand.size, 1).at[N - 1];
      return convert([&](int) { return one; });
    } else {
      values = decode<T, N>(words, type, operand.size, N);
    }
  }

  __device__ __forceinline__ void store(Dtype type, const KernelOperand<T>& operand, char* to) {
    if (is_long(operand)) {
      if constexpr (kHoldsLong) scatter_long<T, N>(values, to, stride(operand), type);
      return;
    }
    pack(type, operand.size);
    if (N == 1 || operand.is_contiguous) store_words(to, operand.size);
    else scatter<N, kMostBytes>(words, to, stride(operand), operand.size);
  }

  static __device__ __forceinline__ T load_element(Dtype type, const KernelOperand<T>& operand,
                                                   const char* from, int i) {
    if (operand.is_absent()) return operand.fill;
    const Words one = gather<1, 8>(from + i * stride(operand), 0, operand.size);
    if constexpr (std::is_same_v<T, rt::LowPrecision>) {
      const uint16_t bits = static_cast<uint16_t>(one.at[0]);
      if (type == Dtype::kBFloat16) return T(bfloat16_bits_to_float(bits));
      if (type == Dtype::kHalf) return T(half_bits_to_float(bits));
      return T(bits != 0 ? 1.0f : 0.0f);
    } else {
      return decode<T, N>(one, type, operand.size, 1).at[N - 1];
    }
  }

  static __device__ __forceinline__ void store_element(Dtype type, const KernelOperand<T>& operand, char* to,
                                                       int i, T value) {
    Values<T, N> last{};
    last.at[N - 1] = value;
    const Words one = encode<T, N, kWithFloat8>(last, type, operand.size, 1);
    scatter<1, 8>(one, to + i * stride(operand), 0, operand.size);
  }

 private:
  static __device__ __forceinline__ int64_t stride(const KernelOperand<T>& operand) { return operand.step / N; }

  // True if N elements of the largest dtype are more bytes than Words has.
  static constexpr bool kHoldsLong = std::is_same_v<T, float> && N > 1;

  static __device__ __forceinline__ bool is_long(const KernelOperand<T>& operand) {
    return kHoldsLong && operand.size == 8;
  }

  // The most bytes of an element that is computed as T and that Words holds.
  static constexpr int kMostBytes = std::is_same_v<T, rt::LowPrecision> ? 2 : kHoldsLong ? 4 : 8;

  template <int kCount>
  __device__ __forceinline__ void load_words(const char* from, int size) {
    if (size == 1) load_bytes<kCount>(from);
    else if (kMostBytes == 2 || size == 2) load_bytes<2 * kCount>(from);
    else if ((kMostBytes == 4 && kCount > 1) || size == 4) load_bytes<4 * kCount>(from);
    else load_bytes<8 * kCount>(from);
  }

  template <int kBytes>
  __device__ __forceinline__ void load_bytes(const char* from) {
    if constexpr (kBytes == 1) words.at[0] = *reinterpret_cast<const uint8_t*>(from);
    else if constexpr (kBytes == 2) words.at[0] = *reinterpret_cast<const uint16_t*>(from);
    else if constexpr (kBytes == 4) words.at[0] = *reinterpret_cast<const uint32_t*>(from);
    else if constexpr (kBytes == 8) {
      const uint2 all = *reinterpret_cast<const uint2*>(from);
      words.at[0] = all.x;
      words.at[1] = all.y;
    } else if constexpr (kBytes == 16) {
      const uint4 all = *reinterpret_cast<const uint4*>(from);
      words = {{all.x, all.y, all.z, all.w}};
    }
  }

  __device__ __forceinline__ void store_words(char* to, int size) const {
    if (size == 1) store_bytes<N>(to);
    else if (kMostBytes == 2 || size == 2) store_bytes<2 * N>(to);
    else if (kMostBytes == 4 || size == 4) store_bytes<4 * N>(to);
    else store_bytes<8 * N>(to);
  }

  template <int kBytes>
  __device__ __forceinline__ void store_bytes(char* to) const {
    const uint32_t (&all)[4] = words.at;
    if constexpr (kBytes == 1) *reinterpret_cast<uint8_t*>(to) = static_cast<uint8_t>(all[0]);
    else if constexpr (kBytes == 2) *reinterpret_cast<uint16_t*>(to) = static_cast<uint16_t>(all[0]);
    else if constexpr (kBytes == 4) *reinterpret_cast<uint32_t*>(to) = all[0];
    else if constexpr (kBytes == 8) *reinterpret_cast<uint2*>(to) = make_uint2(all[0], all[1]);
    else if constexpr (kBytes == 16) {
      *reinterpret_cast<uint4*>(to) = make_uint4(all[0], all[1], all[2], all[3]);
    }
  }

  // Repeats the first element, which has up to 4 bytes.
  __device__ __forceinline__ void splat(int size) {
    if (size < 4) words.at[0] = __byte_perm(words.at[0], 0, size == 1 ? 0x0000 : 0x1010);
#pragma unroll
    for (int w = 1; w < 4; ++w) words.at[w] = words.at[0];
  }

  __device__ __forceinline__ void pack(Dtype type, int bytes) {
    words = {};
    const auto convert = [&](int size, const auto& one) {
#pragma unroll
      for (int i = 0; i < N; ++i) put_bits(words, i, size, one(values.at[i]));
    };
    if constexpr (sizeof(T) == 4) {
      if (type == Dtype::kBFloat16) {
        return convert(2, [](T x) { return narrow<bfloat16>(x).bits; });
      }
      if (type == Dtype::kHalf) return convert(2, [](T x) { return narrow<half>(x).bits; });
    }
    if constexpr (std::is_same_v<T, float>) {
      if (type == Dtype::kFloat) return convert(4, [](T x) { return float_to_bits(x); });
    }
    words = encode<T, N, kWithFloat8>(values, type, bytes, N);
  }
};

}  // namespace fusewise::cuda
