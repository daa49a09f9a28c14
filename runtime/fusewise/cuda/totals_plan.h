// Plans the kernels that reduce each row of a loop: how many threads and blocks share a row. Free of torch and
// of CUDA.
//
// The additions of a row form a tree that depends on the row's length and compute type alone;
// kernels/tile_totals.cuh defines it. A plan may therefore depend on anything: it never changes a bit.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace fusewise::cuda {

inline constexpr int kTileElements = 1024;     // of a row, which a warp reduces
inline constexpr int kTileLanes = 64;          // of a tile, in the tree of additions
inline constexpr int kMaxStretchTiles = 256;   // of a row, which a block reduces
inline constexpr int kMaxTotalsThreads = 256;  // of a block
inline constexpr int kMaxStretches = 1024;     // beyond so many, stretches have kMaxStretchTiles

struct TotalsPlan {
  int threads;        // of a block
  int lanes;          // threads of a warp that share a row
  bool is_split;      // a thread reduces each of its vectors apart, and then combines them
  int64_t tiles;      // of a row
  int stretch_tiles;  // a power of two
  int64_t stretches;  // of a row
  int64_t blocks;
};

// Blocks that keep a large GPU busy.
inline constexpr int64_t kBusyBlocks = 264;

inline constexpr int64_t kMaxSharedBytes = 48 << 10;  // of a block

// `size` is the number of elements of a vector, `split` that of the vectors of a thread in a row that is split, or
// 1, `tile_bytes` the size of the totals of a tile.
constexpr TotalsPlan plan_totals(int64_t rows, int64_t columns, int size, int split, int tile_bytes) {
  TotalsPlan plan{128, 32, false, 1, 1, 1, 0};
  plan.tiles = std::max<int64_t>(1, (columns + kTileElements - 1) / kTileElements);
  if (plan.tiles == 1) {
    const uint64_t vectors = static_cast<uint64_t>((columns + size - 1) / size);
    // In so short a row each unit has a lane of the tile for itself.
    const uint64_t each = static_cast<uint64_t>(split);
    plan.is_split = split > 1 && vectors >= each && columns <= kTileLanes * std::min(size, 4);
    const uint64_t lanes = plan.is_split ? (vectors + each - 1) / each : vectors;
    plan.lanes = static_cast<int>(std::min<uint64_t>(32, std::bit_ceil(std::max<uint64_t>(1, lanes))));
    const int block_rows = plan.threads / plan.lanes;
    plan.blocks = (rows + block_rows - 1) / block_rows;
    return plan;
  }
  const auto stretches_of = [&](int tiles) { return (plan.tiles + tiles - 1) / tiles; };
  const uint64_t held = std::bit_floor(static_cast<uint64_t>(kMaxSharedBytes / tile_bytes));
  const uint64_t most = std::min<uint64_t>(held, kMaxStretchTiles);
  plan.stretch_tiles = static_cast<int>(std::min(most, std::bit_ceil(static_cast<uint64_t>(plan.tiles))));
  constexpr int kWarps = kMaxTotalsThreads / 32;
  // A second kernel pays where each warp would reduce more than two tiles while multiprocessors are idle.
  while (plan.tiles > 2 * kWarps && plan.stretch_tiles > kWarps &&
         rows * stretches_of(plan.stretch_tiles) < kBusyBlocks &&
         stretches_of(plan.stretch_tiles / 2) <= kMaxStretches) {
    plan.stretch_tiles /= 2;
  }
  plan.stretches = stretches_of(plan.stretch_tiles);
  plan.blocks = rows * plan.stretches;
  const bool is_busy = plan.blocks >= 4 * kBusyBlocks;
  const int warp_tiles = is_busy && plan.stretch_tiles > 4 ? 2 : 1;
  plan.threads = 32 * std::min(kWarps, plan.stretch_tiles / warp_tiles);
  return plan;
}

}  // namespace fusewise::cuda
