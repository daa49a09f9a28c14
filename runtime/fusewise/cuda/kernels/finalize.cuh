// The second step of a reduction, the same for all ops: adds the partial sums of each output. Free of torch.
#pragma once

#include <fusewise/cuda/reduction.cuh>

namespace fusewise::cuda {

inline constexpr int kMaxFinalizeThreads = 512;  // of a block
inline constexpr int kFinalizeWrites = 4;        // in one launch
inline constexpr int kTermsAtOnce = 8;           // loads of a thread that are in flight together

// Outputs that follow each other in memory, as their terms do.
template <class T, int kCount>
struct alignas(kCount * sizeof(T)) Neighbours {
  T values[kCount];
};

template <class T, int kCount>
__device__ __forceinline__ void add_to(Neighbours<T, kCount>& sum, const Neighbours<T, kCount>& term) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) sum.values[i] = add(sum.values[i], term.values[i]);
}

// A dimension that the write keeps.
struct KeptDim {
  FastDivisor size;
  int64_t step;    // in partials
  int64_t stride;  // in bytes of the output
};

// A dimension that the write reduces.
struct SummedDim {
  FastDivisor size;
  int64_t step;  // in partials
};

// A write. Its outputs are counted in neighbours. The fields that every thread reads stand together, as so
// short a kernel waits for each line of 64 bytes of its arguments.
template <class T>
struct FinalizedWrite {
  const T* partials;
  char* data;
  int64_t outputs;
  int64_t terms;      // of each output
  int64_t term_step;  // from one term to the next, if they lie in one dimension
  int64_t stride;     // bytes from one neighbour to the next
  Dtype dtype;
  int8_t num_kept;
  int8_t num_summed;
  int8_t across_bits;  // a block has 2^across_bits outputs
};

template <class T>
struct FinalizeArguments {
  FinalizedWrite<T> writes[kFinalizeWrites];
  KeptDim kept[kFinalizeWrites][kMaxDims];
  SummedDim summed[kFinalizeWrites][kMaxDims];
};

template <class Sums, class T>
__device__ __forceinline__ Sums load_sums(const T* place) {
  return *reinterpret_cast<const Sums*>(place);
}

// The index in a dimension. `rest` is a linear index over this dimension and the slower ones before the call, and
// over the slower ones after it.
template <class Dim>
__device__ __forceinline__ int64_t take_index(const Dim& dim, bool is_slowest, int64_t& rest) {
  int64_t index = rest;
  if (!is_slowest) {
    rest = dim.size.divide(rest);
    index -= rest * dim.size.value;
  }
  return index;
}

// Adds every `slices`-th term, from number `slice` on, of terms that lie in one dimension.
template <class Sums, class T>
__device__ __forceinline__ void add_terms(const FinalizedWrite<T>& write, const T* partials, int slice,
                                          int slices, Sums& total) {
  const int slice_bits = 31 - __clz(slices);
  int left = static_cast<int>((write.terms - slice + slices - 1) >> slice_bits);
  const int64_t step = write.term_step * slices;
  partials += write.term_step * slice;
#pragma unroll 1
  for (; left > 0; left -= kTermsAtOnce) {
    Sums terms[kTermsAtOnce];
    // Past the end the last term is loaded again: with a condition the compiler would wait between the loads.
#pragma unroll
    for (int i = 0; i < kTermsAtOnce; ++i) {
      terms[i] = load_sums<Sums>(partials);
      if (i + 1 < left) partials += step;
    }
#pragma unroll
    for (int i = 0; i < kTermsAtOnce; ++i) {
      if (i < left) add_to(total, terms[i]);
    }
  }
}

// Several threads add slices of the terms of an output, and then their sums as a tree.
template <class T, int kCount>
__global__ void __launch_bounds__(kMaxFinalizeThreads)
    finalize_kernel(const __grid_constant__ FinalizeArguments<T> arguments) {
  __shared__ Neighbours<T, kCount> shared[kMaxFinalizeThreads];
  const FinalizedWrite<T>& write = arguments.writes[blockIdx.y];
  const int across = 1 << write.across_bits;
  const int slices = static_cast<int>(blockDim.x) >> write.across_bits;
  const int slice = static_cast<int>(threadIdx.x) >> write.across_bits;
  const int64_t first = int64_t{blockIdx.x} << write.across_bits;
  const int64_t output = first + (static_cast<int>(threadIdx.x) & (across - 1));
  if (first >= write.outputs) return;
  const T* partials = write.partials;
  char* data = write.data;
  Neighbours<T, kCount> total{};
  if (output < write.outputs) {
    int64_t rest = output;
#pragma unroll 1
    for (int d = 0; d < write.num_kept; ++d) {
      const KeptDim& dim = arguments.kept[blockIdx.y][d];
      const int64_t index = take_index(dim, d + 1 >= write.num_kept, rest);
      partials += index * dim.step;
      data += index * dim.stride;
    }
    if (write.num_summed <= 1) {
      add_terms(write, partials, slice, slices, total);
    } else {
#pragma unroll 1
      for (int64_t term = slice; term < write.terms; term += slices) {
        const T* place_of_term = partials;
        int64_t rest_of_term = term;
#pragma unroll 1
        for (int d = 0; d < write.num_summed; ++d) {
          const SummedDim& dim = arguments.summed[blockIdx.y][d];
          place_of_term += take_index(dim, d + 1 >= write.num_summed, rest_of_term) * dim.step;
        }
        add_to(total, load_sums<decltype(total)>(place_of_term));
      }
    }
  }
  shared[threadIdx.x] = total;
  for (int half_slices = slices / 2; half_slices > 0; half_slices /= 2) {
    __syncthreads();
    if (slice < half_slices) add_to(shared[threadIdx.x], shared[threadIdx.x + half_slices * across]);
  }
  if (slice == 0 && output < write.outputs) {
#pragma unroll 1
    for (int i = 0; i < kCount; ++i) {
      store_as<T>(data + i * write.stride, write.dtype, shared[threadIdx.x].values[i]);
    }
  }
}

}  // namespace fusewise::cuda
