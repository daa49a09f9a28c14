// Stores the vectors of a warp at addresses that are not aligned. Free of torch.
#pragma once

#include <fusewise/cuda/float_vectorized.cuh>

namespace fusewise::cuda {

// Stores 32 adjacent vectors of S, of which the thread's own belongs at `at`, where `left` bytes of the row are left.
// A thread stores the 16 aligned bytes that begin in its vector, with words of the next thread: a store of a part of a
// sector of 32 bytes takes as long as one of all of it. The other bytes, at the ends, are stored element by element.
template <class S>
__device__ __forceinline__ void store_shifted(const FloatVectorized<S>& vector, char* at, int lane, int left) {
  constexpr int kBytes = sizeof(S);
  const int skipped = static_cast<int>((0 - reinterpret_cast<uintptr_t>(at)) % kVectorBytes);
  uint32_t all[8];
#pragma unroll
  for (int w = 0; w < 4; ++w) {
    all[w] = vector.words[w];
    all[4 + w] = __shfl_down_sync(0xffffffffu, vector.words[w], 1);
  }
#pragma unroll
  for (int w = 0; w < 6; ++w) all[w] = (skipped & 8) != 0 ? all[w + 2] : all[w];
#pragma unroll
  for (int w = 0; w < 5; ++w) all[w] = (skipped & 4) != 0 ? all[w + 1] : all[w];
  if constexpr (kBytes < 4) {
#pragma unroll
    for (int w = 0; w < 4; ++w) all[w] = __funnelshift_r(all[w], all[w + 1], skipped % 4 * 8);
  }
  const bool has_next = lane < 31 && left >= kVectorBytes + skipped;
  if (has_next) *reinterpret_cast<uint4*>(at + skipped) = make_uint4(all[0], all[1], all[2], all[3]);
  // The thread before has stored the first bytes, unless the row ends among them.
  const int begin = lane == 0 || left < skipped ? 0 : skipped;
  const int end = !has_next ? min(left, kVectorBytes) : lane == 0 ? skipped : 0;
  if (begin < end) vector.store_elements(dtype_of<S>(), at, begin / kBytes, end / kBytes);
}

}  // namespace fusewise::cuda
