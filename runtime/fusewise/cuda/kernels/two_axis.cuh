// The two-axis reduction kernel: two sums in one pass over the data, each of which keeps the axis that the other one
// reduces, as in the backward of f[:, None] + g. Free of torch.
//
// The axes are outer dimensions; both sums keep the inner dimension. A block processes a rectangle of the two axes in
// one tile of columns, and goes down axis 1. Its threads share the indices of axis 0. Each thread keeps the sums over
// axis 1 for a few of them in registers; for each index of axis 1 the block adds the terms of its threads, which gives
// the sums over axis 0.
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

// More reads do not fit the shared memory that every GPU has, and strided access would need more registers than there
// are.
template <class Op, class Vector>
inline constexpr bool kHasTwoAxis = kTwoAxis<Op> && Vector::kIsVectorized && Op::kReads <= 8;

template <class Op>
inline constexpr int kTwoAxisRows = two_axis_rows(Op::kReads);
template <class Op, class Vector>
inline constexpr int kTwoAxisBlocks = Op::kWrites * Vector::kSize > 16 ? 2 : 3;

template <class Op, class Vector>
__global__ void __launch_bounds__(kBlockThreads, (kTwoAxisBlocks<Op, Vector>))
    two_axis_kernel(const __grid_constant__ Arguments<Op, typename Vector::Value> arguments,
                    const __grid_constant__ TwoAxisArguments two_axis) {
  using T = typename Vector::Value;
  constexpr int kReads = Op::kReads;
  constexpr int kOperands = kReads + Op::kWrites;
  constexpr int kSize = Vector::kSize;
  constexpr int kColumns = kTwoAxisLanes * kSize;
  constexpr int kGroups = kBlockThreads / kTwoAxisLanes;
  constexpr int kParts = kSize / 4;
  constexpr int kRows = kTwoAxisRows<Op>;
  constexpr bool kMayStore = Op::kWrites > 2;  // two writes are sums, others may be dense
  const uint32_t lane = threadIdx.x % kTwoAxisLanes;
  const uint32_t group = threadIdx.x / kTwoAxisLanes;
  const uint32_t split = two_axis.work_tile_columns.divide(blockIdx.x);
  const uint32_t work_tile_column =
      blockIdx.x - split * static_cast<uint32_t>(two_axis.work_tile_columns.value);
  const uint32_t axis0_tile = two_axis.tiles.divide(work_tile_column);
  const uint32_t tile = work_tile_column - axis0_tile * static_cast<uint32_t>(two_axis.tiles.value);
  const uint32_t segment = two_axis.splits_per_segment.divide(split);
  const uint32_t split_in_segment =
      split - segment * static_cast<uint32_t>(two_axis.splits_per_segment.value);
  const uint32_t first_axis1 = split_in_segment * two_axis.axis1_rows;
  const uint32_t end_axis1 = min(first_axis1 + two_axis.axis1_rows, two_axis.axis1_size);
  const uint32_t axis0 = axis0_tile * two_axis.axis0_rows + group;
  const uint32_t end_axis0 = min((axis0_tile + 1) * two_axis.axis0_rows, two_axis.axis0_size);
  const uint32_t vector = tile * kTwoAxisLanes + lane;
  const bool is_inside = vector < static_cast<uint32_t>(arguments.row_vectors.value);
  const int rows =
      is_inside && axis0 < end_axis0 ? static_cast<int>((end_axis0 - axis0 + kGroups - 1) / kGroups) : 0;

  char* places[kOperands];
#pragma unroll
  for (int k = 0; k < kOperands; ++k) {
    places[k] = arguments.data[k] + int64_t{vector} * arguments.operands[k].step +
                int64_t{axis0} * arguments.strides[0][k] +
                int64_t{first_axis1} * arguments.strides[1][k];
  }
  add_row(arguments, int64_t{segment}, 2, arguments.num_outer, places);
  const auto place = [&](int k, int i) {
    return places[k] + i * (kGroups * arguments.strides[0][k]);
  };

  // The vectors of the next index of axis 1 are copied while those of the current index are used.
  __shared__ uint4 ahead[kRows][kReads][kBlockThreads];
  const auto address_of = [&](int i, int k) { return shared_address(&ahead[i][k][threadIdx.x]); };
  const auto fetch = [&](int i, bool is_there) {
#pragma unroll
    for (int k = 0; k < kReads; ++k) {
      if (!is_there || !arguments.operands[k].is_contiguous) continue;
      const Dtype type = type_of<Vector>(arguments, k);
      copy_async<Vector>(type, is_of_pair<Op>(k), address_of(i, k), place(k, i));
    }
    commit_group();
  };
  // Moves the operands from `first` to `end` to the next index of axis 1.
  const auto advance = [&](int first, int end) {
#pragma unroll
    for (int k = 0; k < kOperands; ++k) {
      if (k >= first && k < end) places[k] += arguments.strides[1][k];
    }
  };
#pragma unroll
  for (int i = 0; i < kRows; ++i) fetch(i, i < rows);
  // Each thread stores the sums over axis 0 of one column of the block: the first at axis0_to, the next axis0_step bytes
  // further.
  const uint32_t part = threadIdx.x / (4 * kTwoAxisLanes);
  const uint32_t owner = threadIdx.x / 4 % kTwoAxisLanes;
  const uint32_t column = tile * kColumns + owner * kSize + part * 4 + threadIdx.x % 4;
  const bool stores_axis0 = threadIdx.x < kColumns && column < arguments.columns;
  const int64_t axis0_row =
      (int64_t{segment} * two_axis.axis0_tiles + axis0_tile) * two_axis.axis1_size + first_axis1;
  char* axis0_to =
      reinterpret_cast<char*>(two_axis.axis0_sums + axis0_row * arguments.columns + column);
  int64_t axis0_step = arguments.columns * static_cast<int64_t>(sizeof(float));
#pragma unroll
  for (int w = 0; w < Op::kWrites; ++w) {
    if (!two_axis.axis0_is_whole || (two_axis.axis0_write >> w & 1) == 0) continue;
    const int k = kReads + w;
    const int64_t columns = int64_t{column} - int64_t{vector} * kSize;  // from the first column of the thread
    axis0_to = places[k] + columns * (arguments.operands[k].step / kSize);
    axis0_step = arguments.strides[1][k];
  }
  const auto store_axis0 = [&](float sum) {
    if (!two_axis.axis0_is_whole) *reinterpret_cast<float*>(axis0_to) = sum;
#pragma unroll
    for (int w = 0; w < Op::kWrites; ++w) {
      if (!two_axis.axis0_is_whole || (two_axis.axis0_write >> w & 1) == 0) continue;
      const int k = kReads + w;
      Vector::store_element(type_of<Vector>(arguments, k), arguments.operands[k], axis0_to, 0, T(sum));
    }
  };
  // The terms of the groups, in parts of 16 bytes, so that adjacent threads write to adjacent addresses. There are two
  // buffers: the terms of one index of axis 1 are added while those of the next are written.
  __shared__ float4 shared[2][kGroups][kParts][kTwoAxisLanes];
  float axis1_sums[kRows][kSize] = {};
#pragma unroll 1
  for (uint32_t axis1 = first_axis1; axis1 < end_axis1; ++axis1) {
    advance(0, kReads);
    float axis0_sums[kSize] = {};
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      wait_group<kRows - 1>();
      Vector reads[kReads];
#pragma unroll
      for (int k = 0; k < kReads; ++k) {
        const Dtype type = type_of<Vector>(arguments, k);
        const auto& operand = arguments.operands[k];
        if (operand.is_contiguous) {
          load_shared(address_of(i, k), reads[k].words);
        } else if (i < rows) {
          reads[k].load_broadcast(type, operand, place(k, i) - arguments.strides[1][k]);
          reads[k].unpack(type, operand);
        }
      }
      fetch(i, i < rows && axis1 + 1 < end_axis1);
      if (i >= rows) continue;
      deinterleave(arguments, reads);
      T results[Op::kWrites][kSize];
      apply_vector<Op>(arguments, reads, results);
      if constexpr (kMayStore) {
        Vector writes[Op::kWrites];
        pack_writes(arguments, results, writes);
#pragma unroll
        for (int w = 0; w < Op::kWrites; ++w) {
          const bool is_sum = ((two_axis.axis0_write | two_axis.axis1_write) >> w & 1) != 0;
          if (is_sum || arguments.operands[kReads + w].is_absent()) continue;
          writes[w].store_contiguous(type_of<Vector>(arguments, kReads + w), place(kReads + w, i));
        }
      }
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
        axis1_sums[i][e] = __fadd_rn(axis1_sums[i][e], axis1_term);
      }
    }
    float4(&terms)[kGroups][kParts][kTwoAxisLanes] = shared[axis1 % 2];
#pragma unroll
    for (int p = 0; p < kParts; ++p) {
      terms[group][p][lane] = make_float4(axis0_sums[4 * p], axis0_sums[4 * p + 1],
                                          axis0_sums[4 * p + 2], axis0_sums[4 * p + 3]);
    }
    __syncthreads();
    if (stores_axis0) {
      const float* const term = reinterpret_cast<const float*>(terms) + threadIdx.x;
      float total = 0.0f;
#pragma unroll
      for (int g = 0; g < kGroups; ++g) total = __fadd_rn(total, term[g * kColumns]);
      store_axis0(total);
    }
    axis0_to += axis0_step;
    if constexpr (kMayStore) advance(kReads, kOperands);
  }
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    if (i >= rows) continue;
    const int64_t row = int64_t{split} * two_axis.axis0_size + axis0 + i * kGroups;
    float* const sums = two_axis.axis1_sums + row * arguments.columns + int64_t{vector} * kSize;
#pragma unroll
    for (int p = 0; p < kParts; ++p) {
      store_partial(reinterpret_cast<float4*>(sums) + p,
                    make_float4(axis1_sums[i][4 * p], axis1_sums[i][4 * p + 1], axis1_sums[i][4 * p + 2],
                                axis1_sums[i][4 * p + 3]));
    }
  }
}

}  // namespace fusewise::cuda
