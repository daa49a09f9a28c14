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

// Stores one or four partial sums. They stay in the L2 cache until the next kernel adds them, while the operands of
// the pass stream through.
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

}  // namespace fusewise::cuda
