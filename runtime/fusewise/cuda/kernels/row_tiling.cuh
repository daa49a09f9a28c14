// How the row kernels divide rows among threads, and the shapes of rows that they are compiled for. Free of torch.
#pragma once

#include <cstdint>

#include <fusewise/math/dtype.h>

namespace fusewise::cuda {

inline constexpr int kMaxRowWarps = 32;  // of a block
inline constexpr int kReadOnceWarps = 4;     // of a block that reads a row once in its phases
inline constexpr int kClusterWarps = 16;     // the most of a block that shares a row with others
inline constexpr int kRingStages = 2;        // rows of a ring buffer
inline constexpr int kSumsBytes = 224 << 10;  // of shared memory for the rows of a block that sums columns

// Rows are plain if all operands but for the known row scalars are dense, and all their vectors are aligned and whole.
// Short rows have one tile at most. A row kernel is compiled for plain rows and, with more code and registers, for
// others. Shapes of which each thread knows how many vectors it has need no test for each.
enum class RowShape : int8_t {
  kWhole,        // plain, of more than one tile, and each thread has all vectors of its tile
  kEven,         // plain and short, and numbered by one dimension; each of 32 threads has as many vectors
  kPartial,      // plain
  kUnaligned,    // dense reads that are not aligned; each thread has all vectors of its tile
  kAny,          // vectors are loaded and stored in words or elements
  kStagedWhole,  // as kStaged, of rows that are kUnaligned
  kStaged,       // tiles move through shared memory (staged_tile.cuh), as is needed to fetch rows ahead
};

RT_FN constexpr bool is_staged(RowShape shape) {
  return shape == RowShape::kStagedWhole || shape == RowShape::kStaged;
}
// True if each thread has all vectors of its tile, of which the last one may be partial.
RT_FN constexpr bool ends_partial(RowShape shape) {
  return shape == RowShape::kUnaligned || shape == RowShape::kStagedWhole;
}
RT_FN constexpr bool has_all(RowShape shape) { return shape == RowShape::kWhole || ends_partial(shape); }
RT_FN constexpr bool is_plain(RowShape shape) {
  return shape == RowShape::kWhole || shape == RowShape::kEven || shape == RowShape::kPartial;
}
// True if 32 threads are known to share a tile.
RT_FN constexpr bool has_warp(RowShape shape) {
  return shape == RowShape::kWhole || shape == RowShape::kEven || ends_partial(shape);
}

// The rows that code is compiled for. Code for some of them alone takes fewer registers.
enum class RowLengths : int8_t {
  kAll,
  kShort,  // and numbered by one dimension
  kLong
};

// The arguments of a row kernel that do not depend on the pass.
struct RowTiling {
  int rows;
  int vectors;           // of a row
  int columns;           // of a row
  int partial;           // elements of its last vector, if that is partial, else 0
  int lane_bits;         // 2^lane_bits threads of a warp share a row
  int warps_mask;        // the next power of two of the warps of a block, less one
  RowShape shape;        // of all rows; long_row.cuh finds that of each tile
  bool is_aligned;       // all vectors of dense operands are aligned
  bool is_unaligned;     // some are not, and all reads but for the known row scalars are dense
  bool is_short;         // a warp has one row or several
  bool is_clustered;     // the blocks along y are a cluster, which holds a row
  int step;              // from one vector of a thread to its next; less than 32 if TotalsPlan splits rows
  int stages;            // rows of a team that its ring buffer holds, if columns are summed
  int turn_bytes;        // of shared memory, for the totals of a row; two follow each other if columns are summed
  int ring;              // where the ring buffer begins in shared memory, or the staged tiles
  int slots;             // vectors of an operand that a warp has there
  float* partials;       // of each write in kSummed and of each block: the sums of its columns
  const float* totals;   // of all rows, if they are known, else null
  int64_t total_stride;  // between the totals of a row
};

}  // namespace fusewise::cuda
