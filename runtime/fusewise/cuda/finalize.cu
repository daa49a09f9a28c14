// The second step of reductions, which is the same for all ops. Free of torch.
#include <fusewise/cuda/reduction.cuh>

#include <algorithm>

namespace fusewise::cuda {

namespace {

inline constexpr int kFinalizeThreads = 256;
inline constexpr int kManyFinalizeThreads = 512;  // where the terms of an output are many
inline constexpr int kFinalizeBatch = 4;  // writes that one launch finishes
inline constexpr int kTermsAtOnce = 8;  // that a thread waits for together
inline constexpr int kNeighbours = 4;   // outputs that a thread takes, if it may take several
// Of so many partial sums the loads take longest, and fewer that are longer are faster.
inline constexpr int64_t kManyPartials = 3 << 18;

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

// A dimension that the outputs of a write keep.
struct KeptDim {
  FastDivisor size;
  int64_t step;    // in partials
  int64_t stride;  // in bytes of the output
};

// A dimension that their terms lie in.
struct SummedDim {
  FastDivisor size;
  int64_t step;  // in partials
};

// A write, counted in neighbours. A kernel that ends so soon waits for each line of its arguments, of 64
// bytes, so what every thread reads stands together.
template <class T>
struct FinalizedWrite {
  const T* partials;
  char* data;
  int64_t outputs;
  int64_t terms;      // of each
  int64_t term_step;  // from one to the next, if they lie in one dimension
  int64_t stride;     // bytes from one of the neighbours to the next
  Dtype dtype;
  int8_t num_kept;
  int8_t num_summed;
  int8_t across_bits;  // a block has 2^across_bits outputs
};

template <class T>
struct FinalizeArguments {
  FinalizedWrite<T> writes[kFinalizeBatch];
  KeptDim kept[kFinalizeBatch][kMaxDims];
  SummedDim summed[kFinalizeBatch][kMaxDims];
};

// The outputs of a block are summed by threads of their own, in slices, and then as a tree.
template <class T, int kCount>
__global__ void __launch_bounds__(kManyFinalizeThreads)
    finalize_kernel(const __grid_constant__ FinalizeArguments<T> arguments) {
  using Sums = Neighbours<T, kCount>;
  __shared__ Sums shared[kManyFinalizeThreads];
  const FinalizedWrite<T>& write = arguments.writes[blockIdx.y];
  const int across = 1 << write.across_bits;
  const int slices = static_cast<int>(blockDim.x) >> write.across_bits;
  const int slice = static_cast<int>(threadIdx.x) >> write.across_bits;
  const int place = static_cast<int>(threadIdx.x) & (across - 1);
  const int64_t first = int64_t{blockIdx.x} << write.across_bits;
  const int64_t output = first + place;
  if (first >= write.outputs) return;
  const T* partials = write.partials;
  char* data = write.data;
  const auto sums_at = [](const T* place) { return *reinterpret_cast<const Sums*>(place); };
  Sums total{};
  if (output < write.outputs) {
    int64_t rest = output;
#pragma unroll 1
    for (int d = 0; d < write.num_kept; ++d) {
      const KeptDim& dim = arguments.kept[blockIdx.y][d];
      int64_t index = rest;
      if (d + 1 < write.num_kept) {
        rest = dim.size.divide(rest);
        index -= rest * dim.size.value;
      }
      partials += index * dim.step;
      data += index * dim.stride;
    }
    if (write.num_summed <= 1) {
      const int slice_bits = 31 - __clz(slices);
      int left = static_cast<int>((write.terms - slice + slices - 1) >> slice_bits);
      const int64_t step = write.term_step * slices;
      partials += write.term_step * slice;
#pragma unroll 1
      for (; left > 0; left -= kTermsAtOnce) {
        Sums terms[kTermsAtOnce];
        // The last is loaded again where there are no more: with conditions the compiler would wait between
        // the loads.
#pragma unroll
        for (int i = 0; i < kTermsAtOnce; ++i) {
          terms[i] = sums_at(partials);
          if (i + 1 < left) partials += step;
        }
#pragma unroll
        for (int i = 0; i < kTermsAtOnce; ++i) {
          if (i < left) add_to(total, terms[i]);
        }
      }
    } else {
#pragma unroll 1
      for (int64_t term = slice; term < write.terms; term += slices) {
        const T* place_of_term = partials;
        int64_t index_rest = term;
#pragma unroll 1
        for (int d = 0; d < write.num_summed; ++d) {
          const SummedDim& dim = arguments.summed[blockIdx.y][d];
          int64_t index = index_rest;
          if (d + 1 < write.num_summed) {
            index_rest = dim.size.divide(index_rest);
            index -= index_rest * dim.size.value;
          }
          place_of_term += index * dim.step;
        }
        add_to(total, sums_at(place_of_term));
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
  if (slice == 0 && output < write.outputs) {
#pragma unroll 1
    for (int i = 0; i < kCount; ++i) {
      store_as<T>(data + i * write.stride, write.dtype, shared[threadIdx.x].values[i]);
    }
  }
}

template <class T>
Status launch_finalize(const FinalizeArguments<T>& arguments, int num_writes, int count, int64_t blocks,
                     int threads, const Launch& launch) {
  if (blocks == 0) return {};
  if (blocks > kMaxBlocks) return {kTooMany};
  const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(num_writes));
  const auto* const kernel = count == 1 ? reinterpret_cast<const void*>(&finalize_kernel<T, 1>)
                                        : reinterpret_cast<const void*>(&finalize_kernel<T, kNeighbours>);
  void* of_kernel[] = {const_cast<FinalizeArguments<T>*>(&arguments)};
  return start(kernel, grid, threads, of_kernel, 0, launch);
}

// Whether the terms of so many outputs at a time lie side by side, and it is worth while.
bool has_neighbours(const Finalize& finalize) {
  if (finalize.outputs * finalize.terms < kManyPartials) return false;
  if (finalize.num_kept == 0 || finalize.kept_steps[0] != 1) return false;
  bool fits = finalize.kept_sizes[0] % kNeighbours == 0 && finalize.offset % kNeighbours == 0;
  for (int d = 1; d < finalize.num_kept; ++d) fits &= finalize.kept_steps[d] % kNeighbours == 0;
  for (int d = 0; d < finalize.num_summed; ++d) fits &= finalize.summed_steps[d] % kNeighbours == 0;
  return fits;
}

}  // namespace

template <class T>
Status finalize_writes(const Loop& loop, const Plan& plan, const T* partials, uint32_t results,
                     const Launch& launch) {
  FinalizeArguments<T> arguments{};
  const auto has_sums = [&](int w) {
    return needs_finalize(plan.modes[w]) && (results >> w & 1) == 0;
  };
  int threads = kFinalizeThreads;
  int count = kNeighbours;
  for (int w = 0; w < loop.num_writes; ++w) {
    if (!has_sums(w)) continue;
    const Finalize finalize = plan_finalize(loop, plan, w);
    if (finalize.terms > kFinalizeThreads) threads = kManyFinalizeThreads;
    if (!has_neighbours(finalize)) count = 1;
  }
  int batch = 0;
  int64_t blocks = 0;
  for (int w = 0; w < loop.num_writes; ++w) {
    if (!has_sums(w)) continue;
    Finalize finalize = plan_finalize(loop, plan, w);
    FinalizedWrite<T>& write = arguments.writes[batch];
    write.stride = finalize.kept_strides[0];
    finalize.outputs /= count;
    finalize.kept_sizes[0] /= count;
    finalize.kept_steps[0] *= count;
    finalize.kept_strides[0] *= count;
    // As many threads for an output as its terms take once, but 8 neighbours are what memory hands out.
    const int least = 8 / count;
    int most = threads;
    while (most > least && finalize.terms * most > int64_t{kTermsAtOnce} * threads) most /= 2;
    int across = 1;
    while (across < most && across < finalize.outputs) across *= 2;
    write.partials = partials + finalize.offset;
    write.data = finalize.data;
    write.outputs = finalize.outputs;
    write.terms = finalize.terms;
    write.term_step = finalize.summed_steps[0];
    write.dtype = finalize.dtype;
    write.num_kept = static_cast<int8_t>(finalize.num_kept);
    write.num_summed = static_cast<int8_t>(finalize.num_summed);
    write.across_bits = static_cast<int8_t>(bits_of(across));
    for (int d = 0; d < finalize.num_kept; ++d) {
      arguments.kept[batch][d] = {FastDivisor(finalize.kept_sizes[d]), finalize.kept_steps[d],
                                  finalize.kept_strides[d]};
    }
    for (int d = 0; d < finalize.num_summed; ++d) {
      arguments.summed[batch][d] = {FastDivisor(finalize.summed_sizes[d]), finalize.summed_steps[d]};
    }
    blocks = std::max(blocks, ceil_div(finalize.outputs, across));
    if (++batch < kFinalizeBatch) continue;
    const Status status = launch_finalize(arguments, batch, count, blocks, threads, launch);
    if (status.failed()) return status;
    batch = 0;
    blocks = 0;
  }
  return launch_finalize(arguments, batch, count, blocks, threads, launch);
}

template Status finalize_writes(const Loop&, const Plan&, const float*, uint32_t, const Launch&);
template Status finalize_writes(const Loop&, const Plan&, const double*, uint32_t, const Launch&);
template Status finalize_writes(const Loop&, const Plan&, const int64_t*, uint32_t, const Launch&);

}  // namespace fusewise::cuda
