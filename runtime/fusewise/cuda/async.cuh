// Shared memory, and asynchronous copies to it. Before sm_80 there are none, and the thread waits. Free of
// torch.
#pragma once

#include <cstdint>

#include <fusewise/math/dtype.h>

namespace fusewise::cuda {

// The address in shared memory. From a pointer the compiler would compute it at every access.
__device__ __forceinline__ uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}
__device__ __forceinline__ void store_shared(uint32_t to, uint32_t word) {
  asm volatile("st.shared.b32 [%0], %1;" ::"r"(to), "r"(word) : "memory");
}
__device__ __forceinline__ void store_shared(uint32_t to, const uint32_t (&words)[4]) {
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(words[0]), "r"(words[1]),
               "r"(words[2]), "r"(words[3])
               : "memory");
}
__device__ __forceinline__ void load_shared(uint32_t from, uint32_t (&words)[4]) {
  asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(from)
               : "memory");
}

// The same, but moved to where the words are used, and left out if they are not. `from` must depend on a value that is
// found when they have arrived.
__device__ __forceinline__ void load_shared_again(uint32_t from, uint32_t (&words)[4]) {
  asm("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];" : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
      : "r"(from));
}

__device__ __forceinline__ uint32_t load_shared(uint32_t from) {
  uint32_t word;
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(word) : "r"(from) : "memory");
  return word;
}

// Copies a vector to shared memory asynchronously. If two vectors share a sector of memory, as those of an
// interleaved tensor do, the sector stays in the L1 cache for the second.
template <class Vector>
__device__ __forceinline__ void copy_async(Dtype type, bool is_shared, uint32_t to,
                                           const char* from) {
#if __CUDA_ARCH__ >= 800
  if (type == Vector::kType && is_shared) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  } else if (type == Vector::kType) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from),
                 "n"(Vector::kSize)
                 : "memory");
  }
#else
  Vector vector;
  vector.load_contiguous(type, from);
  store_shared(to, vector.words);
#endif
}

__device__ __forceinline__ void copy_word_async(uint32_t to, const char* from) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");
#else
  store_shared(to, *reinterpret_cast<const uint32_t*>(from));
#endif
}

// Copies the word that contains a row scalar, followed by the number of bits before the scalar in it.
__device__ __forceinline__ void copy_scalar_async(uint32_t to, const char* from) {
  const uint32_t shift = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(from)) % 4 * 8;
  const char* const word = from - shift / 8;
  store_shared(to + 4, shift);
  copy_word_async(to, word);
}

__device__ __forceinline__ void commit_group() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until at most kOpen of the committed groups are in flight.
template <int kOpen>
__device__ __forceinline__ void wait_group() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(kOpen) : "memory");
#endif
}

}  // namespace fusewise::cuda
