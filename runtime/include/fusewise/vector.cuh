// What a thread of a GPU kernel moves: vectors of 16 bytes, or a few elements. Free of torch.
//
// *Packed* is 16 bytes of one storage type, or as many elements of a type of one byte where the pass
// fixes that. It wants every operand to be dense, or broadcast, in the inner dimension, or part of a
// pair. *Gathered* is a few elements with any stride and dtype, and is compiled once per compute type.
// The maths of an element is the same code in both, and so are its bits.
#pragma once

#include <cstdint>

#include <fusewise/arguments.cuh>
#include <fusewise/coarse.h>

namespace fusewise::cuda {

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

// Four numbers as a type of one byte, the first in the lowest byte.
__device__ __forceinline__ uint32_t pack_bytes(Dtype type, const float* values) {
  uint32_t bytes[4];
#if __CUDA_ARCH__ >= 890
  if (type == Dtype::kFloat8E4M3FN) {  // two at once, and the sign that the instruction drops of NaN
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

// 16 bytes of S, as four words; of a type of one byte as many elements, in the first of the words.
// A `type` is known once loops over operands are unrolled.
template <class S>
struct Packed {
  using Value = std::conditional_t<kIsSixteenBit<S>, rt::Coarse, float>;
  using Sum = float;
  using Bits = std::conditional_t<sizeof(S) == 4, uint32_t, uint16_t>;
  static constexpr bool kIsPacked = true;
  static constexpr Dtype kType = dtype_of<S>();
  static constexpr int kGroup = 4 / sizeof(S);  // elements of a word
  static constexpr int kWords = 4;
  static constexpr int kSize = kWords * kGroup;

  uint32_t words[kWords];

  __device__ __forceinline__ Value get(Dtype type, int i) const {
    if (type != kType) {
      return Value((words[i / 4] >> i % 4 * 8 & 0xff) != 0 ? 1.0f : 0.0f);
    }
    const uint32_t word = words[i / kGroup];
    if constexpr (std::is_same_v<S, float>) return bits_to_float(word);
    else if constexpr (std::is_same_v<S, bfloat16>) {
      return Value(bits_to_float(i % 2 == 0 ? word << 16 : word & 0xffff0000u));
    } else {
      return Value(half_bits_to_float(static_cast<uint16_t>(i % 2 == 0 ? word : word >> 16)));
    }
  }

  __device__ __forceinline__ void set(Dtype type, const Value* values) {
    float numbers[kSize];
#pragma unroll
    for (int i = 0; i < kSize; ++i) numbers[i] = static_cast<float>(values[i]);
#pragma unroll
    for (int w = 0; w < kWords; ++w) {
      if (type == kType) words[w] = pack_pair<S>(numbers + w * kGroup);
      else if (w < kSize / 4) words[w] = pack_bytes(type, numbers + w * 4);
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

  __device__ __forceinline__ void load_plain(Dtype type, const char* from) {
    if (type == kType) {
      const uint4 all = *reinterpret_cast<const uint4*>(from);
      words[0] = all.x;
      words[1] = all.y;
      words[2] = all.z;
      words[3] = all.w;
    } else if constexpr (kSize == 8) {
      const uint2 all = *reinterpret_cast<const uint2*>(from);
      words[0] = all.x;
      words[1] = all.y;
    } else {
      words[0] = *reinterpret_cast<const uint32_t*>(from);
    }
  }

  // One element that stands for all, to be spread once other loads are under way.
  __device__ __forceinline__ void load_broadcast(Dtype type, const Slot<Value>& slot,
                                                 const char* from) {
    if (slot.data == nullptr) {
      const float fill = static_cast<float>(slot.fill);
      const float group[4] = {fill, fill, fill, fill};
      words[0] = type == kType ? pack_pair<S>(group) : pack_bytes(type, group);
    } else if (type == kType) {
      words[0] = *reinterpret_cast<const Bits*>(from);
    } else {
      words[0] = *reinterpret_cast<const uint8_t*>(from);
    }
  }

  __device__ __forceinline__ void load(Dtype type, const Slot<Value>& slot, const char* from) {
    if (slot.is_plain) return load_plain(type, from);
    if (slot.is_broadcast) return load_broadcast(type, slot, from);
    // Whole words, and of those that it shares with its neighbours what is its own.
    const unsigned shift = static_cast<unsigned>(reinterpret_cast<uintptr_t>(from)) % 4 * 8;
    const uint32_t* const whole = reinterpret_cast<const uint32_t*>(from - shift / 8);
    const int count = num_words(type);
#pragma unroll
    for (int w = 0; w < kWords; ++w) {
      if (w < count) words[w] = whole[w];
    }
    if ((sizeof(S) == 4 && type == kType) || shift == 0) return;
    const uint32_t last = whole[count];
#pragma unroll
    for (int w = 0; w < kWords; ++w) {
      const uint32_t next = w + 1 < count ? words[(w + 1) % kWords] : last;
      if (w < count) words[w] = __funnelshift_r(words[w], next, shift);
    }
  }

  __device__ __forceinline__ void spread(Dtype type, const Slot<Value>& slot) {
    if (slot.is_broadcast) repeat(type);
  }

  // The number that lies in a word, which is followed by how many bits it is off.
  __device__ __forceinline__ void load_number(Dtype type, const char* from) {
    const uint2 word = *reinterpret_cast<const uint2*>(from);
    words[0] = word.x >> word.y;
    repeat(type);
  }

  // The first element in place of all.
  __device__ __forceinline__ void repeat(Dtype type) {
    if (type != kType) words[0] = __byte_perm(words[0], 0, 0x0000);
    else if (kGroup == 2) words[0] = __byte_perm(words[0], 0, 0x1010);
#pragma unroll
    for (int w = 1; w < kWords; ++w) words[w] = words[0];
  }

  __device__ __forceinline__ void store_plain(Dtype type, char* to) const {
    if (type == kType) {
      *reinterpret_cast<uint4*>(to) = make_uint4(words[0], words[1], words[2], words[3]);
    } else if constexpr (kSize == 8) {
      *reinterpret_cast<uint2*>(to) = make_uint2(words[0], words[1]);
    } else {
      *reinterpret_cast<uint32_t*>(to) = words[0];
    }
  }

  __device__ __forceinline__ void store(Dtype type, const Slot<Value>& slot, char* to) const {
    if (slot.is_plain) return store_plain(type, to);
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

  // Of a pair: makes of 32 bytes a vector of each part.
  static __device__ __forceinline__ void take_apart(Packed& first, Packed& second) {
    const uint32_t all[8] = {first.words[0],  first.words[1],  first.words[2],  first.words[3],
                             second.words[0], second.words[1], second.words[2], second.words[3]};
#pragma unroll
    for (int w = 0; w < kWords; ++w) {
      first.words[w] = kGroup == 2 ? __byte_perm(all[2 * w], all[2 * w + 1], 0x5410) : all[2 * w];
      second.words[w] =
          kGroup == 2 ? __byte_perm(all[2 * w], all[2 * w + 1], 0x7632) : all[2 * w + 1];
    }
  }

  static __device__ __forceinline__ void put_together(Packed& first, Packed& second) {
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

  // Of an incomplete vector, one element.
  static __device__ __forceinline__ Value load_element(Dtype type, const Slot<Value>& slot,
                                                       const char* from, int i) {
    if (slot.data == nullptr) return slot.fill;
    const char* const element = from + offset(slot, i);
    if (type != kType) return Value(*reinterpret_cast<const uint8_t*>(element) != 0 ? 1.0f : 0.0f);
    return Value(static_cast<float>(*reinterpret_cast<const S*>(element)));
  }

  static __device__ __forceinline__ void store_element(Dtype type, const Slot<Value>& slot,
                                                       char* to, int i, Value value) {
    char* const element = to + offset(slot, i);
    const float number = static_cast<float>(value);
    if (type == kType) {
      *reinterpret_cast<S*>(element) = S(number);
    } else {
      const float group[4] = {number, number, number, number};
      *element = static_cast<char>(pack_bytes(type, group));
    }
  }

 private:
  static __device__ __forceinline__ int num_words(Dtype type) {
    return type == kType ? kWords : kSize / 4;
  }

  static __device__ __forceinline__ int64_t offset(const Slot<Value>& slot, int i) {
    return i * (slot.step / kSize) - slot.shift;
  }
};

// Up to 16 bytes as they are stored, and the numbers that they are.
struct Words {
  uint32_t at[4];
};
template <class T, int N>
struct Numbers {
  T at[N];
};

// Element i of such words, of `size` bytes.
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

// What is rare is out of line: one copy serves all operands of a kernel.

// An element has up to kMostBytes.
template <int N, int kMostBytes>
__device__ __noinline__ Words gather(const char* from, int64_t stride, int size) {
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

// The conversions are many, so that each stands once, in a loop; the elements pass by it. The first
// `count` elements of the words are the last of the numbers.

template <class T, int N>
__device__ __noinline__ Numbers<T, N> decode(Words words, Dtype dtype, int size, int count) {
  Numbers<T, N> numbers{};
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    const uint64_t bits = words.at[0] | uint64_t{words.at[1]} << 32;
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      words.at[w] = __funnelshift_rc(words.at[w], w < 3 ? words.at[w + 1] : 0, 8 * size);
    }
#pragma unroll
    for (int k = 0; k + 1 < N; ++k) numbers.at[k] = numbers.at[k + 1];
    numbers.at[N - 1] = load_as<T>(&bits, dtype);
  }
  return numbers;
}

template <class T, int N, bool kWithFloat8>
__device__ __noinline__ Words encode(Numbers<T, N> numbers, Dtype dtype, int size, int count) {
  using Number = std::conditional_t<std::is_same_v<T, rt::Coarse>, float, T>;
  Words words{};
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    uint64_t bits = 0;
    store_as<Number, kWithFloat8>(&bits, dtype, static_cast<Number>(numbers.at[N - 1]));
#pragma unroll
    for (int k = N - 1; k > 0; --k) numbers.at[k] = numbers.at[k - 1];
#pragma unroll
    for (int w = 3; w >= 0; --w) {
      words.at[w] = __funnelshift_lc(w > 0 ? words.at[w - 1] : 0, words.at[w], 8 * size);
    }
    words.at[0] |= static_cast<uint32_t>(bits);
    words.at[1] |= static_cast<uint32_t>(bits >> 32);
  }
  return words;
}

// More bytes than Words hold: numbers of 8 bytes that are computed in float.
template <class T, int N>
__device__ __noinline__ Numbers<T, N> gather_long(const char* from, int64_t stride, Dtype dtype) {
  Numbers<T, N> numbers;
#pragma unroll
  for (int i = 0; i < N; ++i, from += stride) {
    if (dtype == Dtype::kInt64) numbers.at[i] = T(*reinterpret_cast<const int64_t*>(from));
    else numbers.at[i] = T(*reinterpret_cast<const double*>(from));
  }
  return numbers;
}

template <class T, int N>
__device__ __noinline__ void scatter_long(Numbers<T, N> numbers, char* to, int64_t stride,
                                          Dtype dtype) {
#pragma unroll
  for (int i = 0; i < N; ++i, to += stride) {
    if (dtype == Dtype::kInt64) *reinterpret_cast<int64_t*>(to) = narrow<int64_t>(numbers.at[i]);
    else *reinterpret_cast<double*>(to) = static_cast<double>(numbers.at[i]);
  }
}

// N elements of any dtype, at any stride: as few accesses to memory as the layout allows.
template <class T, int N, bool kWithFloat8 = false>
struct Gathered {
  using Value = T;
  using Sum = std::conditional_t<std::is_same_v<T, rt::Coarse>, float, T>;
  static constexpr bool kIsPacked = false;
  static constexpr int kSize = N;

  Words words;
  Numbers<T, N> numbers;

  __device__ __forceinline__ T get(Dtype, int i) const { return numbers.at[i]; }
  __device__ __forceinline__ void set(Dtype, const T* results) {
#pragma unroll
    for (int i = 0; i < N; ++i) numbers.at[i] = results[i];
  }

  // What is loaded here becomes numbers in `spread`, once other loads are under way too.
  __device__ __forceinline__ void load(Dtype type, const Slot<T>& slot, const char* from) {
    if (slot.data == nullptr) return;
    if (N == 1 || slot.is_broadcast) {
      load_words<1>(from, slot.size);
    } else if (is_long(slot)) {
      if constexpr (kHoldsLong) numbers = gather_long<T, N>(from, stride(slot), type);
    } else if (slot.is_plain) {
      load_words<N>(from, slot.size);
    } else {
      words = gather<N, kMostBytes>(from, stride(slot), slot.size);
    }
  }

  __device__ __forceinline__ void spread(Dtype type, const Slot<T>& slot) {
    const auto convert = [&](const auto& one) {
#pragma unroll
      for (int i = 0; i < N; ++i) numbers.at[i] = T(one(i));
    };
    if (slot.data == nullptr) return convert([&](int) { return slot.fill; });
    if (N > 1 && slot.is_broadcast) repeat(slot.size);
    else if (is_long(slot)) return;
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
    if constexpr (std::is_same_v<T, rt::Coarse>) {
      return convert([&](int i) { return get_bits(words, i, 1) != 0 ? 1.0f : 0.0f; });
    } else {
      numbers = decode<T, N>(words, type, slot.size, N);
    }
  }

  __device__ __forceinline__ void store(Dtype type, const Slot<T>& slot, char* to) {
    if (is_long(slot)) {
      if constexpr (kHoldsLong) scatter_long<T, N>(numbers, to, stride(slot), type);
      return;
    }
    pack(type, slot.size);
    if (N == 1 || slot.is_plain) store_words(to, slot.size);
    else scatter<N, kMostBytes>(words, to, stride(slot), slot.size);
  }

  static __device__ __forceinline__ T load_element(Dtype type, const Slot<T>& slot,
                                                   const char* from, int i) {
    if (slot.data == nullptr) return slot.fill;
    const Words one = gather<1, 8>(from + i * stride(slot), 0, slot.size);
    if constexpr (std::is_same_v<T, rt::Coarse>) {
      const uint16_t bits = static_cast<uint16_t>(one.at[0]);
      if (type == Dtype::kBFloat16) return T(bfloat16_bits_to_float(bits));
      if (type == Dtype::kHalf) return T(half_bits_to_float(bits));
      return T(bits != 0 ? 1.0f : 0.0f);
    } else {
      return decode<T, N>(one, type, slot.size, 1).at[N - 1];
    }
  }

  static __device__ __forceinline__ void store_element(Dtype type, const Slot<T>& slot, char* to,
                                                       int i, T value) {
    Numbers<T, N> last{};
    last.at[N - 1] = value;
    const Words one = encode<T, N, kWithFloat8>(last, type, slot.size, 1);
    scatter<1, 8>(one, to + i * stride(slot), 0, slot.size);
  }

 private:
  static __device__ __forceinline__ int64_t stride(const Slot<T>& slot) { return slot.step / N; }

  // Some operands have more bytes than are kept.
  static constexpr bool kHoldsLong = std::is_same_v<T, float> && N > 1;

  static __device__ __forceinline__ bool is_long(const Slot<T>& slot) {
    return kHoldsLong && slot.size == 8;
  }

  // Up to so many bytes has an element of what is computed as T.
  static constexpr int kMostBytes = std::is_same_v<T, rt::Coarse> ? 2 : kHoldsLong ? 4 : 8;

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

  // The first element in place of all.
  __device__ __forceinline__ void repeat(int size) {
    if (size == 8) {
      words.at[2] = words.at[0];
      words.at[3] = words.at[1];
      return;
    }
    if (size < 4) words.at[0] = __byte_perm(words.at[0], 0, size == 1 ? 0x0000 : 0x1010);
#pragma unroll
    for (int w = 1; w < 4; ++w) words.at[w] = words.at[0];
  }

  __device__ __forceinline__ void pack(Dtype type, int bytes) {
    words = {};
    const auto convert = [&](int size, const auto& one) {
#pragma unroll
      for (int i = 0; i < N; ++i) put_bits(words, i, size, one(numbers.at[i]));
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
    words = encode<T, N, kWithFloat8>(numbers, type, bytes, N);
  }
};

// What an operand is stored as: in a packed vector the compiler knows it.
template <class Vector, class Op>
__device__ __forceinline__ Dtype type_of(const Arguments<Op, typename Vector::Value>& arguments,
                                         int k) {
  if constexpr (Vector::kIsPacked) return stored_dtype<Op>(k, Vector::kType);
  else return arguments.slots[k].dtype;
}

template <class Op, class Vector>
inline constexpr bool kMovesPairs = Vector::kIsPacked && kPairs<Op> != 0;

template <class Op, class T>
__device__ __forceinline__ bool is_first_of_pair(const Arguments<Op, T>& arguments, int k) {
  return (kPairs<Op> >> k & 1) != 0 && (arguments.pairs >> k & 1) != 0;
}

// Makes of what was loaded for pairs the vectors of their parts.
template <class Op, class Vector>
__device__ __forceinline__ void take_apart(const Arguments<Op, typename Vector::Value>& arguments,
                                           Vector (&reads)[Op::kReads]) {
  if constexpr (kMovesPairs<Op, Vector>) {
#pragma unroll
    for (int k = 0; k + 1 < Op::kReads; ++k) {
      if (is_first_of_pair(arguments, k)) Vector::take_apart(reads[k], reads[k + 1]);
    }
  }
}

template <class Op, class Vector>
using PreparedOf = typename Vector::Value[kPrepared<Op> + 1];

// The maths of every element of a vector. What the pass prepares is taken from the first, if that is
// the same for all, and not anew if `prepared` has it.
template <class Op, class Vector, bool kTogether = kPreparedFrom<Op> == 0>
__device__ __forceinline__ void apply_vector(
    const Arguments<Op, typename Vector::Value>& arguments, const Vector (&reads)[Op::kReads],
    PreparedOf<Op, Vector>& prepared, bool is_prepared,
    typename Vector::Value (&results)[Op::kWrites][Vector::kSize]) {
  using T = typename Vector::Value;
  if constexpr (!kTogether && Vector::kSize > 1) {
    if (arguments.prepares_rows) {
      return apply_vector<Op, Vector, true>(arguments, reads, prepared, is_prepared, results);
    }
  }
  Dtype types[Op::kReads];
#pragma unroll
  for (int k = 0; k < Op::kReads; ++k) types[k] = type_of<Vector>(arguments, k);
#pragma unroll
  for (int i = 0; i < Vector::kSize; ++i) {
    T in[Op::kReads];
    T out[Op::kWrites];
#pragma unroll
    for (int k = 0; k < Op::kReads; ++k) {
      in[k] = reads[k].get(types[k], kTogether && (kPreparedFrom<Op> >> k & 1) != 0 ? 0 : i);
    }
    if (kTogether ? i == 0 && !is_prepared : true) prepare<Op>(in, arguments.params, prepared);
    apply<Op>(in, arguments.params, prepared, types, out);
#pragma unroll
    for (int w = 0; w < Op::kWrites; ++w) results[w][i] = out[w];
  }
}

template <class Op, class Vector>
__device__ __forceinline__ void apply_vector(
    const Arguments<Op, typename Vector::Value>& arguments, const Vector (&reads)[Op::kReads],
    typename Vector::Value (&results)[Op::kWrites][Vector::kSize]) {
  PreparedOf<Op, Vector> prepared;
  apply_vector<Op>(arguments, reads, prepared, false, results);
}

// The maths of the first `count` elements of a vector, one by one; hands each result to `use`.
template <class Op, class Vector, class Use>
__device__ __forceinline__ void apply_elements(
    const Arguments<Op, typename Vector::Value>& arguments,
    char* const (&pointers)[Op::kReads + Op::kWrites], int count, const Use& use) {
  using T = typename Vector::Value;
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    Dtype types[Op::kReads];
    T in[Op::kReads];
    T out[Op::kWrites];
#pragma unroll
    for (int k = 0; k < Op::kReads; ++k) {
      types[k] = type_of<Vector>(arguments, k);
      in[k] = Vector::load_element(types[k], arguments.slots[k], pointers[k], i);
    }
    T prepared[kPrepared<Op> + 1];
    prepare<Op>(in, arguments.params, prepared);
    apply<Op>(in, arguments.params, prepared, types, out);
#pragma unroll
    for (int w = 0; w < Op::kWrites; ++w) use(w, i, out[w]);
  }
}

}  // namespace fusewise::cuda
