// Loads and stores with hints for the L2 cache, from sm_90 on. Free of torch.
#pragma once

#include <cstdint>
#include <type_traits>

namespace fusewise::cuda {

// Eviction policies of the L2 cache, as the instruction `createpolicy` encodes them.
inline constexpr uint64_t kEvictNormal = 0x16f0'0000'0000'0000;
inline constexpr uint64_t kEvictLast = 0x14f0'0000'0000'0000;

template <class Word>
__device__ __forceinline__ Word read_word(const char* from) {
  return *reinterpret_cast<const Word*>(from);
}

// Word has 16, 8, 4 or 2 bytes.
template <class Word>
__device__ __forceinline__ Word read_word(const char* from, uint64_t policy) {
#if __CUDA_ARCH__ >= 900
  Word word;
  if constexpr (sizeof(Word) == 16) {
    asm volatile("ld.global.L2::cache_hint.v4.b32 {%0, %1, %2, %3}, [%4], %5;"
        : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
        : "l"(from), "l"(policy));
  } else if constexpr (sizeof(Word) == 8) {
    asm volatile("ld.global.L2::cache_hint.v2.b32 {%0, %1}, [%2], %3;"
        : "=r"(word.x), "=r"(word.y)
        : "l"(from), "l"(policy));
  } else if constexpr (sizeof(Word) == 4) {
    asm volatile("ld.global.L2::cache_hint.b32 %0, [%1], %2;" : "=r"(word) : "l"(from), "l"(policy));
  } else {
    asm volatile("ld.global.L2::cache_hint.b16 %0, [%1], %2;" : "=h"(word) : "l"(from), "l"(policy));
  }
  return word;
#else
  return read_word<Word>(from);
#endif
}

// Stores one or four partial sums. They stay in the L2 cache until the next kernel adds them, while the
// operands of the pass stream through.
template <class Sums>
__device__ __forceinline__ void store_partial(Sums* to, Sums sums) {
#if __CUDA_ARCH__ >= 900
  if constexpr (std::is_same_v<Sums, float>) {
    asm volatile("st.global.L2::cache_hint.f32 [%0], %1, %2;" ::"l"(to), "f"(sums), "l"(kEvictLast)
                 : "memory");
  } else if constexpr (std::is_same_v<Sums, float4>) {
    asm volatile("st.global.L2::cache_hint.v4.f32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(to), "f"(sums.x),
                 "f"(sums.y), "f"(sums.z), "f"(sums.w), "l"(kEvictLast)
                 : "memory");
  } else {
    *to = sums;
  }
#else
  *to = sums;
#endif
}

// Stores the partial sums of vector number `vector` of a row of `vectors`. Each store of a warp fills sectors of 32
// bytes: where a vector has more than four sums, two adjacent lanes, whose vectors are 2n and 2n + 1, exchange every
// second four of them, and store each vector together. All lanes call it.
template <int kSize>
__device__ __forceinline__ void store_partials(float* row, uint32_t vector, uint32_t vectors,
                                               const float (&sums)[kSize]) {
  const auto sums_from = [&](int i) { return make_float4(sums[i], sums[i + 1], sums[i + 2], sums[i + 3]); };
  auto* const to = reinterpret_cast<float4*>(row);
  if constexpr (kSize == 4) {
    if (vector < vectors) store_partial(to + vector, sums_from(0));
  } else {
    constexpr uint32_t kParts = kSize / 4;
    const uint32_t is_odd = vector % 2;
    const uint32_t even = vector - is_odd;
#pragma unroll
    for (int p = 0; p < static_cast<int>(kParts); p += 2) {
      const float4 first = sums_from(4 * p);
      const float4 second = sums_from(4 * p + 4);
      const float4 given = is_odd != 0 ? first : second;
      const float4 taken = make_float4(__shfl_xor_sync(~0u, given.x, 1), __shfl_xor_sync(~0u, given.y, 1),
                                       __shfl_xor_sync(~0u, given.z, 1), __shfl_xor_sync(~0u, given.w, 1));
      float4* const at = to + even * kParts + p + is_odd;
      if (even < vectors) store_partial(at, is_odd != 0 ? taken : first);
      if (even + 1 < vectors) store_partial(at + kParts, is_odd != 0 ? second : taken);
    }
  }
}

}  // namespace fusewise::cuda
