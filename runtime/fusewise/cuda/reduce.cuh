// Runs a pass with reduced writes on the GPU: one pass over the data that stores the dense writes
// and leaves partial sums, and one small kernel that adds them. No atomics: the same bits every
// time. Free of torch.
#pragma once

#include <fusewise/cuda/async.cuh>
#include <fusewise/cuda/crossing.cuh>
#include <fusewise/cuda/elementwise.cuh>

namespace fusewise::cuda {

// Plain additions: contracted into the maths before them, they would see other values than a dense
// write.
__device__ __forceinline__ float add(float a, float b) { return __fadd_rn(a, b); }
__device__ __forceinline__ double add(double a, double b) { return __dadd_rn(a, b); }
__device__ __forceinline__ int64_t add(int64_t a, int64_t b) { return a + b; }

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

// What a block must know of the plan; see reduction.h. A thread's vectors lie in rows of `period`, a
// vector being counted along a row of the loop or down its rows. From one to the next, the place in
// such a row grows by `advance`, and where that is over the period, it is taken off again.
struct Units {
  Divisor unit_columns;
  Divisor chunk_order;  // the runs of a chunk that follow each other, or the chunks of a run
  Divisor period;
  int64_t tiles;
  int64_t run_rows;
  int64_t run_vectors;
  int64_t run_items;
  int64_t chunk_items;
  uint32_t chunks_per_run;
  int run_dims;
  int lane_bits;  // 2^lane_bits threads share a row
  Traversal traversal;
  uint32_t advance;
  uint32_t held;     // reads of which a thread has the same vector all along; bits
  uint32_t numbers;  // other reads that are broadcast along a row
  uint32_t plain;    // reads that are neither
  uint32_t dense;    // writes
  uint32_t summed;   // writes
  uint32_t whole;    // writes of which each partial sum is the result
  bool sums_rows;    // some write is summed for each row
  bool runs_follow;  // units of several runs follow each other, as they do in memory
};

template <int kReads, int kWrites, class Sum>
struct Cut : Units {
  int64_t steps[kReads + kWrites];  // bytes from one vector to the next
  int64_t wraps[kReads + kWrites];  // bytes that a period taken off adds
  WriteMode modes[kWrites];
  Sum* partials[kWrites];
};

template <class Sum>
struct CutRef {
  void* all;
  Units& units;
  int64_t* steps;
  int64_t* wraps;
  WriteMode* modes;
  Sum** partials;

  template <int kReads, int kWrites>
  explicit CutRef(Cut<kReads, kWrites, Sum>& of)
      : all(&of), units(of), steps(of.steps), wraps(of.wraps), modes(of.modes),
        partials(of.partials) {}
};

// A pass with sums has two kernels of packed vectors: one for any loop, and a usual one, of which the
// compiler knows what the operands are. Pairs of floats gain nothing from it.
template <class Op, class Vector>
inline constexpr bool kHasUsual =
    Vector::kIsPacked && kSummed<Op> != 0 && (kPairs<Op> == 0 || Vector::kSize == 8);

// Blocks that a multiprocessor should hold. A kernel that seldom runs is not worth what the compiler would
// spill for the last of them.
template <class Op, class Vector, bool kIsUsual>
constexpr int blocks_of_sums() {
  if (kIsUsual) {
    return usual_blocks(Op::kReads, std::popcount(kSummed<Op>),
                        std::popcount(kFull<Op> >> Op::kReads), Vector::kSize);
  }
  const int most = reduce_blocks(Op::kReads, Op::kWrites, Vector::kSize, Vector::kIsPacked);
  if (!Vector::kIsPacked) return most;
  if (kHasUsual<Op, Vector>) return most > 1 ? most - 1 : 1;
  return most > 3 ? 3 : most;
}

// The vectors on their way from memory to each thread, in steps: as many as shared memory holds.
// They are what keeps enough bytes in flight, which registers could not hold.
inline constexpr int kRingBytes = 48 << 10;  // what a kernel may have on every GPU
template <class Op, class Vector>
inline constexpr int kStages =
    Vector::kIsPacked ? one_to_four(kRingBytes / (Op::kReads * kBlockThreads * kVectorBytes)) : 1;

// Leaves a sum, as the result if that is all of it.
template <class Op, class Vector, class Sum>
__device__ __forceinline__ void leave(const Cut<Op::kReads, Op::kWrites, Sum>& cut, int w,
                                      int64_t place, Sum sum) {
  if ((cut.whole >> w & 1) == 0) {
    store_partial(cut.partials[w] + place, sum);
  } else if constexpr (sizeof(typename Vector::Stored) != sizeof(Sum)) {
    reinterpret_cast<typename Vector::Stored*>(cut.partials[w])[place] = typename Vector::Stored(sum);
  } else {
    cut.partials[w][place] = sum;
  }
}

// Leaves the sums of a row that the threads of a row hold, and clears them.
template <class Op, class Vector, class Sum, class Is>
__device__ __forceinline__ void sum_rows(const Cut<Op::kReads, Op::kWrites, Sum>& cut,
                                         const Is& is_summed, int64_t row_tile, bool is_inside,
                                         Sum (&sums)[Op::kWrites][Vector::kSize]) {
  const int lanes = 1 << cut.lane_bits;
#pragma unroll
  for (int w = 0; w < Op::kWrites; ++w) {
    if (!is_summed(w) || cut.modes[w] != WriteMode::kRow) continue;
    Sum total = Sum(0);
#pragma unroll
    for (int i = 0; i < Vector::kSize; ++i) {
      total = add(total, sums[w][i]);
      sums[w][i] = Sum(0);
    }
    total = sum_lanes(total, lanes);
    const bool is_first = (static_cast<int>(threadIdx.x) & (lanes - 1)) == 0;
    if (is_first && is_inside) leave<Op, Vector>(cut, w, row_tile, total);
  }
}

template <class Op, class Vector, bool kIsUsual>
__global__ void __launch_bounds__(kBlockThreads, (blocks_of_sums<Op, Vector, kIsUsual>()))
    reduce_kernel(const __grid_constant__ Arguments<Op, typename Vector::Value> arguments,
                  const __grid_constant__ Cut<Op::kReads, Op::kWrites, typename Vector::Sum> cut) {
  using T = typename Vector::Value;
  using Sum = typename Vector::Sum;
  constexpr int kReads = Op::kReads;
  constexpr int kOperands = kReads + Op::kWrites;
  constexpr int kSize = Vector::kSize;
  constexpr int kDepth = kStages<Op, Vector>;
  constexpr uint32_t kOtherReads = (kIsUsual ? ~kFull<Op> : ~0u) & ((1u << kReads) - 1);
  constexpr int kRing = kDepth > 1 ? kDepth * kReads * kBlockThreads * kVectorBytes : 0;
  constexpr int kSums = kBlockThreads * kSize * static_cast<int>(sizeof(Sum));
  __shared__ alignas(kVectorBytes) char memory[kRing > kSums ? kRing : kSums];
  const auto is_full = [](int k) { return kIsUsual && (kFull<Op> >> k & 1) != 0; };
  const auto is_dense = [&](int w) {
    return kIsUsual ? is_full(kReads + w) : (cut.dense >> w & 1) != 0;
  };
  const auto is_summed = [&](int w) {
    return kIsUsual ? (kSummed<Op> >> (kReads + w) & 1) != 0 : (cut.summed >> w & 1) != 0;
  };
  const int lanes = 1 << cut.lane_bits;
  const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
  const int group = static_cast<int>(threadIdx.x) >> cut.lane_bits;
  const uint32_t unit = blockIdx.x;
  const uint32_t unit_columns = static_cast<uint32_t>(cut.unit_columns.value);
  const uint32_t place_in_order = cut.unit_columns.divide(unit);
  const uint32_t unit_tile = unit - place_in_order * unit_columns;
  const uint32_t slow = cut.chunk_order.divide(place_in_order);
  const uint32_t fast = place_in_order - slow * static_cast<uint32_t>(cut.chunk_order.value);
  const uint32_t run = cut.runs_follow ? fast : slow;
  const uint32_t chunk_in_run = cut.runs_follow ? slow : fast;
  const uint32_t chunk = run * cut.chunks_per_run + chunk_in_run;
  const int64_t first = int64_t{chunk_in_run} * cut.chunk_items;
  const int64_t end = min(first + cut.chunk_items, cut.run_items);

  // The first place of the thread, the number of its places, and of those of the block's longest.
  int64_t place = first + group;
  int64_t column = lane;
  int mine, steps;
  int stride_bits = kBlockBits - cut.lane_bits;
  const bool is_along = cut.traversal == Traversal::kAlong;
  const auto count = [&](int64_t from, int64_t end) {
    const int64_t rounded = end - from + (1 << stride_bits) - 1;
    return static_cast<int>(max(rounded, int64_t{0}) >> stride_bits);
  };
  if (cut.traversal == Traversal::kDown) {
    column += int64_t{unit_tile} * lanes;
    mine = column < arguments.row_vectors.value ? count(place, end) : 0;
    steps = count(first, end);
  } else if (is_along) {
    stride_bits = cut.lane_bits;
    mine = place < end ? count(lane, arguments.row_vectors.value) : 0;
    steps = count(0, arguments.row_vectors.value);
  } else {
    stride_bits = kBlockBits;
    place = first * kBlockThreads + threadIdx.x;
    mine = count(place, min(end * kBlockThreads, cut.run_vectors));
    steps = static_cast<int>(end - first);
  }
  char* from[kReads];
  char* to[Op::kWrites];
  {
    int64_t row = place;
    if (cut.traversal == Traversal::kFlat) {
      row = cut.run_dims == 0 ? 0 : arguments.row_vectors.divide(place);
      column = place - row * arguments.row_vectors.value;
    }
    char* pointers[kOperands];
#pragma unroll
    for (int k = 0; k < kOperands; ++k) {
      pointers[k] = arguments.data[k] + column * arguments.slots[k].step;
    }
    add_row(arguments, row, 0, cut.run_dims, pointers);
    add_row(arguments, int64_t{run}, cut.run_dims, arguments.num_outer, pointers);
#pragma unroll
    for (int k = 0; k < kOperands; ++k) (k < kReads ? from[k] : to[k - kReads]) = pointers[k];
  }
  const uint32_t period = static_cast<uint32_t>(cut.period.value);
  const bool moves_others = !kIsUsual || ((cut.plain | cut.numbers) & kOtherReads) != 0;
  uint32_t from_index = static_cast<uint32_t>(place - cut.period.divide(place) * period);
  uint32_t to_index = from_index;
  const auto move = [&]<int kFirst, int kCount>(std::integral_constant<int, kFirst>,
                                                uint32_t& index, char*(&pointers)[kCount]) {
    const auto add = [&](const int64_t(&bytes)[kReads + Op::kWrites]) {
#pragma unroll
      for (int k = 0; k < kCount; ++k) {
        if (!kIsUsual || is_full(kFirst + k) || (kFirst == 0 && moves_others)) {
          pointers[k] += bytes[kFirst + k];
        }
      }
    };
    add(cut.steps);
    if (cut.advance == 0) return;
    index += cut.advance;
    if (index < period) return;
    index -= period;
    add(cut.wraps);
  };
  // Where in the ring a thread has its vectors of a step.
  constexpr int kSpan = kBlockThreads * kVectorBytes;
  const uint32_t first_stage = shared_place(memory) + threadIdx.x * kVectorBytes;
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
            if (!is_full(k) && (cut.plain >> k & 1) != 0) copy(k);
          }
          if (kReads > 1 && cut.numbers != 0) {
#pragma unroll
            for (int k = 0; k < kReads; ++k) {
              if (is_full(k) || (cut.numbers >> k & 1) == 0) continue;
              copy_number_async(stage + k * kSpan, from[k]);
            }
          }
        }
      }
      close_group();
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
      if (is_full(k) || (cut.held >> k & 1) == 0 || mine == 0) continue;
      const Dtype type = type_of<Vector>(arguments, k);
      Vector same;
      if (arguments.slots[k].is_plain) same.load_plain(type, from[k]);
      else same.load_broadcast(type, arguments.slots[k], from[k]);
      same.spread(type, arguments.slots[k]);
#pragma unroll
      for (int i = 0; i < kDepth; ++i) {
        put_words(first_stage + (i * kReads + k) * kSpan, same.words);
      }
    }
  }
  PreparedOf<Op, Vector> prepared;
  const bool keeps_prepared = (kPreparedFrom<Op> & ~cut.held) == 0;
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
        const auto& slot = arguments.slots[k];
        if constexpr (kDepth > 1) get_words(stage + k * kSpan, reads[k].words);
        else if constexpr (!Vector::kIsPacked) reads[k].load(type, slot, from[k]);
        else if (slot.is_plain) reads[k].load_plain(type, from[k]);
        else reads[k].load_broadcast(type, slot, from[k]);
      }
      if constexpr (kDepth > 1) {
        if (kReads > 1 && kOtherReads != 0 && cut.numbers != 0) {
#pragma unroll
          for (int k = 0; k < kReads; ++k) {
            if (is_full(k) || (cut.numbers >> k & 1) == 0) continue;
            reads[k].spread_number(type_of<Vector>(arguments, k));
          }
        }
      } else {
#pragma unroll
        for (int k = 0; k < kReads; ++k) {
          reads[k].spread(type_of<Vector>(arguments, k), arguments.slots[k]);
        }
      }
      take_apart<kIsUsual>(arguments, reads);
      T results[Op::kWrites][kSize];
      if constexpr (kIsUsual) {
        constexpr uint32_t kAlike = kNumbers<Op> | kPreparedFrom<Op>;
        const bool is_prepared = step > 0 && keeps_prepared;
        apply_vector<Op, Vector, true, kAlike>(arguments, reads, prepared, is_prepared, results);
      } else {
        apply_vector<Op>(arguments, reads, results);
      }
      Vector writes[Op::kWrites];
      pack_writes<kIsUsual>(arguments, results, writes);
#pragma unroll
      for (int w = 0; w < Op::kWrites; ++w) {
        if (is_dense(w)) {
          const Dtype type = type_of<Vector>(arguments, kReads + w);
          if constexpr (Vector::kIsPacked) writes[w].store_plain(type, to[w]);
          else writes[w].store(type, arguments.slots[kReads + w], to[w]);
        }
        if (!is_summed(w)) continue;
#pragma unroll
        for (int i = 0; i < kSize; ++i) {
          sums[w][i] = add(sums[w][i], static_cast<Sum>(results[w][i]));
        }
      }
    }
    if (cut.sums_rows && (!is_along || step + 1 == steps)) {
      const int64_t down = is_along ? 0 : int64_t{step} << stride_bits;
      const int64_t row = run * cut.run_rows + place + down;
      sum_rows<Op, Vector>(cut, is_summed, row * cut.tiles + unit_tile, inside, sums);
    }
    if constexpr (kDepth == 1) move(std::integral_constant<int, 0>{}, from_index, from);
    if (kIsUsual ? kFull<Op> >> kReads != 0 : cut.dense != 0) {
      move(std::integral_constant<int, kReads>{}, to_index, to);
    }
  }
  if constexpr (Vector::kIsPacked) {
    // Only a loop of a single row has one, and all its writes are dense or summed.
    if (arguments.last_size < kSize && end == cut.run_items && threadIdx.x == 0) {
      char* parts[kReads + Op::kWrites];
#pragma unroll
      for (int k = 0; k < kReads + Op::kWrites; ++k) {
        parts[k] = arguments.data[k] + cut.run_vectors * arguments.slots[k].step;
      }
      apply_elements<Op, Vector>(arguments, parts, arguments.last_size, [&](int w, int i, T result) {
        if (is_dense(w)) {
          const Dtype type = type_of<Vector>(arguments, kReads + w);
          Vector::store_element(type, arguments.slots[kReads + w], parts[kReads + w], i, result);
        }
        sums[w][0] = add(sums[w][0], static_cast<Sum>(result));
      });
    }
  }

  // What the groups of the block hold of each column, in parts of 16 bytes: so neighbours write beside each
  // other.
  constexpr int kPart = kSize < 16 / static_cast<int>(sizeof(Sum)) ? kSize : 16 / sizeof(Sum);
  struct alignas(kPart * sizeof(Sum)) Part {
    Sum sums[kPart];
  };
  Part* const parts = reinterpret_cast<Part*>(memory);
  Sum* const shared = reinterpret_cast<Sum*>(memory);
  const int tile_columns = lanes * kSize;
#pragma unroll
  for (int w = 0; w < Op::kWrites; ++w) {
    const WriteMode mode = cut.modes[w];
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
      if (tile_columns < kBlockThreads) {  // threads have taken groups of the same column
        __syncthreads();
        shared[thread] = total;
        __syncthreads();
#pragma unroll 1
        for (int other = thread + tile_columns; other < kBlockThreads; other += tile_columns) {
          total = add(total, shared[other]);
        }
      }
      const int owner = thread / kPart & (lanes - 1);
      const int column_in_tile = owner * kSize + (thread / kPart >> cut.lane_bits) * kPart + thread % kPart;
      const int64_t kept = int64_t{unit_tile} * tile_columns + column_in_tile;
      if (thread >= tile_columns || kept >= arguments.columns) continue;
      leave<Op, Vector>(cut, w, int64_t{chunk} * arguments.columns + kept, total);
    } else {
#pragma unroll
      for (int i = 0; i < kSize; ++i) total = add(total, sums[w][i]);
      total = sum_lanes(total, 32);
      if (thread % 32 == 0) shared[thread / 32] = total;
      __syncthreads();
      if (thread >= 32) continue;
      total = sum_lanes(thread < kBlockThreads / 32 ? shared[thread] : Sum(0), kBlockThreads / 32);
      if (thread == 0) leave<Op, Vector>(cut, w, chunk * unit_columns + unit_tile, total);
    }
  }
}

// Adds the partial sums of each element of the reduced writes, but for those that have their `results`, a
// bit each. One launch for up to four of them.
template <class T>
Status finish_writes(const Loop& loop, const Plan& plan, const T* partials, uint32_t results,
                     const Launch& launch);

// Whether packed vectors of `size` elements serve a loop with reduced writes: all complete and in their
// place.
bool serves_sums(const Loop& loop, int size, uint32_t pairs);

template <class T, class Sum>
Status run_reducing(const Form& form, const ArgumentsRef<T>& arguments, const CutRef<Sum>& cut,
                    const Loop& loop, const Number* params, const Launch& launch);

// How a loop with reduced writes is launched.
template <class Op, bool kWithVectors>
struct Reducing {
  static constexpr bool kPacks = kWithVectors;
  static constexpr bool kTakesParts = false;
  using Pass = Op;

  template <class S>
  static bool try_packed(const Loop& loop, const Number* params, const Launch& launch,
                         Status& status) {
    if (!serves_sums(loop, Packed<S>::kSize, kPairs<Op>)) return false;
    status = run<Packed<S>>(loop, params, launch);
    return true;
  }

  template <class Vector>
  static Status run(const Loop& loop, const Number* params, const Launch& launch) {
    const auto* const kernel = reinterpret_cast<const void*>(&reduce_kernel<Op, Vector, false>);
    Arguments<Op, typename Vector::Value> arguments;
    Cut<Op::kReads, Op::kWrites, typename Vector::Sum> cut;
    Form form = form_of<Op, Vector>(kernel);
    if constexpr (kHasUsual<Op, Vector>) {
      form.usual = reinterpret_cast<const void*>(&reduce_kernel<Op, Vector, true>);
    }
    if constexpr (kTakesCrossing<Op, Vector>) {
      form.crossing = reinterpret_cast<const void*>(&crossing_kernel<Op, Vector>);
    }
    return run_reducing(form, ArgumentsRef(arguments), CutRef(cut), loop, params, launch);
  }
};

}  // namespace fusewise::cuda

namespace fusewise {

template <class Op, class Storage, bool kWithVectors = true>
Status run_cuda_reducing(const Loop& loop, const Number* params, const Launch& launch) {
  if (!has_reduced_write(loop)) return run_cuda<Op, Storage, kWithVectors>(loop, params, launch);
  return cuda::Dispatch<cuda::Reducing<Op, kWithVectors>, Storage>::run(loop, params, launch);
}

template <class Op, class Storage>
Status run_cuda_reducing_small(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reducing<Op, Storage, false>(loop, params, launch);
}

}  // namespace fusewise
