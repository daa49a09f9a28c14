// Two sums that cross, in one pass over the data: each keeps the rows that the other adds up, as those of
// f[:, None] + g do. Free of torch.
//
// A block takes a rectangle of the two dimensions, in one column of tiles, row of the second after row.
// Its threads share the rows of the first: each holds the sums over the second of a few of them in
// registers all along, and of each row of the second the block adds up what its threads have.
#pragma once

#include <fusewise/cuda/async.cuh>
#include <fusewise/cuda/vector.cuh>

namespace fusewise::cuda {

// What a block must know of the plan; see reduction.h.
struct Crossing {
  Divisor unit_columns;
  Divisor tiles;
  Divisor chunks_per_run;
  uint32_t near;       // rows of the first dimension
  uint32_t near_rows;  // those of a block
  uint32_t near_tiles;
  uint32_t far;  // rows of the second
  uint32_t far_rows;
  uint32_t near_write;  // which is summed over the first dimension; a bit
  uint32_t far_write;   // and over the second
  bool near_is_whole;   // a partial sum over the first is all there is
  float* near_sums;
  float* far_sums;
};

// More reads have no place in the shared memory that every GPU has; vectors that are gathered find no
// registers.
template <class Op, class Vector>
inline constexpr bool kTakesCrossing = kCrosses<Op> && Vector::kIsPacked && Op::kReads <= 8;

template <class Op>
inline constexpr int kCrossingRows = crossing_rows(Op::kReads);
template <class Op, class Vector>
inline constexpr int kCrossingBlocks = Op::kWrites * Vector::kSize > 16 ? 2 : 3;

template <class Op, class Vector>
__global__ void __launch_bounds__(kBlockThreads, (kCrossingBlocks<Op, Vector>))
    crossing_kernel(const __grid_constant__ Arguments<Op, typename Vector::Value> arguments,
                    const __grid_constant__ Crossing crossing) {
  using T = typename Vector::Value;
  constexpr int kReads = Op::kReads;
  constexpr int kOperands = kReads + Op::kWrites;
  constexpr int kSize = Vector::kSize;
  constexpr int kColumns = kCrossingLanes * kSize;
  constexpr int kGroups = kBlockThreads / kCrossingLanes;
  constexpr int kParts = kSize / 4;
  constexpr int kRows = kCrossingRows<Op>;
  constexpr bool kMayStore = Op::kWrites > 2;  // two are sums
  const uint32_t lane = threadIdx.x % kCrossingLanes;
  const uint32_t group = threadIdx.x / kCrossingLanes;
  const uint32_t chunk = crossing.unit_columns.divide(blockIdx.x);
  const uint32_t unit_column =
      blockIdx.x - chunk * static_cast<uint32_t>(crossing.unit_columns.value);
  const uint32_t near_tile = crossing.tiles.divide(unit_column);
  const uint32_t tile = unit_column - near_tile * static_cast<uint32_t>(crossing.tiles.value);
  const uint32_t run = crossing.chunks_per_run.divide(chunk);
  const uint32_t chunk_in_run =
      chunk - run * static_cast<uint32_t>(crossing.chunks_per_run.value);
  const uint32_t first_far = chunk_in_run * crossing.far_rows;
  const uint32_t end_far = min(first_far + crossing.far_rows, crossing.far);
  const uint32_t near = near_tile * crossing.near_rows + group;
  const uint32_t end_near = min((near_tile + 1) * crossing.near_rows, crossing.near);
  const uint32_t vector = tile * kCrossingLanes + lane;
  const bool is_inside = vector < static_cast<uint32_t>(arguments.row_vectors.value);
  const int rows =
      is_inside && near < end_near ? static_cast<int>((end_near - near + kGroups - 1) / kGroups) : 0;

  char* places[kOperands];
#pragma unroll
  for (int k = 0; k < kOperands; ++k) {
    places[k] = arguments.data[k] + int64_t{vector} * arguments.slots[k].step +
                int64_t{near} * arguments.strides[0][k] +
                int64_t{first_far} * arguments.strides[1][k];
  }
  add_row(arguments, int64_t{run}, 2, arguments.num_outer, places);
  const auto place = [&](int k, int i) {
    return places[k] + i * (kGroups * arguments.strides[0][k]);
  };

  // The vectors of the next row of the second dimension are on their way while those of this are used.
  __shared__ uint4 ahead[kRows][kReads][kBlockThreads];
  const auto slot_of = [&](int i, int k) { return shared_place(&ahead[i][k][threadIdx.x]); };
  const auto fetch = [&](int i, bool is_there) {
#pragma unroll
    for (int k = 0; k < kReads; ++k) {
      if (!is_there || !arguments.slots[k].is_plain) continue;
      const Dtype type = type_of<Vector>(arguments, k);
      copy_async<Vector>(type, is_of_pair<Op>(k), slot_of(i, k), place(k, i));
    }
    close_group();
  };
  // To the next row of the second dimension.
  const auto advance = [&](int first, int end) {
#pragma unroll
    for (int k = 0; k < kOperands; ++k) {
      if (k >= first && k < end) places[k] += arguments.strides[1][k];
    }
  };
#pragma unroll
  for (int i = 0; i < kRows; ++i) fetch(i, i < rows);
  // Where the thread leaves the sums over the first dimension of a column of the block, and how far it is
  // to the next.
  const uint32_t part = threadIdx.x / (4 * kCrossingLanes);
  const uint32_t owner = threadIdx.x / 4 % kCrossingLanes;
  const uint32_t column = tile * kColumns + owner * kSize + part * 4 + threadIdx.x % 4;
  const bool leaves_near = threadIdx.x < kColumns && column < arguments.columns;
  const int64_t near_row = (int64_t{run} * crossing.near_tiles + near_tile) * crossing.far + first_far;
  char* near_to = reinterpret_cast<char*>(crossing.near_sums + near_row * arguments.columns + column);
  int64_t near_step = arguments.columns * static_cast<int64_t>(sizeof(float));
#pragma unroll
  for (int w = 0; w < Op::kWrites; ++w) {
    if (!crossing.near_is_whole || (crossing.near_write >> w & 1) == 0) continue;
    const int k = kReads + w;
    const int64_t columns = int64_t{column} - int64_t{vector} * kSize;  // from those of the thread
    near_to = places[k] + columns * (arguments.slots[k].step / kSize);
    near_step = arguments.strides[1][k];
  }
  const auto leave_near = [&](float sum) {
    if (!crossing.near_is_whole) *reinterpret_cast<float*>(near_to) = sum;
#pragma unroll
    for (int w = 0; w < Op::kWrites; ++w) {
      if (!crossing.near_is_whole || (crossing.near_write >> w & 1) == 0) continue;
      const int k = kReads + w;
      Vector::store_element(type_of<Vector>(arguments, k), arguments.slots[k], near_to, 0, T(sum));
    }
  };
  // What the groups have of a row, in parts of 16 bytes: so neighbours write beside each other. Of two rows:
  // one is added up while the next is written.
  __shared__ float4 shared[2][kGroups][kParts][kCrossingLanes];
  float far_sums[kRows][kSize] = {};
#pragma unroll 1
  for (uint32_t far = first_far; far < end_far; ++far) {
    advance(0, kReads);
    float near_sums[kSize] = {};
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      wait_group<kRows - 1>();
      Vector reads[kReads];
#pragma unroll
      for (int k = 0; k < kReads; ++k) {
        const Dtype type = type_of<Vector>(arguments, k);
        const auto& slot = arguments.slots[k];
        if (slot.is_plain) {
          get_words(slot_of(i, k), reads[k].words);
        } else if (i < rows) {
          reads[k].load_broadcast(type, slot, place(k, i) - arguments.strides[1][k]);
          reads[k].spread(type, slot);
        }
      }
      fetch(i, i < rows && far + 1 < end_far);
      if (i >= rows) continue;
      take_apart(arguments, reads);
      T results[Op::kWrites][kSize];
      apply_vector<Op>(arguments, reads, results);
      if constexpr (kMayStore) {
        Vector writes[Op::kWrites];
        pack_writes(arguments, results, writes);
#pragma unroll
        for (int w = 0; w < Op::kWrites; ++w) {
          const bool is_sum = ((crossing.near_write | crossing.far_write) >> w & 1) != 0;
          if (is_sum || arguments.slots[kReads + w].is_absent()) continue;
          writes[w].store_plain(type_of<Vector>(arguments, kReads + w), place(kReads + w, i));
        }
      }
#pragma unroll
      for (int e = 0; e < kSize; ++e) {
        float near_term = static_cast<float>(results[0][e]);
        float far_term = near_term;
#pragma unroll
        for (int w = 1; w < Op::kWrites; ++w) {
          const float term = static_cast<float>(results[w][e]);
          if ((crossing.near_write >> w & 1) != 0) near_term = term;
          if ((crossing.far_write >> w & 1) != 0) far_term = term;
        }
        near_sums[e] = __fadd_rn(near_sums[e], near_term);
        far_sums[i][e] = __fadd_rn(far_sums[i][e], far_term);
      }
    }
    float4(&terms)[kGroups][kParts][kCrossingLanes] = shared[far % 2];
#pragma unroll
    for (int p = 0; p < kParts; ++p) {
      terms[group][p][lane] = make_float4(near_sums[4 * p], near_sums[4 * p + 1],
                                          near_sums[4 * p + 2], near_sums[4 * p + 3]);
    }
    __syncthreads();
    if (leaves_near) {
      const float* const term = reinterpret_cast<const float*>(terms) + threadIdx.x;
      float total = 0.0f;
#pragma unroll
      for (int g = 0; g < kGroups; ++g) total = __fadd_rn(total, term[g * kColumns]);
      leave_near(total);
    }
    near_to += near_step;
    if constexpr (kMayStore) advance(kReads, kOperands);
  }
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    if (i >= rows) continue;
    const int64_t row = int64_t{chunk} * crossing.near + near + i * kGroups;
    float* const sums = crossing.far_sums + row * arguments.columns + int64_t{vector} * kSize;
#pragma unroll
    for (int p = 0; p < kParts; ++p) {
      store_partial(reinterpret_cast<float4*>(sums) + p,
                    make_float4(far_sums[i][4 * p], far_sums[i][4 * p + 1], far_sums[i][4 * p + 2],
                                far_sums[i][4 * p + 3]));
    }
  }
}

}  // namespace fusewise::cuda
