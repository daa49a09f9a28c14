// Runs a row pass (core/rows.h) by one kernel on a GPU. Free of torch.
#pragma once

#include <fusewise/cuda/dispatch.cuh>
#include <fusewise/cuda/kernels/row.cuh>

namespace fusewise::cuda {

// The tiles of a row that the kernel can hold.
inline constexpr int kMaxRowTiles = kMaxRowWarps;

// True if rows are whole vectors of `size` elements and not too long, all that is dense along them is aligned, and
// no write is reduced.
bool can_hold_rows(const Loop& loop, int size);

// Launches the row kernel of `info`, whose threads have `tiles` tiles.
Status run_rows(const KernelInfo& info, int tiles, const ArgumentsRef<float>& arguments, int num_totals,
                const Loop& loop, const Number* params, const Launch& launch);

// The row kernels of a pass, for each storage type that is computed in float.
template <class Passes, class Storage>
struct RowKernels;

template <class Passes, class... S>
struct RowKernels<Passes, Dtypes<S...>> {
  // True if each operand is a row scalar, or dense with the dtype that the pass stores it as beside Candidate. Row
  // scalars may have any dtype, unless the pass rounds to it.
  template <class Candidate>
  static bool can_run(const Loop& loop) {
    using Vector = FloatVectorized<Candidate>;
    constexpr uint32_t kScalars = Passes::template known_scalars<Vector>();
    for (int k = 0; k < loop.num_reads; ++k) {
      const Operand& read = loop.operands[k];
      const bool is_scalar = read.data == nullptr || inner_stride(loop, read) == 0;
      const bool has_type = read.dtype == Passes::template read_type<Candidate>(k);
      if (!has_type && (kRounds<typename Passes::First> || !is_scalar)) return false;
      if (!is_scalar && ((kScalars >> k & 1) != 0 || !is_dense_row(loop, read))) return false;
    }
    for (int w = 0; w < loop.num_writes; ++w) {
      const Operand& write = loop.operands[loop.num_reads + w];
      if (write.data == nullptr || Passes::is_row_write(w)) continue;
      if (write.dtype != Passes::template write_type<Candidate>(w) || !is_dense_row(loop, write)) return false;
    }
    return can_hold_rows(loop, Vector::kSize);
  }

  template <class Candidate>
  static bool try_run(const Loop& loop, const Number* params, const Launch& launch, Status& status) {
    if constexpr (std::is_same_v<Compute<Candidate>, float> && !kIsFloat8<Candidate>) {
      using Vector = FloatVectorized<Candidate>;
      if (!can_run<Candidate>(loop)) return false;
      Arguments<Passes, float> arguments;
      KernelInfo info{};
      info.kernel = address_of(&row_kernel<Passes, Vector, 1>);
      info.size = Vector::kSize;
      info.num_params = Passes::kParams;
      info.is_vectorized = true;
      status = run_rows(info, 1, ArgumentsRef(arguments), Passes::kTotals, loop, params, launch);
      return true;
    } else {
      return false;
    }
  }

  static bool run(const Loop& loop, const Number* params, const Launch& launch, Status& status) {
    return loop.compute == Dtype::kFloat && (try_run<S>(loop, params, launch, status) || ...);
  }
};

}  // namespace fusewise::cuda

namespace fusewise {

// Runs a row pass by one kernel, if the loop allows it. The params are those of its passes.
template <class Passes, class Storage>
bool run_cuda_rows(const Loop& loop, const Number* params, const Launch& launch, Status& status) {
  return cuda::RowKernels<Passes, Storage>::run(loop, params, launch, status);
}

}  // namespace fusewise
