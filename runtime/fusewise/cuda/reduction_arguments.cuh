// Kernel arguments of a reduction: how work tiles follow each other, and how a thread steps through one. Free of
// torch.
#pragma once

#include <fusewise/cuda/arguments.cuh>

namespace fusewise::cuda {

// The plan of a reduction, as core/reduction.h explains it, for a block: a block processes one work tile.
//
// The vectors of a thread lie a constant stride apart in two dimensions, along the rows of the loop or down them. The
// inner of the two has `period` vectors. From one vector of the thread to the next, the index in the inner dimension
// grows by `advance`, modulo `period`.
struct ReductionTiling {
  FastDivisor work_tile_columns;
  FastDivisor split_order;  // the size of the fastest index: segments if segments_follow, else splits of a segment
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
  uint32_t loop_invariant;  // reads with one vector for all steps of a thread, a bit each
  uint32_t row_scalars;     // other reads that are broadcast along a row
  uint32_t contiguous;      // all other reads
  uint32_t dense;           // writes that are stored element by element, a bit each
  uint32_t summed;          // writes that are sums
  uint32_t whole;           // sums of a single partial sum, which the kernel stores as the result
  bool sums_rows;           // some write has a sum for each row
  bool segments_follow;     // adjacent work tiles belong to different segments, because these are adjacent in memory
};

template <int kReads, int kWrites, class Sum>
struct ReductionArguments : ReductionTiling {
  int64_t steps[kReads + kWrites];  // bytes from one vector of a thread to its next
  int64_t wraps[kReads + kWrites];  // bytes to add when the index in the inner dimension wraps around
  WriteMode modes[kWrites];
  Sum* partials[kWrites];  // or the results, for the writes of `whole`
};

// References to the ReductionArguments of any pass.
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
