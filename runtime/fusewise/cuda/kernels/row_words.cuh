// Loads of rows that are not plain: unaligned vectors by the aligned words that contain them. Free of torch.
#pragma once

#include <fusewise/cuda/arguments.cuh>
#include <fusewise/cuda/kernels/row_tiling.cuh>

namespace fusewise::cuda {

// Loads the reads in kWhich, a bit each, of a HeldRow: of its vectors those from number `begin` to `end`. The row of
// each read lies at `from`. No vector waits for its words before all loads are in flight, so vectors that are not
// there, of which no word is loaded, are not tested for.
template <uint32_t kWhich, RowShape kShape, class Row>
__device__ __forceinline__ void load_words(Row& row, char* const (&from)[Row::kReads], int begin, int end) {
  constexpr int kVectors = Row::kVectors;
  constexpr int kSize = Row::kSize;
  constexpr bool kIsTested = kShape == RowShape::kAny;
  const RowTiling& tiling = row.tiling;
  const auto each_vector = [&](const auto& body) {
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      if (v >= begin && v < end) body(v);
    }
  };
  const auto is_repeated = [&](int k) { return kIsTested && row.arguments.operands[k].is_broadcast; };
  // Late reads are most often weights, which all rows share, and which are aligned in themselves.
  constexpr bool kAreLate = (kWhich & ~Row::kLate) == 0;
  const auto is_aligned = [&](int k) {
    if (kIsTested) return tiling.is_aligned;
    return kAreLate && reinterpret_cast<uintptr_t>(from[k]) % kVectorBytes == 0;
  };
  const auto count = [&](int v) {
    if (!kIsTested && v + 1 < kVectors) return kSize;
    return min(tiling.columns - row.template number<kShape>(v) * kSize, kSize);
  };
  const bool are_whole = kIsTested && count(kVectors - 1) == kSize;  // all vectors of the thread
  auto& vectors = row.reads.vectors;
  uint32_t last[kVectors][Row::kReads];
  Row::template each_read<kWhich>([&](int k, Dtype type) {
    const auto place = [&](int v) { return from[k] + row.template offset<kShape>(v, type); };
    const auto load = [&](int v, int elements) { vectors[v][k].load_words(type, place(v), elements, last[v][k]); };
    if (is_repeated(k)) {
      vectors[begin][k].load_repeated(type, row.arguments.operands[k], from[k]);
    } else if (is_aligned(k)) {
      each_vector([&](int v) {
        if (count(v) < kSize) load(v, count(v));
        else vectors[v][k].load_contiguous(type, place(v));
      });
    } else if (are_whole) {
      each_vector([&](int v) { load(v, kSize); });
    } else {
      each_vector([&](int v) { load(v, count(v)); });
    }
  });
  Row::template each_read<kWhich>([&](int k, Dtype type) {
    if (is_repeated(k)) {
      vectors[begin][k].splat(type);
      each_vector([&](int v) { vectors[v][k] = vectors[begin][k]; });
    } else if (!is_aligned(k)) {
      each_vector([&](int v) { vectors[v][k].shift(type, from[k], last[v][k]); });
    }
  });
}

}  // namespace fusewise::cuda
