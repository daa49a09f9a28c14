// Runs a pass without reduced writes on a GPU. Free of torch.
#pragma once

#include <fusewise/cuda/dispatch.cuh>
#include <fusewise/cuda/kernels/pointwise.cuh>
#include <fusewise/cuda/kernels/short.cuh>
#include <fusewise/cuda/kernels/specialized.cuh>
#include <fusewise/cuda/kernels/transposed.cuh>

namespace fusewise::cuda {

// Launches the specialized kernel of `info` if the operands match it, else the general kernel. A loop that is
// too large for offsets of 32 bits is split.
template <class T>
Status run_pointwise(const KernelInfo& info, const ArgumentsRef<T>& arguments, uint32_t* item_strides,
                     const Loop& loop, const Number* params, const Launch& launch);

// The kernels of a pass for loops without reduced writes; see Dispatch. Without vectors it has only kernels
// with strided access of single elements.
template <class Op, bool kWithVectors>
struct Pointwise {
  static constexpr bool kVectorizes = kWithVectors;
  static constexpr bool kTakesPartialVectors = true;
  using Pass = Op;

  // Returns false if vectorized access does not pay: a partial vector is processed element by element, so there
  // must be few of them.
  template <class S>
  static bool try_vectorized(const Loop& loop, const Number* params, const Launch& launch,
                             Status& status) {
    constexpr int64_t kSize = Vectorized<S>::kSize;
    const int64_t columns = inner_size(loop);
    if (!has_vectorizable_rows(loop, kInterleaved<Op>)) {
      const auto* const kernel = address_of(&transposed_kernel<Op, S>);
      Arguments<Op, typename Vectorized<S>::Value> arguments;
      return run_transposed(info_of<Op, Vectorized<S>>(kernel), dtype_of<S>(), ArgumentsRef(arguments),
                            loop, params, launch, status);
    }
    if (loop.num_dims > 1 && columns % kSize != 0 && columns < 8 * kSize) return false;
    status = run<Vectorized<S>>(loop, params, launch);
    return true;
  }

  template <class Vector>
  static Status run(const Loop& loop, const Number* params, const Launch& launch) {
    if constexpr (Vector::kIsVectorized && kInterleaved<Op> == 0) {
      using Short = Vectorized<typename Vector::Stored, short_size<Op, Vector>() / Vector::kGroup>;
      const auto* const kernel = address_of(&short_kernel<Op, Short>);
      ShortArguments<Op, typename Vector::Value> arguments;
      Status status;
      if (run_short(info_of<Op, Short>(kernel), ShortArgumentsRef(arguments), loop, params, launch,
                    status)) {
        return status;
      }
    }
    constexpr int kItems = kItemsPerThread<Op, Vector>;
    const auto* const kernel =
        address_of(&pointwise_kernel<Op, Vector, kItems>);
    KernelInfo info = info_of<Op, Vector>(kernel, kItems);
    if constexpr (Vector::kIsVectorized) {
      info.specialized = address_of(&specialized_kernel<Op, Vector, kItems>);
      info.vector_or_scalar = kVectorOrScalar<Op>;
    }
    Arguments<Op, typename Vector::Value> arguments;
    ItemStrides<Op::kReads + Op::kWrites> strides;
    return run_pointwise(info, ArgumentsRef(arguments), strides.of, loop, params, launch);
  }
};

}  // namespace fusewise::cuda

namespace fusewise {

// The CUDA kernel of a pass that sums nothing. Passes that seldom run have no vectorized kernels, which take
// long to compile.
template <class Op, class Storage, bool kWithVectors = true>
Status run_cuda_pointwise(const Loop& loop, const Number* params, const Launch& launch) {
  if (numel(loop) == 0) return {};
  return cuda::Dispatch<cuda::Pointwise<Op, kWithVectors>, Storage>::run(loop, params, launch);
}

template <class Op, class Storage>
Status run_cuda_pointwise_strided(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_pointwise<Op, Storage, false>(loop, params, launch);
}

}  // namespace fusewise
