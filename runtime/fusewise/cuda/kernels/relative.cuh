// Sums relative to maxima, in one read of the row. The terms of a phase may be relative to maxima of the phase before,
// as exp(x - maximum) is in a softmax. A warp reduces its tile relative to the maxima of the tile. From its sums, the
// pass Rescale computes those relative to the maxima of the row, as in an online softmax (Milakov and Gimelshein 2018,
// arXiv:1805.02867). Only then are the sums of tiles added, so all kernels find the same bits. Free of torch.
#pragma once

#include <fusewise/cuda/kernels/tile_totals.cuh>
#include <fusewise/cuda/row_passes.cuh>

namespace fusewise::cuda {

// The number that the terms of a tile are relative to: its maximum, or 0 for a tile of minus infinity only, whose terms
// would be NaN.
template <class T>
__device__ __forceinline__ T base_of(T maximum) {
  return maximum == -static_cast<T>(INFINITY) ? T(0) : maximum;
}

// The elements of a tile of a row with so many columns.
__device__ __forceinline__ int64_t tile_columns(int64_t columns, int64_t tile) {
  return min(columns - tile * kTileElements, int64_t{kTileElements});
}

// The sums of a tile of `columns` elements relative to the maxima of the row, from those relative to its own maxima.
// The reads of Rescale are the sums, the totals of the phase before of the tile and of the row, of which only the
// maxima count, and the number of elements.
template <class Maxima, class Phase, class T>
__device__ __forceinline__ void rescale(int64_t columns, const T (&maxima)[Maxima::Op::kWrites],
                                        const T (&of_row)[Maxima::Op::kWrites], T (&sums)[Phase::Op::kWrites]) {
  constexpr int kSums = Phase::Op::kWrites;
  constexpr int kTotals = Maxima::Op::kWrites;
  T in[kSums + 2 * kTotals + 1] = {};
  each_bit<Phase::kReduced>([&](auto w) { in[w.value] = sums[w.value]; });
  each_bit<Maxima::kMaxima>([&](auto w) {
    in[kSums + w.value] = maxima[w.value];
    in[kSums + kTotals + w.value] = of_row[w.value];
  });
  in[kSums + 2 * kTotals] = static_cast<T>(columns);
  Phase::Rescale::template apply<T>(in, nullptr, sums);
  // A sum in the tree of a row is never -0.
  each_bit<Phase::kReduced>([&](auto w) { sums[w.value] = add(T(0), sums[w.value]); });
}

}  // namespace fusewise::cuda
