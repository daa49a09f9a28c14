// The reduction kernel: one pass over the data that stores the dense writes and leaves partial sums. Free of
// torch.
//
// A block processes a work tile. With vectorized access and up to six reads, vectors are copied asynchronously
// into shared memory, one to three steps ahead, because registers could not hold enough bytes in flight in
// addition to the sums. Sums stay in registers for the whole work tile.
#pragma once

#include <fusewise/cuda/async.cuh>
#include <fusewise/cuda/reduction_arguments.cuh>
#include <fusewise/cuda/vector.cuh>

namespace fusewise::cuda {

// Additions that the compiler does not contract with a product to an fma: a sum adds the same values that a
// dense write stores.
__device__ __forceinline__ float add(float a, float b) { return __fadd_rn(a, b); }
__device__ __forceinline__ double add(double a, double b) { return __dadd_rn(a, b); }
__device__ __forceinline__ int64_t add(int64_t a, int64_t b) { return a + b; }

// The sum over `lanes` adjacent threads of a warp, a power of two.
template <class T>
__device__ __forceinline__ T sum_lanes(T value, int lanes) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    if (distance < lanes) value = add(value, __shfl_xor_sync(0xffffffffu, value, distance));
  }
  return value;
}

// The binary logarithm of a power of two.
constexpr int bits_of(int power) { return std::bit_width(static_cast<unsigned>(power)) - 1; }

inline constexpr int kBlockBits = bits_of(kBlockThreads);

// True if the pass has a second kernel with vectorized access, in which the compiler knows which operands are
// contiguous and which are sums. Interleaved tensors of floats gain nothing from it.
template <class Op, class Vector>
inline constexpr bool kHasSpecialized =
    Vector::kIsVectorized && kSummed<Op> != 0 && (kInterleaved<Op> == 0 || Vector::kSize == 8);

// The least number of blocks that a multiprocessor holds, for the compiler's choice of registers. A general
// kernel beside a specialized one seldom runs; it holds one block less, which avoids spills.
template <class Op, class Vector, bool kIsSpecialized>
constexpr int reduction_min_blocks() {
  if (kIsSpecialized) {
    return specialized_blocks(Op::kReads, std::popcount(kSummed<Op>),
                              std::popcount(kFull<Op> >> Op::kReads), Vector::kSize);
  }
  const int most = reduction_blocks(Op::kReads, Op::kWrites, Vector::kSize, Vector::kIsVectorized);
  if (!Vector::kIsVectorized) return most;
  if (kHasSpecialized<Op, Vector>) return most > 1 ? most - 1 : 1;
  return most > 3 ? 3 : most;
}

// The steps of the ring buffer in shared memory: a thread copies its vectors so many steps ahead.
inline constexpr int kRingBytes = 48 << 10;  // a kernel may have so much shared memory on every GPU
template <class Op, class Vector>
inline constexpr int kStages =
    Vector::kIsVectorized ? one_to_four(kRingBytes / (Op::kReads * kBlockThreads * kVectorBytes)) : 1;

// Stores a partial sum, or the result if there is only one partial sum.
template <class Op, class Vector, class Sum>
__device__ __forceinline__ void store_sum(
    const ReductionArguments<Op::kReads, Op::kWrites, Sum>& reduction, int w, int64_t place, Sum sum) {
  if ((reduction.whole >> w & 1) == 0) {
    store_partial(reduction.partials[w] + place, sum);
  } else if constexpr (sizeof(typename Vector::Stored) != sizeof(Sum)) {
    reinterpret_cast<typename Vector::Stored*>(reduction.partials[w])[place] = typename Vector::Stored(sum);
  } else {
    reduction.partials[w][place] = sum;
  }
}

// Adds the sums that the threads of a row hold, stores them, and sets them to zero for the next row.
template <class Op, class Vector, class Sum, class Is>
__device__ __forceinline__ void store_row_sums(
    const ReductionArguments<Op::kReads, Op::kWrites, Sum>& reduction, const Is& is_summed,
    int64_t row_tile, bool is_inside, Sum (&sums)[Op::kWrites][Vector::kSize]) {
  const int lanes = 1 << reduction.lane_bits;
#pragma unroll
  for (int w = 0; w < Op::kWrites; ++w) {
    if (!is_summed(w) || reduction.modes[w] != WriteMode::kRow) continue;
    Sum total = Sum(0);
#pragma unroll
    for (int i = 0; i < Vector::kSize; ++i) {
      total = add(total, sums[w][i]);
      sums[w][i] = Sum(0);
    }
    total = sum_lanes(total, lanes);
    const bool is_first = (static_cast<int>(threadIdx.x) & (lanes - 1)) == 0;
    if (is_first && is_inside) store_sum<Op, Vector>(reduction, w, row_tile, total);
  }
}

template <class Op, class Vector, bool kIsSpecialized>
__global__ void __launch_bounds__(kBlockThreads, (reduction_min_blocks<Op, Vector, kIsSpecialized>()))
    reduction_kernel(const __grid_constant__ Arguments<Op, typename Vector::Value> arguments,
                     const __grid_constant__
                         ReductionArguments<Op::kReads, Op::kWrites, typename Vector::Sum> reduction) {
  using T = typename Vector::Value;
  using Sum = typename Vector::Sum;
  constexpr int kReads = Op::kReads;
  constexpr int kOperands = kReads + Op::kWrites;
  constexpr int kSize = Vector::kSize;
  constexpr int kDepth = kStages<Op, Vector>;
  constexpr uint32_t kOtherReads = (kIsSpecialized ? ~kFull<Op> : ~0u) & ((1u << kReads) - 1);
  constexpr int kRing = kDepth > 1 ? kDepth * kReads * kBlockThreads * kVectorBytes : 0;
  constexpr int kSums = kBlockThreads * kSize * static_cast<int>(sizeof(Sum));
  __shared__ alignas(kVectorBytes) char memory[kRing > kSums ? kRing : kSums];
  const auto is_full = [](int k) { return kIsSpecialized && (kFull<Op> >> k & 1) != 0; };
  const auto is_dense = [&](int w) {
    return kIsSpecialized ? is_full(kReads + w) : (reduction.dense >> w & 1) != 0;
  };
  const auto is_summed = [&](int w) {
    return kIsSpecialized ? (kSummed<Op> >> (kReads + w) & 1) != 0 : (reduction.summed >> w & 1) != 0;
  };
  const int lanes = 1 << reduction.lane_bits;
  const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
  const int group = static_cast<int>(threadIdx.x) >> reduction.lane_bits;
  const uint32_t work_tile = blockIdx.x;
  const uint32_t work_tile_columns = static_cast<uint32_t>(reduction.work_tile_columns.value);
  const uint32_t place_in_order = reduction.work_tile_columns.divide(work_tile);
  const uint32_t column_tile = work_tile - place_in_order * work_tile_columns;
  const uint32_t slow = reduction.split_order.divide(place_in_order);
  const uint32_t fast = place_in_order - slow * static_cast<uint32_t>(reduction.split_order.value);
  const uint32_t segment = reduction.segments_follow ? fast : slow;
  const uint32_t split_in_segment = reduction.segments_follow ? slow : fast;
  const uint32_t split = segment * reduction.splits_per_segment + split_in_segment;
  const int64_t first = int64_t{split_in_segment} * reduction.split_items;
  const int64_t end = min(first + reduction.split_items, reduction.segment_items);

  // `place` is the first vector of the thread: a row, or a number along the rows. The thread has `mine`
  // vectors; the thread of the block with the most has `steps`.
  int64_t place = first + group;
  int64_t column = lane;
  int mine, steps;
  int stride_bits = kBlockBits - reduction.lane_bits;
  const bool is_along = reduction.traversal == Traversal::kAlong;
  const auto count = [&](int64_t from, int64_t end) {
    const int64_t rounded = end - from + (1 << stride_bits) - 1;
    return static_cast<int>(max(rounded, int64_t{0}) >> stride_bits);
  };
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
  }
  char* from[kReads];
  char* to[Op::kWrites];
  {
    int64_t row = place;
    if (reduction.traversal == Traversal::kFlat) {
      row = reduction.segment_dims == 0 ? 0 : arguments.row_vectors.divide(place);
      column = place - row * arguments.row_vectors.value;
    }
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
  const uint32_t period = static_cast<uint32_t>(reduction.period.value);
  const bool moves_others =
      !kIsSpecialized || ((reduction.contiguous | reduction.row_scalars) & kOtherReads) != 0;
  uint32_t from_index = static_cast<uint32_t>(place - reduction.period.divide(place) * period);
  uint32_t to_index = from_index;
  const auto move = [&]<int kFirst, int kCount>(std::integral_constant<int, kFirst>,
                                                uint32_t& index, char*(&pointers)[kCount]) {
    const auto add = [&](const int64_t(&bytes)[kReads + Op::kWrites]) {
#pragma unroll
      for (int k = 0; k < kCount; ++k) {
        if (!kIsSpecialized || is_full(kFirst + k) || (kFirst == 0 && moves_others)) {
          pointers[k] += bytes[kFirst + k];
        }
      }
    };
    add(reduction.steps);
    if (reduction.advance == 0) return;
    index += reduction.advance;
    if (index < period) return;
    index -= period;
    add(reduction.wraps);
  };
  // `stage` is the address of the thread's vectors of a step in the ring buffer.
  constexpr int kSpan = kBlockThreads * kVectorBytes;
  const uint32_t first_stage = shared_address(memory) + threadIdx.x * kVectorBytes;
  uint32_t stage = first_stage;
  const auto fetch = [&](int step) {
    if constexpr (kDepth > 1) {
      if (step < mine) {
        const auto copy = [&](int k) {
          const Dtype type = type_of<Vector>(arguments, k);
          copy_async<Vector>(type, is_of_pair<Op>(k), stage + k * kSpan, from[k]);
        };
#pragma unroll
        for (int k = 0; k < kReads; ++k) {
          if (is_full(k)) copy(k);
        }
        if (kOtherReads != 0 && moves_others) {
#pragma unroll
          for (int k = 0; k < kReads; ++k) {
            if (!is_full(k) && (reduction.contiguous >> k & 1) != 0) copy(k);
          }
          if (kReads > 1 && reduction.row_scalars != 0) {
#pragma unroll
            for (int k = 0; k < kReads; ++k) {
              if (is_full(k) || (reduction.row_scalars >> k & 1) == 0) continue;
              copy_scalar_async(stage + k * kSpan, from[k]);
            }
          }
        }
      }
      commit_group();
      move(std::integral_constant<int, 0>{}, from_index, from);
      stage += kReads * kSpan;
      if (stage == first_stage + kRing) stage = first_stage;
    }
  };

  Sum sums[Op::kWrites][kSize];
#pragma unroll
  for (int w = 0; w < Op::kWrites; ++w) {
#pragma unroll
    for (int i = 0; i < kSize; ++i) sums[w][i] = Sum(0);
  }
#pragma unroll 1
  for (int step = 0; step < kDepth - 1; ++step) fetch(step);
  if constexpr (kDepth > 1) {
#pragma unroll
    for (int k = 0; k < kReads; ++k) {
      if (is_full(k) || (reduction.loop_invariant >> k & 1) == 0 || mine == 0) continue;
      const Dtype type = type_of<Vector>(arguments, k);
      Vector same;
      if (arguments.operands[k].is_contiguous) same.load_contiguous(type, from[k]);
      else same.load_broadcast(type, arguments.operands[k], from[k]);
      same.unpack(type, arguments.operands[k]);
#pragma unroll
      for (int i = 0; i < kDepth; ++i) {
        store_shared(first_stage + (i * kReads + k) * kSpan, same.words);
      }
    }
  }
  HoistedOf<Op, Vector> hoisted;
  const bool keeps_hoisted = (kHoistedFrom<Op> & ~reduction.loop_invariant) == 0;
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    fetch(step + kDepth - 1);
    wait_group<kDepth - 1>();
    const bool inside = step < mine;
    if (inside) {
      Vector reads[kReads];
#pragma unroll
      for (int k = 0; k < kReads; ++k) {
        const Dtype type = type_of<Vector>(arguments, k);
        const auto& operand = arguments.operands[k];
        if constexpr (kDepth > 1) load_shared(stage + k * kSpan, reads[k].words);
        else if constexpr (!Vector::kIsVectorized) reads[k].load(type, operand, from[k]);
        else if (operand.is_contiguous) reads[k].load_contiguous(type, from[k]);
        else reads[k].load_broadcast(type, operand, from[k]);
      }
      if constexpr (kDepth > 1) {
        if (kReads > 1 && kOtherReads != 0 && reduction.row_scalars != 0) {
#pragma unroll
          for (int k = 0; k < kReads; ++k) {
            if (is_full(k) || (reduction.row_scalars >> k & 1) == 0) continue;
            reads[k].unpack_scalar(type_of<Vector>(arguments, k));
          }
        }
      } else {
#pragma unroll
        for (int k = 0; k < kReads; ++k) {
          reads[k].unpack(type_of<Vector>(arguments, k), arguments.operands[k]);
        }
      }
      deinterleave<kIsSpecialized>(arguments, reads);
      T results[Op::kWrites][kSize];
      if constexpr (kIsSpecialized) {
        constexpr uint32_t kAlike = kRowScalars<Op> | kHoistedFrom<Op>;
        const bool is_hoisted = step > 0 && keeps_hoisted;
        apply_vector<Op, Vector, true, kAlike>(arguments, reads, hoisted, is_hoisted, results);
      } else {
        apply_vector<Op>(arguments, reads, results);
      }
      Vector writes[Op::kWrites];
      pack_writes<kIsSpecialized>(arguments, results, writes);
#pragma unroll
      for (int w = 0; w < Op::kWrites; ++w) {
        if (is_dense(w)) {
          const Dtype type = type_of<Vector>(arguments, kReads + w);
          if constexpr (Vector::kIsVectorized) writes[w].store_contiguous(type, to[w]);
          else writes[w].store(type, arguments.operands[kReads + w], to[w]);
        }
        if (!is_summed(w)) continue;
#pragma unroll
        for (int i = 0; i < kSize; ++i) {
          sums[w][i] = add(sums[w][i], static_cast<Sum>(results[w][i]));
        }
      }
    }
    if (reduction.sums_rows && (!is_along || step + 1 == steps)) {
      const int64_t down = is_along ? 0 : int64_t{step} << stride_bits;
      const int64_t row = segment * reduction.segment_rows + place + down;
      store_row_sums<Op, Vector>(reduction, is_summed, row * reduction.tiles + column_tile, inside, sums);
    }
    if constexpr (kDepth == 1) move(std::integral_constant<int, 0>{}, from_index, from);
    if (kIsSpecialized ? kFull<Op> >> kReads != 0 : reduction.dense != 0) {
      move(std::integral_constant<int, kReads>{}, to_index, to);
    }
  }
  if constexpr (Vector::kIsVectorized) {
    // A partial vector. Only a loop with a single row has one; all its writes are dense or summed.
    if (arguments.last_size < kSize && end == reduction.segment_items && threadIdx.x == 0) {
      char* parts[kReads + Op::kWrites];
#pragma unroll
      for (int k = 0; k < kReads + Op::kWrites; ++k) {
        parts[k] = arguments.data[k] + reduction.segment_vectors * arguments.operands[k].step;
      }
      apply_elements<Op, Vector>(arguments, parts, arguments.last_size, [&](int w, int i, T result) {
        if (is_dense(w)) {
          const Dtype type = type_of<Vector>(arguments, kReads + w);
          Vector::store_element(type, arguments.operands[kReads + w], parts[kReads + w], i, result);
        }
        sums[w][0] = add(sums[w][0], static_cast<Sum>(result));
      });
    }
  }

  // The groups of the block add their sums of each column in shared memory, in parts of 16 bytes, so that
  // adjacent threads write to adjacent addresses.
  constexpr int kPart = kSize < 16 / static_cast<int>(sizeof(Sum)) ? kSize : 16 / sizeof(Sum);
  struct alignas(kPart * sizeof(Sum)) Part {
    Sum sums[kPart];
  };
  Part* const parts = reinterpret_cast<Part*>(memory);
  Sum* const shared = reinterpret_cast<Sum*>(memory);
  const int tile_columns = lanes * kSize;
#pragma unroll
  for (int w = 0; w < Op::kWrites; ++w) {
    const WriteMode mode = reduction.modes[w];
    if (!is_summed(w) || !is_accumulated(mode)) continue;
    const int thread = static_cast<int>(threadIdx.x);
    Sum total = Sum(0);
    __syncthreads();
    if (mode == WriteMode::kColumn) {
#pragma unroll
      for (int p = 0; p < kSize / kPart; ++p) {
        Part part;
#pragma unroll
        for (int i = 0; i < kPart; ++i) part.sums[i] = sums[w][p * kPart + i];
        parts[(group * (kSize / kPart) + p) * lanes + lane] = part;
      }
      __syncthreads();
#pragma unroll
      for (int i = 0; i < kSize; ++i) total = add(total, shared[i * kBlockThreads + thread]);
      if (tile_columns < kBlockThreads) {  // several threads have sums of the same column
        __syncthreads();
        shared[thread] = total;
        __syncthreads();
#pragma unroll 1
        for (int other = thread + tile_columns; other < kBlockThreads; other += tile_columns) {
          total = add(total, shared[other]);
        }
      }
      const int owner = thread / kPart & (lanes - 1);
      const int column_in_tile =
          owner * kSize + (thread / kPart >> reduction.lane_bits) * kPart + thread % kPart;
      const int64_t kept = int64_t{column_tile} * tile_columns + column_in_tile;
      if (thread >= tile_columns || kept >= arguments.columns) continue;
      store_sum<Op, Vector>(reduction, w, int64_t{split} * arguments.columns + kept, total);
    } else {
#pragma unroll
      for (int i = 0; i < kSize; ++i) total = add(total, sums[w][i]);
      total = sum_lanes(total, 32);
      if (thread % 32 == 0) shared[thread / 32] = total;
      __syncthreads();
      if (thread >= 32) continue;
      total = sum_lanes(thread < kBlockThreads / 32 ? shared[thread] : Sum(0), kBlockThreads / 32);
      if (thread == 0) store_sum<Op, Vector>(reduction, w, split * work_tile_columns + column_tile, total);
    }
  }
}

}  // namespace fusewise::cuda
