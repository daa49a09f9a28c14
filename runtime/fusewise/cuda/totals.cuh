// Reduces the terms of a pass along each row of a loop on a GPU. Free of torch.
#pragma once

#include <fusewise/cuda/dispatch.cuh>
#include <fusewise/cuda/kernels/totals.cuh>

namespace fusewise::cuda {

// Launches the totals kernel of `info`, and the kernel that combines the stretches of long rows. The writes of
// `maxima`, a bit each, are maxima.
template <class T>
Status run_totals(const KernelInfo& info, const ArgumentsRef<T>& arguments, uint32_t maxima, const Loop& loop,
                  const Number* params, const Launch& launch);

// The kernels of a pass whose writes are totals, for each kind of vector.
template <class Op_, uint32_t kMaxima_>
struct TotalsKernels {
  using Op = Op_;
  static constexpr uint32_t kMaxima = kMaxima_;
  template <class Vector>
  static constexpr int kSplit = kSplitVectors<Op, Vector>;
  template <class Vector>
  static constexpr auto kKernel = &totals_kernel<Op, Vector, kMaxima>;
};

// The kernels of a pass whose writes are sums relative to maxima, for each kind of vector.
template <class Maxima, class Phase, int kFirst>
struct RelativeTotalsKernels {
  using Op = typename Phase::Op;
  static constexpr uint32_t kMaxima = 0;
  template <class Vector>
  static constexpr int kSplit = std::min(kSplitVectors<typename Maxima::Op, Vector>, kSplitVectors<Op, Vector>);
  template <class Vector>
  static constexpr auto kKernel = &relative_totals_kernel<Op, Vector, Maxima, Phase, kFirst>;
};

// The kernels that are compiled: one with vectorized access for each storage type that is computed in float, unless
// they are left out, and one with strided access for each compute type.
template <class Kernels, class Storage, bool kWithVectors>
struct Totals;

template <class Kernels, class... S, bool kWithVectors>
struct Totals<Kernels, Dtypes<S...>, kWithVectors> {
  using Op = typename Kernels::Op;

  template <class T>
  static constexpr bool kComputes = (std::is_same_v<Compute<S>, T> || ...);

  template <class Vector>
  static Status run_vectors(const Loop& loop, const Number* params, const Launch& launch) {
    const auto* const kernel = address_of(Kernels::template kKernel<Vector>);
    Arguments<Op, typename Vector::Value> arguments;
    KernelInfo info = info_of<Op, Vector>(kernel, Kernels::template kSplit<Vector>);
    info.interleaved = 0;
    return run_totals(info, ArgumentsRef(arguments), Kernels::kMaxima, loop, params, launch);
  }

  // True if each read is a row scalar, or dense with the dtype that the pass stores it as beside Candidate. Row
  // scalars may have any dtype, unless the pass rounds to it.
  template <class Candidate>
  static bool can_vectorize(const Loop& loop) {
    constexpr uint32_t kScalars = kKnownScalars<Op, FloatVectorized<Candidate>>;
    for (int k = 0; k < loop.num_reads; ++k) {
      const Operand& read = loop.operands[k];
      const bool is_scalar = read.data == nullptr || inner_stride(loop, read) == 0;
      const bool has_type = read.dtype == stored_dtype<Op>(k, dtype_of<Candidate>());
      if (!has_type && (kRounds<Op> || !is_scalar)) return false;
      if (!is_scalar && ((kScalars >> k & 1) != 0 || !is_dense_row(loop, read))) return false;
    }
    return true;
  }

  template <class Candidate>
  static bool try_vectorized(const Loop& loop, const Number* params, const Launch& launch, Status& status) {
    if constexpr (kWithVectors && std::is_same_v<Compute<Candidate>, float> && !kIsFloat8<Candidate>) {
      if (!can_vectorize<Candidate>(loop)) return false;
      status = run_vectors<FloatVectorized<Candidate>>(loop, params, launch);
      return true;
    } else {
      return false;
    }
  }

  static Status run(const Loop& loop, const Number* params, const Launch& launch) {
    if constexpr (kComputes<float>) {
      Status status;
      if (loop.compute == Dtype::kFloat) {
        if ((try_vectorized<S>(loop, params, launch, status) || ...)) return status;
        return run_vectors<Strided<float, 4>>(loop, params, launch);
      }
    }
    if constexpr (kComputes<double>) {
      if (loop.compute == Dtype::kDouble) return run_vectors<Strided<double, 1>>(loop, params, launch);
    }
    if constexpr (kComputes<int64_t>) {
      if (loop.compute == Dtype::kInt64) return run_vectors<Strided<int64_t, 1>>(loop, params, launch);
    }
    return {"no kernel was compiled for this dtype"};
  }
};

}  // namespace fusewise::cuda

namespace fusewise {

// The CUDA kernel of a pass whose writes are totals of the rows of the loop. A row is dimension 0, which is
// always there; the writes have the compute type and stride 0 along it. Those of kMaxima, a bit each, are maxima,
// the others sums. The bits of a total depend on the values of the row, its length and the compute type alone.
template <class Op, class Storage, uint32_t kMaxima, bool kWithVectors = true>
Status run_cuda_totals(const Loop& loop, const Number* params, const Launch& launch) {
  static_assert(kMaxima >> Op::kWrites == 0);
  return cuda::Totals<cuda::TotalsKernels<Op, kMaxima>, Storage, kWithVectors>::run(loop, params, launch);
}

// The CUDA kernel of a phase that is relative to the phase Maxima, whose first total is read number kFirst.
template <class Maxima, class Phase, int kFirst, class Storage>
Status run_cuda_relative_totals(const Loop& loop, const Number* params, const Launch& launch) {
  return cuda::Totals<cuda::RelativeTotalsKernels<Maxima, Phase, kFirst>, Storage, true>::run(loop, params, launch);
}

template <class Op, class Storage, uint32_t kMaxima>
Status run_cuda_totals_strided(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_totals<Op, Storage, kMaxima, false>(loop, params, launch);
}

}  // namespace fusewise
