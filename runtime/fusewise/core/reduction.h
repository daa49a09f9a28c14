// The plan of a loop with reduced writes. Free of torch; shared by CPU and CUDA.
//
// A loop has `rows` rows of `columns` elements, the inner dimension. A row is divided into tiles; an *item* is
// one tile of one row. A *segment* is a set of items over which every accumulator stays in place. A segment is
// divided into *splits*, and the items of a split in one column of tiles are a *work tile*. Each split leaves
// one partial sum for each accumulator in the workspace, and a second step, which *finalizes* the sums, adds
// the partial sums of each element of the result. The plan depends on the loop alone, never on the number of
// threads, and every sum has a fixed order, so the result has the same bits every time.
#pragma once

#include <cstddef>
#include <cstdint>

#include <fusewise/core/loop.h>

namespace fusewise {

enum class WriteMode : int8_t {
  kAbsent,  // not needed
  kDense,   // stored element by element
  kColumn,  // the inner dimension is kept:                    partials[split][column]
  kAll,     // the inner dimension and the segment are summed: partials[split][tile]
  kRow,     // the inner dimension is summed, rows are kept:   partials[row][tile]
  // A two-axis reduction also keeps the inner dimension.
  kAxis0,  // axis 0 is summed: partials[segment][tile of axis 0][index of axis 1][column]
  kAxis1,  // axis 1 is summed: partials[split][index of axis 0][column]
};

// True if a write is summed in place over the items of a split.
RT_FN bool is_accumulated(WriteMode mode) {
  return mode == WriteMode::kColumn || mode == WriteMode::kAll;
}

struct Tiling {
  int64_t tile;             // columns of an item
  int64_t step;             // items that are processed together
  int64_t least_steps;      // the fewest steps of a split, unless its segment is shorter
  int64_t good_steps;       // the steps of a split if the number of work tiles is within its bounds
  int64_t max_items;        // the most rows of a split; this bounds the rounding errors of its sums
  int64_t few_work_tiles;   // splits are made shorter if there would be fewer work tiles
  int64_t many_work_tiles;  // splits are made longer if there would be more work tiles
  int64_t places;           // work tiles that a GPU processes at the same time; 0 on the CPU
  int64_t flat_item;        // elements of an item in flat traversal; 0 if there is no flat traversal
  bool begins_at_once;      // true if `places` work tiles are better than any larger number
  bool two_axis;            // true if one pass may compute a two-axis reduction; see separate_sums
};

// The order in which a work tile is processed.
enum class Traversal : int8_t {
  kDown,     // down the rows, in one column of tiles
  kAlong,    // along each row. On the CPU a segment is then one row; on a GPU a few threads share a row
  kFlat,     // along all rows, one after the other, by the threads of a block
  kTwoAxis,  // down two axes: a rectangle of them, in one column of tiles
};

struct Plan {
  int64_t columns;
  int64_t rows;
  int64_t tile;
  int64_t tiles;
  int num_outer;
  int outer[kMaxDims];  // the loop's outer dimensions in the order that numbers rows, fastest first
  int segment_dims;     // the first of these make up a segment
  Traversal traversal;
  // In a two-axis reduction, axis 0 is outer[0] and axis 1 is outer[1]. Axis 1 is divided into splits.
  int64_t axis0_rows;   // indices of axis 0 in a work tile
  int64_t axis0_tiles;  // work tiles along axis 0; 1 in other reductions
  int64_t segment_rows;
  int64_t segment_items;
  int64_t split_items;
  int64_t splits_per_segment;
  int64_t splits;
  WriteMode modes[kMaxOperands];  // of each write
  int64_t offsets[kMaxOperands];  // of the partial sums of each write in the workspace, in elements
  int64_t num_partials;

  int64_t work_tile_columns() const {
    const bool is_across = traversal == Traversal::kAlong || traversal == Traversal::kFlat;
    return is_across ? 1 : tiles * axis0_tiles;
  }
  // Work tile number = number of its split * work_tile_columns() + column of tiles.
  int64_t work_tiles() const { return splits * work_tile_columns(); }
};

// The second step of a reduced write: each element of the result is the sum of some partial sums.
struct Finalize {
  char* data;
  Dtype dtype;
  int64_t offset;   // of the first partial sum, in elements
  int64_t outputs;  // elements to write
  int64_t terms;    // partial sums of each element
  int num_kept;
  int64_t kept_sizes[kMaxDims];
  int64_t kept_steps[kMaxDims];    // in partial sums
  int64_t kept_strides[kMaxDims];  // in bytes of the output
  int num_summed;
  int64_t summed_sizes[kMaxDims];
  int64_t summed_steps[kMaxDims];

  // The place of a term, counted in partial sums from the first one of its element.
  RT_FN int64_t place_of(int64_t term) const {
    int64_t place = 0;
    for (int d = 0; d < num_summed; ++d) {
      const bool last = d + 1 == num_summed;
      place += (last ? term : term % summed_sizes[d]) * summed_steps[d];
      if (!last) term /= summed_sizes[d];
    }
    return place;
  }
};

constexpr int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

Plan plan_reduction(const Loop& loop, const Tiling& tiling);

inline bool needs_finalize(WriteMode mode) {
  return mode != WriteMode::kAbsent && mode != WriteMode::kDense;
}

Finalize plan_finalize(const Loop& loop, const Plan& plan, int w);

// True if each element of a write is a single partial sum, which the kernel can store as the result.
bool is_whole(const Loop& loop, const Plan& plan, int w);

// Divides a loop with a two-axis reduction into two loops. In a two-axis reduction, two sums reduce different
// outer dimensions, as in the backward of f[:, None] + g. No segment of several rows serves both, so in one
// loop the partial sums would be as large as the operands; two loops are cheaper. `rest` gets each sum that
// forms a two-axis reduction with an earlier sum; `first` gets all other writes. Returns false if the loop
// has no two-axis reduction.
bool separate_sums(const Loop& loop, Loop& first, Loop& rest);

inline constexpr int64_t kCpuBuffer = 512;  // elements of an operand that are converted together

Tiling cpu_tiling(const Loop& loop);

inline constexpr int kBlockThreads = 256;
inline constexpr int kMultiprocessors = 132;  // of the GPU on which the constants were measured
inline constexpr int64_t kMaxTerms = 1024;    // that a thread adds in sequence; the sums of threads form a tree

// In a two-axis reduction: the threads that share a row, and the most indices of axis 0 for a thread.
inline constexpr int kTwoAxisLanes = 16;
constexpr int two_axis_rows(int reads) { return reads <= 2 ? 4 : reads <= 4 ? 2 : 1; }

constexpr int one_to_four(int count) { return count < 1 ? 1 : count > 4 ? 4 : count; }

// The number of blocks that a multiprocessor should hold at the same time: four if the registers of a thread
// allow it, and one for a pass with very many sums, whose registers would otherwise spill.
constexpr int reduction_blocks(int reads, int writes, int vector, bool is_vectorized) {
  if (vector * writes >= 40) return 1;
  return one_to_four(256 / (2 * (reads + writes) + (is_vectorized ? 4 : 6 + 2 * vector) * reads +
                            (vector + 1) * writes + 24));
}

// The same for the specialized kernel, in which the compiler knows the sums and the dense writes.
constexpr int specialized_blocks(int reads, int sums, int dense, int vector) {
  return one_to_four(256 / (6 * reads + 5 * dense + (vector + 3) * sums + 24));
}

// The number of threads that share a row, `vector` columns each; the other threads of the block take other
// rows. The constants were measured on a GPU of 132 multiprocessors. They are the same on all GPUs, which thus
// give the same bits.
inline int cuda_lanes(int64_t columns, int vector) {
  int lanes = 1;
  while (lanes < 32 && lanes * vector < columns) lanes *= 2;
  // Half a warp reads memory nearly as well. It is taken if it leaves fewer lanes idle.
  const auto padded = [&](int64_t tile) { return ceil_div(columns, tile) * tile; };
  const int64_t tile = lanes * vector;
  if (lanes == 32 && 16 * (padded(tile) - padded(tile / 2)) > columns) lanes /= 2;
  return lanes;
}

inline Tiling cuda_tiling(const Loop& loop, int vector, bool is_vectorized, bool two_axis) {
  const int lanes = cuda_lanes(inner_size(loop), vector);
  // The fewer blocks a multiprocessor holds, the less of the start and end of a block is hidden by other
  // blocks, so the fewer blocks there should be: with one or two, no more than run at the same time. More
  // blocks also leave more partial sums to add. Steps of a single read are short, so there are more of them.
  int sums = 0, dense = 0;
  for (int k = loop.num_reads; k < num_operands(loop); ++k) {
    if (is_reduced(loop, loop.operands[k])) ++sums;
    else if (loop.operands[k].data != nullptr) ++dense;
  }
  const int blocks = is_vectorized ? specialized_blocks(loop.num_reads, sums, dense, vector)
                               : reduction_blocks(loop.num_reads, sums + dense, vector, false);
  const int64_t places = kMultiprocessors * blocks;
  const bool are_many = blocks == 4;
  const int good_steps = loop.num_reads == 1 ? 32 : are_many ? 8 : 16;
  return Tiling{.tile = lanes * vector,
                .step = kBlockThreads / lanes,
                .least_steps = 4,
                .good_steps = good_steps,
                .max_items = kMaxTerms * kBlockThreads / lanes,
                .few_work_tiles = kMultiprocessors * (blocks == 1 ? 1 : 2),
                .many_work_tiles = places * (are_many ? 16 : 4),
                .places = places,
                .flat_item = kBlockThreads * vector,
                .begins_at_once = blocks <= 2,
                .two_axis = two_axis};
}

// Assigns each write a place in the workspace for its partial sums. The writes in `results`, a bit each, need
// none: the kernel stores their only partial sum as the result.
void place_partials(const Loop& loop, uint32_t results, Plan& plan);

// Allocates the workspace of a kernel; null if there are no partial sums.
template <class T>
T* allocate_partials(const Plan& plan, const Launch& launch) {
  if (plan.num_partials == 0) return nullptr;
  const size_t bytes = static_cast<size_t>(plan.num_partials) * sizeof(T);
  return static_cast<T*>(launch.allocate(launch.context, bytes));
}

}  // namespace fusewise
