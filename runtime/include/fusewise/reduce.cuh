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
template <int kWrites, class T>
struct Cut {
  int64_t unit_columns;
  int64_t walked_tiles;
  int64_t tiles;
  int64_t run_rows;
  int64_t run_items;
  int64_t chunk_items;
  int64_t chunks_per_run;
  int lanes;
  WriteMode modes[kWrites];
  T* partials[kWrites];
};

// Vectors in flight per thread: as many as leave registers for two blocks per multiprocessor.
template <class Op, class Vector>
inline constexpr int kItemsInFlight =
    Vector::kSize == 1 || Op::kReads > 4 ? 1 : Op::kReads > 2 ? 2 : 4;

template <class Op, class Vector>
__global__ void __launch_bounds__(kBlockThreads, 2)
    reduce_kernel(const __grid_constant__ Arguments<Op, typename Vector::Value> arguments,
                  const __grid_constant__ Cut<Op::kWrites, typename Vector::Value> cut) {
  using T = typename Vector::Value;
  constexpr int kOperands = Op::kReads + Op::kWrites;
  constexpr int kSize = Vector::kSize;
  constexpr int kUnroll = kItemsInFlight<Op, Vector>;
  const int lanes = cut.lanes;
  const int groups = kBlockThreads / lanes;
  const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
  const int group = static_cast<int>(threadIdx.x) / lanes;
  const int64_t unit = blockIdx.x;
  const int64_t chunk = unit / cut.unit_columns;
  const int64_t unit_tile = unit - chunk * cut.unit_columns;
  const int64_t run = chunk / cut.chunks_per_run;
  const int64_t first = (chunk - run * cut.chunks_per_run) * cut.chunk_items;
  const int64_t end = min(first + cut.chunk_items, cut.run_items);

  T sums[Op::kWrites][kSize];
#pragma unroll
  for (int w = 0; w < Op::kWrites; ++w) {
#pragma unroll
    for (int i = 0; i < kSize; ++i) sums[w][i] = T(0);
  }

#pragma unroll 1
  for (int64_t base = first; base < end; base += kUnroll * groups) {
    Vector reads[kUnroll][Op::kReads];
    int64_t offsets[kUnroll][kOperands];
    int64_t rows[kUnroll];
    int64_t tiles[kUnroll];
    int64_t columns[kUnroll];
    int counts[kUnroll];  // of columns; 0 where there is nothing to do
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      const int64_t item = base + u * groups + group;
      counts[u] = 0;
      if (item >= end) continue;
      rows[u] = run * cut.run_rows + item;
      tiles[u] = unit_tile;
      if (cut.walked_tiles > 1) {
        const int64_t row = item / cut.walked_tiles;
        rows[u] = run * cut.run_rows + row;
        tiles[u] = item - row * cut.walked_tiles;
      }
      columns[u] = (tiles[u] * lanes + lane) * kSize;
      if (columns[u] < arguments.columns) {
        counts[u] =
            static_cast<int>(min(static_cast<int64_t>(kSize), arguments.columns - columns[u]));
        locate_row(arguments, rows[u], offsets[u]);
#pragma unroll
        for (int k = 0; k < Op::kReads; ++k) {
          reads[u][k].load(arguments.slots[k], offsets[u][k], columns[u], counts[u]);
        }
      }
    }
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      T row_sums[Op::kWrites];
#pragma unroll
      for (int w = 0; w < Op::kWrites; ++w) row_sums[w] = T(0);
      if (counts[u] > 0) {
        Vector writes[Op::kWrites];
        apply_vector<Op>(arguments, reads[u], writes, [&](int i, const T* out) {
#pragma unroll
          for (int w = 0; w < Op::kWrites; ++w) {
            const T value = i < counts[u] ? out[w] : T(0);
            if (cut.modes[w] == WriteMode::kRow) row_sums[w] = add(row_sums[w], value);
            else if (is_accumulated(cut.modes[w])) sums[w][i] = add(sums[w][i], value);
          }
        });
#pragma unroll
        for (int w = 0; w < Op::kWrites; ++w) {
          const int k = Op::kReads + w;
          if (cut.modes[w] == WriteMode::kDense) {
            writes[w].store(arguments.slots[k], offsets[u][k], columns[u], counts[u]);
          }
        }
      }
#pragma unroll
      for (int w = 0; w < Op::kWrites; ++w) {
        if (cut.modes[w] != WriteMode::kRow) continue;
        const T total = sum_lanes(row_sums[w], lanes);
        const bool active = base + u * groups + group < end;
        if (lane == 0 && active) cut.partials[w][rows[u] * cut.tiles + tiles[u]] = total;
      }
    }
  }

  // The groups of the block add up what they hold of each column; padded against bank conflicts.
  __shared__ T shared[kBlockThreads * (kSize + 1)];
  const int64_t first_column = unit_tile * lanes * kSize;
#pragma unroll
  for (int w = 0; w < Op::kWrites; ++w) {
    const WriteMode mode = cut.modes[w];
    if (!is_accumulated(mode)) continue;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kSize; ++i) shared[threadIdx.x * (kSize + 1) + i] = sums[w][i];
    __syncthreads();
    T total = T(0);
    const int column = static_cast<int>(threadIdx.x);
    if (column < lanes * kSize) {
      for (int g = 0; g < groups; ++g) {
        total = add(total, shared[(g * lanes + column / kSize) * (kSize + 1) + column % kSize]);
      }
    }
    if (mode == WriteMode::kColumn) {
      const bool inside = column < lanes * kSize && first_column + column < arguments.columns;
      if (inside) cut.partials[w][chunk * arguments.columns + first_column + column] = total;
    } else {
      __syncthreads();
      const T warp_total = sum_lanes(total, 32);
      if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = warp_total;
      __syncthreads();
      if (threadIdx.x < 32) {
        const T rest = threadIdx.x < kBlockThreads / 32 ? shared[threadIdx.x] : T(0);
        const T block_total = sum_lanes(rest, 32);
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
    const Plan plan = plan_reduction(loop, cuda_tiling(loop, Vector::kSize));
    if (plan.units() > kMaxBlocks) return "too many elements for one kernel";
    if (plan.units() > 0) {
      const auto arguments = make_arguments<Op, T>(loop, params, plan.outer, plan.num_outer);
      Cut<Op::kWrites, T> cut{};
      cut.unit_columns = plan.unit_columns();
      cut.walked_tiles = plan.walked_tiles();
      cut.tiles = plan.tiles;
      cut.run_rows = plan.run_rows;
      cut.run_items = plan.run_items;
      cut.chunk_items = plan.chunk_items;
      cut.chunks_per_run = plan.chunks_per_run;
      cut.lanes = cuda_lanes(plan.columns, Vector::kSize);
      for (int w = 0; w < Op::kWrites; ++w) {
        cut.modes[w] = plan.modes[w];
        cut.partials[w] = static_cast<T*>(launch.workspace) + plan.offsets[w];
      }
      const unsigned blocks = static_cast<unsigned>(plan.units());
      const cudaStream_t stream = static_cast<cudaStream_t>(launch.stream);
      reduce_kernel<Op, Vector><<<blocks, kBlockThreads, 0, stream>>>(arguments, cut);
      if (const char* message = launch_error()) return message;
    }
    return finish_writes<T>(loop, plan, launch);
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
