// Vectorized access: a vector is 16 bytes of one storage type. Operands with a fixed type of one byte have
// vectors of as many elements. Every operand is dense or broadcast in the inner dimension, or part of an
// interleaved tensor. Free of torch.
#pragma once

#include <cstdint>

#include <fusewise/cuda/arguments.cuh>
#include <fusewise/cuda/cache_hints.cuh>
#include <fusewise/math/low_precision.h>

namespace fusewise::cuda {

// An element of a word of the storage type S.
template <class S>
__device__ __forceinline__ float element_of(uint32_t word, int i) {
  if constexpr (std::is_same_v<S, float>) return bits_to_float(word);
  else if constexpr (std::is_same_v<S, bfloat16>) return bits_to_float(i % 2 == 0 ? word << 16 : word & 0xffff0000u);
  else return half_bits_to_float(static_cast<uint16_t>(i % 2 == 0 ? word : word >> 16));
}

// A word of the storage type S: one float, or two elements of 16 bits.
template <class S>
__device__ __forceinline__ uint32_t pack_pair(const float* values) {
  if constexpr (std::is_same_v<S, float>) {
    return float_to_bits(values[0]);
  } else {
    uint32_t word;
#if __CUDA_ARCH__ >= 800
    if constexpr (std::is_same_v<S, half>) {
      asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(values[1]), "f"(values[0]));
    } else {
      asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(values[1]), "f"(values[0]));
    }
#else
    word = S(values[0]).bits | static_cast<uint32_t>(S(values[1]).bits) << 16;
#endif
    return word;
  }
}

// The larger elements of two words of S, NaN where one of the elements is.
template <class S>
__device__ __forceinline__ uint32_t max_pairs(uint32_t a, uint32_t b) {
#if __CUDA_ARCH__ >= 800
  uint32_t word;
  if constexpr (std::is_same_v<S, half>) asm("max.NaN.f16x2 %0, %1, %2;" : "=r"(word) : "r"(a), "r"(b));
  else if constexpr (std::is_same_v<S, bfloat16>) asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(word) : "r"(a), "r"(b));
  else word = float_to_bits(rt::maximum(bits_to_float(a), bits_to_float(b)));
  return word;
#else
  float values[2];
  for (int i = 0; i < static_cast<int>(4 / sizeof(S)); ++i) {
    values[i] = rt::maximum(element_of<S>(a, i), element_of<S>(b, i));
  }
  return pack_pair<S>(values);
#endif
}

// Four values as elements of one byte, the first in the lowest byte.
__device__ __forceinline__ uint32_t pack_bytes(Dtype type, const float* values) {
  uint32_t bytes[4];
#if __CUDA_ARCH__ >= 890
  if (type == Dtype::kFloat8E4M3FN) {  // two at once; the instruction drops the sign of NaN, which is added
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
      uint16_t two;
      asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;"
          : "=h"(two)
          : "f"(values[i + 1]), "f"(values[i]));
      bytes[i] = two;
    }
    uint32_t signs[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) signs[i] = float_to_bits(values[i]);
    const uint32_t low = __byte_perm(signs[0], signs[1], 0x0073);
    const uint32_t high = __byte_perm(signs[2], signs[3], 0x0073);
    return __byte_perm(bytes[0], bytes[2], 0x5410) |
           (__byte_perm(low, high, 0x5410) & 0x80808080u);
  }
#endif
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    switch (type) {
      case Dtype::kBool: bytes[i] = values[i] != 0.0f ? 1 : 0; break;
      case Dtype::kFloat8E4M3FN: bytes[i] = narrow<float8_e4m3fn>(values[i]).bits; break;
      case Dtype::kFloat8E5M2: bytes[i] = narrow<float8_e5m2>(values[i]).bits; break;
      default: bytes[i] = static_cast<uint32_t>(truncate<int32_t>(values[i]));
    }
  }
  const uint32_t low = __byte_perm(bytes[0], bytes[1], 0x0040);
  return __byte_perm(low, __byte_perm(bytes[2], bytes[3], 0x0040), 0x5410);
}

// A vector of S: four words, or fewer in short loops. If the type of the operand has one byte, the first kSize
// / 4 words hold as many elements. The arguments `type` are constants once loops over operands are unrolled.
template <class S, int kCount = 4>
struct Vectorized {
  using Value = std::conditional_t<kIsSixteenBit<S>, rt::LowPrecision, float>;
  using Sum = float;
  using Stored = S;
  using Bits = std::conditional_t<sizeof(S) == 4, uint32_t, uint16_t>;
  static constexpr bool kIsVectorized = true;
  static constexpr Dtype kType = dtype_of<S>();
  static constexpr int kGroup = 4 / sizeof(S);  // elements in a word
  static constexpr int kWords = kCount;
  static constexpr int kSize = kWords * kGroup;

  uint32_t words[kWords];

  static __device__ __forceinline__ int num_words(Dtype type) {
    return type == kType ? kWords : kSize / 4;
  }

  __device__ __forceinline__ Value get(Dtype type, int i) const {
    if (type != kType) {
      return Value((words[i / 4] >> i % 4 * 8 & 0xff) != 0 ? 1.0f : 0.0f);
    }
    return Value(element_of<S>(words[i / kGroup], i));
  }

  __device__ __forceinline__ void set(Dtype type, const Value* values) {
    float floats[kSize];
#pragma unroll
    for (int i = 0; i < kSize; ++i) floats[i] = static_cast<float>(values[i]);
#pragma unroll
    for (int w = 0; w < kWords; ++w) {
      if (type == kType) words[w] = pack_pair<S>(floats + w * kGroup);
      else if (w < kSize / 4) words[w] = pack_bytes(type, floats + w * 4);
    }
  }

  __device__ __forceinline__ Bits bits(int i) const {
    return static_cast<Bits>(words[i / kGroup] >> i % kGroup * 16);
  }

  __device__ __forceinline__ void set_bits(const Bits* elements) {
#pragma unroll
    for (int i = 0; i < kSize; ++i) {
      const uint32_t element = uint32_t{elements[i]} << i % kGroup * 16;
      words[i / kGroup] = i % kGroup == 0 ? element : words[i / kGroup] | element;
    }
  }

  // `policy` may be missing.
  template <class... Policy>
  __device__ __forceinline__ void load_contiguous(Dtype type, const char* from, Policy... policy) {
    const int count = num_words(type);
    if (count == 4) {
      const auto all = read_word<uint4>(from, policy...);
      words[0] = all.x;
      words[1] = all.y;
      words[2] = all.z;
      words[3] = all.w;
    } else if (count == 2) {
      const auto all = read_word<uint2>(from, policy...);
      words[0] = all.x;
      words[1] = all.y;
    } else {
      words[0] = read_word<uint32_t>(from, policy...);
    }
  }

  // Loads the aligned words that contain the first `count` elements of a vector at `from`; none, or that of the element
  // before, if `count` is not positive. The other elements are zero, or parts of these words.
  __device__ __forceinline__ void load_words(Dtype type, const char* from, int count, uint32_t& last) {
    const bool may_shift = size_of(type) < 4;
    const int before = may_shift ? static_cast<int>(reinterpret_cast<uintptr_t>(from) % 4) : 0;
    const auto* const at = reinterpret_cast<const uint32_t*>(from - before);
    const int bytes = before + count * size_of(type);
    const int most = num_words(type);
#pragma unroll
    for (int w = 0; w < kWords; ++w) {
      if (w < most) words[w] = 4 * w < bytes ? at[w] : 0;
    }
    if (may_shift) last = 4 * most < bytes ? at[most] : 0;
  }
  // Moves the elements of these words to their places, once other loads are in flight. `from` may be the address of
  // another vector of the row.
  __device__ __forceinline__ void shift(Dtype type, const char* from, uint32_t last) {
    if (size_of(type) == 4) return;
    const auto bits = static_cast<unsigned>(reinterpret_cast<uintptr_t>(from) % 4 * 8);
    const int most = num_words(type);
#pragma unroll
    for (int w = 0; w < kWords; ++w) {
      const uint32_t next = w + 1 < most ? words[(w + 1) % kWords] : last;
      if (w < most) words[w] = __funnelshift_r(words[w], next, bits);
    }
  }

  // Loads two halves of vectors with `gap` bytes between them.
  __device__ __forceinline__ void load_halves(const char* from, uint32_t gap) {
    const uint2 first = *reinterpret_cast<const uint2*>(from);
    const uint2 second = *reinterpret_cast<const uint2*>(from + sizeof(first) + gap);
    words[0] = first.x;
    words[1] = first.y;
    words[2] = second.x;
    words[3] = second.y;
  }

  // Sets or loads the element that all elements of the vector equal. `splat` repeats it once other loads are in flight.
  __device__ __forceinline__ void set_scalar(Dtype type, float value) {
    const float group[4] = {value, value, value, value};
    words[0] = type == kType ? pack_pair<S>(group) : pack_bytes(type, group);
  }
  template <class... Policy>
  __device__ __forceinline__ void load_scalar(Dtype type, const char* from, Policy... policy) {
    if (type == kType) words[0] = read_word<Bits>(from, policy...);
    else words[0] = *reinterpret_cast<const uint8_t*>(from);
  }

  template <class... Policy>
  __device__ __forceinline__ void load_broadcast(Dtype type, const KernelOperand<Value>& operand,
                                                 const char* from, Policy... policy) {
    if (operand.is_absent()) set_scalar(type, static_cast<float>(operand.fill));
    else load_scalar(type, from, policy...);
  }

  // Loads a vector of any layout. `unpack` completes it once other loads are in flight.
  template <class... Policy>
  __device__ __forceinline__ void load(Dtype type, const KernelOperand<Value>& operand, const char* from,
                                       Policy... policy) {
    if (operand.is_contiguous) return load_contiguous(type, from, policy...);
    if (operand.is_broadcast) return load_broadcast(type, operand, from, policy...);
    uint32_t last;
    load_words(type, from, kSize, last);
    shift(type, from, last);
  }

  __device__ __forceinline__ void unpack(Dtype type, const KernelOperand<Value>& operand) {
    if (operand.is_broadcast) splat(type);
  }

  // Completes a row scalar that copy_scalar_async copied: its word and the number of bits before it.
  __device__ __forceinline__ void unpack_scalar(Dtype type) {
    words[0] >>= words[1];
    splat(type);
  }

  // Repeats the first element.
  __device__ __forceinline__ void splat(Dtype type) {
    if (type != kType) words[0] = __byte_perm(words[0], 0, 0x0000);
    else if (kGroup == 2) words[0] = __byte_perm(words[0], 0, 0x1010);
#pragma unroll
    for (int w = 1; w < kWords; ++w) words[w] = words[0];
  }

  __device__ __forceinline__ void store_contiguous(Dtype type, char* to) const {
    const int count = num_words(type);
    if (count == 4) {
      *reinterpret_cast<uint4*>(to) = make_uint4(words[0], words[1], words[2], words[3]);
    } else if (count == 2) {
      *reinterpret_cast<uint2*>(to) = make_uint2(words[0], words[1]);
    } else {
      *reinterpret_cast<uint32_t*>(to) = words[0];
    }
  }

  __device__ __forceinline__ void store(Dtype type, const KernelOperand<Value>& operand, char* to) const {
    if (operand.is_contiguous) return store_contiguous(type, to);
    if ((sizeof(S) == 4 && type == kType) || reinterpret_cast<uintptr_t>(to) % 4 == 0) {
#pragma unroll
      for (int w = 0; w < kWords; ++w) {
        if (w < num_words(type)) reinterpret_cast<uint32_t*>(to)[w] = words[w];
      }
      return;
    }
    if (type != kType) {
#pragma unroll
      for (int i = 0; i < kSize; ++i) to[i] = static_cast<char>(words[i / 4] >> i % 4 * 8);
      return;
    }
    *reinterpret_cast<uint16_t*>(to) = static_cast<uint16_t>(words[0]);
#pragma unroll
    for (int w = 0; w + 1 < kWords; ++w) {
      reinterpret_cast<uint32_t*>(to + 2)[w] = __funnelshift_r(words[w], words[w + 1], 16);
    }
    reinterpret_cast<uint16_t*>(to)[kSize - 1] = static_cast<uint16_t>(words[kWords - 1] >> 16);
  }

  // Separates 32 bytes of an interleaved tensor into a vector of each part.
  static __device__ __forceinline__ void deinterleave(Vectorized& first, Vectorized& second) {
    const uint32_t all[8] = {first.words[0],  first.words[1],  first.words[2],  first.words[3],
                             second.words[0], second.words[1], second.words[2], second.words[3]};
#pragma unroll
    for (int w = 0; w < kWords; ++w) {
      first.words[w] = kGroup == 2 ? __byte_perm(all[2 * w], all[2 * w + 1], 0x5410) : all[2 * w];
      second.words[w] =
          kGroup == 2 ? __byte_perm(all[2 * w], all[2 * w + 1], 0x7632) : all[2 * w + 1];
    }
  }

  // The inverse of deinterleave.
  static __device__ __forceinline__ void interleave(Vectorized& first, Vectorized& second) {
    uint32_t all[8];
#pragma unroll
    for (int w = 0; w < kWords; ++w) {
      const uint32_t a = first.words[w];
      const uint32_t b = second.words[w];
      all[2 * w] = kGroup == 2 ? __byte_perm(a, b, 0x5410) : a;
      all[2 * w + 1] = kGroup == 2 ? __byte_perm(a, b, 0x7632) : b;
    }
#pragma unroll
    for (int w = 0; w < kWords; ++w) {
      first.words[w] = all[w];
      second.words[w] = all[kWords + w];
    }
  }

  // One element of a partial vector.
  static __device__ __forceinline__ Value load_element(Dtype type, const KernelOperand<Value>& operand,
                                                       const char* from, int i) {
    if (operand.is_absent()) return operand.fill;
    const char* const element = from + offset(operand, i);
    if (type != kType) return Value(*reinterpret_cast<const uint8_t*>(element) != 0 ? 1.0f : 0.0f);
    return Value(static_cast<float>(*reinterpret_cast<const S*>(element)));
  }

  static __device__ __forceinline__ void store_element(Dtype type, const KernelOperand<Value>& operand,
                                                       char* to, int i, Value value) {
    char* const element = to + offset(operand, i);
    const float number = static_cast<float>(value);
    if (type == kType) {
      *reinterpret_cast<S*>(element) = S(number);
    } else {
      const float group[4] = {number, number, number, number};
      *element = static_cast<char>(pack_bytes(type, group));
    }
  }

 private:
  static __device__ __forceinline__ int64_t offset(const KernelOperand<Value>& operand, int i) {
    return i * (operand.step / kSize) - operand.shift;
  }
};

}  // namespace fusewise::cuda
