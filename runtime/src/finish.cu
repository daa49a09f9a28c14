// The second step of reductions, which is the same for all ops. Free of torch.
#include <fusewise/reduce.cuh>

#include <algorithm>

namespace fusewise::cuda {

namespace {

inline constexpr int kFinishThreads = 256;
inline constexpr int kManyFinishThreads = 1024;  // where the terms of an output are many
inline constexpr int kFinishBatch = 4;  // writes that one launch finishes
inline constexpr int kTermsAtOnce = 8;  // that a thread waits for together
inline constexpr int kNeighbours = 4;   // outputs that a thread takes, if it may take several

// Outputs that follow each other, as their terms do.
template <class T, int kCount>
struct alignas(kCount * sizeof(T)) Neighbours {
  T values[kCount];
};

template <class T, int kCount>
__device__ __forceinline__ void add_to(Neighbours<T, kCount>& sum, const Neighbours<T, kCount>& term) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) sum.values[i] = add(sum.values[i], term.values[i]);
}

// Of each write, counted in neighbours.
template <class T>
struct FinishArguments {
  const T* partials;
  Finish writes[kFinishBatch];
  int64_t strides[kFinishBatch];        // bytes from one of the neighbours to the next
  int outputs_per_block[kFinishBatch];  // a power of two
};

// The outputs of a block are summed by threads of their own, in slices, and then as a tree.
template <class T, int kCount>
__global__ void __launch_bounds__(kManyFinishThreads)
    finish_kernel(const __grid_constant__ FinishArguments<T> arguments) {
  using Sums = Neighbours<T, kCount>;
  __shared__ Sums shared[kManyFinishThreads];
  const Finish& finish = arguments.writes[blockIdx.y];
  const int across = arguments.outputs_per_block[blockIdx.y];
  const int slices = static_cast<int>(blockDim.x) / across;
  const int slice = static_cast<int>(threadIdx.x) / across;
  const int place = static_cast<int>(threadIdx.x) & (across - 1);
  const int64_t output = static_cast<int64_t>(blockIdx.x) * across + place;
  if (static_cast<int64_t>(blockIdx.x) * across >= finish.outputs) return;
  const T* partials = arguments.partials + finish.offset;
  char* data = finish.data;
  const auto sums_at = [](const T* place) { return *reinterpret_cast<const Sums*>(place); };
  Sums total{};
  if (output < finish.outputs) {
    int64_t rest = output;
#pragma unroll 1
    for (int d = 0; d < finish.num_kept; ++d) {
      const bool last = d + 1 == finish.num_kept;
      const int64_t next = last ? 0 : rest / finish.kept_sizes[d];
      const int64_t index = last ? rest : rest - next * finish.kept_sizes[d];
      rest = next;
      partials += index * finish.kept_steps[d];
      data += index * finish.kept_strides[d];
    }
    if (finish.num_summed <= 1) {
      const int64_t step = finish.summed_steps[0];
#pragma unroll 1
      for (int64_t first = slice; first < finish.terms; first += kTermsAtOnce * slices) {
        Sums terms[kTermsAtOnce];
#pragma unroll
        for (int i = 0; i < kTermsAtOnce; ++i) {
          const int64_t term = first + i * slices;
          terms[i] = term < finish.terms ? sums_at(partials + term * step) : Sums{};
        }
#pragma unroll
        for (int i = 0; i < kTermsAtOnce; ++i) add_to(total, terms[i]);
      }
    } else {
#pragma unroll 1
      for (int64_t term = slice; term < finish.terms; term += slices) {
        add_to(total, sums_at(partials + finish.place_of(term)));
      }
    }
  }
  shared[threadIdx.x] = total;
  for (int half_slices = slices / 2; half_slices > 0; half_slices /= 2) {
    __syncthreads();
    if (slice < half_slices) {
      const unsigned other = threadIdx.x + static_cast<unsigned>(half_slices * across);
      add_to(shared[threadIdx.x], shared[other]);
    }
  }
  if (slice == 0 && output < finish.outputs) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const T sum = shared[threadIdx.x].values[i];
      store_as<T>(data + i * arguments.strides[blockIdx.y], finish.dtype, sum);
    }
  }
}

template <class T>
const char* launch_finish(const FinishArguments<T>& arguments, int num_writes, int count, int64_t blocks,
                          int threads, cudaStream_t stream) {
  if (blocks == 0) return nullptr;
  if (blocks > kMaxBlocks) return "too many elements for one kernel";
  const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(num_writes));
  if (count == 1) finish_kernel<T, 1><<<grid, threads, 0, stream>>>(arguments);
  else finish_kernel<T, kNeighbours><<<grid, threads, 0, stream>>>(arguments);
  return launch_error();
}

// Whether the terms of so many outputs at a time lie side by side, and there is enough to do all the same.
bool has_neighbours(const Finish& finish) {
  if (finish.outputs < kMultiprocessors * kFinishThreads * kNeighbours) return false;
  if (finish.num_kept == 0 || finish.kept_steps[0] != 1) return false;
  bool fits = finish.kept_sizes[0] % kNeighbours == 0 && finish.offset % kNeighbours == 0;
  for (int d = 1; d < finish.num_kept; ++d) fits &= finish.kept_steps[d] % kNeighbours == 0;
  for (int d = 0; d < finish.num_summed; ++d) fits &= finish.summed_steps[d] % kNeighbours == 0;
  return fits;
}

}  // namespace

template <class T>
const char* finish_writes(const Loop& loop, const Plan& plan, uint32_t results, const Launch& launch) {
  FinishArguments<T> arguments{};
  arguments.partials = static_cast<const T*>(launch.workspace);
  const cudaStream_t stream = static_cast<cudaStream_t>(launch.stream);
  const auto has_sums = [&](int w) {
    return needs_finish(plan.modes[w]) && (results >> w & 1) == 0;
  };
  int threads = kFinishThreads;
  int count = kNeighbours;
  for (int w = 0; w < loop.num_writes; ++w) {
    if (!has_sums(w)) continue;
    const Finish finish = plan_finish(loop, plan, w);
    if (finish.terms > kFinishThreads) threads = kManyFinishThreads;
    if (!has_neighbours(finish)) count = 1;
  }
  int batch = 0;
  int64_t blocks = 0;
  for (int w = 0; w < loop.num_writes; ++w) {
    if (!has_sums(w)) continue;
    Finish finish = plan_finish(loop, plan, w);
    finish.outputs /= count;
    finish.kept_sizes[0] /= count;
    arguments.strides[batch] = finish.kept_strides[0];
    finish.kept_steps[0] *= count;
    finish.kept_strides[0] *= count;
    // As many threads for an output as its terms take once, but 8 neighbours are what memory hands out.
    const int least = 8 / count;
    int most = threads;
    while (most > least && finish.terms * most > int64_t{kTermsAtOnce} * threads) most /= 2;
    int across = 1;
    while (across < most && across < finish.outputs) across *= 2;
    arguments.writes[batch] = finish;
    arguments.outputs_per_block[batch] = across;
    blocks = std::max(blocks, ceil_div(finish.outputs, across));
    if (++batch < kFinishBatch) continue;
    if (const char* message = launch_finish(arguments, batch, count, blocks, threads, stream)) {
      return message;
    }
    batch = 0;
    blocks = 0;
  }
  return launch_finish(arguments, batch, count, blocks, threads, stream);
}

template const char* finish_writes<float>(const Loop&, const Plan&, uint32_t, const Launch&);
template const char* finish_writes<double>(const Loop&, const Plan&, uint32_t, const Launch&);
template const char* finish_writes<int64_t>(const Loop&, const Plan&, uint32_t, const Launch&);

}  // namespace fusewise::cuda
