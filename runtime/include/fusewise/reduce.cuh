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
  for (int distance = lanes / 2; distance > 0; distance /= 2) {
    value = add(value, __shfl_xor_sync(0xffffffffu, value, distance));
  }
  return value;
}

// What a block must know of the plan; see reduction.h.
template <int kReads, int kWrites, class Sum>
struct Cut {
  Divisor unit_columns;
  Divisor chunks_per_run;
  int64_t tiles;
  int64_t run_rows;
  int64_t run_items;
  int64_t chunk_items;
  int run_dims;
  int lane_bits;
  bool walks;      // the items are the tiles of a row, and not the rows of a tile
  bool has_rows;   // some write is summed for each row,
  bool has_alls;   // some over rows and columns
  bool is_steady;  // the items of a run lie evenly,
  int64_t steps[kReads + kWrites];  // so far apart in bytes, from one of a thread to its next
  WriteMode modes[kWrites];
  Sum* partials[kWrites];
};

// Blocks that a multiprocessor should hold at once, four where the registers of a thread allow it: three
// of more registers are slower, even where four spill one or two.
template <class Op, class Vector>
inline constexpr int kReduceBlocks =
    std::clamp(256 / (2 * (Op::kReads + Op::kWrites) + 4 * Op::kReads +
                      (Vector::kSize + 1) * Op::kWrites + 24),
               1, 4);

// Leaves the sums of a row that the threads of a row hold, and clears them.
template <class Op, class Vector, class Sum>
__device__ __forceinline__ void sum_rows(const Cut<Op::kReads, Op::kWrites, Sum>& cut,
                                         int64_t row_tile, bool is_there,
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
    total = sum_lanes(is_there ? total : Sum(0), lanes);
    const bool is_first = (static_cast<int>(threadIdx.x) & (lanes - 1)) == 0;
    if (is_first && is_there) cut.partials[w][row_tile] = total;
  }
}

template <class Op, class Vector>
__global__ void __launch_bounds__(kBlockThreads, (kReduceBlocks<Op, Vector>))
    reduce_kernel(const __grid_constant__ Arguments<Op, typename Vector::Value> arguments,
                  const __grid_constant__ Cut<Op::kReads, Op::kWrites, typename Vector::Sum> cut) {
  using T = typename Vector::Value;
  using Sum = typename Vector::Sum;
  constexpr int kOperands = Op::kReads + Op::kWrites;
  constexpr int kSize = Vector::kSize;
  const int lanes = 1 << cut.lane_bits;
  const int group_bits = kBlockBits - cut.lane_bits;
  const int groups = 1 << group_bits;
  const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
  const int group = static_cast<int>(threadIdx.x) >> cut.lane_bits;
  const int64_t unit = blockIdx.x;
  const int64_t chunk = cut.unit_columns.divide_small(unit);
  const int64_t unit_tile = unit - chunk * cut.unit_columns.value;
  const int64_t run = cut.chunks_per_run.divide_small(chunk);
  const int64_t first = (chunk - run * cut.chunks_per_run.value) * cut.chunk_items;
  const int64_t end = min(first + cut.chunk_items, cut.run_items);
  const int64_t tile_columns = lanes * kSize;

  // Where the run begins.
  int64_t starts[kOperands] = {};
  add_row(arguments, run, cut.run_dims, arguments.num_outer, starts);
  // Where an item begins for this thread; a thread beyond the row's end is sent to its beginning.
  // Returns how many columns there are from there.
  const auto locate = [&](int64_t item, char* (&pointers)[kOperands]) {
    const int64_t tile = cut.walks ? item : unit_tile;
    const int64_t column = tile * tile_columns + lane * kSize;
    const int64_t left = arguments.columns - column;
    int64_t offsets[kOperands];
#pragma unroll
    for (int k = 0; k < kOperands; ++k) {
      offsets[k] = starts[k] + (left > 0 ? column : 0) * arguments.slots[k].inner;
    }
    if (!cut.walks) add_row(arguments, item, 0, cut.run_dims, offsets);
#pragma unroll
    for (int k = 0; k < kOperands; ++k) pointers[k] = arguments.slots[k].data + offsets[k];
    return left;
  };
  // The number of an item among the tiles of all rows, and how far the next item's is from it.
  const int64_t first_row_tile =
      run * cut.run_rows * cut.tiles + (cut.walks ? 0 : unit_tile);
  const int64_t row_tile_step = cut.walks ? 1 : cut.tiles;

  // Every write is summed, and the sums of dense ones are forgotten: cheaper than to ask each time.
  Sum sums[Op::kWrites][kSize];
#pragma unroll
  for (int w = 0; w < Op::kWrites; ++w) {
#pragma unroll
    for (int i = 0; i < kSize; ++i) sums[w][i] = Sum(0);
  }
  int64_t base = first;
  if constexpr (kSize > 1) {
    // Items that lie evenly, all of whole vectors: a thread's are there or not.
    const int64_t whole = cut.walks || (cut.has_rows && cut.has_alls) ? tile_columns : kSize;
    if (arguments.wide && cut.is_steady && arguments.columns % whole == 0) {
      char* pointers[kOperands];
      const bool is_there = locate(base + group, pointers) > 0;
      bool is_stored[Op::kWrites];
#pragma unroll
      for (int w = 0; w < Op::kWrites; ++w) {
        is_stored[w] = is_there && cut.modes[w] == WriteMode::kDense;
      }
      const int steps = static_cast<int>(end - first) >> group_bits;
      base += int64_t{steps} << group_bits;
      int64_t row_tile = first_row_tile + (first + group) * row_tile_step;
      // Where rows are summed, threads that have none keep the others company.
#pragma unroll 1
      for (int step = is_there || cut.has_rows ? steps : 0; step > 0; --step) {
        Vector reads[Op::kReads];
        if (arguments.has_broadcast) {
#pragma unroll
          for (int k = 0; k < Op::kReads; ++k) reads[k].load(arguments.slots[k], pointers[k]);
#pragma unroll
          for (int k = 0; k < Op::kReads; ++k) reads[k].spread(arguments.slots[k]);
        } else {
#pragma unroll
          for (int k = 0; k < Op::kReads; ++k) reads[k].load(pointers[k]);
        }
        T results[Op::kWrites][kSize];
        apply_vector<Op>(arguments, reads, results);
#pragma unroll
        for (int w = 0; w < Op::kWrites; ++w) {
          Vector write;
          write.set(results[w]);
          if (is_stored[w]) write.store(pointers[Op::kReads + w]);
#pragma unroll
          for (int i = 0; i < kSize; ++i) {
            sums[w][i] = add(sums[w][i], static_cast<Sum>(results[w][i]));
          }
        }
        if (cut.has_rows) {
          sum_rows<Op, Vector>(cut, row_tile, is_there, sums);
          row_tile += row_tile_step << group_bits;
        }
#pragma unroll
        for (int k = 0; k < kOperands; ++k) pointers[k] += cut.steps[k];
      }
    }
  }
#pragma unroll 1
  for (; base < end; base += groups) {
    const int64_t item = min(base + group, end - 1);
    char* pointers[kOperands];
    const int64_t left = locate(item, pointers);
    const bool is_there = base + group < end && left > 0;
    if (is_there) {
      const int count = static_cast<int>(min(int64_t{kSize}, left));
      Vector reads[Op::kReads];
#pragma unroll
      for (int k = 0; k < Op::kReads; ++k) {
        reads[k].load_part(arguments.slots[k], pointers[k], count, arguments.wide);
      }
      T results[Op::kWrites][kSize];
      apply_vector<Op>(arguments, reads, results);
#pragma unroll
      for (int w = 0; w < Op::kWrites; ++w) {
        const int k = Op::kReads + w;
        Vector write;
        write.set(results[w]);
        if (cut.modes[w] == WriteMode::kDense) {
          write.store_part(arguments.slots[k], pointers[k], count, arguments.wide);
        }
#pragma unroll
        for (int i = 0; i < kSize; ++i) {
          const Sum value = static_cast<Sum>(results[w][i]);
          sums[w][i] = add(sums[w][i], i < count ? value : Sum(0));
        }
      }
    }
    if (cut.has_rows) {
      sum_rows<Op, Vector>(cut, first_row_tile + item * row_tile_step, is_there, sums);
    }
  }

  // The groups of the block add up what they hold of each column; padded against bank conflicts.
  __shared__ Sum shared[kBlockThreads * (kSize + 1)];
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
    const int column = static_cast<int>(threadIdx.x);
    if (column < tile_columns) {
#pragma unroll 1
      for (int g = 0; g < groups; ++g) {
        total = add(total, shared[(g * lanes + column / kSize) * (kSize + 1) + column % kSize]);
      }
    }
    if (mode == WriteMode::kColumn) {
      const bool inside = column < tile_columns && first_column + column < arguments.columns;
      if (inside) cut.partials[w][chunk * arguments.columns + first_column + column] = total;
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

inline constexpr int kFinishThreads = 1024;
inline constexpr int kFinishBatch = 4;  // writes that one launch finishes

template <class T>
struct FinishArguments {
  const T* partials;
  Finish writes[kFinishBatch];
  int outputs_per_block[kFinishBatch];  // a power of two, at most 32
};

// Each output of a block is summed by threads of their own, in slices, and then as a tree.
template <class T>
__global__ void __launch_bounds__(kFinishThreads)
    finish_kernel(const __grid_constant__ FinishArguments<T> arguments) {
  __shared__ T shared[kFinishThreads];
  const Finish& finish = arguments.writes[blockIdx.y];
  const int across = arguments.outputs_per_block[blockIdx.y];
  const int slices = static_cast<int>(blockDim.x) / across;
  const int slice = static_cast<int>(threadIdx.x) / across;
  const int place = static_cast<int>(threadIdx.x) & (across - 1);
  const int64_t output = static_cast<int64_t>(blockIdx.x) * across + place;
  if (static_cast<int64_t>(blockIdx.x) * across >= finish.outputs) return;
  const T* partials = arguments.partials + finish.offset;
  char* data = finish.data;
  T total = T(0);
  if (output < finish.outputs) {
    int64_t rest = output;
#pragma unroll 1
    for (int d = 0; d < finish.num_kept; ++d) {
      const bool last = d + 1 == finish.num_kept;
      const int64_t index = last ? rest : rest % finish.kept_sizes[d];
      if (!last) rest /= finish.kept_sizes[d];
      partials += index * finish.kept_steps[d];
      data += index * finish.kept_strides[d];
    }
    if (finish.num_summed <= 1) {
      const int64_t step = finish.summed_steps[0];
#pragma unroll 4
      for (int64_t term = slice; term < finish.terms; term += slices) {
        total = add(total, partials[term * step]);
      }
    } else {
#pragma unroll 1
      for (int64_t term = slice; term < finish.terms; term += slices) {
        total = add(total, partials[finish.place_of(term)]);
      }
    }
  }
  shared[threadIdx.x] = total;
  for (int half_slices = slices / 2; half_slices > 0; half_slices /= 2) {
    __syncthreads();
    if (slice < half_slices) {
      const unsigned other = threadIdx.x + static_cast<unsigned>(half_slices * across);
      shared[threadIdx.x] = add(shared[threadIdx.x], shared[other]);
    }
  }
  if (slice == 0 && output < finish.outputs) {
    store_as<T>(data, finish.dtype, shared[threadIdx.x]);
  }
}

template <class T>
const char* launch_finish(const FinishArguments<T>& arguments, int num_writes, int64_t blocks,
                          int64_t most_terms, cudaStream_t stream) {
  if (blocks == 0) return nullptr;
  if (blocks > kMaxBlocks) return "too many elements for one kernel";
  const unsigned threads = most_terms > 64 ? kFinishThreads : kBlockThreads;
  const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(num_writes));
  finish_kernel<T><<<grid, threads, 0, stream>>>(arguments);
  return launch_error();
}

template <class T>
const char* finish_writes(const Loop& loop, const Plan& plan, const Launch& launch) {
  FinishArguments<T> arguments{};
  arguments.partials = static_cast<const T*>(launch.workspace);
  const cudaStream_t stream = static_cast<cudaStream_t>(launch.stream);
  int batch = 0;
  int64_t blocks = 0;
  int64_t most_terms = 0;
  for (int w = 0; w < loop.num_writes; ++w) {
    if (!needs_finish(plan.modes[w])) continue;
    const Finish finish = plan_finish(loop, plan, w);
    int across = 1;
    while (across < 32 && across < finish.outputs) across *= 2;
    arguments.writes[batch] = finish;
    arguments.outputs_per_block[batch] = across;
    blocks = std::max(blocks, ceil_div(finish.outputs, across));
    most_terms = std::max(most_terms, finish.terms);
    if (++batch < kFinishBatch) continue;
    if (const char* message = launch_finish(arguments, batch, blocks, most_terms, stream)) {
      return message;
    }
    batch = 0;
    blocks = 0;
    most_terms = 0;
  }
  return launch_finish(arguments, batch, blocks, most_terms, stream);
}

// Compiled once, in src/finish.cu, and not in every op's file.
extern template const char* finish_writes<float>(const Loop&, const Plan&, const Launch&);
extern template const char* finish_writes<double>(const Loop&, const Plan&, const Launch&);
extern template const char* finish_writes<int64_t>(const Loop&, const Plan&, const Launch&);

// How a loop with reduced writes is launched.
template <class Op, bool kWithVectors>
struct Reducing {
  static constexpr bool kPacks = kWithVectors;
  static constexpr bool kNeedsTypes = kRounds<Op>;

  template <class Vector>
  static const char* run(const Loop& loop, const double* params, const Launch& launch) {
    using T = typename Vector::Value;
    using Sum = typename Vector::Sum;
    const Plan plan = plan_reduction(loop, cuda_tiling(loop, Vector::kSize));
    if (plan.units() > kMaxBlocks) return "too many elements for one kernel";
    if (plan.units() > 0) {
      const auto arguments = make_arguments<Op, T>(loop, params, plan.outer, plan.num_outer);
      Cut<Op::kReads, Op::kWrites, Sum> cut{};
      cut.unit_columns = Divisor(plan.unit_columns());
      cut.walks = plan.walked_tiles() > 1;
      cut.chunks_per_run = Divisor(plan.chunks_per_run);
      cut.tiles = plan.tiles;
      cut.run_rows = plan.run_rows;
      cut.run_items = plan.run_items;
      cut.chunk_items = plan.chunk_items;
      cut.run_dims = plan.run_dims;
      cut.lane_bits = bits_of(cuda_lanes(plan.columns, Vector::kSize));
      cut.is_steady = plan.run_dims <= 1;
      for (int k = 0; k < Op::kReads + Op::kWrites; ++k) {
        const auto& slot = arguments.slots[k];
        const int64_t tile_bytes = (slot.inner * Vector::kSize) << cut.lane_bits;
        const int64_t step = cut.walks ? tile_bytes : slot.outer[0];
        cut.steps[k] = step * (kBlockThreads >> cut.lane_bits);
      }
      for (int w = 0; w < Op::kWrites; ++w) {
        cut.modes[w] = plan.modes[w];
        cut.has_rows |= plan.modes[w] == WriteMode::kRow;
        cut.has_alls |= plan.modes[w] == WriteMode::kAll;
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

template <class Op, class Storage>
const char* run_cuda_reducing(const Loop& loop, const double* params, const Launch& launch) {
  if (!has_reduced_write(loop)) return run_cuda<Op, Storage>(loop, params, launch);
  return cuda::Dispatch<cuda::Reducing<Op, true>, Storage>::run(loop, params, launch);
}

// For passes that seldom run: without the vector kernels, which take long to compile.
template <class Op, class Storage>
const char* run_cuda_reducing_small(const Loop& loop, const double* params, const Launch& launch) {
  if (has_reduced_write(loop)) {
    return cuda::Dispatch<cuda::Reducing<Op, false>, Storage>::run(loop, params, launch);
  }
  if (numel(loop) == 0) return nullptr;
  return cuda::Dispatch<cuda::Elementwise<Op, false>, Storage>::run(loop, params, launch);
}

}  // namespace fusewise
