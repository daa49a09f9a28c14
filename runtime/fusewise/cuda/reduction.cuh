// Runs a pass with reduced writes on a GPU. Free of torch.
//
// One kernel passes over the data: it stores the dense writes and leaves partial sums. A second, small kernel
// adds the partial sums. There are no atomics, so the result has the same bits every time.
#pragma once

#include <fusewise/cuda/kernels/reduction.cuh>
#include <fusewise/cuda/kernels/two_axis.cuh>
#include <fusewise/cuda/pointwise.cuh>

namespace fusewise::cuda {

// Adds partial sums, for each sum of a list.
template <class T>
Status finalize(const Finalize* sums, int num_sums, const T* partials, const Launch& launch);

// Adds the partial sums of the reduced writes, except the writes in `results`, a bit each, which are final.
template <class T>
Status finalize_writes(const Loop& loop, const Plan& plan, const T* partials, uint32_t results,
                       const Launch& launch);

// True if a loop with reduced writes can use vectorized access: all vectors of `size` elements are aligned, and
// only a loop of one row has a partial vector. A loop whose only read is a row scalar is excluded, because the
// test for it would slow down all other loops of one read.
bool can_vectorize_sums(const Loop& loop, int size, uint32_t interleaved);

// Launches a reduction kernel of `info` and the kernel that adds partial sums.
template <class T, class Sum>
Status run_reduction(const KernelInfo& info, const ArgumentsRef<T>& arguments,
                     const ReductionArgumentsRef<Sum>& reduction, const Loop& loop, const Number* params,
                     const Launch& launch);

// The kernels of a pass for loops with reduced writes; see Dispatch.
template <class Op, bool kWithVectors>
struct Reduction {
  static constexpr bool kVectorizes = kWithVectors;
  static constexpr bool kTakesPartialVectors = false;
  using Pass = Op;

  template <class S>
  static bool try_vectorized(const Loop& loop, const Number* params, const Launch& launch,
                             Status& status) {
    if (!can_vectorize_sums(loop, Vectorized<S>::kSize, kInterleaved<Op>)) return false;
    status = run<Vectorized<S>>(loop, params, launch);
    return true;
  }

  template <class Vector>
  static Status run(const Loop& loop, const Number* params, const Launch& launch) {
    const auto* const kernel = address_of(&reduction_kernel<Op, Vector, false>);
    Arguments<Op, typename Vector::Value> arguments;
    ReductionArguments<Op::kReads, Op::kWrites, typename Vector::Sum> reduction;
    KernelInfo info = info_of<Op, Vector>(kernel);
    if constexpr (kHasSpecialized<Op, Vector>) {
      info.specialized = address_of(&reduction_kernel<Op, Vector, true>);
    }
    if constexpr (kHasTwoAxis<Op, Vector>) {
      info.two_axis = address_of(&two_axis_kernel<Op, Vector>);
    }
    return run_reduction(info, ArgumentsRef(arguments), ReductionArgumentsRef(reduction), loop, params,
                         launch);
  }
};

}  // namespace fusewise::cuda

namespace fusewise {

// The CUDA kernel of a pass that may sum.
template <class Op, class Storage, bool kWithVectors = true>
Status run_cuda_reduction(const Loop& loop, const Number* params, const Launch& launch) {
  if (!has_reduced_write(loop)) return run_cuda_pointwise<Op, Storage, kWithVectors>(loop, params, launch);
  return cuda::Dispatch<cuda::Reduction<Op, kWithVectors>, Storage>::run(loop, params, launch);
}

template <class Op, class Storage>
Status run_cuda_reduction_strided(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction<Op, Storage, false>(loop, params, launch);
}

}  // namespace fusewise
