// RARGS
#pragma once

#include <fusewise/cuda/arguments.cuh>

namespace fusewise::cuda {

// What a block must know of the plan; see reduction.h. A thread's vectors lie in rows of `period`, a
// vector being counted along a row of the loop or down its rows. From one to the next, the place in
// such a row grows by `advance`, and where that is over the period, it is taken off again.
struct ReductionTiling {
  FastDivisor work_tile_columns;
  FastDivisor split_order;  // the runs of a chunk that follow each other, or the chunks of a run
  FastDivisor period;
  int64_t tiles;
  int64_t segment_rows;
  int64_t segment_vectors;
  int64_t segment_items;
  int64_t split_items;
  uint32_t splits_per_segment;
  int segment_dims;
  int lane_bits;  // 2^lane_bits threads share a row
  Traversal traversal;
  uint32_t advance;
  uint32_t loop_invariant;  // reads of which a thread has the same vector all along; bits
  uint32_t row_scalars;     // other reads that are broadcast along a row
  uint32_t contiguous;      // reads that are neither
  uint32_t dense;           // writes
  uint32_t summed;          // writes
  uint32_t whole;           // writes of which each partial sum is the result
  bool sums_rows;           // some write is summed for each row
  bool segments_follow;     // units of several runs follow each other, as they do in memory
};

template <int kReads, int kWrites, class Sum>
struct ReductionArguments : ReductionTiling {
  int64_t steps[kReads + kWrites];  // bytes from one vector to the next
  int64_t wraps[kReads + kWrites];  // bytes that a period taken off adds
  WriteMode modes[kWrites];
  Sum* partials[kWrites];
};

template <class Sum>
struct ReductionArgumentsRef {
  void* all;
  ReductionTiling& tiling;
  int64_t* steps;
  int64_t* wraps;
  WriteMode* modes;
  Sum** partials;

  template <int kReads, int kWrites>
  explicit ReductionArgumentsRef(ReductionArguments<kReads, kWrites, Sum>& of)
      : all(&of), tiling(of), steps(of.steps), wraps(of.wraps), modes(of.modes),
        partials(of.partials) {}
};

}  // namespace fusewise::cuda
