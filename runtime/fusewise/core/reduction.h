// How a loop with reduced writes is cut into pieces. Free of torch; shared by CPU and CUDA.
//
// A loop is `rows` of `columns` (the innermost dimension). A row is cut into tiles, and an *item*
// is one tile of one row. A *run* is the items over which every accumulator may stay in place; a
// *chunk* is a part of a run. Each chunk leaves one partial sum per accumulator in the workspace,
// and a second step adds the partials of each element of the result. The cut depends on the loop
// alone, never on the number of threads, and all sums are in a fixed order: the same bits every
// time.
#pragma once

#include <cstddef>
#include <cstdint>

#include <fusewise/core/loop.h>

namespace fusewise {

enum class WriteMode : int8_t {
  kAbsent,  // not needed
  kDense,   // stored element by element
  kColumn,  // inner dimension kept:            partials[chunk][column]
  kAll,     // inner dimension and run summed:  partials[chunk][tile]
  kRow,     // inner dimension summed, row kept: partials[row][tile]
  // Of a run of two dimensions that cross, the inner dimension kept and the
  kAxis0,  // first one summed:  partials[run][near tile][second][column]
  kAxis1,  // second one summed: partials[chunk][first][column]
};

// Such a write is summed over the items of a chunk in place.
RT_FN bool is_accumulated(WriteMode mode) {
  return mode == WriteMode::kColumn || mode == WriteMode::kAll;
}

struct Tiling {
  int64_t tile;             // columns of an item
  int64_t step;             // items that are worked on at once
  int64_t least_steps;      // of a chunk, unless its run is shorter
  int64_t good_steps;       // of a chunk, of as many units as there may be
  int64_t max_items;        // of a chunk: bounds the rounding errors of its sums
  int64_t few_work_tiles;   // of work that there should be, if chunks are short for it
  int64_t many_work_tiles;  // of work that there may be, if chunks are long for it
  int64_t places;           // units that a GPU works on at a time
  int64_t flat_item;        // elements of an item of the flat way; 0: it is not taken
  bool begins_at_once;      // whether no more units than places are best
  bool two_axis;            // whether sums that cross may be taken in one pass; see separate_sums
};

// How a unit of work goes through its chunk of a run.
enum class Traversal : int8_t {
  kDown,     // down the rows, in one column of tiles
  kAlong,    // along each row: on the CPU a run is one row then, on a GPU a few threads take one each
  kFlat,     // along the rows one after the other, as a block of threads can
  kTwoAxis,  // down two dimensions, a rectangle of them in one column of tiles
};

struct Plan {
  int64_t columns;
  int64_t rows;
  int64_t tile;
  int64_t tiles;
  int num_outer;
  int outer[kMaxDims];  // the loop's outer dimensions as rows are numbered, fastest first
  int segment_dims;     // how many of them make up a run
  Traversal traversal;
  // Where sums cross, how the first of the two dimensions is cut. A chunk is rows of the second.
  int64_t axis0_rows;   // of a unit
  int64_t axis0_tiles;  // 1 elsewhere
  int64_t segment_rows;
  int64_t segment_items;
  int64_t split_items;
  int64_t splits_per_segment;
  int64_t splits;
  WriteMode modes[kMaxOperands];  // of each write
  int64_t offsets[kMaxOperands];  // of each write's partials in the workspace, in elements
  int64_t num_partials;

  int64_t work_tile_columns() const {
    const bool is_across = traversal == Traversal::kAlong || traversal == Traversal::kFlat;
    return is_across ? 1 : tiles * axis0_tiles;
  }
  int64_t work_tiles() const { return splits * work_tile_columns(); }  // unit = chunk * unit_columns() + tile
};

// How one element of a reduced write is made of partials.
struct Finalize {
  char* data;
  Dtype dtype;
  int64_t offset;   // of the first partial, in elements
  int64_t outputs;  // elements to write
  int64_t terms;    // partials of each
  int num_kept;
  int64_t kept_sizes[kMaxDims];
  int64_t kept_steps[kMaxDims];    // in partials
  int64_t kept_strides[kMaxDims];  // in bytes of the output
  int num_summed;
  int64_t summed_sizes[kMaxDims];
  int64_t summed_steps[kMaxDims];

  // Of a term, counted from the first partial of its output.
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

// Whether each element of a write is a single partial sum, which the kernel can store as the result.
bool is_whole(const Loop& loop, const Plan& plan, int w);

// Two sums cross where each keeps the rows that the other one adds up, as those of f[:, None] + g do.
// Together they have no run of rows, and partial sums as large as what is summed; to read twice is cheaper.
// Leaves the sums that cross an earlier one to another loop. Returns whether there are any.
bool separate_sums(const Loop& loop, Loop& first, Loop& rest);

inline constexpr int64_t kCpuBuffer = 512;  // elements of an operand that are converted at a time

Tiling cpu_tiling(const Loop& loop);

inline constexpr int kBlockThreads = 256;
inline constexpr int kMultiprocessors = 132;  // of the GPU that the numbers are measured on

// Where sums cross: threads that share a row; rows of the first dimension that a thread has at most.
inline constexpr int kTwoAxisLanes = 16;
constexpr int two_axis_rows(int reads) { return reads <= 2 ? 4 : reads <= 4 ? 2 : 1; }

constexpr int one_to_four(int count) { return count < 1 ? 1 : count > 4 ? 4 : count; }

// Blocks that a multiprocessor should hold at once: four where the registers of a thread allow it. Of very
// many sums it holds one, which would spill them otherwise.
constexpr int reduction_blocks(int reads, int writes, int vector, bool is_vectorized) {
  if (vector * writes >= 40) return 1;
  return one_to_four(256 / (2 * (reads + writes) + (is_vectorized ? 4 : 6 + 2 * vector) * reads +
                            (vector + 1) * writes + 24));
}

// The same of packed vectors where the compiler knows which writes are sums and which are dense.
constexpr int specialized_blocks(int reads, int sums, int dense, int vector) {
  return one_to_four(256 / (6 * reads + 5 * dense + (vector + 3) * sums + 24));
}

// `lanes` threads of `vector` columns each share a row; the other threads of the block take other
// rows. The numbers are those that measured well on a GPU of 132 multiprocessors; they are
// the same on all GPUs, so that all give the same bits.
inline int cuda_lanes(int64_t columns, int vector) {
  int lanes = 1;
  while (lanes < 32 && lanes * vector < columns) lanes *= 2;
  // Half a warp is enough to read memory well, where it leaves fewer lanes idle.
  const auto padded = [&](int64_t tile) { return ceil_div(columns, tile) * tile; };
  const int64_t tile = lanes * vector;
  if (lanes == 32 && 16 * (padded(tile) - padded(tile / 2)) > columns) lanes /= 2;
  return lanes;
}

inline Tiling cuda_tiling(const Loop& loop, int vector, bool is_vectorized, bool two_axis) {
  const int lanes = cuda_lanes(inner_size(loop), vector);
  // The fewer blocks a multiprocessor holds, the less of the beginning and the end of one is hidden by
  // others, and the fewer there should be: of two, no more than begin at once. Many leave more sums of
  // columns to add. Steps of one read are short.
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
                .max_items = 1 << 30,
                .few_work_tiles = kMultiprocessors * (blocks == 1 ? 1 : 2),
                .many_work_tiles = places * (are_many ? 16 : 4),
                .places = places,
                .flat_item = kBlockThreads * vector,
                .begins_at_once = blocks <= 2,
                .two_axis = two_axis};
}

// Gives the partial sums of each write their place in the workspace. Of `results`, a bit each, the kernel
// stores the only partial sum as the result, so that they need none.
void place_partials(const Loop& loop, uint32_t results, Plan& plan);

// The workspace of a kernel; null if there is nothing to leave there.
template <class T>
T* allocate_partials(const Plan& plan, const Launch& launch) {
  if (plan.num_partials == 0) return nullptr;
  const size_t bytes = static_cast<size_t>(plan.num_partials) * sizeof(T);
  return static_cast<T*>(launch.allocate(launch.context, bytes));
}

}  // namespace fusewise
