// The row kernels: they compute the totals of a row pass (core/rows.h) and its writes while the row lies in registers,
// so that memory is read once. Free of torch.
//
// A team is the threads that share a row: a block, or some threads of a warp where rows are short. Of a pass that sums
// nothing over rows, a team has one row. Else there are fewer teams: each goes through many rows, copies the next ones
// to its ring buffer while it computes, and adds the sums of its columns in registers. finalize.cuh adds those of all
// blocks. If rows are too long for a block to hold one and sum its columns, the totals are known, and each block has
// some of the columns.
#pragma once

#include <bit>

#include <fusewise/cuda/async.cuh>
#include <fusewise/cuda/kernels/row_phases.cuh>

namespace fusewise::cuda {

// Bytes of the totals of all warps of a block, in shared memory.
template <class Passes>
inline constexpr int kTotalsBytes = Passes::kTotals * kMaxRowWarps * static_cast<int>(sizeof(float));

// The ring buffer of a kernel that sums columns. Of plain rows, a thread copies the vectors that it reads itself, so
// that it waits for no other thread.
template <class Row>
struct RowRing {
  static constexpr int kCopied = std::popcount(Row::kOfRow);

  uint32_t first;  // the address of the thread's first vector

  __device__ __forceinline__ explicit RowRing(const char* memory)
      : first(shared_address(memory) + threadIdx.x * kVectorBytes) {}

  __device__ __forceinline__ uint32_t place(int stage, int number) const {
    const auto vector = static_cast<uint32_t>(stage * kCopied * Row::kVectors + number);
    return first + vector * blockDim.x * kVectorBytes;
  }

  // Starts the copies of a row, if there is one.
  template <RowShape kShape>
  __device__ __forceinline__ void fetch(const Row& held, int64_t row, bool has_row, int stage) const {
    if (has_row) {
      char* from[Row::kReads];
      held.find_reads(row, from);
      if constexpr (kShape == RowShape::kStaged) {
        held.staged.template copy<Row::kOfRow>(held, from, stage);
      } else {
        each_vector([&](int k, int v, int number, Dtype type) {
          if (!held.template is_there<kShape>(v)) return;
          copy_async<typename Row::VectorType>(type, false, place(stage, number),
                                               from[k] + held.template offset<kShape>(v, type));
        });
      }
    }
    commit_group();
  }

  // Loads a row whose copies have arrived. It tests each vector whatever the shape, so that not all loads stand before
  // the first use: the backward pass of rms_norm is slower then.
  template <RowShape kShape>
  __device__ __forceinline__ void load(Row& held, int64_t row, int stage) const {
    if constexpr (kShape == RowShape::kStaged) {
      char* from[Row::kReads];
      held.find_reads(row, from);
      __syncwarp();
      held.staged.template load<Row::kOfRow>(held, from, stage);
    } else {
      each_vector([&](int k, int v, int number, Dtype) {
        if (v < held.mine) load_shared(place(stage, number), held.reads.vectors[v][k].words);
      });
    }
  }

 private:
  template <class Body>
  static __device__ __forceinline__ void each_vector(const Body& body) {
    int number = 0;
    Row::template each_read<Row::kOfRow>([&](int k, Dtype type) {
#pragma unroll
      for (int v = 0; v < Row::kVectors; ++v) body(k, v, number++, type);
    });
  }
};

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
    const int teams = row.tiling.is_short ? static_cast<int>(blockDim.x) >> row.tiling.lane_bits : 1;
    const int team = row.tiling.is_short ? static_cast<int>(threadIdx.x) >> row.tiling.lane_bits : 0;
#pragma unroll
    for (int s = 0; s < kSums; ++s) {
      float* const to = row.tiling.partials + (int64_t{s} * gridDim.x + blockIdx.x) * columns;
      if (teams == 1) {
        store_thread<kShape>(row, s, to);
        continue;
      }
      __syncthreads();
      store_thread<kShape>(row, s, shared + team * columns);
      __syncthreads();
#pragma unroll 1
      for (int c = static_cast<int>(threadIdx.x); c < columns; c += static_cast<int>(blockDim.x)) {
        float total = shared[c];
#pragma unroll 1
        for (int other = 1; other < teams; ++other) total = add(total, shared[other * columns + c]);
        to[c] = total;
      }
    }
  }

 private:
  template <RowShape kShape>
  __device__ __forceinline__ void store_thread(const Row& row, int s, float* to) const {
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

// Computes the row that is held, unless its totals are known, stores its writes if it is there, and passes the
// elements of summed writes to `add_to`. Calls `fetch` as HeldRow::run_elements does.
template <class Passes, RowShape kShape, class Row, class Fetch, class AddTo>
__device__ __forceinline__ void run_row(Row& held, int64_t row, bool has_row, float* shared, const Fetch& fetch,
                                        const AddTo& add_to) {
  if (Passes::kSummed == 0 || held.tiling.totals == nullptr) {
    each<Passes::kPhases>([&](auto p) { run_phase<Passes, p.value, kShape>(held, row, shared); });
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

template <class Passes, class Vector, RowShape kShape>
__device__ __forceinline__ void run_team_row(const Arguments<Passes, float>& arguments, const RowTiling& tiling) {
  extern __shared__ __align__(16) char shared_rows[];  // totals of warps
  int64_t row = blockIdx.x;
  if (tiling.is_short) row = row * (blockDim.x >> tiling.lane_bits) + (threadIdx.x >> tiling.lane_bits);
  // Threads without a row reduce the last one, since shuffles need all threads of a warp.
  const bool has_row = row < tiling.rows;
  const int64_t nearest = has_row ? row : tiling.rows - 1;
  HeldRow<Passes, Vector> held(arguments, tiling, shared_rows);
  held.template load<~HeldRow<Passes, Vector>::kLate, kShape>(nearest);
  held.load_scalars(nearest, held.reads.scalars);
  run_row<Passes, kShape>(held, row, has_row, reinterpret_cast<float*>(shared_rows), [] {}, [](auto...) {});
}

// A row for each team.
template <class Passes, class Vector, bool kIsPlain>
__global__ void __launch_bounds__(32 * HeldRow<Passes, Vector>::kMaxWarps)
    row_kernel(const __grid_constant__ Arguments<Passes, float> arguments, const __grid_constant__ RowTiling tiling) {
  constexpr RowShape kAll = kIsPlain ? RowShape::kWhole : RowShape::kUnaligned;
  constexpr RowShape kOthers = kIsPlain ? RowShape::kPartial : RowShape::kAny;
  // With more registers, words of all unaligned vectors at once would be spilled.
  constexpr bool kHasAll = kIsPlain || HeldRow<Passes, Vector>::kRegisters <= 96;
  if constexpr (kHasAll) {
    if (tiling.shape == kAll) return run_team_row<Passes, Vector, kAll>(arguments, tiling);
  }
  run_team_row<Passes, Vector, kOthers>(arguments, tiling);
}

template <class Passes, class Vector, RowShape kShape>
__device__ __forceinline__ void sum_team_rows(const Arguments<Passes, float>& arguments, const RowTiling& tiling) {
  using Row = HeldRow<Passes, Vector>;
  extern __shared__ __align__(16) char shared_rows[];  // totals of warps, twice, and the ring buffer or staged tiles
  const int block_teams = tiling.is_short ? static_cast<int>(blockDim.x) >> tiling.lane_bits : 1;
  const int team = tiling.is_short ? static_cast<int>(threadIdx.x) >> tiling.lane_bits : 0;
  const int64_t step = int64_t{gridDim.x} * block_teams;
  int64_t row = int64_t{blockIdx.x} * block_teams + team;
  const auto nearest = [&](int64_t wanted) { return min(wanted, tiling.rows - 1); };
  Row held(arguments, tiling, shared_rows);
  ColumnSums<Row, Passes::sum_number(Passes::kWrites)> sums;
  held.template load<Passes::kColumns, kShape>(nearest(row));
  float next_scalars[Row::kReads];
  held.load_scalars(nearest(row), next_scalars);
  float next_totals[Passes::kTotals + 1];
  held.load_totals(nearest(row), next_totals);
  const RowRing<Row> ring(shared_rows + 2 * kTotalsBytes<Passes>);
  const int ahead = tiling.stages - 1;
#pragma unroll 1
  for (int k = 0; k < ahead; ++k) {
    ring.template fetch<kShape>(held, nearest(row + k * step), row - team + k * step < tiling.rows, k);
  }
  int stage = 0;
#pragma unroll 1
  for (int turn = 0; row - team < tiling.rows; row += step, turn ^= 1) {
    if (tiling.stages == 0) {
      held.template load<Row::kOfRow, kShape>(nearest(row));
    } else {
      const int64_t fetched = row + ahead * step;
      ring.template fetch<kShape>(held, nearest(fetched), fetched - team < tiling.rows, stage == 0 ? ahead : stage - 1);
      if (ahead == 2) wait_group<2>();
      else wait_group<1>();
      ring.template load<kShape>(held, nearest(row), stage);
      stage = stage == ahead ? 0 : stage + 1;
    }
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
    auto* const of_warps = reinterpret_cast<float*>(shared_rows + turn * kTotalsBytes<Passes>);
    run_row<Passes, kShape>(held, row, row < tiling.rows, of_warps, fetch_next, add_values);
  }
  sums.template store<kShape>(held, reinterpret_cast<float*>(shared_rows));
}

// Many rows for each team, which sums columns over them.
template <class Passes, class Vector, bool kIsPlain>
__global__ void __launch_bounds__(32 * HeldRow<Passes, Vector>::kMaxWarps)
    row_sums_kernel(const __grid_constant__ Arguments<Passes, float> arguments,
                    const __grid_constant__ RowTiling tiling) {
  if constexpr (!kIsPlain) sum_team_rows<Passes, Vector, RowShape::kStaged>(arguments, tiling);
  else if (tiling.shape == RowShape::kWhole) sum_team_rows<Passes, Vector, RowShape::kWhole>(arguments, tiling);
  else sum_team_rows<Passes, Vector, RowShape::kPartial>(arguments, tiling);
}

}  // namespace fusewise::cuda
