// Runs a row pass (core/rows.h) by one kernel on a GPU. Free of torch.
#pragma once

#include <fusewise/core/rows.h>
#include <fusewise/cuda/dispatch.cuh>
#include <fusewise/cuda/kernels/long_row.cuh>
#include <fusewise/cuda/kernels/row.cuh>

namespace fusewise::cuda {

// The properties of a row pass that the launch of its kernel depends on.
struct RowInfo {
  KernelInfo kernel;              // holds plain rows
  const void* other_kernel;       // holds other rows
  const void* cluster_kernel;     // of a row that a cluster holds, null if none does or the pass sums over rows
  const void* ring_kernel;        // of plain rows that clusters hold one after another, null if none does
  const void* long_kernel;        // of plain rows that are too long to be held, null if the pass sums over rows
  const void* other_long_kernel;  // of other rows that are
  int long_threads;               // of a block that does not hold its row, if that is plain
  int other_long_threads;         // if it is not
  int max_warps;                  // of a block that does, and of a multiprocessor if the pass sums over rows
  bool is_read_once;              // kIsReadOnce of the passes
  int ring_warps;                 // of a multiprocessor, if clusters have ring buffers
  int cluster_bytes;              // of ClusterTotals, 0 if no cluster shares a row
  int num_totals;
  uint32_t scalars;               // the reads that are row scalars, a bit each
  uint32_t columns;               // kColumns of the passes
  uint32_t summed;                // kSummed of the passes
  int row_vectors;                // of a thread, of the reads that a row does not share with others
  int column_vectors;             // of those that all rows share, if they lie in shared memory
  int stage_bytes;                // of_stage() of StagedBytes
  int write_bytes;                // of_writes() of StagedBytes
  int column_bytes;               // of_columns() of StagedBytes
};

// Runs a row pass by one kernel, and adds the sums of blocks, or returns false if no kernel takes the loop: the reads
// in kColumns must be the same in all rows, the writes in kSummed sums over all rows, and no other write may be a sum.
bool run_rows(const RowInfo& info, const ArgumentsRef<float>& arguments, const Loop& loop, const Number* params,
              const RowTotals* totals, const Launch& launch, Status& status);

// The row kernels of a pass, for each storage type that is computed in float.
template <class Passes, class Storage>
struct RowKernels;

template <class Passes, class... S>
struct RowKernels<Passes, Dtypes<S...>> {
  template <class Vector>
  static RowInfo info_of() {
    KernelInfo kernel{};
    const void* kernels[6] = {};
    if constexpr (Passes::kSummed != 0) {
      kernels[0] = address_of(&row_sums_kernel<Passes, Vector, true>);
      kernels[1] = address_of(&row_sums_kernel<Passes, Vector, false>);
    } else {
      kernels[0] = address_of(&row_kernel<Passes, Vector, true>);
      kernels[1] = address_of(&row_kernel<Passes, Vector, false>);
      kernels[2] = address_of(&long_row_kernel<Passes, Vector, true>);
      kernels[3] = address_of(&long_row_kernel<Passes, Vector, false>);
      if constexpr (kHasClusters<Passes>) kernels[4] = address_of(&cluster_row_kernel<Passes, Vector>);
      if constexpr (kHasClusterRing<Passes, Vector>) kernels[5] = address_of(&cluster_ring_kernel<Passes, Vector>);
    }
    kernel.kernel = kernels[0];
    kernel.size = Vector::kSize;
    kernel.num_params = Passes::kParams;
    kernel.is_vectorized = true;
    using Row = HeldRow<Passes, Vector>;
    using InRing = HeldRow<Passes, Vector, true>;
    return {.kernel = kernel,
            .other_kernel = kernels[1],
            .cluster_kernel = kernels[4],
            .ring_kernel = kernels[5],
            .long_kernel = kernels[2],
            .other_long_kernel = kernels[3],
            .long_threads = kLongRowThreads<Passes, Vector, true>,
            .other_long_threads = kLongRowThreads<Passes, Vector, false>,
            .max_warps = Row::kMaxWarps,
            .is_read_once = Passes::kIsReadOnce,
            .ring_warps = kRingBlocks<Passes, Vector> * kClusterWarps,
            .cluster_bytes = cluster_bytes(),
            .num_totals = Passes::kTotals,
            .scalars = Row::kScalars,
            .columns = Passes::kColumns,
            .summed = Passes::kSummed,
            .row_vectors = Row::kVectors * std::popcount(Row::kEarly),
            .column_vectors = Row::kVectors * std::popcount(InRing::kInRing & ~InRing::kEarly),
            .stage_bytes = StagedBytes<Row>::of_stage(),
            .write_bytes = StagedBytes<Row>::of_writes(),
            .column_bytes = StagedBytes<Row>::of_columns()};
  }

  static constexpr int cluster_bytes() {
    if constexpr (kHasClusters<Passes>) return static_cast<int>(sizeof(ClusterTotals<Passes>));
    else return 0;
  }

  // True if the reads that are row scalars in all loops are so in this one, and all other operands have the dtype that
  // the pass stores them as beside Candidate, and are dense or have equal elements. Row scalars may have any dtype,
  // unless the pass rounds to it.
  template <class Candidate>
  static bool has_types(const Loop& loop) {
    using Vector = FloatVectorized<Candidate>;
    constexpr uint32_t kScalars = Passes::template known_scalars<Vector>();
    for (int k = 0; k < loop.num_reads; ++k) {
      const Operand& read = loop.operands[k];
      const bool has_type = read.dtype == Passes::template read_type<Candidate>(k);
      const bool is_scalar = read.data == nullptr || inner_stride(loop, read) == 0;
      if ((kScalars >> k & 1) != 0) {
        if (!is_scalar || (!has_type && kRounds<typename Passes::Any>)) return false;
      } else if (read.data == nullptr) {
        if (!has_type && kRounds<typename Passes::Any>) return false;
        if (!holds_fill<Candidate>(read)) return false;
      } else if (!has_type || (!is_scalar && !is_dense_row(loop, read))) {
        return false;
      }
    }
    for (int w = 0; w < loop.num_writes; ++w) {
      const Operand& write = loop.operands[loop.num_reads + w];
      if (write.data == nullptr || Passes::is_summed(w)) continue;
      if (Passes::is_row_write(w)) {
        if ((Passes::kFloatRows >> w & 1) != 0 && write.dtype != Dtype::kFloat) return false;
        continue;
      }
      if (write.dtype != Passes::template write_type<Candidate>(w) || !is_dense_row(loop, write)) return false;
    }
    return true;
  }

  template <class Candidate>
  static bool try_run(const Loop& loop, const Number* params, const RowTotals* totals, const Launch& launch,
                      Status& status) {
    if constexpr (std::is_same_v<Compute<Candidate>, float> && !kIsFloat8<Candidate>) {
      using Vector = FloatVectorized<Candidate>;
      if (!has_types<Candidate>(loop)) return false;
      Arguments<Passes, float> arguments;
      return run_rows(info_of<Vector>(), ArgumentsRef(arguments), loop, params, totals, launch, status);
    } else {
      return false;
    }
  }

  static bool run(const Loop& loop, const Number* params, const RowTotals* totals, const Launch& launch,
                  Status& status) {
    return loop.compute == Dtype::kFloat && (try_run<S>(loop, params, totals, launch, status) || ...);
  }
};

}  // namespace fusewise::cuda

namespace fusewise {

// Runs a row pass by one kernel, if the loop allows it; see RowPass::at_once.
template <class Passes, class Storage>
bool run_cuda_rows(const Loop& loop, const Number* params, const RowTotals* totals, const Launch& launch,
                   Status& status) {
  return cuda::RowKernels<Passes, Storage>::run(loop, params, totals, launch, status);
}

}  // namespace fusewise
