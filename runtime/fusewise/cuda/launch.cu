// How loops are launched on a GPU: what is the same for all ops' kernels, compiled once. Free of torch.
#include <algorithm>

#include <fusewise/cuda/reduction.cuh>

namespace fusewise::cuda {

namespace {

// Small blocks follow each other closer than large ones. From so many large ones on, which is what there are
// of processors in a large GPU, few blocks start sooner than many, as long as all fit the caches.
constexpr int kManyBlocks = 128;
constexpr int kFewThreads = 128;
// Loops of so many vectors are short, of half as many where these have two elements and of a quarter where a thread
// prepares, if a row has so many that few threads of its blocks are idle, and there are not too many blocks.
constexpr int64_t kShortVectors = 1 << 19;
constexpr int64_t kShortRow = 32;
constexpr int64_t kShortBlocks = 4096;
// So many make it worth while to look for rows that have reads in common, and for a thread to take
// several. Where there are none, it pays beyond what caches hold, and costs a tenth within them.
constexpr int64_t kCoarsenedBlocks = 1024;
constexpr int64_t kFlatBlocks = 4096;

// Whether an operand and the next are the parts of a pair, and every vector is in its place.
bool is_pair(const Loop& loop, uint32_t interleaved, int k) {
  return (interleaved >> k & 1) != 0 && is_interleaved(loop, k) &&
         has_aligned_rows(loop, loop.operands[k], kVectorBytes);
}

// Whether an operand is dense, and every vector of `size` elements is in its place.
bool is_contiguous(const Loop& loop, const Operand& operand, int size) {
  const int64_t item = size_of(operand.dtype);
  return operand.data != nullptr && inner_stride(loop, operand) == item &&
         has_aligned_rows(loop, operand, item * size);
}

// Whether an operand, plain or not, lies as it does where the op is timed, or is a result that nobody wants.
bool operand_matches_specialization(const KernelInfo& info, const Loop& loop, int k, bool is_contiguous) {
  const Operand& operand = loop.operands[k];
  const bool is_row_scalar = operand.data != nullptr && inner_stride(loop, operand) == 0;
  if ((info.row_scalars >> k & 1) != 0) return is_row_scalar;
  if ((info.vector_or_scalar >> k & 1) != 0 && is_row_scalar) return true;
  return is_contiguous || (operand.data == nullptr && k >= loop.num_reads && loop.num_writes > 1);
}

// Of vectors of `size` elements. Returns the operands that are the first of a pair.
template <class T>
uint32_t set_kernel_operands(const Loop& loop, int size, uint32_t interleaved, KernelOperand<T>* operands, char** data) {
  uint32_t found = 0;
  for (int k = 0; k < num_operands(loop); ++k) {
    const Operand& operand = loop.operands[k];
    KernelOperand<T>& kernel_operand = operands[k];
    kernel_operand.fill = operand.fill.as<T>();
    kernel_operand.dtype = operand.dtype;
    kernel_operand.step = inner_stride(loop, operand) * size;
    kernel_operand.is_broadcast = operand.data == nullptr || kernel_operand.step == 0;
    kernel_operand.size = static_cast<uint8_t>(operand.data == nullptr ? 0 : size_of(kernel_operand.dtype));
    const bool is_first = is_pair(loop, interleaved, k);
    const bool is_second = k > 0 && (found >> (k - 1) & 1) != 0;
    found |= static_cast<uint32_t>(is_first) << k;
    kernel_operand.shift = static_cast<uint8_t>(is_second ? kVectorBytes - kernel_operand.size : 0);
    data[k] = static_cast<char*>(operand.data) + kernel_operand.shift;
    kernel_operand.is_contiguous = is_first || is_second || is_contiguous(loop, operand, size);
  }
  return found;
}

constexpr int64_t kMostKept = int64_t{4} << 20;  // bytes: a small part of a large GPU's cache

// What a loop reads again and again stays in the cache while the rest passes through.
uint64_t choose_policy(const Loop& loop, const Operand& read) {
  const int item = size_of(read.dtype);
  int64_t bytes = item;
  for (int d = 0; d < loop.num_dims; ++d) bytes *= read.strides[d] == 0 ? 1 : loop.sizes[d];
  return bytes < numel(loop) * item && bytes <= kMostKept ? kEvictLast : kEvictNormal;
}

// `order` lists the outer dimensions of the loop, fastest first. Returns the vectors of all rows.
template <class T>
int64_t set_arguments(const KernelInfo& info, const Loop& loop, const Number* params, const int* order,
                      int num_outer, const ArgumentsRef<T>& arguments) {
  LoopTraits& traits = arguments.traits;
  arguments.columns = inner_size(loop);
  arguments.row_vectors = FastDivisor(ceil_div(arguments.columns, info.size));
  traits.last_size = static_cast<uint8_t>((arguments.columns - 1) % info.size + 1);
  traits.matches_specialization = info.is_vectorized && (num_outer == 0 || traits.last_size == info.size);
  traits.hoists_per_row = true;
  traits.num_outer = static_cast<uint8_t>(num_outer);
  const int operands = num_operands(loop);
  for (int i = 0; i < num_outer; ++i) arguments.sizes[i] = FastDivisor(loop.sizes[order[i]]);
  arguments.interleaved = set_kernel_operands(loop, info.size, info.interleaved, arguments.operands, arguments.data);
  for (int k = 0; k < operands; ++k) {
    const KernelOperand<T>& kernel_operand = arguments.operands[k];
    traits.matches_specialization &= operand_matches_specialization(info, loop, k, kernel_operand.is_contiguous);
    if ((info.hoisted_from >> k & 1) != 0) traits.hoists_per_row &= kernel_operand.is_broadcast;
    if (k < loop.num_reads) arguments.policies[k] = choose_policy(loop, loop.operands[k]);
    for (int i = 0; i < num_outer; ++i) {
      arguments.strides[i * operands + k] = loop.operands[k].strides[order[i]];
    }
  }
  for (int i = 0; i < info.num_params; ++i) arguments.params[i] = params[i].as<T>();
  return numel(loop) / arguments.columns * arguments.row_vectors.value;
}

// So that the number of a vector and an offset in bytes fit 32 bits.
constexpr int64_t kMaxVectors = int64_t{1} << 30;
constexpr int64_t kMaxBytes = int64_t{1} << 32;

// Of an element: in passes that have more, a thread that takes one vector has too little under way.
constexpr int kFewInstructions = 16;

// Whether a thread takes as many vectors of the loop as it may. Where it soon has its results and reads but
// one vector again and again, one is as good, and blocks end sooner; numbers that stay along an outer dimension
// are worth it beside one vector of small elements.
bool should_coarsen(const KernelInfo& info, const Loop& loop) {
  int repeated = 0;  // reads
  int vectors = 0;   // of those that are not numbers
  int kept = 0;      // numbers that stay
  for (int k = 0; k < loop.num_reads; ++k) {
    const Operand& read = loop.operands[k];
    const int64_t* const end = read.strides + loop.num_dims;
    if (std::find(read.strides, end, 0) == end) continue;
    ++repeated;
    vectors += inner_stride(loop, read) != 0;
    kept += (info.row_scalars >> k & 1) != 0 && std::find(read.strides + 1, end, 0) < end;
  }
  const auto has_blocks = [&](int64_t least) {
    return numel(loop) >= least * kBlockVectors * info.size;
  };
  if (!has_blocks(repeated > 0 ? kCoarsenedBlocks : kFlatBlocks)) return false;
  if (info.instructions >= kFewInstructions || info.hoisted_from != 0 || vectors > 1) return true;
  return info.size == 8 && kept > 0 && loop.num_reads - kept == 1 && has_blocks(kFlatBlocks);
}

// The dimension in which most reads stay where they are, of `numbers` all, for a thread to take `items`
// vectors of it; -1 if there is none. The inner one comes last, and only if reads do stay there.
int choose_coarsened_dim(const Loop& loop, int size, int items, uint32_t row_scalars) {
  if (loop.num_dims == 1) return 0;
  int best = -1;
  int most = -1;
  for (int dim : {1, 2, 0}) {
    if (dim >= loop.num_dims) continue;
    if (dim == 0) most = std::max(most, 0);
    if (dim == 0 ? loop.sizes[0] % (int64_t{size} * items) != 0 : loop.sizes[dim] < items) continue;
    int still = 0;
    bool keeps_row_scalars = true;
    for (int k = 0; k < loop.num_reads; ++k) {
      const bool is_still = loop.operands[k].strides[dim] == 0;
      still += is_still;
      keeps_row_scalars &= is_still || (row_scalars >> k & 1) == 0;
    }
    if (!keeps_row_scalars || still <= most) continue;
    best = dim;
    most = still;
  }
  return best;
}

// `dim` as choose_coarsened_dim has it, `vectors` those of all rows. Brings the arguments into line.
template <class T>
Coarsening make_coarsening(const KernelInfo& info, const Loop& loop, int64_t vectors, int dim, int items,
               int block_threads, const ArgumentsRef<T>& arguments, uint32_t* item_strides) {
  LoopTraits& traits = arguments.traits;
  const bool is_flat = traits.num_outer == 0;
  const bool is_along = !is_flat && dim == 0;
  if (is_along) arguments.row_vectors = FastDivisor(arguments.row_vectors.value / items);
  const int64_t row_vectors = arguments.row_vectors.value;
  const int operands = num_operands(loop);
  const int64_t last = is_flat ? vectors : is_along ? items : arguments.sizes[dim - 1].value;
  const int64_t groups = ceil_div(last, int64_t{items});
  const bool has_rest = is_flat && traits.matches_specialization && traits.last_size < info.size;
  traits.takes_halves = traits.matches_specialization && arguments.interleaved == info.interleaved &&
                      traits.last_size == info.size && row_vectors % 2 == 0;
  Coarsening coarsening{};
  coarsening.block = static_cast<uint32_t>(is_flat ? block_threads * items : block_threads);
  coarsening.step = items == 1 ? static_cast<uint32_t>(kMaxVectors)
              : is_flat  ? static_cast<uint32_t>(block_threads)
                         : static_cast<uint32_t>(is_along ? 1 : groups);
  coarsening.whole = static_cast<uint32_t>(has_rest ? last - 1 : last);
  coarsening.last = static_cast<int32_t>(is_flat ? coarsening.whole : vectors / last * groups) - 1;
  coarsening.axis0_items = dim == 1;
  coarsening.axis1_items = dim == 2;
  if (!is_flat && !is_along) arguments.sizes[dim - 1] = FastDivisor(groups);
  for (int k = 0; k < operands; ++k) {
    int64_t stride = arguments.operands[k].step * (is_flat ? block_threads : row_vectors);
    if (!is_flat && !is_along) {
      stride = arguments.strides[(dim - 1) * operands + k] * groups;
    }
    item_strides[k] = static_cast<uint32_t>(stride);
  }
  return coarsening;
}

// The blocks of a walk. Where that leaves few threads idle, a block has an index in the second outer dimension
// and in the third, which spares each thread two divisions.
template <class T>
dim3 fill_grid(const ArgumentsRef<T>& arguments, int threads, int operands, Coarsening& coarsening) {
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
    // The last thread takes the rest, and nothing else.
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

// A thread takes `items` vectors, where all is as they ask for it.
template <class T>
Status run_coarsened(const KernelInfo& info, const ArgumentsRef<T>& arguments, uint32_t* item_strides,
                const Loop& loop, int items, const Number* params, const Launch& launch) {
  int order[kMaxDims] = {};
  const int num_outer = loop.num_dims > 1 ? loop.num_dims - 1 : 0;
  for (int i = 0; i < num_outer; ++i) order[i] = i + 1;
  const int64_t vectors = set_arguments(info, loop, params, order, num_outer, arguments);
  if (!arguments.traits.matches_specialization) items = 1;
  int dim = items == 1 ? -1 : choose_coarsened_dim(loop, info.size, items, info.row_scalars);
  if (dim < 0) {
    dim = std::min(num_outer, 1);  // any: a thread takes one of it
    items = 1;
  }
  const int64_t of_blocks = ceil_div(vectors, kBlockVectors);
  const bool is_middling = of_blocks >= kManyBlocks && of_blocks < kFlatBlocks;
  int threads = std::min(kBlockVectors / items, kFewThreads);
  if (is_middling && items == 1) threads = most_threads(info.items);
  Coarsening coarsening = make_coarsening(info, loop, vectors, dim, items, threads, arguments, item_strides);
  const dim3 blocks = fill_grid(arguments, threads, num_operands(loop), coarsening);
  void* of_kernel[] = {&coarsening, arguments.all, item_strides};
  const void* const kernel = arguments.traits.matches_specialization ? info.specialized : info.kernel;
  return start(kernel, blocks, threads, of_kernel, 0, launch);
}

// Bytes from the first element of an operand to its last, along one dimension.
int64_t extent(const Loop& loop, const Operand& operand, int dim) {
  return operand.data == nullptr ? 0 : (loop.sizes[dim] - 1) * operand.strides[dim];
}

int64_t extent(const Loop& loop, const Operand& operand) {
  int64_t bytes = 0;
  for (int d = 0; d < loop.num_dims; ++d) bytes += extent(loop, operand, d);
  return bytes;
}

bool is_large(const Loop& loop, int size) {
  const int64_t columns = inner_size(loop);
  if (numel(loop) / columns * ceil_div(columns, size) > kMaxVectors) return true;
  const auto spans_too_much = [&](const Operand& operand) { return extent(loop, operand) >= kMaxBytes; };
  return std::any_of(loop.operands, loop.operands + num_operands(loop), spans_too_much);
}

// The dimension of which each half of a large loop has one half: that along which the operand that spans the
// most bytes spans most of them. Halves of any other would span nearly as much, and be cut again and again.
int widest_dim(const Loop& loop) {
  const auto by_extent = [&](const Operand& a, const Operand& b) { return extent(loop, a) < extent(loop, b); };
  const Operand& widest =
      *std::max_element(loop.operands, loop.operands + num_operands(loop), by_extent);
  int dim = 0;
  for (int d = 1; d < loop.num_dims; ++d) {
    if (extent(loop, widest, d) > extent(loop, widest, dim)) dim = d;
  }
  return dim;
}

// Runs a large loop as two, cut at a multiple of any vector where that leaves both something.
template <class T>
Status run_halves(const KernelInfo& info, const ArgumentsRef<T>& arguments, uint32_t* item_strides,
                  const Loop& loop, const Number* params, const Launch& launch) {
  const int dim = widest_dim(loop);
  const int64_t half = loop.sizes[dim] > 32 ? loop.sizes[dim] / 32 * 16 : loop.sizes[dim] / 2;
  Loop part = loop;
  part.sizes[dim] = half;
  const Status status = run_pointwise(info, arguments, item_strides, part, params, launch);
  if (status.failed()) return status;
  part.sizes[dim] = loop.sizes[dim] - half;
  for (int k = 0; k < num_operands(loop); ++k) {
    Operand& operand = part.operands[k];
    if (operand.data != nullptr) {
      operand.data = static_cast<char*>(operand.data) + half * operand.strides[dim];
    }
  }
  return run_pointwise(info, arguments, item_strides, part, params, launch);
}

// How a loop is cut into squares. The first outer dimension is that in which the turned operands are
// dense.
struct TransposedPlan {
  TransposedTiling tiling;
  int order[kMaxDims];
  int num_outer;
  int64_t blocks;
  size_t shared_bytes;
};

constexpr size_t kMaxTileBytes = 48 << 10;  // what every GPU has

// Whether all operands that are not dense or broadcast in the inner dimension are dense in one and the
// same other, and every vector of `size` elements of the dtype is whole and in its place.
bool plan_transposed(const Loop& loop, Dtype dtype, int size, TransposedPlan& plan) {
  const auto is_straight = [&](const Operand& operand) {
    return operand.data == nullptr || operand.strides[0] == 0 ||
           operand.strides[0] == size_of(operand.dtype);
  };
  if (loop.num_dims < 2 || loop.sizes[0] % size != 0) return false;
  int dim = 0;
  for (int candidate = loop.num_dims - 1; candidate > 0; --candidate) {
    bool fits = loop.sizes[candidate] % size == 0;
    for (int k = 0; k < num_operands(loop); ++k) {
      const Operand& operand = loop.operands[k];
      if (is_straight(operand)) continue;
      fits &= operand.dtype == dtype && operand.strides[candidate] == size_of(dtype);
      fits &= reinterpret_cast<uintptr_t>(operand.data) % kVectorBytes == 0;
      for (int d = 0; d < loop.num_dims; ++d) {
        fits &= d == candidate || operand.strides[d] % kVectorBytes == 0;
      }
    }
    if (fits) dim = candidate;
  }
  if (dim == 0) return false;
  plan = {};
  plan.order[0] = dim;
  plan.num_outer = 1;
  const int64_t side = kTileVectors * size;
  plan.tiling.across = FastDivisor(ceil_div(loop.sizes[0], side));
  plan.tiling.down = FastDivisor(ceil_div(loop.sizes[dim], side));
  plan.blocks = plan.tiling.across.value * plan.tiling.down.value;
  for (int d = 1; d < loop.num_dims; ++d) {
    if (d == dim) continue;
    plan.order[plan.num_outer++] = d;
    plan.blocks *= loop.sizes[d];
  }
  for (int k = 0; k < num_operands(loop); ++k) {
    plan.tiling.transposed |= static_cast<uint32_t>(!is_straight(loop.operands[k])) << k;
  }
  plan.shared_bytes =
      static_cast<size_t>(std::popcount(plan.tiling.transposed) * side * kTilePitch * 4);
  return plan.shared_bytes <= kMaxTileBytes && plan.blocks <= kMaxBlocks;
}

// Of vectors of `size` elements.
template <class Sum>
void set_reduction_arguments(const Loop& loop, const Plan& plan, int size, uint32_t results, Sum* partials,
             const ReductionArgumentsRef<Sum>& reduction) {
  ReductionTiling& tiling = reduction.tiling;
  tiling = {};
  const bool is_flat = plan.traversal == Traversal::kFlat;
  const bool is_along = plan.traversal == Traversal::kAlong;
  tiling.work_tile_columns = FastDivisor(plan.work_tile_columns());
  tiling.splits_per_segment = static_cast<uint32_t>(plan.splits_per_segment);
  tiling.segments_follow = plan.segment_dims > 0 && plan.segment_dims < plan.num_outer &&
                      plan.outer[plan.segment_dims] < plan.outer[0];
  const int64_t segments = plan.splits / std::max<int64_t>(1, plan.splits_per_segment);
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
  // From one vector of a thread to the next: vectors of a row and rows, or rows of two dimensions.
  const bool has_rows = plan.segment_dims > (is_flat ? 0 : 1) && !is_along;
  const int64_t stride = is_flat ? kBlockThreads : kBlockThreads >> tiling.lane_bits;
  int64_t period = 1;
  if (has_rows) period = is_flat ? ceil_div(plan.columns, size) : loop.sizes[plan.outer[0]];
  tiling.period = FastDivisor(period);
  tiling.advance = static_cast<uint32_t>(has_rows ? stride % period : 0);
  for (int k = 0; k < num_operands(loop); ++k) {
    const Operand& operand = loop.operands[k];
    const auto outer_stride = [&](int i) {
      return i < plan.num_outer ? operand.strides[plan.outer[i]] : 0;
    };
    const int64_t step = inner_stride(loop, operand) * size;
    const int64_t inner_step = is_flat ? step : outer_stride(0);
    const int64_t outer_step = outer_stride(is_flat ? 0 : 1);
    reduction.steps[k] = reduction.wraps[k] = 0;
    if (is_along) {
      reduction.steps[k] = step << tiling.lane_bits;
    } else if (has_rows) {
      reduction.steps[k] = stride / period * outer_step + tiling.advance * inner_step;
      reduction.wraps[k] = outer_step - period * inner_step;
    } else if (is_flat || plan.segment_dims > 0) {
      reduction.steps[k] = stride * inner_step;
    }
    if (k >= loop.num_reads) continue;
    const bool is_broadcast = operand.data == nullptr || step == 0;
    bool is_loop_invariant = plan.traversal == Traversal::kDown || is_broadcast;
    for (int i = 0; i < plan.segment_dims && !is_along; ++i) is_loop_invariant &= outer_stride(i) == 0;
    is_loop_invariant |= operand.data == nullptr;
    tiling.loop_invariant |= static_cast<uint32_t>(is_loop_invariant) << k;
    tiling.row_scalars |= static_cast<uint32_t>(!is_loop_invariant && is_broadcast) << k;
    tiling.contiguous |= static_cast<uint32_t>(!is_loop_invariant && !is_broadcast) << k;
  }
  for (int w = 0; w < loop.num_writes; ++w) {
    reduction.modes[w] = plan.modes[w];
    const bool is_result = (results >> w & 1) != 0;
    reduction.partials[w] = is_result ? static_cast<Sum*>(loop.operands[loop.num_reads + w].data)
                                : partials + plan.offsets[w];
    tiling.dense |= static_cast<uint32_t>(plan.modes[w] == WriteMode::kDense) << w;
    tiling.summed |= static_cast<uint32_t>(needs_finalize(plan.modes[w])) << w;
    tiling.sums_rows |= plan.modes[w] == WriteMode::kRow;
  }
}

// A number for each row. A kernel of one read is not made for it, since to ask would cost all others.
bool is_varying_row_scalar(const Loop& loop, const Operand& read) {
  bool moves = false;
  for (int d = 0; d < loop.num_dims; ++d) moves |= read.strides[d] != 0;
  return read.data != nullptr && inner_stride(loop, read) == 0 && moves;
}

// Whether the operands of a loop with sums are what they are where the op is timed.
template <class T>
bool reduction_matches_specialization(const KernelInfo& info, const ArgumentsRef<T>& arguments, const ReductionTiling& tiling, int num_reads) {
  const uint32_t reads = info.full & ((1u << num_reads) - 1);
  bool found = info.specialized != nullptr && arguments.interleaved == info.interleaved && arguments.traits.hoists_per_row &&
               (tiling.contiguous & reads) == reads && tiling.dense == info.full >> num_reads &&
               tiling.summed == info.summed >> num_reads;
  for (int k = 0; k < num_reads; ++k) {
    if ((info.row_scalars >> k & 1) != 0) found &= arguments.operands[k].is_broadcast;
  }
  return found;
}

TwoAxisArguments make_two_axis_arguments(const Loop& loop, const Plan& plan, uint32_t results, float* all_partials) {
  TwoAxisArguments two_axis{};
  two_axis.work_tile_columns = FastDivisor(plan.work_tile_columns());
  two_axis.tiles = FastDivisor(plan.tiles);
  two_axis.splits_per_segment = FastDivisor(plan.splits_per_segment);
  two_axis.axis0_size = static_cast<uint32_t>(loop.sizes[plan.outer[0]]);
  two_axis.axis0_rows = static_cast<uint32_t>(plan.axis0_rows);
  two_axis.axis0_tiles = static_cast<uint32_t>(plan.axis0_tiles);
  two_axis.axis1_size = static_cast<uint32_t>(loop.sizes[plan.outer[1]]);
  two_axis.axis1_rows = static_cast<uint32_t>(plan.split_items);
  for (int w = 0; w < loop.num_writes; ++w) {
    float* const partials = all_partials + plan.offsets[w];
    if (plan.modes[w] == WriteMode::kAxis0) {
      two_axis.axis0_write = 1u << w;
      two_axis.axis0_sums = partials;
      two_axis.axis0_is_whole = (results >> w & 1) != 0;
    } else if (plan.modes[w] == WriteMode::kAxis1) {
      two_axis.axis1_write = 1u << w;
      two_axis.axis1_sums = partials;
    }
  }
  return two_axis;
}

}  // namespace

Status start(const void* kernel, dim3 blocks, int threads, void** arguments, size_t shared_bytes,
             const Launch& launch) {
  const cudaError_t error =
      cudaLaunchKernel(kernel, blocks, dim3(static_cast<unsigned>(threads)), arguments, shared_bytes,
                       static_cast<cudaStream_t>(launch.stream));
  if (error == cudaSuccess) return {};
  cudaGetLastError();  // or the next launch would find it
  // What broke the context is found by every call from then on, also by one that does nothing.
  const bool is_earlier = cudaFree(nullptr) == error;
  return {cudaGetErrorString(error), error, is_earlier};
}

bool has_vectorizable_rows(const Loop& loop, uint32_t interleaved) {
  for (int k = 0; k < num_operands(loop); ++k) {
    const Operand& operand = loop.operands[k];
    const int64_t stride = inner_stride(loop, operand);
    if (is_pair(loop, interleaved, k)) ++k;
    else if (operand.data != nullptr && stride != 0 && stride != size_of(operand.dtype)) return false;
  }
  return true;
}

bool is_low_precision(const Loop& loop) {
  for (int k = 0; k < num_operands(loop); ++k) {
    const Operand& operand = loop.operands[k];
    const bool is_narrow =
        k < loop.num_reads ? operand.dtype == Dtype::kBool : size_of(operand.dtype) == 1;
    const bool fits =
        operand.dtype == Dtype::kHalf || operand.dtype == Dtype::kBFloat16 || is_narrow;
    if (operand.data != nullptr && !fits) return false;
  }
  return true;
}

template <class T>
bool run_short(const KernelInfo& info, const ShortArgumentsRef<T>& arguments, const Loop& loop, const Number* params,
               const Launch& launch, Status& status) {
  if (loop.num_dims == 0 || loop.num_dims > 3 || loop.sizes[0] % info.size != 0) return false;
  const int64_t vectors = numel(loop) / info.size;
  const int64_t row = loop.sizes[0] / info.size;
  const int64_t share = info.hoisted_from != 0 ? 4 : info.size == 2 ? 2 : 1;
  if (vectors > kShortVectors / share) return false;
  if (loop.num_dims > 1 && row < kShortRow) return false;
  const int most = vectors < kManyBlocks * kFewThreads ? kFewThreads : kBlockVectors;
  const int64_t row_blocks = ceil_div(row, int64_t{most});
  if (vectors / row * row_blocks > kShortBlocks || is_large(loop, info.size)) return false;
  arguments.traits = {static_cast<uint32_t>(row), loop.num_dims > 1, true};
  const int operands = num_operands(loop);
  for (int k = 0; k < operands; ++k) {
    const Operand& operand = loop.operands[k];
    if (!operand_matches_specialization(info, loop, k, is_contiguous(loop, operand, info.size))) return false;
    if ((info.hoisted_from >> k & 1) != 0) arguments.traits.hoists_per_row &= operand.strides[0] == 0;
    arguments.data[k] = static_cast<char*>(operand.data);
    for (int d : {1, 2}) {
      const int64_t stride = d < loop.num_dims ? operand.strides[d] : 0;
      arguments.strides[(d - 1) * operands + k] = static_cast<uint32_t>(stride);
    }
  }
  for (int i = 0; i < info.num_params; ++i) arguments.params[i] = params[i].as<T>();
  const auto threads = static_cast<int>(ceil_div(row, 32 * row_blocks) * 32);
  const auto size_of = [&](int d) {
    return static_cast<unsigned>(d < loop.num_dims ? loop.sizes[d] : 1);
  };
  const dim3 blocks(static_cast<unsigned>(row_blocks), size_of(1), size_of(2));
  void* of_kernel[] = {arguments.all};
  status = start(info.kernel, blocks, threads, of_kernel, 0, launch);
  return true;
}

template <class T>
Status run_pointwise(const KernelInfo& info, const ArgumentsRef<T>& arguments,
                       uint32_t* item_strides, const Loop& loop, const Number* params,
                       const Launch& launch) {
  if (is_large(loop, info.size)) {
    return run_halves(info, arguments, item_strides, loop, params, launch);
  }
  const int items = should_coarsen(info, loop) ? info.items : 1;
  return run_coarsened(info, arguments, item_strides, loop, items, params, launch);
}

template <class T>
bool run_transposed(const KernelInfo& info, Dtype dtype, const ArgumentsRef<T>& arguments, const Loop& loop,
                const Number* params, const Launch& launch, Status& status) {
  TransposedPlan plan;
  if (!plan_transposed(loop, dtype, info.size, plan)) return false;
  set_arguments(info, loop, params, plan.order, plan.num_outer, arguments);
  void* of_kernel[] = {arguments.all, &plan.tiling};
  const dim3 blocks(static_cast<unsigned>(plan.blocks));
  status = start(info.kernel, blocks, kBlockThreads, of_kernel, plan.shared_bytes, launch);
  return true;
}

bool can_vectorize_sums(const Loop& loop, int size, uint32_t interleaved) {
  if (!has_vectorizable_rows(loop, interleaved)) return false;
  if (loop.num_dims > 1 && inner_size(loop) % size != 0) return false;
  if (loop.num_reads == 1 && is_varying_row_scalar(loop, loop.operands[0])) return false;
  for (int k = 0; k < num_operands(loop); ++k) {
    const Operand& operand = loop.operands[k];
    const bool moves = operand.data != nullptr && inner_stride(loop, operand) != 0;
    const int64_t bytes = int64_t{size} * size_of(operand.dtype);
    if (is_pair(loop, interleaved, k)) ++k;
    else if (moves && !has_aligned_rows(loop, operand, bytes)) return false;
  }
  return true;
}

template <class T, class Sum>
Status run_reduction(const KernelInfo& info, const ArgumentsRef<T>& arguments, const ReductionArgumentsRef<Sum>& reduction,
                    const Loop& loop, const Number* params, const Launch& launch) {
  const Tiling tiling = cuda_tiling(loop, info.size, info.is_vectorized, info.two_axis != nullptr);
  Plan plan = plan_reduction(loop, tiling);
  const bool is_two_axis = plan.traversal == Traversal::kTwoAxis;
  Loop first, rest;
  if (!is_two_axis && separate_sums(loop, first, rest)) {
    const Status status = run_reduction(info, arguments, reduction, first, params, launch);
    return status.failed() ? status : run_reduction(info, arguments, reduction, rest, params, launch);
  }
  if (plan.work_tiles() > kMaxBlocks) return {kTooMany};
  uint32_t results = 0;  // writes that the kernel stores as such
  Sum* partials = nullptr;
  if (plan.work_tiles() > 0) {
    for (int w = 0; w < loop.num_writes; ++w) {
      const Dtype dtype = loop.operands[loop.num_reads + w].dtype;
      const bool can_store = info.is_vectorized ? size_of(dtype) * info.size == kVectorBytes
                                            : dtype == dtype_of<Sum>();
      results |= static_cast<uint32_t>(can_store && is_whole(loop, plan, w)) << w;
    }
    place_partials(loop, results, plan);
    partials = allocate_partials<Sum>(plan, launch);
    set_arguments(info, loop, params, plan.outer, plan.num_outer, arguments);
    TwoAxisArguments two_axis;
    if constexpr (std::is_same_v<Sum, float>) {
      if (is_two_axis) two_axis = make_two_axis_arguments(loop, plan, results, partials);
    }
    if (!is_two_axis) set_reduction_arguments(loop, plan, info.size, results, partials, reduction);
    void* of_kernel[] = {arguments.all, is_two_axis ? static_cast<void*>(&two_axis) : reduction.all};
    const bool specialized = !is_two_axis && reduction_matches_specialization(info, arguments, reduction.tiling, loop.num_reads);
    const void* const kernel = is_two_axis ? info.two_axis : specialized ? info.specialized : info.kernel;
    const dim3 blocks(static_cast<unsigned>(plan.work_tiles()));
    const Status status = start(kernel, blocks, kBlockThreads, of_kernel, 0, launch);
    if (status.failed()) return status;
  }
  return finalize_writes<Sum>(loop, plan, partials, results, launch);
}

#define RT_LAUNCH(T, Sum)                                                                           \
  template Status run_pointwise(const KernelInfo&, const ArgumentsRef<T>&, uint32_t*, const Loop&,      \
                                  const Number*, const Launch&);                                    \
  template Status run_reduction(const KernelInfo&, const ArgumentsRef<T>&, const ReductionArgumentsRef<Sum>&, const Loop&, \
                               const Number*, const Launch&);
RT_LAUNCH(rt::LowPrecision, float)
RT_LAUNCH(float, float)
RT_LAUNCH(double, double)
RT_LAUNCH(int64_t, int64_t)
#undef RT_LAUNCH
template bool run_short(const KernelInfo&, const ShortArgumentsRef<rt::LowPrecision>&, const Loop&, const Number*,
                        const Launch&, Status&);
template bool run_short(const KernelInfo&, const ShortArgumentsRef<float>&, const Loop&, const Number*, const Launch&,
                        Status&);
template bool run_transposed(const KernelInfo&, Dtype, const ArgumentsRef<rt::LowPrecision>&, const Loop&,
                         const Number*, const Launch&, Status&);
template bool run_transposed(const KernelInfo&, Dtype, const ArgumentsRef<float>&, const Loop&, const Number*,
                         const Launch&, Status&);

}  // namespace fusewise::cuda
