// The two-axis reduction kernel: two sums in one pass over the data, each of which keeps the axis that the
// other one reduces, as in the backward of f[:, None] + g. Free of torch.
//
// The axes are outer dimensions; both sums keep the inner dimension. A block processes a rectangle of the two
// axes in one tile of columns, and goes down axis 1. Its threads share the indices of axis 0. Each thread keeps
// the sums over axis 1 for a few of them in registers; for each index of axis 1 the block adds the terms of its
// threads, which gives the sums over axis 0.
#pragma once

#include <fusewise/cuda/async.cuh>
#include <fusewise/cuda/vector.cuh>

namespace fusewise::cuda {

// The plan of a two-axis reduction for a block; see core/reduction.h.
struct TwoAxisArguments {
  FastDivisor work_tile_columns;
  FastDivisor tiles;
  FastDivisor splits_per_segment;
  uint32_t axis0_size;
  uint32_t axis0_rows;   // indices of axis 0 in a block
  uint32_t axis0_tiles;  // blocks along axis 0
  uint32_t axis1_size;
  uint32_t axis1_rows;   // indices of axis 1 in a block
  uint32_t axis0_write;  // the write that is summed over axis 0, as a bit
  uint32_t axis1_write;  // the write that is summed over axis 1, as a bit
  bool axis0_is_whole;   // one block has all terms of a sum over axis 0, and stores it as the result
  float* axis0_sums;
  float* axis1_sums;
};

// More reads do not fit the shared memory that every GPU has, and strided access would need more registers than
// there are.
template <class Op, class Vector>
inline constexpr bool kHasTwoAxis = kTwoAxis<Op> && Vector::kIsVectorized && Op::kReads <= 8;

template <class Op>
inline constexpr int kTwoAxisRows = two_axis_rows(Op::kReads);
template <class Op, class Vector>
inline constexpr int kTwoAxisBlocks = Op::kWrites * Vector::kSize > 16 ? 2 : 3;

// A thread has every kTwoAxisGroups-th index of axis 0 in the block.
inline constexpr int kTwoAxisGroups = kBlockThreads / kTwoAxisLanes;

// The rectangle of a block, and the vectors of a thread in it: vector i lies at index axis0 + i * kTwoAxisGroups
// of axis 0. The vectors of the next index of axis 1 are copied to shared memory while the block computes those
// of the current index.
template <class Op, class Vector>
struct TwoAxisTile {
  using T = typename Vector::Value;
  static constexpr int kReads = Op::kReads;
  static constexpr int kOperands = kReads + Op::kWrites;
  static constexpr int kSize = Vector::kSize;
  static constexpr int kRows = kTwoAxisRows<Op>;

  const Arguments<Op, T>& arguments;
  const TwoAxisArguments& two_axis;
  uint32_t ahead;  // the address of the thread's copies
  uint32_t split;
  uint32_t segment;
  uint32_t tile;  // of columns
  uint32_t axis0_tile;
  uint32_t axis0;
  uint32_t first_axis1;
  uint32_t end_axis1;
  uint32_t vector;  // index in the row
  int rows;         // vectors of the thread for each index of axis 1
  char* places[kOperands];

  __device__ __forceinline__ TwoAxisTile(const Arguments<Op, T>& arguments,
                                         const TwoAxisArguments& two_axis,
                                         uint4 (&shared)[kRows][kReads][kBlockThreads])
      : arguments(arguments), two_axis(two_axis), ahead(shared_address(&shared[0][0][threadIdx.x])) {
    split = two_axis.work_tile_columns.divide(blockIdx.x);
    const uint32_t work_tile_column =
        blockIdx.x - split * static_cast<uint32_t>(two_axis.work_tile_columns.value);
    axis0_tile = two_axis.tiles.divide(work_tile_column);
    tile = work_tile_column - axis0_tile * static_cast<uint32_t>(two_axis.tiles.value);
    segment = two_axis.splits_per_segment.divide(split);
    const uint32_t split_in_segment =
        split - segment * static_cast<uint32_t>(two_axis.splits_per_segment.value);
    first_axis1 = split_in_segment * two_axis.axis1_rows;
    end_axis1 = min(first_axis1 + two_axis.axis1_rows, two_axis.axis1_size);
    axis0 = axis0_tile * two_axis.axis0_rows + group();
    const uint32_t end_axis0 = min((axis0_tile + 1) * two_axis.axis0_rows, two_axis.axis0_size);
    vector = tile * kTwoAxisLanes + lane();
    const bool is_inside = vector < static_cast<uint32_t>(arguments.row_vectors.value);
    const bool has_rows = is_inside && axis0 < end_axis0;
    rows = has_rows ? static_cast<int>((end_axis0 - axis0 + kTwoAxisGroups - 1) / kTwoAxisGroups) : 0;
#pragma unroll
    for (int k = 0; k < kOperands; ++k) {
      places[k] = arguments.data[k] + int64_t{vector} * arguments.operands[k].step +
                  int64_t{axis0} * arguments.strides[0][k] +
                  int64_t{first_axis1} * arguments.strides[1][k];
    }
    add_row(arguments, int64_t{segment}, 2, arguments.num_outer, places);
  }

  static __device__ __forceinline__ uint32_t lane() { return threadIdx.x % kTwoAxisLanes; }
  static __device__ __forceinline__ uint32_t group() { return threadIdx.x / kTwoAxisLanes; }

  __device__ __forceinline__ char* place(int k, int i) const {
    return places[k] + i * (kTwoAxisGroups * arguments.strides[0][k]);
  }
  __device__ __forceinline__ uint32_t address(int k, int i) const {
    return ahead + (i * kReads + k) * (kBlockThreads * kVectorBytes);
  }

  // Moves the operands from `first` to `end` to the next index of axis 1.
  __device__ __forceinline__ void advance(int first, int end) {
#pragma unroll
    for (int k = 0; k < kOperands; ++k) {
      if (k >= first && k < end) places[k] += arguments.strides[1][k];
    }
  }

  // Starts the copies of vector i, if it exists.
  __device__ __forceinline__ void fetch(int i, bool is_there) const {
#pragma unroll
    for (int k = 0; k < kReads; ++k) {
      if (!is_there || !arguments.operands[k].is_contiguous) continue;
      const Dtype type = type_of<Vector>(arguments, k);
      copy_async<Vector>(type, is_of_pair<Op>(k), address(k, i), place(k, i));
    }
    commit_group();
  }

  // Loads vector i of the current index of axis 1; the places are already those of the next.
  __device__ __forceinline__ void load(int i, Vector (&reads)[kReads]) const {
    wait_group<kRows - 1>();
#pragma unroll
    for (int k = 0; k < kReads; ++k) {
      const Dtype type = type_of<Vector>(arguments, k);
      const auto& operand = arguments.operands[k];
      if (operand.is_contiguous) {
        load_shared(address(k, i), reads[k].words);
      } else if (i < rows) {
        reads[k].load_broadcast(type, operand, place(k, i) - arguments.strides[1][k]);
        reads[k].unpack(type, operand);
      }
    }
  }

  // Stores vector i of the writes that are not sums.
  __device__ __forceinline__ void store(int i, const T (&results)[Op::kWrites][kSize]) const {
    Vector writes[Op::kWrites];
    pack_writes(arguments, results, writes);
#pragma unroll
    for (int w = 0; w < Op::kWrites; ++w) {
      const bool is_sum = ((two_axis.axis0_write | two_axis.axis1_write) >> w & 1) != 0;
      if (is_sum || arguments.operands[kReads + w].is_absent()) continue;
      writes[w].store_contiguous(type_of<Vector>(arguments, kReads + w), place(kReads + w, i));
    }
  }

  // Adds the results of a vector to the sums over both axes.
  __device__ __forceinline__ void add(const T (&results)[Op::kWrites][kSize], float (&axis0_sums)[kSize],
                                      float (&axis1_sums)[kSize]) const {
#pragma unroll
    for (int e = 0; e < kSize; ++e) {
      float axis0_term = static_cast<float>(results[0][e]);
      float axis1_term = axis0_term;
#pragma unroll
      for (int w = 1; w < Op::kWrites; ++w) {
        const float term = static_cast<float>(results[w][e]);
        if ((two_axis.axis0_write >> w & 1) != 0) axis0_term = term;
        if ((two_axis.axis1_write >> w & 1) != 0) axis1_term = term;
      }
      axis0_sums[e] = __fadd_rn(axis0_sums[e], axis0_term);
      axis1_sums[e] = __fadd_rn(axis1_sums[e], axis1_term);
    }
  }

  __device__ __forceinline__ void store_axis1(const float (&sums)[kRows][kSize]) const {
    // Of two lanes that store together, the second may have no vector.
    const int rows_of_pair = __shfl_sync(~0u, rows, static_cast<int>(threadIdx.x % 32 & ~1u));
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      const int64_t row = int64_t{split} * two_axis.axis0_size + axis0 + i * kTwoAxisGroups;
      const uint32_t vectors = i < rows_of_pair ? static_cast<uint32_t>(arguments.row_vectors.value) : 0;
      store_partials(two_axis.axis1_sums + row * arguments.columns, vector, vectors, sums[i]);
    }
  }
};

// The sums over axis 0. Each thread stores those of one column of the block: the first at `to`, the next `step`
// bytes further.
template <class Op, class Vector>
struct Axis0Sums {
  using Tile = TwoAxisTile<Op, Vector>;
  static constexpr int kReads = Op::kReads;
  static constexpr int kSize = Vector::kSize;
  static constexpr int kParts = kSize / 4;
  static constexpr int kColumns = kTwoAxisLanes * kSize;
  // The terms of the groups, in parts of 16 bytes, so that adjacent threads write to adjacent addresses.
  using Terms = float4[kTwoAxisGroups][kParts][kTwoAxisLanes];

  const Arguments<Op, typename Vector::Value>& arguments;
  const TwoAxisArguments& two_axis;
  bool has_column;
  char* to;
  int64_t step;

  __device__ __forceinline__ explicit Axis0Sums(const Tile& tile)
      : arguments(tile.arguments), two_axis(tile.two_axis) {
    const uint32_t part = threadIdx.x / (4 * kTwoAxisLanes);
    const uint32_t owner = threadIdx.x / 4 % kTwoAxisLanes;
    const uint32_t column = tile.tile * kColumns + owner * kSize + part * 4 + threadIdx.x % 4;
    has_column = threadIdx.x < kColumns && column < arguments.columns;
    const int64_t tile_row = int64_t{tile.segment} * two_axis.axis0_tiles + tile.axis0_tile;
    const int64_t row = tile_row * two_axis.axis1_size + tile.first_axis1;
    to = reinterpret_cast<char*>(two_axis.axis0_sums + row * arguments.columns + column);
    step = arguments.columns * static_cast<int64_t>(sizeof(float));
#pragma unroll
    for (int w = 0; w < Op::kWrites; ++w) {
      if (!is_result(w)) continue;
      const int k = kReads + w;
      const int64_t columns = int64_t{column} - int64_t{tile.vector} * kSize;  // from the thread's first column
      to = tile.places[k] + columns * (arguments.operands[k].step / kSize);
      step = arguments.strides[1][k];
    }
  }

  // True if the sums are the result of write `w`, else they are partial sums.
  __device__ __forceinline__ bool is_result(int w) const {
    return two_axis.axis0_is_whole && (two_axis.axis0_write >> w & 1) != 0;
  }

  __device__ __forceinline__ void store(float sum) const {
    if (!two_axis.axis0_is_whole) *reinterpret_cast<float*>(to) = sum;
#pragma unroll
    for (int w = 0; w < Op::kWrites; ++w) {
      if (!is_result(w)) continue;
      const int k = kReads + w;
      Vector::store_element(type_of<Vector>(arguments, k), arguments.operands[k], to, 0,
                            typename Vector::Value(sum));
    }
  }

  // Adds the sums of the groups for one index of axis 1, stores them and moves on to the next index.
  __device__ __forceinline__ void merge(const float (&sums)[kSize], Terms& terms) {
#pragma unroll
    for (int p = 0; p < kParts; ++p) {
      terms[Tile::group()][p][Tile::lane()] =
          make_float4(sums[4 * p], sums[4 * p + 1], sums[4 * p + 2], sums[4 * p + 3]);
    }
    __syncthreads();
    if (has_column) {
      const float* const term = reinterpret_cast<const float*>(terms) + threadIdx.x;
      float total = 0.0f;
#pragma unroll
      for (int g = 0; g < kTwoAxisGroups; ++g) total = __fadd_rn(total, term[g * kColumns]);
      store(total);
    }
    to += step;
  }
};

template <class Op, class Vector>
__global__ void __launch_bounds__(kBlockThreads, (kTwoAxisBlocks<Op, Vector>))
    two_axis_kernel(const __grid_constant__ Arguments<Op, typename Vector::Value> arguments,
                    const __grid_constant__ TwoAxisArguments two_axis) {
  constexpr int kReads = Op::kReads;
  constexpr int kRows = kTwoAxisRows<Op>;
  constexpr bool kMayStore = Op::kWrites > 2;  // two writes are sums, others may be dense
  __shared__ uint4 ahead[kRows][kReads][kBlockThreads];
  // There are two buffers: the terms of one index of axis 1 are added while those of the next are written.
  __shared__ typename Axis0Sums<Op, Vector>::Terms terms[2];
  TwoAxisTile<Op, Vector> tile(arguments, two_axis, ahead);
#pragma unroll
  for (int i = 0; i < kRows; ++i) tile.fetch(i, i < tile.rows);
  Axis0Sums<Op, Vector> axis0(tile);
  float axis1_sums[kRows][Vector::kSize] = {};
#pragma unroll 1
  for (uint32_t axis1 = tile.first_axis1; axis1 < tile.end_axis1; ++axis1) {
    tile.advance(0, kReads);
    float axis0_sums[Vector::kSize] = {};
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      Vector reads[kReads];
      tile.load(i, reads);
      tile.fetch(i, i < tile.rows && axis1 + 1 < tile.end_axis1);
      if (i >= tile.rows) continue;
      deinterleave(arguments, reads);
      typename Vector::Value results[Op::kWrites][Vector::kSize];
      apply_vector<Op>(arguments, reads, results);
      if constexpr (kMayStore) tile.store(i, results);
      tile.add(results, axis0_sums, axis1_sums[i]);
    }
    axis0.merge(axis0_sums, terms[axis1 % 2]);
    if constexpr (kMayStore) tile.advance(kReads, kReads + Op::kWrites);
  }
  tile.store_axis1(axis1_sums);
}

}  // namespace fusewise::cuda
