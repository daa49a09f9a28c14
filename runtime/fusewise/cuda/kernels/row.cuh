// The row kernels: they compute the totals of a row pass (core/rows.h) and its writes while the row lies in registers,
// so that memory is read once. Free of torch.
//
// A team is the threads that share a row: a block, some threads of a warp where rows are short, or the blocks of a
// cluster where a block cannot hold one, or holds it alone on its multiprocessor. Of a pass that sums nothing over
// rows, a team has one row, but for clusters with kHasClusterRing. Else there are fewer teams: each goes through many
// rows, copies the next ones to its ring buffer while it computes, and adds the sums of its columns in registers.
// finalize.cuh adds those of all blocks. If rows are too long for a team to hold one and sum its columns, the totals
// are known, and each block has some of the columns.
#pragma once

#include <bit>

#include <fusewise/cuda/kernels/row_phases.cuh>
#include <fusewise/cuda/kernels/row_ring.cuh>

namespace fusewise::cuda {

// Starts the barriers of a cluster, if one shares the row, in memory for kTurns rows.
template <class Passes, int kTurns>
__device__ __forceinline__ void start_cluster(const RowTiling& tiling, char* memory) {
  if constexpr (kHasClusters<Passes>) {
    if (!tiling.is_clustered) return;
    if (threadIdx.x == 0) {
      for (int turn = 0; turn < kTurns; ++turn) {
        reinterpret_cast<ClusterTotals<Passes>*>(memory + turn * tiling.turn_bytes)->start();
      }
    }
    arrive_in_cluster();
  }
}

// The teams of a block, each of which has a row at one time.
template <class Row>
__device__ __forceinline__ int num_teams(const Row& row) {
  return row.is_short() ? static_cast<int>(blockDim.x >> row.tiling.lane_bits) : 1;
}
// The number of the thread's team.
template <class Row>
__device__ __forceinline__ int team_of(const Row& row) {
  return row.is_short() ? static_cast<int>(threadIdx.x >> row.tiling.lane_bits) : 0;
}

// The sums of a thread's columns.
template <class Row, int kSums>
struct ColumnSums {
  float of[kSums][Row::kVectors][Row::kSize];

  __device__ __forceinline__ ColumnSums() {
#pragma unroll
    for (int s = 0; s < kSums; ++s) {
#pragma unroll
      for (int v = 0; v < Row::kVectors; ++v) {
#pragma unroll
        for (int i = 0; i < Row::kSize; ++i) of[s][v][i] = 0;
      }
    }
  }

  template <int s>
  __device__ __forceinline__ void add_values(int v, const float (&values)[Row::kSize]) {
#pragma unroll
    for (int i = 0; i < Row::kSize; ++i) of[s][v][i] = add(of[s][v][i], values[i]);
  }

  // Stores the sums of a block, whose teams add theirs in shared memory.
  template <RowShape kShape>
  __device__ __forceinline__ void store(const Row& row, float* shared) const {
    const int columns = row.tiling.vectors * Row::kSize;
    const int teams = num_teams(row);
#pragma unroll
    for (int s = 0; s < kSums; ++s) {
      float* const to = row.tiling.partials + (int64_t{s} * gridDim.x + blockIdx.x) * columns;
      if (teams == 1) {
#pragma unroll
        for (int v = 0; v < Row::kVectors; ++v) {
          const int number = row.template number<kShape>(v);
          store_partials(to, static_cast<uint32_t>(number), static_cast<uint32_t>(row.tiling.vectors), of[s][v]);
        }
        continue;
      }
      __syncthreads();
      store_shared<kShape>(row, s, shared + team_of(row) * columns);
      __syncthreads();
#pragma unroll 1
      for (int c = 4 * static_cast<int>(threadIdx.x); c < columns; c += 4 * static_cast<int>(blockDim.x)) {
        auto total = *reinterpret_cast<const float4*>(shared + c);
#pragma unroll 1
        for (int other = 1; other < teams; ++other) {
          const auto term = *reinterpret_cast<const float4*>(shared + other * columns + c);
          total = make_float4(add(total.x, term.x), add(total.y, term.y), add(total.z, term.z), add(total.w, term.w));
        }
        store_partial(reinterpret_cast<float4*>(to + c), total);
      }
    }
  }

 private:
  template <RowShape kShape>
  __device__ __forceinline__ void store_shared(const Row& row, int s, float* to) const {
#pragma unroll
    for (int v = 0; v < Row::kVectors; ++v) {
      if (!row.template is_there<kShape>(v)) continue;
      const float (&sums)[Row::kSize] = of[s][v];
      auto* const at = reinterpret_cast<float4*>(to + row.template number<kShape>(v) * Row::kSize);
#pragma unroll
      for (int i = 0; i < Row::kSize; i += 4) {
        at[i / 4] = make_float4(sums[i], sums[i + 1], sums[i + 2], sums[i + 3]);
      }
    }
  }
};

// The lengths of the rows of a shape, if others are not long anyway.
template <RowShape kShape, bool kIsLong = false>
inline constexpr RowLengths kLengthsOf = kShape == RowShape::kEven ? RowLengths::kShort
                                         : kIsLong                 ? RowLengths::kLong
                                                                   : RowLengths::kAll;

// Computes the row that is held, unless its totals are known, stores its writes if it is there, and passes the
// elements of summed writes to `add_to`. Calls `fetch` as HeldRow::run_elements does.
template <class Passes, RowShape kShape, class Row, class Exchange, class Fetch, class AddTo>
__device__ __forceinline__ void run_row(Row& held, int row, bool has_row, const Exchange& exchange,
                                        const Fetch& fetch, const AddTo& add_to) {
  if (Passes::kSummed == 0 || held.tiling.totals == nullptr) {
    each<Passes::kPhases>([&](auto p) { run_phase<Passes, p.value, kShape>(held, row, exchange); });
  }
  char* to[Passes::kWrites];
  held.find_writes(row, to);
  if constexpr (Passes::kRowWrites != 0) {
    if (held.first == 0 && has_row) held.store_row(to);
  }
  if constexpr (Passes::kHoldsTerm) {
    held.template run_elements<typename Passes::Held::Op, kShape>(row, has_row, to, fetch, add_to);
  } else {
    held.template run_elements<typename Passes::Elements, kShape>(row, has_row, to, fetch, add_to);
  }
}

template <class Passes, class Vector, RowShape kShape, bool kMayBeClustered>
__device__ __forceinline__ void run_team_row(const Arguments<Passes, float>& arguments, const RowTiling& tiling) {
  extern __shared__ __align__(16) char shared_rows[];  // totals of warps
  using Row = HeldRow<Passes, Vector, false, kLengthsOf<kShape, kMayBeClustered>>;
  if constexpr (kMayBeClustered) start_cluster<Passes, 1>(tiling, shared_rows);
  Row held(arguments, tiling, shared_rows);
  const int row = static_cast<int>(blockIdx.x) * num_teams(held) + team_of(held);
  // Threads without a row reduce the last one, since shuffles need all threads of a warp.
  const bool has_row = row < tiling.rows;
  const int nearest = has_row ? row : tiling.rows - 1;
  held.template load<~Row::kLate, kShape>(nearest);
  held.load_scalars(nearest, held.reads.scalars);
  if (kMayBeClustered && tiling.is_clustered) wait_for_cluster();
  const Exchange<kMayBeClustered> exchange{shared_rows, 0};
  run_row<Passes, kShape>(held, row, has_row, exchange, [] {}, [](auto...) {});
}

// True if each thread of the block has all vectors of its tile, which blocks of a cluster may have though others do
// not.
template <class Row>
__device__ __forceinline__ bool block_has_all(const RowTiling& tiling) {
  if (has_all(tiling.shape)) return true;
  if (!kHasClusters<typename Row::RowPass> || !tiling.is_clustered) return false;
  const auto vectors = static_cast<int>((blockIdx.y + 1) * blockDim.x) * Row::kVectors;
  return (is_plain(tiling.shape) || tiling.is_unaligned) && vectors <= tiling.vectors;
}

// Runs the team's row by code for all vectors of a tile, if each thread has them, or else for some.
template <class Passes, class Vector, bool kIsPlain, bool kMayBeClustered>
__device__ __forceinline__ void run_row_of(const Arguments<Passes, float>& arguments, const RowTiling& tiling) {
  constexpr RowShape kAll = kIsPlain ? RowShape::kWhole : RowShape::kUnaligned;
  constexpr RowShape kOthers = kIsPlain ? RowShape::kPartial : RowShape::kAny;
  // With more registers, words of all unaligned vectors at once would be spilled.
  constexpr bool kHasAll = kIsPlain || HeldRow<Passes, Vector>::kRegisters <= 96;
  const bool has_all = kMayBeClustered ? block_has_all<HeldRow<Passes, Vector>>(tiling) : tiling.shape == kAll;
  if constexpr (kHasAll) {
    if (has_all) return run_team_row<Passes, Vector, kAll, kMayBeClustered>(arguments, tiling);
  }
  if constexpr (kIsPlain && !kMayBeClustered) {
    if (tiling.shape == RowShape::kEven) return run_team_row<Passes, Vector, RowShape::kEven, false>(arguments, tiling);
  }
  run_team_row<Passes, Vector, kOthers, kMayBeClustered>(arguments, tiling);
}

// A row for each team.
template <class Passes, class Vector, bool kIsPlain>
__global__ void __launch_bounds__(32 * HeldRow<Passes, Vector>::kMaxWarps,
                                  kIsPlain && HeldRow<Passes, Vector>::kHasTwoBlocks ? 2 : 0)
    row_kernel(const __grid_constant__ Arguments<Passes, float> arguments, const __grid_constant__ RowTiling tiling) {
  run_row_of<Passes, Vector, kIsPlain, false>(arguments, tiling);
}

// The blocks of a multiprocessor that have ring buffers: with 40 registers for a thread, or 64.
template <class Passes, class Vector>
inline constexpr int kRingBlocks = HeldRow<Passes, Vector>::kIsLight ? 3 : 2;

// True if clusters go through many plain rows: if registers and shared memory suffice for so many blocks.
template <class Passes, class Vector>
inline constexpr bool kHasClusterRing =
    kHasClusters<Passes> && Passes::kSummed == 0 && kIsSixteenBit<typename Vector::Stored> &&
    std::popcount(HeldRow<Passes, Vector>::kEarly) == 1 && Passes::kMostInstructions < 32;

// A row for each cluster. Rows that no cluster shares have a kernel of their own, since this one takes more registers.
template <class Passes, class Vector>
__global__ void __launch_bounds__(32 * kClusterWarps)
    cluster_row_kernel(const __grid_constant__ Arguments<Passes, float> arguments,
                       const __grid_constant__ RowTiling tiling) {
  if constexpr (!kHasClusterRing<Passes, Vector>) {
    if (is_plain(tiling.shape)) return run_row_of<Passes, Vector, true, true>(arguments, tiling);
  }
  run_row_of<Passes, Vector, false, true>(arguments, tiling);
}

template <class Passes, class Vector, RowShape kShape>
__device__ __forceinline__ void run_cluster_rows(const Arguments<Passes, float>& arguments, const RowTiling& tiling) {
  using Row = HeldRow<Passes, Vector, true, RowLengths::kLong>;
  extern __shared__ __align__(16) char shared_rows[];  // the totals of a row, twice, and the ring buffer
  start_cluster<Passes, 2>(tiling, shared_rows);
  Row held(arguments, tiling, shared_rows);
  const RowRing<Row> ring(shared_rows + tiling.ring);
  const auto step = static_cast<int>(gridDim.x);
  auto row = static_cast<int>(blockIdx.x);
  ring.template fetch<kShape>(held, row, true, 0);
  float next_scalars[Row::kReads];
  held.load_scalars(row, next_scalars);
  wait_for_cluster();
#pragma unroll 1
  for (int turn = 0; row < tiling.rows; row += step, ++turn) {
    const int next = row + step;
    ring.template fetch<kShape>(held, next, next < tiling.rows, (turn + 1) % kRingStages);
    wait_group<1>();
    ring.template find<kShape>(held, row, turn % kRingStages);
#pragma unroll
    for (int k = 0; k < Row::kReads; ++k) held.reads.scalars[k] = next_scalars[k];
    const auto fetch_next = [&] { held.load_scalars(min(next, tiling.rows - 1), next_scalars); };
    const Exchange<true> exchange{shared_rows + turn % 2 * tiling.turn_bytes, static_cast<uint32_t>(turn / 2 % 2)};
    run_row<Passes, kShape>(held, row, true, exchange, fetch_next, [](auto...) {});
  }
}

// Many plain rows for each cluster, which copies the next one to its ring buffer while it computes.
template <class Passes, class Vector>
__global__ void __launch_bounds__(32 * kClusterWarps, kRingBlocks<Passes, Vector>)
    cluster_ring_kernel(const __grid_constant__ Arguments<Passes, float> arguments,
                        const __grid_constant__ RowTiling tiling) {
  if (block_has_all<HeldRow<Passes, Vector>>(tiling)) {
    run_cluster_rows<Passes, Vector, RowShape::kWhole>(arguments, tiling);
  } else {
    run_cluster_rows<Passes, Vector, RowShape::kPartial>(arguments, tiling);
  }
}

template <class Passes, class Vector, RowShape kShape>
__device__ __forceinline__ void sum_team_rows(const Arguments<Passes, float>& arguments, const RowTiling& tiling) {
  using Row = HeldRow<Passes, Vector, true, kLengthsOf<kShape>>;
  // The totals of a row, twice, and the ring buffer or staged tiles.
  extern __shared__ __align__(16) char shared_rows[];
  const auto nearest = [&](int wanted) { return min(wanted, tiling.rows - 1); };
  start_cluster<Passes, 2>(tiling, shared_rows);
  Row held(arguments, tiling, shared_rows);
  const int team = team_of(held);
  const int step = static_cast<int>(gridDim.x) * num_teams(held);
  int row = static_cast<int>(blockIdx.x) * num_teams(held) + team;
  ColumnSums<Row, Passes::sum_number(Passes::kWrites)> sums;
  // An offset that is no constant takes a register.
  const RowRing<Row> ring(shared_rows + (Passes::kTotals == 0 ? 0 : tiling.ring));
  ring.template fetch_columns<kShape>(held, nearest(row));
  const int ahead = (tiling.stages - 1) * step;
  if (ahead > 0) ring.template fetch<kShape>(held, nearest(row), true, 0);
  float next_scalars[Row::kReads];
  held.load_scalars(nearest(row), next_scalars);
  float next_totals[Passes::kTotals + 1];
  held.load_totals(nearest(row), next_totals);
  if (kHasClusters<Passes> && tiling.is_clustered) wait_for_cluster();
#pragma unroll 1
  for (uint32_t turn = 0; row - team < tiling.rows; row += step, ++turn) {
    const int fetched = row + ahead;
    const int stage = ahead > 0 ? static_cast<int>(turn % 2) : 0;
    ring.template fetch<kShape>(held, nearest(fetched), fetched - team < tiling.rows, tiling.stages - 1 - stage);
    if (ahead > 0) wait_group<1>();
    else wait_group<0>();
    ring.template find<kShape>(held, nearest(row), stage);
#pragma unroll
    for (int k = 0; k < Row::kReads; ++k) held.reads.scalars[k] = next_scalars[k];
#pragma unroll
    for (int t = 0; t < Passes::kTotals; ++t) held.totals[t] = next_totals[t];
    const auto fetch_next = [&] {
      held.load_scalars(nearest(row + step), next_scalars);
      held.load_totals(nearest(row + step), next_totals);
    };
    const auto add_values = [&](auto w, int v, const float (&values)[Row::kSize]) {
      sums.template add_values<Passes::sum_number(w.value)>(v, values);
    };
    const uint32_t offset = turn % 2 * static_cast<uint32_t>(tiling.turn_bytes);
    const Exchange<kHasClusters<Passes>> exchange{shared_rows + offset, turn / 2 % 2};
    run_row<Passes, kShape>(held, row, row < tiling.rows, exchange, fetch_next, add_values);
  }
  sums.template store<kShape>(held, reinterpret_cast<float*>(shared_rows));
}

// Many rows for each team, which sums columns over them.
template <class Passes, class Vector, bool kIsPlain>
__global__ void __launch_bounds__(32 * HeldRow<Passes, Vector>::kMaxWarps)
    row_sums_kernel(const __grid_constant__ Arguments<Passes, float> arguments,
                    const __grid_constant__ RowTiling tiling) {
  if constexpr (!kIsPlain) {
    if (tiling.shape == RowShape::kUnaligned) {
      sum_team_rows<Passes, Vector, RowShape::kStagedWhole>(arguments, tiling);
    } else {
      sum_team_rows<Passes, Vector, RowShape::kStaged>(arguments, tiling);
    }
  } else if (tiling.shape == RowShape::kEven) {
    sum_team_rows<Passes, Vector, RowShape::kEven>(arguments, tiling);
  } else if (block_has_all<HeldRow<Passes, Vector>>(tiling)) {
    sum_team_rows<Passes, Vector, RowShape::kWhole>(arguments, tiling);
  } else {
    sum_team_rows<Passes, Vector, RowShape::kPartial>(arguments, tiling);
  }
}

}  // namespace fusewise::cuda
