// Takes the place of the runtime's own header: shared memory, and asynchronous copies to it, which arrive as late as
// they may.
#pragma once

#include <cstring>

#include <fusewise/math/dtype.h>

namespace fusewise::cuda {

// The distance from a place that all of shared memory is near to.
inline uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(static_cast<const char*>(pointer) - emulation::shared_memory());
}
inline char* shared_place(uint32_t address) { return emulation::shared_memory() + static_cast<int32_t>(address); }

inline void store_shared(uint32_t to, uint32_t word) { std::memcpy(shared_place(to), &word, sizeof(word)); }
inline void store_shared(uint32_t to, const uint32_t (&words)[4]) {
  std::memcpy(shared_place(to), words, sizeof(words));
}
inline void load_shared(uint32_t from, uint32_t (&words)[4]) { std::memcpy(words, shared_place(from), sizeof(words)); }
inline void load_shared_again(uint32_t from, uint32_t (&words)[4]) { load_shared(from, words); }
inline uint32_t load_shared(uint32_t from) {
  uint32_t word;
  std::memcpy(&word, shared_place(from), sizeof(word));
  return word;
}

template <class Vector>
void copy_async(Dtype type, bool, uint32_t to, const char* from) {
  emulation::copy_later(shared_place(to), from, type == Vector::kType ? 16 : Vector::kSize);
}

inline void copy_word_async(uint32_t to, const char* from) { emulation::copy_later(shared_place(to), from, 4); }

inline void copy_scalar_async(uint32_t to, const char* from) {
  const uint32_t bytes = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(from)) % 4;
  store_shared(to + 4, 8 * bytes);
  copy_word_async(to, from - bytes);
}

inline void commit_group() { emulation::commit_copies(); }

template <int kOpen>
void wait_group() {
  emulation::finish_copies(kOpen);
}

}  // namespace fusewise::cuda
