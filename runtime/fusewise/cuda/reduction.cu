// Plans the kernels of loops with reduced writes. Free of torch.
#include <algorithm>

#include <fusewise/cuda/planning.cuh>
#include <fusewise/cuda/reduce.cuh>

namespace fusewise::cuda {

namespace {

// True if the vectors of a thread lie in two dimensions: the vectors of a row and the rows, or the rows of two
// outer dimensions.
bool has_two_dims(const Plan& plan) {
  const bool is_flat = plan.traversal == Traversal::kFlat;
  return plan.run_dims > (is_flat ? 0 : 1) && plan.traversal != Traversal::kAlong;
}

// Vectors, or rows, from one of a thread to its next.
int64_t thread_stride(const Plan& plan, const Units& units) {
  return plan.traversal == Traversal::kFlat ? kBlockThreads : kBlockThreads >> units.lane_bits;
}

// The work tiles: how blocks are numbered, and how a thread goes through its own.
void set_units(const Loop& loop, const Plan& plan, int size, uint32_t results, Units& units) {
  const int64_t runs = plan.chunks / std::max<int64_t>(1, plan.chunks_per_run);
  units = {};
  units.unit_columns = Divisor(plan.unit_columns());
  units.chunks_per_run = static_cast<uint32_t>(plan.chunks_per_run);
  units.runs_follow = plan.run_dims > 0 && plan.run_dims < plan.num_outer &&
                      plan.outer[plan.run_dims] < plan.outer[0];
  units.chunk_order = Divisor(units.runs_follow ? runs : plan.chunks_per_run);
  units.tiles = plan.tiles;
  units.run_rows = plan.run_rows;
  units.run_vectors = plan.run_rows * (plan.columns / size);
  units.run_items = plan.run_items;
  units.chunk_items = plan.chunk_items;
  units.run_dims = plan.run_dims;
  units.whole = results;
  units.lane_bits = bits_of(cuda_lanes(plan.columns, size));
  units.traversal = plan.traversal;
  int64_t period = 1;
  if (has_two_dims(plan)) {
    const bool is_flat = plan.traversal == Traversal::kFlat;
    period = is_flat ? ceil_div(plan.columns, size) : loop.sizes[plan.outer[0]];
    units.advance = static_cast<uint32_t>(thread_stride(plan, units) % period);
  }
  units.period = Divisor(period);
}

// Bytes from one vector of a thread to its next, in each operand.
template <class Sum>
void set_steps(const Loop& loop, const Plan& plan, int size, const CutRef<Sum>& cut) {
  const Units& units = cut.units;
  const bool is_flat = plan.traversal == Traversal::kFlat;
  const int64_t stride = thread_stride(plan, units);
  const int64_t period = units.period.value;
  for (int k = 0; k < num_operands(loop); ++k) {
    const Operand& operand = loop.operands[k];
    const auto outer_stride = [&](int i) {
      return i < plan.num_outer ? operand.strides[plan.outer[i]] : 0;
    };
    const int64_t vector = inner_stride(loop, operand) * size;
    const int64_t inner = is_flat ? vector : outer_stride(0);
    const int64_t outer = outer_stride(is_flat ? 0 : 1);
    cut.steps[k] = cut.wraps[k] = 0;
    if (plan.traversal == Traversal::kAlong) {
      cut.steps[k] = vector << units.lane_bits;
    } else if (has_two_dims(plan)) {
      cut.steps[k] = stride / period * outer + units.advance * inner;
      cut.wraps[k] = outer - period * inner;
    } else if (is_flat || plan.run_dims > 0) {
      cut.steps[k] = stride * inner;
    }
  }
}

// Which reads are loop-invariant for a thread, which are row scalars, and which are vectors.
void classify_reads(const Loop& loop, const Plan& plan, Units& units) {
  const bool is_along = plan.traversal == Traversal::kAlong;
  for (int k = 0; k < loop.num_reads; ++k) {
    const Operand& read = loop.operands[k];
    const bool is_broadcast = read.data == nullptr || inner_stride(loop, read) == 0;
    bool is_invariant = plan.traversal == Traversal::kDown || is_broadcast;
    for (int i = 0; i < plan.run_dims && !is_along; ++i) {
      is_invariant &= read.strides[plan.outer[i]] == 0;
    }
    is_invariant |= read.data == nullptr;
    units.held |= static_cast<uint32_t>(is_invariant) << k;
    units.numbers |= static_cast<uint32_t>(!is_invariant && is_broadcast) << k;
    units.plain |= static_cast<uint32_t>(!is_invariant && !is_broadcast) << k;
  }
}

template <class Sum>
void set_cut(const Loop& loop, const Plan& plan, int size, uint32_t results, Sum* partials,
             const CutRef<Sum>& cut) {
  Units& units = cut.units;
  set_units(loop, plan, size, results, units);
  set_steps(loop, plan, size, cut);
  classify_reads(loop, plan, units);
  for (int w = 0; w < loop.num_writes; ++w) {
    const WriteMode mode = plan.modes[w];
    const bool is_result = (results >> w & 1) != 0;
    cut.modes[w] = mode;
    cut.partials[w] = is_result ? static_cast<Sum*>(loop.operands[loop.num_reads + w].data)
                                : partials + plan.offsets[w];
    units.dense |= static_cast<uint32_t>(mode == WriteMode::kDense) << w;
    units.summed |= static_cast<uint32_t>(needs_finish(mode)) << w;
    units.sums_rows |= mode == WriteMode::kRow;
  }
}

bool is_row_scalar(const Loop& loop, const Operand& read) {
  bool varies = false;
  for (int d = 0; d < loop.num_dims; ++d) varies |= read.strides[d] != 0;
  return read.data != nullptr && inner_stride(loop, read) == 0 && varies;
}

// True if all operands of the loop lie as the specialized kernel of the form expects them.
template <class T>
bool matches_specialization(const Form& form, const ArgumentsRef<T>& arguments, const Units& units,
                            int num_reads) {
  const uint32_t reads = form.full & ((1u << num_reads) - 1);
  bool found = form.usual != nullptr && arguments.pairs == form.pairs && arguments.rows.prepares_rows &&
               (units.plain & reads) == reads && units.dense == form.full >> num_reads &&
               units.summed == form.summed >> num_reads;
  for (int k = 0; k < num_reads; ++k) {
    if ((form.numbers >> k & 1) != 0) found &= arguments.slots[k].is_broadcast;
  }
  return found;
}

// The writes whose only partial sum the kernel can store as the result, a bit each.
template <class Sum>
uint32_t find_results(const Form& form, const Loop& loop, const Plan& plan) {
  uint32_t results = 0;
  for (int w = 0; w < loop.num_writes; ++w) {
    const Dtype dtype = loop.operands[loop.num_reads + w].dtype;
    const bool can_store = form.is_packed ? size_of(dtype) * form.size == kVectorBytes
                                          : dtype == dtype_of<Sum>();
    results |= static_cast<uint32_t>(can_store && is_whole(loop, plan, w)) << w;
  }
  return results;
}

template <class T, class Sum>
Status launch_sums(const Form& form, const ArgumentsRef<T>& arguments, const CutRef<Sum>& cut,
                   const Loop& loop, const Plan& plan, uint32_t results, Sum* partials,
                   const Launch& launch) {
  const dim3 blocks(static_cast<unsigned>(plan.units()));
  if constexpr (std::is_same_v<Sum, float>) {
    if (plan.traversal == Traversal::kCross) {
      Crossing two_axis = make_two_axis(loop, plan, results, partials);
      void* of_kernel[] = {arguments.all, &two_axis};
      return start(form.crossing, blocks, kBlockThreads, of_kernel, 0, launch);
    }
  }
  set_cut(loop, plan, form.size, results, partials, cut);
  const bool is_specialized = matches_specialization(form, arguments, cut.units, loop.num_reads);
  void* of_kernel[] = {arguments.all, cut.all};
  return start(is_specialized ? form.usual : form.kernel, blocks, kBlockThreads, of_kernel, 0, launch);
}

}  // namespace

bool serves_sums(const Loop& loop, int size, uint32_t pairs) {
  if (!has_packed_rows(loop, pairs)) return false;
  if (loop.num_dims > 1 && inner_size(loop) % size != 0) return false;
  // The kernels of one read leave out row scalars, as asking for them would slow down every other loop.
  if (loop.num_reads == 1 && is_row_scalar(loop, loop.operands[0])) return false;
  for (int k = 0; k < num_operands(loop); ++k) {
    const Operand& operand = loop.operands[k];
    const bool is_dense = operand.data != nullptr && inner_stride(loop, operand) != 0;
    const int64_t bytes = int64_t{size} * size_of(operand.dtype);
    if (is_aligned_pair(loop, pairs, k)) ++k;
    else if (is_dense && !has_aligned_rows(loop, operand, bytes)) return false;
  }
  return true;
}

template <class T, class Sum>
Status run_reducing(const Form& form, const ArgumentsRef<T>& arguments, const CutRef<Sum>& cut,
                    const Loop& loop, const Number* params, const Launch& launch) {
  const Tiling tiling = cuda_tiling(loop, form.size, form.is_packed, form.crossing != nullptr);
  Plan plan = plan_reduction(loop, tiling);
  Loop first, rest;
  if (plan.traversal != Traversal::kCross && split_sums(loop, first, rest)) {
    const Status status = run_reducing(form, arguments, cut, first, params, launch);
    return status.failed() ? status : run_reducing(form, arguments, cut, rest, params, launch);
  }
  if (plan.units() > kMaxBlocks) return {kTooMany};
  uint32_t results = 0;
  Sum* partials = nullptr;
  if (plan.units() > 0) {
    results = find_results<Sum>(form, loop, plan);
    place_partials(loop, results, plan);
    partials = allocate_partials<Sum>(plan, launch);
    set_arguments(form, loop, params, plan.outer, plan.num_outer, arguments);
    const Status status =
        launch_sums(form, arguments, cut, loop, plan, results, partials, launch);
    if (status.failed()) return status;
  }
  return finish_writes<Sum>(loop, plan, partials, results, launch);
}

#define RT_RUN(T, Sum)                                                                               \
  template Status run_reducing(const Form&, const ArgumentsRef<T>&, const CutRef<Sum>&, const Loop&, \
                               const Number*, const Launch&);
RT_RUN(rt::Coarse, float)
RT_RUN(float, float)
RT_RUN(double, double)
RT_RUN(int64_t, int64_t)
#undef RT_RUN

}  // namespace fusewise::cuda
