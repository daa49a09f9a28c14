// Plans the kernels of loops without reductions: blocks, and the vectors that a thread takes. Free of torch.
#include <algorithm>

#include <fusewise/cuda/planning.cuh>
#include <fusewise/cuda/pointwise.cuh>

namespace fusewise::cuda {

namespace {

// The least number of blocks for which a thread takes several vectors: kCoarseningBlocks if some read is
// repeated along a dimension, else kUncachedBlocks, because without such a read coarsening is a tenth slower
// while all operands fit the caches.
constexpr int64_t kCoarseningBlocks = 1024;
constexpr int64_t kUncachedBlocks = 4096;

// A pass with fewer instructions an element gains nothing from several vectors a thread: threads of one vector
// end so soon that more blocks are as good.
constexpr int kFewInstructions = 16;

// True if threads should take several vectors, as many as the kernel allows. A pass of few instructions and
// without hoisted values takes one, because its blocks then end sooner. Exceptions are passes that read more
// than one vector repeatedly, and passes that read one vector of 16-bit elements and row scalars that are
// constant along an outer dimension.
bool is_worth_coarsening(const KernelInfo& info, const Loop& loop) {
  int repeated = 0;          // reads
  int repeated_vectors = 0;  // those that are not row scalars
  int kept_scalars = 0;      // row scalars that are constant along an outer dimension
  for (int k = 0; k < loop.num_reads; ++k) {
    const Operand& read = loop.operands[k];
    const int64_t* const end = read.strides + loop.num_dims;
    if (std::find(read.strides, end, 0) == end) continue;
    ++repeated;
    repeated_vectors += inner_stride(loop, read) != 0;
    kept_scalars += (info.row_scalars >> k & 1) != 0 && std::find(read.strides + 1, end, 0) < end;
  }
  const auto has_blocks = [&](int64_t least) {
    return numel(loop) >= least * kBlockVectors * info.size;
  };
  if (!has_blocks(repeated > 0 ? kCoarseningBlocks : kUncachedBlocks)) return false;
  const bool is_long = info.instructions >= kFewInstructions || (info.hoisted_from & info.row_scalars) != 0;
  if (is_long || repeated_vectors > 1) return true;
  const bool reads_one = loop.num_reads - kept_scalars == 1;
  return info.size == 8 && kept_scalars > 0 && reads_one && has_blocks(kUncachedBlocks);
}

// The dimension along which a thread takes its `items` vectors. All reads of `row_scalars` must have stride 0
// in it; among such dimensions it is the one in which most reads have stride 0. The inner dimension is tried
// last, and only if some read has stride 0 in it. Returns -1 if no dimension is suitable.
int choose_coarsened_dim(const Loop& loop, int size, int items, uint32_t row_scalars) {
  if (loop.num_dims == 1) return 0;
  int best = -1;
  int most = -1;
  for (int dim : {1, 2, 0}) {
    if (dim >= loop.num_dims) continue;
    if (dim == 0) most = std::max(most, 0);
    if (dim == 0 ? loop.sizes[0] % (int64_t{size} * items) != 0 : loop.sizes[dim] < items) continue;
    int invariant = 0;
    bool keeps_row_scalars = true;
    for (int k = 0; k < loop.num_reads; ++k) {
      const bool is_invariant = loop.operands[k].strides[dim] == 0;
      invariant += is_invariant;
      keeps_row_scalars &= is_invariant || (row_scalars >> k & 1) == 0;
    }
    if (!keeps_row_scalars || invariant <= most) continue;
    best = dim;
    most = invariant;
  }
  return best;
}

// A thread takes `items` of `vectors` along `dim`. Adapts the arguments to it.
template <class T>
Coarsening make_coarsening(const KernelInfo& info, const Loop& loop, int64_t vectors, int dim,
                           int items, int block_threads, const ArgumentsRef<T>& arguments,
                           uint32_t* item_strides) {
  LoopTraits& traits = arguments.traits;
  const bool is_flat = traits.num_outer == 0;
  const bool is_inner = !is_flat && dim == 0;
  const bool is_outer = !is_flat && !is_inner;
  if (is_inner) arguments.row_vectors = FastDivisor(arguments.row_vectors.value / items);
  const int64_t row_vectors = arguments.row_vectors.value;
  const int operands = num_operands(loop);
  const int64_t last = is_flat ? vectors : is_inner ? items : arguments.sizes[dim - 1].value;
  const int64_t groups = ceil_div(last, int64_t{items});
  const bool has_rest = is_flat && traits.matches_specialization && traits.last_size < info.size;
  traits.takes_halves = traits.matches_specialization && arguments.interleaved == info.interleaved &&
                        traits.last_size == info.size && row_vectors % 2 == 0;
  Coarsening coarsening{};
  coarsening.block = static_cast<uint32_t>(is_flat ? block_threads * items : block_threads);
  // A thread that takes one vector never reaches its second item.
  const int64_t step = is_flat ? block_threads : is_inner ? 1 : groups;
  coarsening.step = static_cast<uint32_t>(items == 1 ? kMaxVectors : step);
  coarsening.whole = static_cast<uint32_t>(has_rest ? last - 1 : last);
  coarsening.last = static_cast<int32_t>(is_flat ? coarsening.whole : vectors / last * groups) - 1;
  coarsening.axis0_items = dim == 1;
  coarsening.axis1_items = dim == 2;
  if (is_outer) arguments.sizes[dim - 1] = FastDivisor(groups);
  for (int k = 0; k < operands; ++k) {
    int64_t stride = arguments.operands[k].step * (is_flat ? block_threads : row_vectors);
    if (is_outer) stride = arguments.strides[(dim - 1) * operands + k] * groups;
    item_strides[k] = static_cast<uint32_t>(stride);
  }
  return coarsening;
}

// The grid. If few threads stay idle, its second and third dimension are outer dimensions of the loop, which
// saves each thread two divisions.
template <class T>
dim3 make_grid(const ArgumentsRef<T>& arguments, int threads, int operands, Coarsening& coarsening) {
  constexpr int64_t kMost = 65535;
  constexpr uint32_t kNone = UINT32_MAX;
  LoopTraits& traits = arguments.traits;
  const auto size_of = [&](int i) { return i < traits.num_outer ? arguments.sizes[i].value : 1; };
  const int64_t slice = arguments.row_vectors.value * size_of(0);
  const int64_t blocks = ceil_div(slice, int64_t{threads});
  traits.fills_grid = traits.num_outer > 0 && traits.num_outer <= 3 && size_of(1) <= kMost &&
                      size_of(2) <= kMost && 15 * blocks * threads <= 16 * slice;
  if (!traits.fills_grid) {
    const bool has_rest = traits.num_outer == 0 && coarsening.last + 1 < slice;
    const int64_t all = int64_t{coarsening.last} + 1 + (has_rest ? 1 + coarsening.block - threads : 0);
    const int64_t blocks_of_all = ceil_div(all, int64_t{coarsening.block});
    // The last thread takes the partial vector, and nothing else.
    const int64_t last = (blocks_of_all - 1) * coarsening.block + threads - 1;
    coarsening.rest = has_rest ? static_cast<uint32_t>(last) : kNone;
    return dim3(static_cast<unsigned>(blocks_of_all));
  }
  coarsening.rest = kNone;
  coarsening.last = static_cast<int32_t>(slice - 1);
  std::fill(arguments.strides + traits.num_outer * operands, arguments.strides + 3 * operands, 0);
  return dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(size_of(1)),
              static_cast<unsigned>(size_of(2)));
}

// Threads take up to `items` vectors each: one where the loop does not match the specialization.
template <class T>
Status launch_loop(const KernelInfo& info, const ArgumentsRef<T>& arguments, uint32_t* item_strides,
                   const Loop& loop, int items, const Number* params, const Launch& launch) {
  int order[kMaxDims] = {};
  const int num_outer = loop.num_dims > 1 ? loop.num_dims - 1 : 0;
  for (int i = 0; i < num_outer; ++i) order[i] = i + 1;
  const int64_t vectors = set_arguments(info, loop, params, order, num_outer, arguments);
  if (!arguments.traits.matches_specialization) items = 1;
  int dim = items == 1 ? -1 : choose_coarsened_dim(loop, info.size, items, info.row_scalars);
  if (dim < 0) {
    dim = std::min(num_outer, 1);  // of one item, any dimension will do
    items = 1;
  }
  const int64_t of_blocks = ceil_div(vectors, kBlockVectors);
  const bool is_medium = of_blocks >= kManyBlocks && of_blocks < kUncachedBlocks;
  int threads = std::min(kBlockVectors / items, kFewThreads);
  if (is_medium && items == 1) threads = most_threads(info.items);
  Coarsening coarsening =
      make_coarsening(info, loop, vectors, dim, items, threads, arguments, item_strides);
  const dim3 blocks = make_grid(arguments, threads, num_operands(loop), coarsening);
  void* of_kernel[] = {&coarsening, arguments.all, item_strides};
  const void* const kernel = arguments.traits.matches_specialization ? info.specialized : info.kernel;
  return start(kernel, blocks, threads, of_kernel, 0, launch);
}

}  // namespace

template <class T>
Status run_pointwise(const KernelInfo& info, const ArgumentsRef<T>& arguments,
                     uint32_t* item_strides, const Loop& loop, const Number* params,
                     const Launch& launch) {
  if (is_large(loop, info.size)) {
    Loop first, second;
    halve(loop, first, second);
    const Status status = run_pointwise(info, arguments, item_strides, first, params, launch);
    if (status.failed()) return status;
    return run_pointwise(info, arguments, item_strides, second, params, launch);
  }
  const int items = is_worth_coarsening(info, loop) ? info.items : 1;
  return launch_loop(info, arguments, item_strides, loop, items, params, launch);
}

#define RT_RUN(T)                                                                                  \
  template Status run_pointwise(const KernelInfo&, const ArgumentsRef<T>&, uint32_t*, const Loop&, \
                                const Number*, const Launch&);
RT_RUN(rt::LowPrecision)
RT_RUN(float)
RT_RUN(double)
RT_RUN(int64_t)
#undef RT_RUN

}  // namespace fusewise::cuda
