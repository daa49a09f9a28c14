// The phases of a row that is held: its totals, which all threads of the row get. Free of torch.
#pragma once

#include <fusewise/cuda/kernels/held_row.cuh>

namespace fusewise::cuda {

// The totals in kReduced of a phase. The first of them is number kFirst of the row, and the terms of number `kTerm` are
// held if that is not negative. `shared` has room for a number of each warp and total.
template <class Phase, RowShape kShape, int kFirst, int kTerm, class Row>
__device__ __forceinline__ void reduce_row(Row& held, float* shared) {
  float found[Phase::Op::kWrites];
  held.template reduce_tile<Phase, kShape, kTerm>(found);
  if (held.tiling.is_short) {
    each_bit<Phase::kReduced>([&](auto w) { held.totals[kFirst + w.value] = found[w.value]; });
    return;
  }
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
__device__ __forceinline__ void pick_totals(Row& held, int64_t row) {
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
  apply<Op>(in, held.arguments.params, hoisted, types, out);
  // The zeros that a sum has beside the term would make +0 of -0.
  each_bit<Phase::kPicked>([&](auto w) { held.totals[kFirst + w.value] = add(0.0f, out[w.value]); });
}

// Computes the totals of phase number `p`. Those of reduce_row go through `shared`.
template <class Passes, int p, RowShape kShape, class Row>
__device__ __forceinline__ void run_phase(Row& held, int64_t row, float* shared) {
  using Phase = typename Passes::template PhaseAt<p>;
  constexpr int kFirst = Passes::totals_before(p);
  constexpr bool kHolds = Passes::kHoldsTerm && p == Passes::kPhases - 1;
  if constexpr (kHolds) reduce_row<Phase, kShape, kFirst, Passes::Held::kTerm>(held, shared);
  else if constexpr (Phase::kReduced != 0) reduce_row<Phase, kShape, kFirst, -1>(held, shared);
  if constexpr (Phase::kPicked != 0) pick_totals<Phase, kFirst>(held, row);
  held.forget();
}

}  // namespace fusewise::cuda
