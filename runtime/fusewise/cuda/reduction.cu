// Plans the kernels of loops with reduced writes. Free of torch.
#include <algorithm>

#include <fusewise/cuda/planning.cuh>
#include <fusewise/cuda/reduction.cuh>

namespace fusewise::cuda {

namespace {

// True if the vectors of a thread lie in two dimensions: the vectors of a row and the rows, or the rows of two
// outer dimensions.
bool has_two_dims(const Plan& plan) {
  const bool is_flat = plan.traversal == Traversal::kFlat;
  return plan.segment_dims > (is_flat ? 0 : 1) && plan.traversal != Traversal::kAlong;
}

// The distance between two successive steps of a thread: in vectors if the traversal is flat, else in rows.
int64_t thread_stride(const Plan& plan, const ReductionTiling& tiling) {
  return plan.traversal == Traversal::kFlat ? kBlockThreads : kBlockThreads >> tiling.lane_bits;
}

// The work tiles: how blocks are numbered, and how a thread goes through its own.
void set_tiling(const Loop& loop, const Plan& plan, int size, uint32_t results, ReductionTiling& tiling) {
  const int64_t segments = plan.splits / std::max<int64_t>(1, plan.splits_per_segment);
  tiling = {};
  tiling.work_tile_columns = FastDivisor(plan.work_tile_columns());
  tiling.splits_per_segment = static_cast<uint32_t>(plan.splits_per_segment);
  tiling.segments_follow = plan.segment_dims > 0 && plan.segment_dims < plan.num_outer &&
                           plan.outer[plan.segment_dims] < plan.outer[0];
  tiling.split_order = FastDivisor(tiling.segments_follow ? segments : plan.splits_per_segment);
  tiling.tiles = plan.tiles;
  tiling.segment_rows = plan.segment_rows;
  tiling.segment_vectors = plan.segment_rows * (plan.columns / size);
  tiling.segment_items = plan.segment_items;
  tiling.split_items = plan.split_items;
  tiling.segment_dims = plan.segment_dims;
  tiling.whole = results;
  tiling.lane_bits = bits_of(cuda_lanes(plan.columns, size));
  tiling.traversal = plan.traversal;
  int64_t period = 1;
  if (has_two_dims(plan)) {
    const bool is_flat = plan.traversal == Traversal::kFlat;
    period = is_flat ? ceil_div(plan.columns, size) : loop.sizes[plan.outer[0]];
    tiling.advance = static_cast<uint32_t>(thread_stride(plan, tiling) % period);
  }
  tiling.period = FastDivisor(period);
}

// Bytes from one vector of a thread to its next, in each operand.
template <class Sum>
void set_steps(const Loop& loop, const Plan& plan, int size,
               const ReductionArgumentsRef<Sum>& reduction) {
  const ReductionTiling& tiling = reduction.tiling;
  const bool is_flat = plan.traversal == Traversal::kFlat;
  const int64_t stride = thread_stride(plan, tiling);
  const int64_t period = tiling.period.value;
  for (int k = 0; k < num_operands(loop); ++k) {
    const Operand& operand = loop.operands[k];
    const auto outer_stride = [&](int i) {
      return i < plan.num_outer ? operand.strides[plan.outer[i]] : 0;
    };
    const int64_t vector = inner_stride(loop, operand) * size;
    const int64_t inner = is_flat ? vector : outer_stride(0);
    const int64_t outer = outer_stride(is_flat ? 0 : 1);
    reduction.steps[k] = reduction.wraps[k] = 0;
    if (plan.traversal == Traversal::kAlong) {
      reduction.steps[k] = vector << tiling.lane_bits;
    } else if (has_two_dims(plan)) {
      reduction.steps[k] = stride / period * outer + tiling.advance * inner;
      reduction.wraps[k] = outer - period * inner;
    } else if (is_flat || plan.segment_dims > 0) {
      reduction.steps[k] = stride * inner;
    }
  }
}

// Which reads are loop-invariant for a thread, which are row scalars, and which are vectors.
void classify_reads(const Loop& loop, const Plan& plan, ReductionTiling& tiling) {
  const bool is_along = plan.traversal == Traversal::kAlong;
  for (int k = 0; k < loop.num_reads; ++k) {
    const Operand& read = loop.operands[k];
    const bool is_broadcast = read.data == nullptr || inner_stride(loop, read) == 0;
    bool is_invariant = plan.traversal == Traversal::kDown || is_broadcast;
    for (int i = 0; i < plan.segment_dims && !is_along; ++i) {
      is_invariant &= read.strides[plan.outer[i]] == 0;
    }
    is_invariant |= read.data == nullptr;
    tiling.loop_invariant |= static_cast<uint32_t>(is_invariant) << k;
    tiling.row_scalars |= static_cast<uint32_t>(!is_invariant && is_broadcast) << k;
    tiling.contiguous |= static_cast<uint32_t>(!is_invariant && !is_broadcast) << k;
  }
}

template <class Sum>
void set_reduction_arguments(const Loop& loop, const Plan& plan, int size, uint32_t results,
                             Sum* partials, const ReductionArgumentsRef<Sum>& reduction) {
  ReductionTiling& tiling = reduction.tiling;
  set_tiling(loop, plan, size, results, tiling);
  set_steps(loop, plan, size, reduction);
  classify_reads(loop, plan, tiling);
  for (int w = 0; w < loop.num_writes; ++w) {
    const WriteMode mode = plan.modes[w];
    const bool is_result = (results >> w & 1) != 0;
    reduction.modes[w] = mode;
    reduction.partials[w] = is_result ? static_cast<Sum*>(loop.operands[loop.num_reads + w].data)
                                      : partials + plan.offsets[w];
    tiling.dense |= static_cast<uint32_t>(mode == WriteMode::kDense) << w;
    tiling.summed |= static_cast<uint32_t>(needs_finalize(mode)) << w;
    tiling.sums_rows |= mode == WriteMode::kRow;
  }
}

bool is_row_scalar(const Loop& loop, const Operand& read) {
  bool varies = false;
  for (int d = 0; d < loop.num_dims; ++d) varies |= read.strides[d] != 0;
  return read.data != nullptr && inner_stride(loop, read) == 0 && varies;
}

// True if all operands of the loop have the layout that the specialized kernel requires.
template <class T>
bool reduction_matches_specialization(const KernelInfo& info, const ArgumentsRef<T>& arguments,
                                      const ReductionTiling& tiling, int num_reads) {
  const uint32_t reads = info.full & ((1u << num_reads) - 1);
  bool found = info.specialized != nullptr && arguments.interleaved == info.interleaved &&
               arguments.traits.hoists_per_row && (tiling.contiguous & reads) == reads &&
               tiling.dense == info.full >> num_reads && tiling.summed == info.summed >> num_reads;
  for (int k = 0; k < num_reads; ++k) {
    if ((info.row_scalars >> k & 1) != 0) found &= arguments.operands[k].is_broadcast;
  }
  return found;
}

// The writes whose only partial sum the kernel can store as the result, a bit each.
template <class Sum>
uint32_t find_results(const KernelInfo& info, const Loop& loop, const Plan& plan) {
  uint32_t results = 0;
  for (int w = 0; w < loop.num_writes; ++w) {
    const Dtype dtype = loop.operands[loop.num_reads + w].dtype;
    const bool can_store = info.is_vectorized ? size_of(dtype) * info.size == kVectorBytes
                                              : dtype == dtype_of<Sum>();
    results |= static_cast<uint32_t>(can_store && is_whole(loop, plan, w)) << w;
  }
  return results;
}

template <class T, class Sum>
Status launch_sums(const KernelInfo& info, const ArgumentsRef<T>& arguments,
                   const ReductionArgumentsRef<Sum>& reduction, const Loop& loop, const Plan& plan,
                   uint32_t results, Sum* partials, const Launch& launch) {
  const dim3 blocks(static_cast<unsigned>(plan.work_tiles()));
  if constexpr (std::is_same_v<Sum, float>) {
    if (plan.traversal == Traversal::kTwoAxis) {
      TwoAxisArguments two_axis = make_two_axis_arguments(loop, plan, results, partials);
      void* of_kernel[] = {arguments.all, &two_axis};
      return start(info.two_axis, blocks, kBlockThreads, of_kernel, 0, launch);
    }
  }
  set_reduction_arguments(loop, plan, info.size, results, partials, reduction);
  const bool is_specialized =
      reduction_matches_specialization(info, arguments, reduction.tiling, loop.num_reads);
  void* of_kernel[] = {arguments.all, reduction.all};
  const void* const kernel = is_specialized ? info.specialized : info.kernel;
  return start(kernel, blocks, kBlockThreads, of_kernel, 0, launch);
}

}  // namespace

bool can_vectorize_sums(const Loop& loop, int size, uint32_t interleaved) {
  if (!has_vectorizable_rows(loop, interleaved)) return false;
  if (loop.num_dims > 1 && inner_size(loop) % size != 0) return false;
  // Kernels with one read do not support a row scalar, because the test for it would slow down all their loops.
  if (loop.num_reads == 1 && is_row_scalar(loop, loop.operands[0])) return false;
  for (int k = 0; k < num_operands(loop); ++k) {
    const Operand& operand = loop.operands[k];
    const bool is_dense = operand.data != nullptr && inner_stride(loop, operand) != 0;
    const int64_t bytes = int64_t{size} * size_of(operand.dtype);
    if (is_aligned_pair(loop, interleaved, k)) ++k;
    else if (is_dense && !has_aligned_rows(loop, operand, bytes)) return false;
  }
  return true;
}

template <class T, class Sum>
Status run_reduction(const KernelInfo& info, const ArgumentsRef<T>& arguments,
                     const ReductionArgumentsRef<Sum>& reduction, const Loop& loop,
                     const Number* params, const Launch& launch) {
  const Tiling tiling = cuda_tiling(loop, info.size, info.is_vectorized, info.two_axis != nullptr);
  Plan plan = plan_reduction(loop, tiling);
  Loop first, rest;
  if (plan.traversal != Traversal::kTwoAxis && separate_sums(loop, first, rest)) {
    const Status status = run_reduction(info, arguments, reduction, first, params, launch);
    return status.failed() ? status : run_reduction(info, arguments, reduction, rest, params, launch);
  }
  if (plan.work_tiles() > kMaxBlocks) return {kTooMany};
  uint32_t results = 0;
  Sum* partials = nullptr;
  if (plan.work_tiles() > 0) {
    results = find_results<Sum>(info, loop, plan);
    place_partials(loop, results, plan);
    partials = allocate_partials<Sum>(plan, launch);
    set_arguments(info, loop, params, plan.outer, plan.num_outer, arguments);
    const Status status =
        launch_sums(info, arguments, reduction, loop, plan, results, partials, launch);
    if (status.failed()) return status;
  }
  return finalize_writes<Sum>(loop, plan, partials, results, launch);
}

#define RT_RUN(T, Sum)                                                                \
  template Status run_reduction(const KernelInfo&, const ArgumentsRef<T>&,            \
                                const ReductionArgumentsRef<Sum>&, const Loop&,       \
                                const Number*, const Launch&);
RT_RUN(rt::LowPrecision, float)
RT_RUN(float, float)
RT_RUN(double, double)
RT_RUN(int64_t, int64_t)
#undef RT_RUN

}  // namespace fusewise::cuda
