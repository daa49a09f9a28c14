// The work tile of a block in a reduction: its place in the loop, the vectors of each thread, and the distance
// from one vector to the next. Free of torch.
#pragma once

#include <fusewise/cuda/reduction_arguments.cuh>
#include <fusewise/cuda/vector.cuh>

namespace fusewise::cuda {

// The binary logarithm of a power of two.
constexpr int bits_of(int power) { return std::bit_width(static_cast<unsigned>(power)) - 1; }

inline constexpr int kBlockBits = bits_of(kBlockThreads);

// A place is the index of a row, or the number of a vector along the rows. A thread has `mine` vectors,
// 2^stride_bits places apart; `place` is that of the first. The thread of the block with the most vectors has
// `steps`.
template <class Op_, class Vector_, bool kIsSpecialized_>
struct WorkTile {
  using Op = Op_;
  using Vector = Vector_;
  using T = typename Vector::Value;
  using Sum = typename Vector::Sum;
  static constexpr bool kIsSpecialized = kIsSpecialized_;
  static constexpr int kReads = Op::kReads;
  static constexpr int kWrites = Op::kWrites;
  static constexpr int kOperands = kReads + kWrites;
  // The reads that may be smaller than the loop, as far as the compiler knows.
  static constexpr uint32_t kOtherReads = (kIsSpecialized ? ~kFull<Op> : ~0u) & ((1u << kReads) - 1);

  const Arguments<Op, T>& arguments;
  const ReductionArguments<kReads, kWrites, Sum>& reduction;
  int lanes;  // threads that share a row
  int lane;   // the index of the thread among them
  int group;  // the index of its row in the block
  uint32_t column_tile;
  uint32_t segment;
  uint32_t split;
  int64_t end;  // of the items of the split, in the segment
  int64_t place;
  int64_t row;     // of the first vector, in the segment
  int64_t column;  // of the first vector
  int mine;
  int steps;
  int stride_bits;
  bool is_along;
  bool moves_others;  // some operand of kOtherReads has a vector for each step

  __device__ __forceinline__ WorkTile(const Arguments<Op, T>& arguments,
                                      const ReductionArguments<kReads, kWrites, Sum>& reduction)
      : arguments(arguments), reduction(reduction), lanes(1 << reduction.lane_bits),
        lane(static_cast<int>(threadIdx.x) & (lanes - 1)),
        group(static_cast<int>(threadIdx.x) >> reduction.lane_bits) {
    const uint32_t place_in_order = reduction.work_tile_columns.divide(blockIdx.x);
    column_tile = blockIdx.x - place_in_order * work_tile_columns();
    const uint32_t slow = reduction.split_order.divide(place_in_order);
    const uint32_t fast = place_in_order - slow * static_cast<uint32_t>(reduction.split_order.value);
    segment = reduction.segments_follow ? fast : slow;
    const uint32_t split_in_segment = reduction.segments_follow ? slow : fast;
    split = segment * reduction.splits_per_segment + split_in_segment;
    const int64_t first = int64_t{split_in_segment} * reduction.split_items;
    end = min(first + reduction.split_items, reduction.segment_items);
    locate(first);
    moves_others = !kIsSpecialized || ((reduction.contiguous | reduction.row_scalars) & kOtherReads) != 0;
  }

  // Finds the vectors of the thread among the items of the split.
  __device__ __forceinline__ void locate(int64_t first) {
    place = first + group;
    row = place;
    column = lane;
    stride_bits = kBlockBits - reduction.lane_bits;
    is_along = reduction.traversal == Traversal::kAlong;
    if (reduction.traversal == Traversal::kDown) {
      column += int64_t{column_tile} * lanes;
      mine = column < arguments.row_vectors.value ? count(place, end) : 0;
      steps = count(first, end);
    } else if (is_along) {
      stride_bits = reduction.lane_bits;
      mine = place < end ? count(lane, arguments.row_vectors.value) : 0;
      steps = count(0, arguments.row_vectors.value);
    } else {
      stride_bits = kBlockBits;
      place = first * kBlockThreads + threadIdx.x;
      mine = count(place, min(end * kBlockThreads, reduction.segment_vectors));
      steps = static_cast<int>(end - first);
      row = reduction.segment_dims == 0 ? 0 : arguments.row_vectors.divide(place);
      column = place - row * arguments.row_vectors.value;
    }
  }

  // The number of vectors of a thread from one place to another.
  __device__ __forceinline__ int count(int64_t from, int64_t to) const {
    const int64_t rounded = to - from + (1 << stride_bits) - 1;
    return static_cast<int>(max(rounded, int64_t{0}) >> stride_bits);
  }

  __device__ __forceinline__ uint32_t work_tile_columns() const {
    return static_cast<uint32_t>(reduction.work_tile_columns.value);
  }

  // The layout of the operands, which the compiler knows with kIsSpecialized.
  __device__ __forceinline__ bool is_full(int k) const {
    return kIsSpecialized && (kFull<Op> >> k & 1) != 0;
  }
  __device__ __forceinline__ bool is_dense(int w) const {
    return kIsSpecialized ? is_full(kReads + w) : (reduction.dense >> w & 1) != 0;
  }
  __device__ __forceinline__ bool is_summed(int w) const {
    return kIsSpecialized ? (kSummed<Op> >> (kReads + w) & 1) != 0 : (reduction.summed >> w & 1) != 0;
  }
  __device__ __forceinline__ bool has_dense() const {
    return kIsSpecialized ? kFull<Op> >> kReads != 0 : reduction.dense != 0;
  }

  // The index of the partial sum of a row: each row has one for each column tile.
  __device__ __forceinline__ int64_t row_tile(int step) const {
    const int64_t down = is_along ? 0 : int64_t{step} << stride_bits;
    const int64_t row = segment * reduction.segment_rows + place + down;
    return row * reduction.tiles + column_tile;
  }

  // Sets pointers to the first vector of the thread.
  __device__ __forceinline__ void point(char* (&from)[kReads], char* (&to)[kWrites]) const {
    char* pointers[kOperands];
#pragma unroll
    for (int k = 0; k < kOperands; ++k) {
      pointers[k] = arguments.data[k] + column * arguments.operands[k].step;
    }
    add_row(arguments, row, 0, reduction.segment_dims, pointers);
    add_row(arguments, int64_t{segment}, reduction.segment_dims, arguments.num_outer, pointers);
#pragma unroll
    for (int k = 0; k < kOperands; ++k) (k < kReads ? from[k] : to[k - kReads]) = pointers[k];
  }

  // The index of the first vector in the inner one of the two dimensions that the thread traverses.
  __device__ __forceinline__ uint32_t first_index() const {
    return static_cast<uint32_t>(place - reduction.period.divide(place) * reduction.period.value);
  }

  // Moves pointers to the operands from kFirst on to the next vector of the thread.
  template <int kFirst, int kCount>
  __device__ __forceinline__ void advance(uint32_t& index, char* (&pointers)[kCount]) const {
    add_bytes<kFirst>(reduction.steps, pointers);
    if (reduction.advance == 0) return;
    const uint32_t period = static_cast<uint32_t>(reduction.period.value);
    index += reduction.advance;
    if (index < period) return;
    index -= period;
    add_bytes<kFirst>(reduction.wraps, pointers);
  }
  template <int kFirst, int kCount>
  __device__ __forceinline__ void add_bytes(const int64_t (&bytes)[kOperands], char* (&pointers)[kCount]) const {
#pragma unroll
    for (int k = 0; k < kCount; ++k) {
      if (!kIsSpecialized || is_full(kFirst + k) || (kFirst == 0 && moves_others)) {
        pointers[k] += bytes[kFirst + k];
      }
    }
  }
};

}  // namespace fusewise::cuda
