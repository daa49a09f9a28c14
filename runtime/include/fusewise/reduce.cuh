// Runs a pass with reduced writes on the GPU: one pass over the data that stores the dense writes
// and leaves partial sums, and one small kernel that adds them. No atomics: the same bits every
// time. Free of torch.
#pragma once

#include <fusewise/elementwise.cuh>

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

// How the vectors of a thread follow each other.
enum class Walk : int8_t {
  kSteady,     // a step apart,
  kWrapping,   // a step apart but for the ends of rows,
  kScattered,  // over several dimensions
};

// What a block must know of the plan; see reduction.h.
template <int kReads, int kWrites, class Sum>
struct Cut {
  Divisor unit_columns;
  Divisor chunks_per_run;
  int64_t tiles;
  int64_t run_rows;
  int64_t run_vectors;
  int64_t run_items;
  int64_t chunk_items;
  int run_dims;
  int lane_bits;  // 2^lane_bits threads share a row
  Traversal traversal;
  Walk walk;
  int64_t steps[kReads + kWrites];  // bytes
  int64_t wraps[kReads + kWrites];  // bytes from the end of a row to the beginning of the next
  bool is_held[kReads];             // a thread has the same vector throughout a run
  bool sums_rows;                   // some write is summed for each row, at every step
  WriteMode modes[kWrites];
  Sum* partials[kWrites];
};

// Points the operands from kFirst on to a place: a row of the run, or where columns are not kept, a
// vector of its rows in order. `starts` are those of the run.
template <class Op, class Vector, int kFirst, int kCount>
__device__ __forceinline__ void locate(
    const Arguments<Op, typename Vector::Value>& arguments,
    const Cut<Op::kReads, Op::kWrites, typename Vector::Sum>& cut, char* const* starts,
    int64_t place, int64_t column, char* (&pointers)[kCount]) {
  int64_t row = place;
  int64_t vector = column;
  if (cut.traversal == Traversal::kFlat) {
    row = cut.run_dims == 0 ? 0 : arguments.row_vectors.divide(place);
    vector = place - row * arguments.row_vectors.value;
  }
#pragma unroll
  for (int k = 0; k < kCount; ++k) {
    pointers[k] = starts[kFirst + k] + vector * arguments.slots[kFirst + k].step;
  }
  add_row<kFirst>(arguments, row, 0, cut.run_dims, pointers);
}

// Blocks that a multiprocessor should hold at once: four where the registers of a thread allow it.
template <class Op, class Vector>
inline constexpr int kReduceBlocks =
    std::clamp(256 / (2 * (Op::kReads + Op::kWrites) +
                      (Vector::kIsPacked ? 4 : 4 + Vector::kSize) * Op::kReads +
                      (Vector::kSize + 1) * Op::kWrites + 24),
               1, 4);

// The vectors on their way from memory to each thread, in steps: as many as shared memory holds.
// They are what keeps enough bytes in flight, which registers could not hold.
inline constexpr int kRingBytes = 47 << 10;
template <class Op, class Vector>
inline constexpr int kStages =
    !Vector::kIsPacked ? 1
                       : std::clamp(kRingBytes / (Op::kReads * kBlockThreads * kVectorBytes), 1, 4);

// Copies a vector to shared memory, behind the thread's back.
template <class Vector>
__device__ __forceinline__ void copy_async(Dtype type, char* to, const char* from) {
#if __CUDA_ARCH__ >= 800
  const unsigned place = static_cast<unsigned>(__cvta_generic_to_shared(to));
  if (type == Vector::kType) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place), "l"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(place), "l"(from),
                 "n"(Vector::kSize)
                 : "memory");
  }
#else
  Vector vector;
  vector.load_plain(type, from);
  vector.store_plain(type, to);
#endif
}

__device__ __forceinline__ void close_group() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Until no more than kOpen of the groups that were closed are under way.
template <int kOpen>
__device__ __forceinline__ void wait_group() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(kOpen) : "memory");
#endif
}

// Leaves the sums of a row that the threads of a row hold, and clears them.
template <class Op, class Vector, class Sum>
__device__ __forceinline__ void sum_rows(const Cut<Op::kReads, Op::kWrites, Sum>& cut,
                                         int64_t row_tile, bool is_inside,
                                         Sum (&sums)[Op::kWrites][Vector::kSize]) {
  const int lanes = 1 << cut.lane_bits;
#pragma unroll
  for (int w = 0; w < Op::kWrites; ++w) {
    if (cut.modes[w] != WriteMode::kRow) continue;
    Sum total = Sum(0);
#pragma unroll
    for (int i = 0; i < Vector::kSize; ++i) {
      total = add(total, sums[w][i]);
      sums[w][i] = Sum(0);
    }
    total = sum_lanes(total, lanes);
    const bool is_first = (static_cast<int>(threadIdx.x) & (lanes - 1)) == 0;
    if (is_first && is_inside) cut.partials[w][row_tile] = total;
  }
}

template <class Op, class Vector>
__global__ void __launch_bounds__(kBlockThreads, (kReduceBlocks<Op, Vector>))
    reduce_kernel(const __grid_constant__ Arguments<Op, typename Vector::Value> arguments,
                  const __grid_constant__ Cut<Op::kReads, Op::kWrites, typename Vector::Sum> cut) {
  using T = typename Vector::Value;
  using Sum = typename Vector::Sum;
  constexpr int kReads = Op::kReads;
  constexpr int kSize = Vector::kSize;
  constexpr int kDepth = kStages<Op, Vector>;
  constexpr int kRing = kDepth > 1 ? kDepth * kReads * kBlockThreads * kVectorBytes : 0;
  constexpr int kSums = kBlockThreads * (kSize + 1) * static_cast<int>(sizeof(Sum));
  __shared__ alignas(kVectorBytes) char memory[kRing > kSums ? kRing : kSums];
  const int lanes = 1 << cut.lane_bits;
  const int groups = kBlockThreads >> cut.lane_bits;
  const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
  const int group = static_cast<int>(threadIdx.x) >> cut.lane_bits;
  const int64_t unit = blockIdx.x;
  const int64_t chunk = cut.unit_columns.divide(unit);
  const int64_t unit_tile = unit - chunk * cut.unit_columns.value;
  const int64_t run = cut.chunks_per_run.divide(chunk);
  const int64_t first = (chunk - run * cut.chunks_per_run.value) * cut.chunk_items;
  const int64_t end = min(first + cut.chunk_items, cut.run_items);

  // Out of the registers: few threads ask for them again.
  __shared__ char* starts[kReads + Op::kWrites];
  if (threadIdx.x == 0) {
    char* pointers[kReads + Op::kWrites];
#pragma unroll
    for (int k = 0; k < kReads + Op::kWrites; ++k) pointers[k] = arguments.slots[k].data;
    add_row(arguments, run, cut.run_dims, arguments.num_outer, pointers);
#pragma unroll
    for (int k = 0; k < kReads + Op::kWrites; ++k) starts[k] = pointers[k];
  }
  __syncthreads();
  // The first place of the thread, the number of its places, and of those of the block's longest.
  int64_t place = first + group;
  int64_t column = lane;
  int mine, steps;
  int stride_bits = kBlockBits - cut.lane_bits;
  const auto count = [&](int64_t from, int64_t end) {
    const int64_t rounded = end - from + (1 << stride_bits) - 1;
    return static_cast<int>(max(rounded, int64_t{0}) >> stride_bits);
  };
  if (cut.traversal == Traversal::kDown) {
    column += unit_tile * lanes;
    mine = column < arguments.row_vectors.value ? count(place, end) : 0;
    steps = count(first, end);
  } else if (cut.traversal == Traversal::kAlong) {
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
  uint32_t from_vector = 0;
  if (cut.walk == Walk::kWrapping)
    from_vector = static_cast<uint32_t>(place % arguments.row_vectors.value);
  uint32_t to_vector = from_vector;
  // To be called for each step in order.
  const auto locate_step = [&]<int kFirst, int kCount>(std::integral_constant<int, kFirst>,
                                                       int step, uint32_t& vector,
                                                       char*(&pointers)[kCount]) {
    if (step == 0 || cut.walk == Walk::kScattered) {
      const int64_t at = place + (int64_t{step} << stride_bits);
      return locate<Op, Vector, kFirst>(arguments, cut, starts, at, column, pointers);
    }
#pragma unroll
    for (int k = 0; k < kCount; ++k) pointers[k] += cut.steps[kFirst + k];
    if (cut.walk == Walk::kSteady) return;
    vector += kBlockThreads;
#pragma unroll 1
    while (vector >= static_cast<uint32_t>(arguments.row_vectors.value)) {
      vector -= static_cast<uint32_t>(arguments.row_vectors.value);
#pragma unroll
      for (int k = 0; k < kCount; ++k) pointers[k] += cut.wraps[kFirst + k];
    }
  };

  // Every write is summed, and the sums of dense ones are forgotten: cheaper than to ask each time.
  Sum sums[Op::kWrites][kSize];
#pragma unroll
  for (int w = 0; w < Op::kWrites; ++w) {
#pragma unroll
    for (int i = 0; i < kSize; ++i) sums[w][i] = Sum(0);
  }
  const auto place_in_ring = [&](int stage, int k) {
    const int vector = (stage * kReads + k) * kBlockThreads + static_cast<int>(threadIdx.x);
    return memory + vector * kVectorBytes;
  };
  const auto fetch = [&](int step, int stage) {
    locate_step(std::integral_constant<int, 0>{}, step, from_vector, from);
    if constexpr (kDepth > 1) {
      if (step < mine) {
#pragma unroll
        for (int k = 0; k < kReads; ++k) {
          char* const vector = place_in_ring(stage, k);
          if (cut.is_held[k] && step >= kDepth) continue;  // it is there
          const Dtype type = type_of<Vector>(arguments, k);
          if (arguments.slots[k].is_plain) {
            copy_async<Vector>(type, vector, from[k]);
          } else {
            Vector same;
            same.load_broadcast(type, arguments.slots[k], from[k]);
            same.spread(type, arguments.slots[k]);
            same.store_plain(type, vector);
          }
        }
      }
      close_group();
    }
  };
  // Of a pair the first part stores both.
  const auto store = [&](int w, const T (&results)[Op::kWrites][kSize],
                         char* const (&to)[Op::kWrites]) {
    const int k = kReads + w;
    const Dtype type = type_of<Vector>(arguments, k);
    Vector write;
    write.set(type, results[w]);
    if constexpr (kMovesPairs<Op, Vector>) {
      if (w > 0 && is_first_of_pair(arguments, k - 1)) return;
      if (is_first_of_pair(arguments, k)) {
        const int next = (w + 1) % Op::kWrites;
        Vector second;
        second.set(type, results[next]);
        Vector::put_together(write, second);
        second.store_plain(type, to[next]);
      }
    }
    if constexpr (Vector::kIsPacked) write.store_plain(type, to[w]);
    else write.store(type, arguments.slots[k], to[w]);
  };
  // The first steps only fetch.
  int stage = 0;
#pragma unroll 1
  for (int step = 1 - kDepth; step < steps; ++step) {
    fetch(step + kDepth - 1, stage);
    stage = stage + 1 == kDepth ? 0 : stage + 1;
    if (step < 0) continue;
    wait_group<kDepth - 1>();
    locate_step(std::integral_constant<int, kReads>{}, step, to_vector, to);
    if (step < mine) {
      Vector reads[kReads];
#pragma unroll
      for (int k = 0; k < kReads; ++k) {
        const Dtype type = type_of<Vector>(arguments, k);
        const auto& slot = arguments.slots[k];
        if constexpr (kDepth > 1) reads[k].load_plain(type, place_in_ring(stage, k));
        else if constexpr (!Vector::kIsPacked) reads[k].load(type, slot, from[k]);
        else if (slot.is_plain) reads[k].load_plain(type, from[k]);
        else reads[k].load_broadcast(type, slot, from[k]);
      }
      if (kDepth == 1 && (!Vector::kIsPacked || !arguments.is_plain)) {
#pragma unroll
        for (int k = 0; k < kReads; ++k) {
          reads[k].spread(type_of<Vector>(arguments, k), arguments.slots[k]);
        }
      }
      take_apart(arguments, reads);
      T results[Op::kWrites][kSize];
      apply_vector<Op>(arguments, reads, results);
#pragma unroll
      for (int w = 0; w < Op::kWrites; ++w) {
        if (cut.modes[w] == WriteMode::kDense) store(w, results, to);
#pragma unroll
        for (int i = 0; i < kSize; ++i) {
          sums[w][i] = add(sums[w][i], static_cast<Sum>(results[w][i]));
        }
      }
    }
    if (cut.sums_rows) {
      const int64_t row = run * cut.run_rows + place + (int64_t{step} << stride_bits);
      sum_rows<Op, Vector>(cut, row * cut.tiles + unit_tile, step < mine, sums);
    }
  }
  if (cut.traversal == Traversal::kAlong) return sum_rows<Op, Vector>(cut, place, mine > 0, sums);
  if constexpr (kSize > 1) {
    // Only a loop of a single row has one, and all its writes are dense or summed.
    if (arguments.has_partial && end == cut.run_items && threadIdx.x == 0) {
      char* parts[kReads + Op::kWrites];
#pragma unroll
      for (int k = 0; k < kReads + Op::kWrites; ++k) {
        parts[k] = starts[k] + cut.run_vectors * arguments.slots[k].step;
      }
      const int count = static_cast<int>(arguments.columns % kSize);
      apply_elements<Op, Vector>(arguments, parts, count, [&](int w, int i, T result) {
        if (cut.modes[w] == WriteMode::kDense) {
          const Dtype type = type_of<Vector>(arguments, kReads + w);
          Vector::store_element(type, arguments.slots[kReads + w], parts[kReads + w], i, result);
        }
        sums[w][0] = add(sums[w][0], static_cast<Sum>(result));
      });
    }
  }

  // The groups of the block add up what they hold of each column; padded against bank conflicts.
  Sum* const shared = reinterpret_cast<Sum*>(memory);
  const int tile_columns = lanes * kSize;
  const int64_t first_column = unit_tile * tile_columns;
#pragma unroll
  for (int w = 0; w < Op::kWrites; ++w) {
    const WriteMode mode = cut.modes[w];
    if (!is_accumulated(mode)) continue;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kSize; ++i) shared[threadIdx.x * (kSize + 1) + i] = sums[w][i];
    __syncthreads();
    Sum total = Sum(0);
    const int column_in_tile = static_cast<int>(threadIdx.x);
    if (column_in_tile < tile_columns) {
#pragma unroll 1
      for (int g = 0; g < groups; ++g) {
        const int owner = g * lanes + column_in_tile / kSize;
        total = add(total, shared[owner * (kSize + 1) + column_in_tile % kSize]);
      }
    }
    if (mode == WriteMode::kColumn) {
      const int64_t kept = first_column + column_in_tile;
      const bool inside = column_in_tile < tile_columns && kept < arguments.columns;
      if (inside) cut.partials[w][chunk * arguments.columns + kept] = total;
    } else {
      __syncthreads();
      const Sum warp_total = sum_lanes(total, 32);
      if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = warp_total;
      __syncthreads();
      if (threadIdx.x < 32) {
        const Sum rest = threadIdx.x < kBlockThreads / 32 ? shared[threadIdx.x] : Sum(0);
        const Sum block_total = sum_lanes(rest, 32);
        if (threadIdx.x == 0) cut.partials[w][unit] = block_total;
      }
    }
  }
}

// Adds the partial sums of each element of the reduced writes. One launch for up to four of them.
template <class T>
const char* finish_writes(const Loop& loop, const Plan& plan, const Launch& launch);

// How a loop with reduced writes is launched.
template <class Op, bool kWithVectors>
struct Reducing {
  static constexpr bool kPacks = kWithVectors;
  static constexpr bool kTakesParts = false;
  using Pass = Op;

  // Returns whether vectors serve the loop: all complete and in their place.
  template <class S>
  static bool try_packed(const Loop& loop, const double* params, const Launch& launch,
                         const char*& message) {
    if (!has_packed_rows<Op>(loop)) return false;
    if (loop.num_dims > 1 && inner_size(loop) % Packed<S>::kSize != 0) return false;
    for (int k = 0; k < num_operands(loop); ++k) {
      const Operand& operand = loop.operands[k];
      const bool moves = operand.data != nullptr && inner_stride(loop, operand) != 0;
      const int64_t bytes = Packed<S>::kSize * size_of(operand.dtype);
      if (is_pair<Op>(loop, k)) ++k;
      else if (moves && !has_aligned_rows(loop, operand, bytes)) return false;
    }
    message = run<Packed<S>>(loop, params, launch);
    return true;
  }

  template <class Vector>
  static const char* run(const Loop& loop, const double* params, const Launch& launch) {
    using Sum = typename Vector::Sum;
    const Plan plan = plan_reduction(loop, cuda_tiling(loop, Vector::kSize));
    if (plan.units() > kMaxBlocks) return "too many elements for one kernel";
    if (plan.units() > 0) {
      const auto arguments = make_arguments<Op, Vector>(loop, params, plan.outer, plan.num_outer);
      Cut<Op::kReads, Op::kWrites, Sum> cut{};
      const bool is_flat = plan.traversal == Traversal::kFlat;
      const bool is_along = plan.traversal == Traversal::kAlong;
      cut.unit_columns = Divisor(plan.unit_columns());
      cut.chunks_per_run = Divisor(plan.chunks_per_run);
      cut.tiles = plan.tiles;
      cut.run_rows = plan.run_rows;
      cut.run_vectors = plan.run_rows * (plan.columns / Vector::kSize);
      cut.run_items = plan.run_items;
      cut.chunk_items = plan.chunk_items;
      cut.run_dims = plan.run_dims;
      cut.lane_bits = bits_of(cuda_lanes(plan.columns, Vector::kSize));
      cut.traversal = plan.traversal;
      const int64_t row_vectors = arguments.row_vectors.value;
      const bool wraps_well = row_vectors >= 32 && row_vectors <= kMaxVectors;
      if (is_along || plan.run_dims <= (is_flat ? 0 : 1)) cut.walk = Walk::kSteady;
      else if (is_flat && plan.run_dims == 1 && wraps_well) cut.walk = Walk::kWrapping;
      else cut.walk = Walk::kScattered;
      for (int k = 0; k < Op::kReads + Op::kWrites; ++k) {
        const auto& slot = arguments.slots[k];
        const int64_t down = plan.run_dims > 0 ? slot.outer[0] : 0;
        if (is_flat) cut.steps[k] = slot.step * kBlockThreads;
        else if (is_along) cut.steps[k] = slot.step << cut.lane_bits;
        else cut.steps[k] = down << (kBlockBits - cut.lane_bits);
        cut.wraps[k] = down - slot.step * row_vectors;
        if (k >= Op::kReads) continue;
        cut.is_held[k] = plan.traversal == Traversal::kDown || slot.is_broadcast;
        if (is_along) continue;
        for (int i = 0; i < plan.run_dims; ++i) cut.is_held[k] &= slot.outer[i] == 0;
      }
      for (int w = 0; w < Op::kWrites; ++w) {
        cut.modes[w] = plan.modes[w];
        cut.sums_rows |= !is_along && plan.modes[w] == WriteMode::kRow;
        cut.partials[w] = static_cast<Sum*>(launch.workspace) + plan.offsets[w];
      }
      const unsigned blocks = static_cast<unsigned>(plan.units());
      const cudaStream_t stream = static_cast<cudaStream_t>(launch.stream);
      reduce_kernel<Op, Vector><<<blocks, kBlockThreads, 0, stream>>>(arguments, cut);
      if (const char* message = launch_error()) return message;
    }
    return finish_writes<Sum>(loop, plan, launch);
  }
};

}  // namespace fusewise::cuda

namespace fusewise {

template <class Op, class Storage, bool kWithVectors = true>
const char* run_cuda_reducing(const Loop& loop, const double* params, const Launch& launch) {
  if (!has_reduced_write(loop)) return run_cuda<Op, Storage, kWithVectors>(loop, params, launch);
  return cuda::Dispatch<cuda::Reducing<Op, kWithVectors>, Storage>::run(loop, params, launch);
}

template <class Op, class Storage>
const char* run_cuda_reducing_small(const Loop& loop, const double* params, const Launch& launch) {
  return run_cuda_reducing<Op, Storage, false>(loop, params, launch);
}

}  // namespace fusewise
