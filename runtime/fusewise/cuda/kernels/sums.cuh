// The sums of a work tile: the threads of a row or of a block add theirs and store a partial sum or the result.
// Free of torch.
#pragma once

#include <fusewise/cuda/kernels/work_tile.cuh>

namespace fusewise::cuda {

// Additions that the compiler does not contract with a product to an fma: a sum adds the same values that a
// dense write stores.
__device__ __forceinline__ float add(float a, float b) { return __fadd_rn(a, b); }
__device__ __forceinline__ double add(double a, double b) { return __dadd_rn(a, b); }
__device__ __forceinline__ int64_t add(int64_t a, int64_t b) { return a + b; }

// The sum over `lanes` adjacent threads of a warp, a power of two.
template <class T>
__device__ __forceinline__ T sum_lanes(T value, int lanes) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    if (distance < lanes) value = add(value, __shfl_xor_sync(0xffffffffu, value, distance));
  }
  return value;
}

// Stores a partial sum, or the result if there is only one partial sum.
template <class Tile, class Sum>
__device__ __forceinline__ void store_sum(const Tile& tile, int w, int64_t place, Sum sum) {
  using Stored = typename Tile::Vector::Stored;
  const auto& reduction = tile.reduction;
  if ((reduction.whole >> w & 1) == 0) {
    store_partial(reduction.partials[w] + place, sum);
  } else if constexpr (sizeof(Stored) != sizeof(Sum)) {
    reinterpret_cast<Stored*>(reduction.partials[w])[place] = Stored(sum);
  } else {
    reduction.partials[w][place] = sum;
  }
}

// Adds the sums that the threads of a row hold, stores them, and sets them to zero for the next row.
template <class Tile, class Sum, int kSize>
__device__ __forceinline__ void store_row_sums(const Tile& tile, int64_t row_tile, bool is_inside,
                                               Sum (&sums)[Tile::kWrites][kSize]) {
  const int lanes = 1 << tile.reduction.lane_bits;
#pragma unroll
  for (int w = 0; w < Tile::kWrites; ++w) {
    if (!tile.is_summed(w) || tile.reduction.modes[w] != WriteMode::kRow) continue;
    Sum total = Sum(0);
#pragma unroll
    for (int i = 0; i < kSize; ++i) {
      total = add(total, sums[w][i]);
      sums[w][i] = Sum(0);
    }
    total = sum_lanes(total, lanes);
    const bool is_first = (static_cast<int>(threadIdx.x) & (lanes - 1)) == 0;
    if (is_first && is_inside) store_sum(tile, w, row_tile, total);
  }
}

// Adds the sums of each column that the groups of the block hold, and stores them. The sums go through shared
// memory in parts of 16 bytes, so that adjacent threads write to adjacent addresses.
template <class Tile, class Sum, int kSize>
__device__ __forceinline__ void store_column_sums(const Tile& tile, char* memory, int w,
                                                  const Sum (&sums)[kSize]) {
  constexpr int kPart = kSize < 16 / static_cast<int>(sizeof(Sum)) ? kSize : 16 / sizeof(Sum);
  struct alignas(kPart * sizeof(Sum)) Part {
    Sum sums[kPart];
  };
  Part* const parts = reinterpret_cast<Part*>(memory);
  Sum* const shared = reinterpret_cast<Sum*>(memory);
  const int tile_columns = tile.lanes * kSize;
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int p = 0; p < kSize / kPart; ++p) {
    Part part;
#pragma unroll
    for (int i = 0; i < kPart; ++i) part.sums[i] = sums[p * kPart + i];
    parts[(tile.group * (kSize / kPart) + p) * tile.lanes + tile.lane] = part;
  }
  __syncthreads();
  Sum total = Sum(0);
#pragma unroll
  for (int i = 0; i < kSize; ++i) total = add(total, shared[i * kBlockThreads + thread]);
  if (tile_columns < kBlockThreads) {  // several threads have sums of the same column
    __syncthreads();
    shared[thread] = total;
    __syncthreads();
#pragma unroll 1
    for (int other = thread + tile_columns; other < kBlockThreads; other += tile_columns) {
      total = add(total, shared[other]);
    }
  }
  const int owner = thread / kPart & (tile.lanes - 1);
  const int column_in_tile =
      owner * kSize + (thread / kPart >> tile.reduction.lane_bits) * kPart + thread % kPart;
  const int64_t kept = int64_t{tile.column_tile} * tile_columns + column_in_tile;
  if (thread >= tile_columns || kept >= tile.arguments.columns) return;
  store_sum(tile, w, int64_t{tile.split} * tile.arguments.columns + kept, total);
}

// Adds all sums of the block to one, and stores it.
template <class Tile, class Sum, int kSize>
__device__ __forceinline__ void store_block_sum(const Tile& tile, char* memory, int w,
                                                const Sum (&sums)[kSize]) {
  Sum* const shared = reinterpret_cast<Sum*>(memory);
  const int thread = static_cast<int>(threadIdx.x);
  Sum total = Sum(0);
#pragma unroll
  for (int i = 0; i < kSize; ++i) total = add(total, sums[i]);
  total = sum_lanes(total, 32);
  if (thread % 32 == 0) shared[thread / 32] = total;
  __syncthreads();
  if (thread >= 32) return;
  total = sum_lanes(thread < kBlockThreads / 32 ? shared[thread] : Sum(0), kBlockThreads / 32);
  if (thread == 0) store_sum(tile, w, tile.split * tile.work_tile_columns() + tile.column_tile, total);
}

}  // namespace fusewise::cuda
