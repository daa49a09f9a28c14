// The phases of a row that is held: its totals, which all threads of the row get. Free of torch.
#pragma once

#include <fusewise/cuda/kernels/cluster.cuh>
#include <fusewise/cuda/kernels/held_row.cuh>
#include <fusewise/cuda/kernels/relative.cuh>

namespace fusewise::cuda {

// The shared memory in which the blocks of a cluster leave the totals of all tiles of a row, with a barrier for each
// phase.
template <class Passes>
struct ClusterTotals {
  static constexpr int kTiles = kMaxClusterBlocks * kClusterWarps;
  float totals[Passes::kTotals][kTiles];
  float of_row[Passes::kTotals];
  uint64_t barriers[Passes::kPhases];

  // The place of a tile's total. Those that the threads of a warp load at one time (Combination) lie side by side.
  static __device__ __forceinline__ int place(int tile) { return (tile & 3) * (kTiles / 4) + (tile >> 2); }

  // By one thread of the block.
  __device__ __forceinline__ void start() {
#pragma unroll 1
    for (int p = 0; p < Passes::kPhases; ++p) start_barrier(&barriers[p]);
  }
};

// Where the threads of a row exchange its totals. Code that may not run in a cluster takes fewer registers.
template <bool kMayBeClustered_>
struct Exchange {
  static constexpr bool kMayBeClustered = kMayBeClustered_;
  char* memory;     // of the block: a number of each warp and total, or ClusterTotals
  uint32_t parity;  // of barriers
};

// The totals in kReduced of phase number `p`, from those of the tiles, by the blocks of a cluster. One warp of a block
// waits for them: threads that wait execute instructions, and drop the L1 cache when they have waited.
template <class Phase, int p, int kFirst, class Row, class Exchange>
__device__ __forceinline__ void combine_in_cluster(Row& held, const float (&found)[Phase::Op::kWrites],
                                                   const Exchange& exchange) {
  using Totals = ClusterTotals<typename Row::RowPass>;
  auto& of_tiles = *reinterpret_cast<Totals*>(exchange.memory);
  uint64_t* const barrier = &of_tiles.barriers[p];
  const int blocks = static_cast<int>(gridDim.y);
  const int warps = static_cast<int>(blockDim.x) / 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int tile = static_cast<int>(blockIdx.y) * warps + warp;
  constexpr int kBytes = kBitCount<Phase::kReduced> * static_cast<int>(sizeof(float));
  if (threadIdx.x == 0) expect_bytes(barrier, blocks * warps * kBytes);
  each_bit<Phase::kReduced>([&](auto w) {
    float* const to = &of_tiles.totals[kFirst + w.value][Totals::place(tile)];
    if (held.lane < blocks) send(to, barrier, held.lane, found[w.value]);
  });
  if (warp == 0) {
    wait_for_bytes(barrier, exchange.parity);
    each_bit<Phase::kReduced>([&](auto w) {
      using Combine = Combination<(Phase::kMaxima >> w.value & 1) != 0>;
      const float total = Combine::template of_many<float>(
          blocks * warps, [&](int i) { return of_tiles.totals[kFirst + w.value][Totals::place(i)]; });
      if (held.lane == 0) of_tiles.of_row[kFirst + w.value] = total;
    });
  }
  __syncthreads();
  each_bit<Phase::kReduced>([&](auto w) { held.totals[kFirst + w.value] = of_tiles.of_row[kFirst + w.value]; });
}

// The totals in kReduced of phase number `p`. The first of them is number kFirst of the row, and the terms of number
// `kTerm` are held if that is not negative.
template <class Phase, RowShape kShape, int p, int kFirst, int kTerm, class Row, class Exchange>
__device__ __forceinline__ void reduce_row(Row& held, const Exchange& exchange) {
  float found[Phase::Op::kWrites];
  held.template reduce_tile<Phase, kShape, kTerm>(found);
  if (held.is_short()) {
    each_bit<Phase::kReduced>([&](auto w) { held.totals[kFirst + w.value] = found[w.value]; });
    return;
  }
  if constexpr (Exchange::kMayBeClustered) {
    if (held.tiling.is_clustered) return combine_in_cluster<Phase, p, kFirst>(held, found, exchange);
  }
  auto* const shared = reinterpret_cast<float*>(exchange.memory);
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int warps = static_cast<int>(blockDim.x) / 32;
  const int of_warp = held.lane & held.tiling.warps_mask;
  each_bit<Phase::kReduced>([&](auto w) {
    if (held.lane == 0) shared[(kFirst + w.value) * kMaxRowWarps + warp] = found[w.value];
  });
  __syncthreads();
  each_bit<Phase::kReduced>([&](auto w) {
    using Combine = Combination<(Phase::kMaxima >> w.value & 1) != 0>;
    const float* const of_warps = shared + (kFirst + w.value) * kMaxRowWarps;
    const float own = of_warp < warps ? of_warps[of_warp] : Combine::template identity<float>();
    held.totals[kFirst + w.value] = Combine::of_lanes(own, warps);
  });
}

// The totals in kPicked of a phase. Each thread of the row computes them itself.
template <class Phase, int kFirst, class Row>
__device__ __forceinline__ void pick_totals(Row& held, int row) {
  using Op = typename Phase::Op;
  using Passes = typename Row::RowPass;
  static_assert(Passes::kUsesIndex && Row::is_scalar(Phase::kPlace));
  const int place = min(max(truncate<int32_t>(held.reads.scalars[Phase::kPlace]), 0), held.tiling.columns - 1);
  char* from[Row::kReads];
  held.find_reads(min(row, held.tiling.rows - 1), from);  // threads without a row reduce the last one
  Dtype types[Op::kReads];
  float in[Op::kReads];
  float out[Op::kWrites];
  float hoisted[kHoisted<Op> + 1];
  held.template hoist_row<Op>(hoisted);
  held.read_row(in);
#pragma unroll
  for (int k = 0; k < Op::kReads; ++k) types[k] = stored_dtype<Op>(k, dtype_of<typename Row::S>());
#pragma unroll
  for (int k = 0; k < Row::kReads; ++k) {
    if (!Row::is_scalar(k)) in[k] = held.load_element(k, from[k], place);
  }
  in[Passes::kAllReads - 1] = static_cast<float>(place);
  apply<Op>(in, held.parameters(), hoisted, types, out);
  // The zeros that a sum has beside the term would make +0 of -0.
  each_bit<Phase::kPicked>([&](auto w) { held.totals[kFirst + w.value] = add(0.0f, out[w.value]); });
}

// The totals in kReduced of a tile: of phase number `p`, and of the next one, relative to the maxima of the tile.
template <class Passes, int p, RowShape kShape, class Row>
__device__ __forceinline__ void reduce_relative_tile(Row& held,
                                                     float (&maxima)[Passes::template PhaseAt<p>::Op::kWrites],
                                                     float (&sums)[Passes::template PhaseAt<p + 1>::Op::kWrites]) {
  using Maxima = typename Passes::template PhaseAt<p>;
  constexpr int kFirst = Passes::totals_before(p);
  held.template reduce_tile<Maxima, kShape, -1>(maxima);
  each_bit<Maxima::kMaxima>([&](auto w) { held.totals[kFirst + w.value] = base_of(maxima[w.value]); });
  held.template reduce_tile<typename Passes::template PhaseAt<p + 1>, kShape, -1>(sums);
}

// The totals in kReduced of a row, of both phases, from those of its tiles. Total number t of tile number i is
// `of_tiles[t * stride + i]`.
template <class Passes, int p, class Row>
__device__ __forceinline__ void combine_relative(Row& held, int tiles, int stride, const float* of_tiles) {
  using Maxima = typename Passes::template PhaseAt<p>;
  using Sums = typename Passes::template PhaseAt<p + 1>;
  constexpr int kFirst = Passes::totals_before(p);
  constexpr int kFirstSum = Passes::totals_before(p + 1);
  const auto load = [&](int total, int tile) { return of_tiles[total * stride + tile]; };
  float of_row[Maxima::Op::kWrites];
  each_bit<Maxima::kReduced>([&](auto w) {
    using Combine = Combination<(Maxima::kMaxima >> w.value & 1) != 0>;
    of_row[w.value] = Combine::template of_many<float>(tiles, [&](int i) { return load(kFirst + w.value, i); });
    held.totals[kFirst + w.value] = of_row[w.value];
  });
  each_bit<Sums::kReduced>([&](auto sum) {
    held.totals[kFirstSum + sum.value] = Combination<false>::of_many<float>(tiles, [&](int i) {
      float maxima[Maxima::Op::kWrites];
      float sums[Sums::Op::kWrites];
      each_bit<Maxima::kMaxima>([&](auto w) { maxima[w.value] = load(kFirst + w.value, i); });
      each_bit<Sums::kReduced>([&](auto w) { sums[w.value] = load(kFirstSum + w.value, i); });
      rescale<Maxima, Sums>(tile_columns(held.tiling.columns, i), maxima, of_row, sums);
      return sums[sum.value];
    });
  });
}

// The totals of phase number `p` and of the next one, which is relative to it.
template <class Passes, int p, RowShape kShape, class Row>
__device__ __forceinline__ void run_relative_phases(Row& held, int row, float* of_warps) {
  using Maxima = typename Passes::template PhaseAt<p>;
  using Sums = typename Passes::template PhaseAt<p + 1>;
  constexpr int kFirst = Passes::totals_before(p);
  constexpr int kFirstSum = Passes::totals_before(p + 1);
  if constexpr (Maxima::kPicked != 0) pick_totals<Maxima, kFirst>(held, row);
  float maxima[Maxima::Op::kWrites];
  float sums[Sums::Op::kWrites];
  reduce_relative_tile<Passes, p, kShape>(held, maxima, sums);
  const auto each_total = [&](const auto& body) {
    each_bit<Maxima::kReduced>([&](auto w) { body(kFirst + w.value, maxima[w.value]); });
    each_bit<Sums::kReduced>([&](auto w) { body(kFirstSum + w.value, sums[w.value]); });
  };
  if (held.is_short()) {
    rescale<Maxima, Sums>(held.tiling.columns, maxima, maxima, sums);
    each_total([&](int total, float value) { held.totals[total] = value; });
  } else {
    each_total([&](int total, float value) {
      if (held.lane == 0) of_warps[total * kMaxRowWarps + static_cast<int>(threadIdx.x) / 32] = value;
    });
    __syncthreads();
    combine_relative<Passes, p>(held, static_cast<int>(blockDim.x) / 32, kMaxRowWarps, of_warps);
  }
  if constexpr (Sums::kPicked != 0) pick_totals<Sums, kFirstSum>(held, row);
  held.forget();
}

// Computes the totals of phase number `p`.
template <class Passes, int p, RowShape kShape, class Row, class Exchange>
__device__ __forceinline__ void run_phase(Row& held, int row, const Exchange& exchange) {
  if constexpr (Passes::is_relative(p + 1)) {
    run_relative_phases<Passes, p, kShape>(held, row, reinterpret_cast<float*>(exchange.memory));
  } else if constexpr (!Passes::is_relative(p)) {  // else it is computed with the one before
    using Phase = typename Passes::template PhaseAt<p>;
    constexpr int kFirst = Passes::totals_before(p);
    constexpr bool kHolds = Passes::kHoldsTerm && p == Passes::kPhases - 1;
    if constexpr (kHolds) reduce_row<Phase, kShape, p, kFirst, Passes::Held::kTerm>(held, exchange);
    else if constexpr (Phase::kReduced != 0) reduce_row<Phase, kShape, p, kFirst, -1>(held, exchange);
    if constexpr (Phase::kPicked != 0) pick_totals<Phase, kFirst>(held, row);
    held.forget();
  }
}

}  // namespace fusewise::cuda
