// The kernel of rows that are too long to be held: a block reads its row once for each phase, or once for two of which
// one is relative to the other, and once for the elements, most often from the L2 cache. The tree of additions is that
// of tile_totals.cuh. Free of torch.
#pragma once

#include <fusewise/cuda/kernels/row_phases.cuh>

namespace fusewise::cuda {

// Of a block. More threads are faster where phases come before elements; elsewhere they wait for each other longer, and
// wider elements, and vectors that are loaded in words, need their registers.
template <class Passes, class Vector, bool kIsPlain>
inline constexpr int kLongRowThreads = kIsPlain && Passes::kPhases > 0 && Passes::Elements::kWrites > 0 &&
                                               kIsSixteenBit<typename Vector::Stored>
                                           ? 512
                                           : 256;
inline constexpr int kMaxRowTiles = 1024;

// Calls `body` for a tile, with its shape as a constant of the compiler. Whole tiles of plain rows of wider elements
// would take more than the registers of two blocks, unless the row is read once.
template <bool kIsPlain, class Row, class Body>
__device__ __forceinline__ void with_tile(Row& held, int tile, const Body& body) {
  held.move_to(tile);
  const RowTiling& tiling = held.tiling;
  const bool has_all = (tile + 1) * Row::kTileVectors <= tiling.vectors;
  constexpr RowShape kAll = kIsPlain ? RowShape::kWhole : RowShape::kUnaligned;
  constexpr RowShape kOthers = kIsPlain ? RowShape::kPartial : RowShape::kAny;
  constexpr bool kHasRoom = kIsSixteenBit<typename Row::S> || Row::RowPass::kIsReadOnce;
  const bool is_suited = kIsPlain ? kHasRoom : tiling.is_unaligned;
  if (has_all && is_suited) body(std::integral_constant<RowShape, kAll>());
  else body(std::integral_constant<RowShape, kOthers>());
}

// The totals of a phase that are reduced, the first of them being number kFirst of the row. `of_tiles` has room for
// those of all tiles, `of_row` for those of the row.
template <class Passes, class Phase, int kFirst, bool kIsPlain, class Row>
__device__ __forceinline__ void reduce_long_row(Row& held, int row, int tiles, float* of_tiles, float* of_row) {
  constexpr int kWarps = kLongRowThreads<Passes, typename Row::VectorType, kIsPlain> / 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll 1
  for (int tile = warp; tile < tiles; tile += kWarps) {
    float found[Phase::Op::kWrites];
    with_tile<kIsPlain>(held, tile, [&](auto shape) {
      held.template load<~Row::kLate, shape.value>(row);
      held.template reduce_tile<Phase, shape.value, -1>(found);
    });
    each_bit<Phase::kReduced>([&](auto w) {
      if (held.lane == 0) of_tiles[w.value * tiles + tile] = found[w.value];
    });
  }
  __syncthreads();
  each_bit<Phase::kReduced>([&](auto w) {
    if (w.value % kWarps != warp) return;
    using Combine = Combination<(Phase::kMaxima >> w.value & 1) != 0>;
    const float total = Combine::template of_many<float>(tiles, [&](int i) { return of_tiles[w.value * tiles + i]; });
    if (held.lane == 0) of_row[kFirst + w.value] = total;
  });
  __syncthreads();
  each_bit<Phase::kReduced>([&](auto w) { held.totals[kFirst + w.value] = of_row[kFirst + w.value]; });
}

// The totals of phase number `p` and of the next one, which is relative to it, but for those that are picked.
// `of_tiles` has room for the totals of all tiles.
template <class Passes, int p, bool kIsPlain, class Row>
__device__ __forceinline__ void reduce_relative_long_row(Row& held, int row, int tiles, float* of_tiles) {
  using Maxima = typename Passes::template PhaseAt<p>;
  using Sums = typename Passes::template PhaseAt<p + 1>;
  constexpr int kFirst = Passes::totals_before(p);
  constexpr int kFirstSum = Passes::totals_before(p + 1);
  const int warps = static_cast<int>(blockDim.x) / 32;
#pragma unroll 1
  for (int tile = static_cast<int>(threadIdx.x) / 32; tile < tiles; tile += warps) {
    float maxima[Maxima::Op::kWrites];
    float sums[Sums::Op::kWrites];
    with_tile<kIsPlain>(held, tile, [&](auto shape) {
      held.template load<~Row::kLate, shape.value>(row);
      reduce_relative_tile<Passes, p, shape.value>(held, maxima, sums);
    });
    if (held.lane != 0) continue;
    each_bit<Maxima::kReduced>([&](auto w) { of_tiles[(kFirst + w.value) * tiles + tile] = maxima[w.value]; });
    each_bit<Sums::kReduced>([&](auto w) { of_tiles[(kFirstSum + w.value) * tiles + tile] = sums[w.value]; });
  }
  __syncthreads();
  combine_relative<Passes, p>(held, tiles, tiles, of_tiles);
  __syncthreads();
}

// The least blocks of a multiprocessor that registers must suffice for; 0 leaves it to the compiler, which would rather
// spill than take the registers of two blocks, but takes too many for relative sums of two reads, and of rows that are
// not plain. Two reads of wider elements need them.
template <class Passes, class Vector, bool kIsPlain>
constexpr int long_row_blocks() {
  using Row = HeldRow<Passes, Vector>;
  constexpr bool kHasTwoReads = kBitCount<Row::kOfRow> > 1;
  if (!Passes::kIsReadOnce) return !kIsPlain && Row::kHasManyWarps ? 2 : 0;
  if (!kIsSixteenBit<typename Vector::Stored>) return 0;
  if (kHasTwoReads) return 2;
  return kIsPlain ? 0 : 3;
}

template <class Passes, class Vector, bool kIsPlain>
__global__ void
__launch_bounds__(kLongRowThreads<Passes, Vector, kIsPlain>, (long_row_blocks<Passes, Vector, kIsPlain>()))
    long_row_kernel(const __grid_constant__ Arguments<Passes, float> arguments,
                    const __grid_constant__ RowTiling tiling) {
  using Row = HeldRow<Passes, Vector, false, RowLengths::kLong>;
  extern __shared__ __align__(16) char shared_rows[];  // totals of the row, and of tiles
  float* const of_row = reinterpret_cast<float*>(shared_rows);
  float* const of_tiles = of_row + Passes::kTotals;
  const auto row = static_cast<int>(blockIdx.x);
  const int tiles = (tiling.vectors + Row::kTileVectors - 1) / Row::kTileVectors;
  Row held(arguments, tiling, shared_rows);
  held.load_scalars(row, held.reads.scalars);
  each<Passes::kPhases>([&](auto p) {
    using Phase = typename Passes::template PhaseAt<p.value>;
    constexpr int kFirst = Passes::totals_before(p.value);
    if constexpr (Phase::kPicked != 0) pick_totals<Phase, kFirst>(held, row);
    if constexpr (Passes::is_relative(p.value + 1)) {
      reduce_relative_long_row<Passes, p.value, kIsPlain>(held, row, tiles, of_tiles);
    } else if constexpr (Phase::kReduced != 0 && !Phase::kIsRelative) {
      reduce_long_row<Passes, Phase, kFirst, kIsPlain>(held, row, tiles, of_tiles, of_row);
    }
  });
  char* to[Passes::kWrites];
  held.find_writes(row, to);
  if constexpr (Passes::kRowWrites != 0) {
    if (threadIdx.x == 0) held.store_row(to);
  }
  if constexpr (Passes::Elements::kWrites > 0) {
    constexpr int kWarps = kLongRowThreads<Passes, Vector, kIsPlain> / 32;
#pragma unroll 1
    for (int tile = static_cast<int>(threadIdx.x) / 32; tile < tiles; tile += kWarps) {
      with_tile<kIsPlain>(held, tile, [&](auto shape) {
        held.template load<~Row::kLate, shape.value>(row);
        held.template run_elements<typename Passes::Elements, shape.value>(row, true, to, [] {}, [](auto...) {});
      });
    }
  }
}

}  // namespace fusewise::cuda
