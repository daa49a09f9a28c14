// Stores the vectors of a warp at addresses that are not aligned. Free of torch.
#pragma once

#include <fusewise/cuda/float_vectorized.cuh>

namespace fusewise::cuda {

// Calls `body` with the words in so many bytes of a vector as a constant of the compiler.
template <class Body>
__device__ __forceinline__ void with_words(int bytes, const Body& body) {
  if (bytes < 8) {
    if (bytes < 4) body(std::integral_constant<int, 0>());
    else body(std::integral_constant<int, 1>());
  } else {
    if (bytes < 12) body(std::integral_constant<int, 2>());
    else body(std::integral_constant<int, 3>());
  }
}

// Stores vectors of S that follow each other in a row: 32 of a warp, then the next 32. A thread stores the aligned 16
// bytes in which its vector begins, with the end of the vector before: a store of a part of a sector of 32 bytes takes
// as long as one of all of it. Bytes at both ends, which other warps share, are stored element by element.
template <class S>
class ShiftedStore {
  using Vector = FloatVectorized<S>;
  static constexpr Dtype kType = dtype_of<S>();
  static constexpr int kBytes = sizeof(S);

 public:
  // Stores vector number `v` of each thread, of which `last` is the number of the last one, where number 0 lies at
  // `first`. From vector `v` on, `left` bytes of the row are left. All of the 32 vectors are there, and of the last one
  // at least one element. `v` is a constant once loops are unrolled.
  __device__ __forceinline__ void store(const Vector& vector, char* first, int v, int last, int lane, int left) {
    char* const at = first + v * (32 * kVectorBytes);
    const auto before = static_cast<int>(reinterpret_cast<uintptr_t>(first) % kVectorBytes);
    Vector joined;
    with_words(before, [&](auto words) { joined = join<words.value>(vector, lane, before % 4 * 8); });
    const bool has_begin = v > 0 || lane > 0 || before == 0;
    const bool has_end = v < last || lane < 31 || left >= kVectorBytes - before;
    if (has_begin && has_end) joined.store_contiguous(kType, at - before);
    if (v == 0) first_ = joined;
    if (v == last && (lane == 0 || lane == 31)) {
      // The first thread has bytes of the first vector left, the last thread of the last one.
      Vector rest = first_;
      char* to = first - before;
      int begin = before == 0 ? kVectorBytes : before;
      int end = kVectorBytes;
      if (lane == 31) {
        rest = has_end ? vector : joined;
        to = has_end ? at : at - before;
        begin = has_end ? kVectorBytes - before : 0;
        end = has_end ? min(left, kVectorBytes) : before + left;
      }
      rest.store_elements(kType, to, begin / kBytes, end / kBytes);
    }
    last_ = vector;
  }

 private:
  // The aligned 16 bytes that have `kWords` words and `bits` bits of the vector before.
  template <int kWords>
  __device__ __forceinline__ Vector join(const Vector& vector, int lane, int bits) const {
    constexpr int kOfLast = kBytes == 4 ? kWords : kWords + 1;
    uint32_t all[8];
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      const uint32_t passed = lane == 31 ? last_.words[w] : vector.words[w];
      all[w] = w >= 4 - kOfLast ? __shfl_sync(0xffffffffu, passed, (lane + 31) % 32) : 0;
      all[4 + w] = vector.words[w];
    }
    Vector found;
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      const uint32_t own = all[4 + w - kWords];
      found.words[w] = kBytes == 4 ? own : __funnelshift_l(all[3 + w - kWords], own, bits);
    }
    return found;
  }

  Vector first_{};
  Vector last_{};  // the vector before
};

}  // namespace fusewise::cuda
