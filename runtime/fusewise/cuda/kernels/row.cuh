// The row kernels: they compute the totals of a row pass (core/rows.h) and its writes while the row lies in registers,
// so that memory is read once. Free of torch.
//
// A team is the threads that share a row: a block, or some threads of a warp where rows are short. Of a pass that sums
// nothing over rows, a team has one row. Else there are fewer teams: each goes through many rows, loads the next one
// while it computes, and adds the sums of its columns in registers. finalize.cuh adds those of all teams.
#pragma once

#include <fusewise/cuda/kernels/held_row.cuh>

namespace fusewise::cuda {

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

  // Stores the sums of a team.
  __device__ __forceinline__ void store(const Row& row, int64_t team, int64_t teams) const {
    const int columns = row.tiling.vectors * Row::kSize;
#pragma unroll
    for (int s = 0; s < kSums; ++s) {
      float* const to = row.tiling.partials + (s * teams + team) * columns;
#pragma unroll
      for (int v = 0; v < Row::kVectors; ++v) {
        if (!row.is_there(v)) continue;
        const float (&sums)[Row::kSize] = of[s][v];
        float* const at = to + row.number(v) * Row::kSize;
#pragma unroll
        for (int i = 0; i < Row::kSize; i += 4) {
          store_partial(reinterpret_cast<float4*>(at + i),
                        make_float4(sums[i], sums[i + 1], sums[i + 2], sums[i + 3]));
        }
      }
    }
  }
};

// Computes the row that is held, stores its writes, and passes the elements of summed writes to `add_to`.
template <class Passes, class Row, class AddTo>
__device__ __forceinline__ void run_row(Row& held, int64_t row, bool has_row, float* shared, const AddTo& add_to) {
  each<Passes::kPhases>([&](auto p) { held.template run_phase<p.value>(shared); });
  if (!has_row) return;
  char* to[Passes::kWrites];
  held.find_writes(row, to);
  if constexpr (Passes::kRowWrites != 0) {
    if (held.first == 0) held.store_row(to);
  }
  if constexpr (Passes::Elements::kWrites > 0) {
    using Op = typename Passes::Elements;
    float hoisted[kHoisted<Op> + 1];
    held.template hoist_row<Op>(hoisted);
#pragma unroll
    for (int v = 0; v < Row::kVectors; ++v) {
      if (!held.is_there(v)) continue;
      float results[Op::kWrites][Row::kSize];
      held.template compute<Op>(v, hoisted, results);
      each<Passes::kWrites>([&](auto w) {
        if constexpr (!Passes::is_row_write(w.value)) {
          const float (&values)[Row::kSize] = results[Passes::number_of(w.value)];
          if constexpr (Passes::is_summed(w.value)) add_to(w, v, values);
          else held.template store<w.value>(to[w.value], v, values);
        }
      });
    }
  }
}

// A row for each team.
template <class Passes, class Vector>
__global__ void __launch_bounds__(32 * kMaxWarps<Passes>)
    row_kernel(const __grid_constant__ Arguments<Passes, float> arguments, const __grid_constant__ RowTiling tiling) {
  extern __shared__ __align__(16) char shared_totals[];  // of warps
  int64_t row = blockIdx.x;
  if (tiling.is_short) row = row * (blockDim.x >> tiling.lane_bits) + (threadIdx.x >> tiling.lane_bits);
  // Threads without a row reduce the last one, since shuffles need all threads of a warp.
  const bool has_row = row < tiling.rows;
  HeldRow<Passes, Vector> held(arguments, tiling);
  held.template load<~0u>(has_row ? row : tiling.rows - 1, held.reads);
  run_row<Passes>(held, row, has_row, reinterpret_cast<float*>(shared_totals), [](auto...) {});
}

// Many rows for each team, which sums columns over them.
template <class Passes, class Vector>
__global__ void __launch_bounds__(32 * kMaxWarps<Passes>)
    row_sums_kernel(const __grid_constant__ Arguments<Passes, float> arguments,
                    const __grid_constant__ RowTiling tiling) {
  using Row = HeldRow<Passes, Vector>;
  extern __shared__ __align__(16) char shared_totals[];  // of warps, twice
  float* const shared = reinterpret_cast<float*>(shared_totals);
  const int block_teams = tiling.is_short ? static_cast<int>(blockDim.x) >> tiling.lane_bits : 1;
  const int team = tiling.is_short ? static_cast<int>(threadIdx.x) >> tiling.lane_bits : 0;
  const int64_t step = int64_t{gridDim.x} * block_teams;
  int64_t row = int64_t{blockIdx.x} * block_teams + team;
  const auto nearest = [&](int64_t wanted) { return min(wanted, tiling.rows - 1); };
  Row held(arguments, tiling);
  ColumnSums<Row, Passes::sum_number(Passes::kWrites)> sums;
  held.template load<~0u>(nearest(row), held.reads);
#pragma unroll 1
  for (int turn = 0; row - team < tiling.rows; row += step, turn ^= 1) {
    typename Row::Reads ahead;
    const bool has_next = row - team + step < tiling.rows;
    if (has_next) held.template load<~Passes::kColumns>(nearest(row + step), ahead);
    run_row<Passes>(held, row, row < tiling.rows, shared + turn * Passes::kTotals * kMaxRowWarps,
                    [&](auto w, int v, const float (&values)[Row::kSize]) {
                      sums.template add_values<Passes::sum_number(w.value)>(v, values);
                    });
    if (has_next) held.take(ahead);
  }
  sums.store(held, int64_t{blockIdx.x} * block_teams + team, step);
}

}  // namespace fusewise::cuda
