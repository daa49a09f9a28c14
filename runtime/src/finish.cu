// The second step of reductions, which is the same for all ops. Free of torch.
#include <fusewise/reduce.cuh>

#include <algorithm>

namespace fusewise::cuda {

namespace {

inline constexpr int kFinishThreads = 256;
inline constexpr int kManyFinishThreads = 1024;  // where the terms of an output are many
inline constexpr int kFinishBatch = 4;  // writes that one launch finishes
inline constexpr int kTermsAtOnce = 8;  // that a thread waits for together

template <class T>
struct FinishArguments {
  const T* partials;
  Finish writes[kFinishBatch];
  int outputs_per_block[kFinishBatch];  // a power of two
};

// Each output of a block is summed by threads of their own, in slices, and then as a tree.
template <class T>
__global__ void __launch_bounds__(kManyFinishThreads)
    finish_kernel(const __grid_constant__ FinishArguments<T> arguments) {
  __shared__ T shared[kManyFinishThreads];
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
        T terms[kTermsAtOnce];
#pragma unroll
        for (int i = 0; i < kTermsAtOnce; ++i) {
          const int64_t term = first + i * slices;
          terms[i] = term < finish.terms ? partials[term * step] : T(0);
        }
#pragma unroll
        for (int i = 0; i < kTermsAtOnce; ++i) total = add(total, terms[i]);
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
                          int threads, cudaStream_t stream) {
  if (blocks == 0) return nullptr;
  if (blocks > kMaxBlocks) return "too many elements for one kernel";
  const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(num_writes));
  finish_kernel<T><<<grid, threads, 0, stream>>>(arguments);
  return launch_error();
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
  for (int w = 0; w < loop.num_writes; ++w) {
    const bool is_many = has_sums(w) && plan_finish(loop, plan, w).terms > kFinishThreads;
    if (is_many) threads = kManyFinishThreads;
  }
  int batch = 0;
  int64_t blocks = 0;
  for (int w = 0; w < loop.num_writes; ++w) {
    if (!has_sums(w)) continue;
    const Finish finish = plan_finish(loop, plan, w);
    // As many threads for an output as its terms take once, but 8 neighbours are what memory hands out.
    int most = threads;
    while (most > 8 && finish.terms * most > int64_t{kTermsAtOnce} * threads) most /= 2;
    int across = 1;
    while (across < most && across < finish.outputs) across *= 2;
    arguments.writes[batch] = finish;
    arguments.outputs_per_block[batch] = across;
    blocks = std::max(blocks, ceil_div(finish.outputs, across));
    if (++batch < kFinishBatch) continue;
    if (const char* message = launch_finish(arguments, batch, blocks, threads, stream)) {
      return message;
    }
    batch = 0;
    blocks = 0;
  }
  return launch_finish(arguments, batch, blocks, threads, stream);
}

template const char* finish_writes<float>(const Loop&, const Plan&, uint32_t, const Launch&);
template const char* finish_writes<double>(const Loop&, const Plan&, uint32_t, const Launch&);
template const char* finish_writes<int64_t>(const Loop&, const Plan&, uint32_t, const Launch&);

}  // namespace fusewise::cuda
