// Plans the row kernel. Free of torch.
#include <algorithm>
#include <bit>

#include <fusewise/cuda/planning.cuh>
#include <fusewise/cuda/reduction.cuh>
#include <fusewise/cuda/row.cuh>

namespace fusewise::cuda {

namespace {

constexpr int kShortThreads = 128;  // of a block that has several short rows
constexpr int kPartWarps = 8;       // of a block that sums some of the columns

// True if an operand has one value for all rows, or a sum over them.
bool is_over_rows(const Loop& loop, const Operand& operand) {
  bool found = true;
  for (int d = 1; d < loop.num_dims; ++d) found &= loop.sizes[d] == 1 || operand.strides[d] == 0;
  return found;
}

bool is_over_some_rows(const Loop& loop, const Operand& operand) {
  bool found = false;
  for (int d = 1; d < loop.num_dims; ++d) found |= loop.sizes[d] > 1 && operand.strides[d] == 0;
  return found;
}

// True if all vectors of the operands that are dense along a row are aligned.
bool has_aligned_vectors(const RowInfo& info, const Loop& loop) {
  bool found = true;
  for (int k = 0; k < num_operands(loop); ++k) {
    const Operand& operand = loop.operands[k];
    const bool is_summed = k >= loop.num_reads && (info.summed >> (k - loop.num_reads) & 1) != 0;
    if (operand.data == nullptr || is_summed || inner_stride(loop, operand) == 0) continue;
    found &= has_aligned_rows(loop, operand, int64_t{info.kernel.size} * size_of(operand.dtype));
  }
  return found;
}

// The number of blocks of a kernel that sums columns, and so the bits of sums over rows, depend on the shape and the
// dtype alone: the bytes of shared memory are those of a large GPU (capability 9.0, CUDA C++ Programming Guide).
constexpr int64_t kMultiprocessorBytes = 228 << 10;
constexpr int64_t kReservedBytes = 1 << 10;  // of each block, by CUDA

bool are_plain(const RowInfo& info, const Loop& loop) {
  bool found = true;
  for (int k = 0; k < loop.num_reads; ++k) {
    const Operand& read = loop.operands[k];
    if ((info.scalars >> k & 1) == 0) found &= read.data != nullptr && inner_stride(loop, read) != 0;
  }
  return found;
}

// The most rows in a ring buffer: three, or two, which are copied while another one is computed, or none.
int num_stages(int64_t totals_bytes, int64_t stage_bytes, int64_t limit) {
  for (const int stages : {3, 2}) {
    if (totals_bytes + stages * stage_bytes <= limit) return stages;
  }
  return 0;
}

// Sets the shape of rows of `tiles` tiles, in blocks of `threads`.
void set_shape(int size, int64_t tiles, int threads, RowTiling& tiling) {
  const int lanes = 1 << tiling.lane_bits;
  const bool is_even = tiling.is_short ? tiling.vectors % lanes == 0 : tiles % (threads / 32) == 0;
  tiling.shape = RowShape::kAny;
  if (!tiling.is_plain || !is_even) return;
  if (!tiling.is_split && tiling.vectors % (kTileElements / size) == 0) {
    tiling.shape = RowShape::kWhole;
  } else if (tiling.is_short) {
    tiling.shape = RowShape::kEven;
    tiling.thread_vectors = tiling.vectors / lanes;
  }
}

int64_t num_blocks(const RowInfo& info, int64_t rows, int block_teams, int threads, int64_t shared, int64_t parts) {
  const int64_t all = ceil_div(rows, int64_t{block_teams});
  if (info.summed == 0) return all;
  const int64_t resident =
      std::min(int64_t{32 * info.max_warps / threads}, kMultiprocessorBytes / (shared + kReservedBytes));
  const int64_t wanted = ceil_div(kMultiprocessors * std::max<int64_t>(1, resident), parts);
  return std::min(all, std::max(wanted, ceil_div(all, kMaxTerms)));
}

bool is_long(const RowInfo& info, int64_t columns) { return columns > int64_t{info.max_warps} * kTileElements; }

// True if a block sums some of the columns of long rows.
bool sums_parts(const RowInfo& info, int64_t columns) { return info.summed != 0 && is_long(info, columns); }

// Adds the sums of blocks.
Status add_blocks(const RowInfo& info, const Loop& loop, int64_t blocks, const RowTiling& tiling,
                  const Launch& launch) {
  const int64_t columns = int64_t{tiling.vectors} * info.kernel.size;
  Finalize sums[kMaxOperands];
  int count = 0;
  int64_t offset = 0;
  for (int w = 0; w < loop.num_writes; ++w) {
    if ((info.summed >> w & 1) == 0) continue;
    const Operand& write = loop.operands[loop.num_reads + w];
    Finalize sum{};
    sum.data = static_cast<char*>(write.data);
    sum.dtype = write.dtype;
    sum.offset = offset;
    sum.outputs = loop.sizes[0];
    sum.terms = blocks;
    sum.num_kept = sum.num_summed = 1;
    sum.kept_sizes[0] = loop.sizes[0];
    sum.kept_steps[0] = 1;
    sum.kept_strides[0] = write.strides[0];
    sum.summed_sizes[0] = blocks;
    sum.summed_steps[0] = columns;
    offset += blocks * columns;
    if (write.data != nullptr) sums[count++] = sum;
  }
  return finalize(sums, count, static_cast<const float*>(tiling.partials), launch);
}

}  // namespace

bool can_run_rows(const RowInfo& info, const Loop& loop, const RowTotals* totals) {
  const int64_t columns = loop.sizes[0];
  if (columns == 0 || sums_parts(info, columns) != (totals != nullptr)) return false;
  if (columns > int64_t{kMaxRowTiles} * kTileElements) return false;
  if (info.summed == 0 && is_long(info, columns)) {
    // Few rows keep a GPU busy only if several blocks share one, as in the kernels of phases.
    const bool are_few = numel(loop) / columns < kMultiprocessors / 2;
    if (are_few) return false;
  }
  for (int k = 0; k < num_operands(loop); ++k) {
    const Operand& operand = loop.operands[k];
    if (operand.data == nullptr) continue;
    const int write = k - loop.num_reads;
    if (write < 0 && (info.columns >> k & 1) != 0 && !is_over_rows(loop, operand)) return false;
    if (write >= 0 && (info.summed >> write & 1) != 0) {
      if (!is_over_rows(loop, operand) || inner_stride(loop, operand) == 0) return false;
      continue;
    }
    if (write >= 0 && is_over_some_rows(loop, operand)) return false;
  }
  return true;
}

Status run_rows(const RowInfo& info, const ArgumentsRef<float>& arguments, const Loop& loop, const Number* params,
                const RowTotals* totals, const Launch& launch) {
  const int size = info.kernel.size;
  int order[kMaxDims] = {};
  for (int d = 1; d < loop.num_dims; ++d) order[d - 1] = d;
  set_arguments(info.kernel, loop, params, order, loop.num_dims - 1, arguments);
  const int64_t rows = numel(loop) / loop.sizes[0];
  const bool has_long_rows = info.summed == 0 && is_long(info, loop.sizes[0]);
  const TotalsPlan plan = plan_totals(rows, loop.sizes[0], size, kTileElements / size / 32, 1);
  RowTiling tiling{};
  tiling.rows = rows;
  tiling.vectors = static_cast<int>(ceil_div(loop.sizes[0], int64_t{size}));
  tiling.partial = static_cast<int>(loop.sizes[0] % size);
  tiling.is_aligned = has_aligned_vectors(info, loop);
  tiling.is_plain = tiling.is_aligned && tiling.partial == 0 && are_plain(info, loop);
  tiling.is_short = plan.tiles == 1;
  tiling.is_split = plan.is_split;
  tiling.lane_bits = std::bit_width(static_cast<unsigned>(plan.lanes)) - 1;
  int threads = has_long_rows ? info.long_threads : static_cast<int>(plan.tiles) * 32;
  if (tiling.is_short) threads = kShortThreads;
  int64_t parts = 1;  // of the columns
  if (totals != nullptr) {
    tiling.totals = static_cast<const float*>(totals->data);
    tiling.total_stride = totals->stride;
    threads = kPartWarps * 32;
    parts = ceil_div(plan.tiles, int64_t{kPartWarps});
  }
  set_shape(size, plan.tiles, threads, tiling);
  tiling.warps_mask = static_cast<int>(std::bit_ceil(static_cast<unsigned>(threads / 32))) - 1;
  const int block_teams = tiling.is_short ? kShortThreads / plan.lanes : 1;
  const int64_t totals_bytes = int64_t{info.num_totals} * kMaxRowWarps * int64_t{sizeof(float)};
  int64_t shared = tiling.is_short ? 0 : totals_bytes;
  if (has_long_rows) shared = info.num_totals * (plan.tiles + 1) * int64_t{sizeof(float)};
  if (info.summed != 0) {
    const int64_t stage = int64_t{threads} * info.row_vectors * kVectorBytes;
    const int64_t sums = tiling.is_short ? int64_t{threads} * kTileElements / 32 * int64_t{sizeof(float)} : 0;
    // Two blocks share a multiprocessor if their threads fit.
    const int sharing = std::clamp(32 * info.max_warps / threads, 1, 2);
    const int64_t limit = kMultiprocessorBytes / sharing - kReservedBytes;
    const int stages = tiling.is_plain ? num_stages(2 * totals_bytes, stage, limit) : 0;
    shared = std::max(2 * totals_bytes + stages * stage, sums);
    tiling.stages = static_cast<int8_t>(stages);
  }
  const int64_t blocks = num_blocks(info, rows, block_teams, threads, shared, parts);
  if (blocks > kMaxBlocks) return {kTooMany};
  if (!has_shared_bytes(static_cast<size_t>(shared))) {  // an old or small GPU
    shared = std::min<int64_t>(shared, int64_t{kSharedBytes});
    tiling.stages = 0;
  }
  if (info.summed != 0) {
    const auto sums = static_cast<size_t>(std::popcount(info.summed) * blocks * tiling.vectors * size);
    tiling.partials = static_cast<float*>(launch.allocate(launch.context, sums * sizeof(float)));
  }
  void* of_kernel[] = {arguments.all, &tiling};
  const void* const kernel = has_long_rows ? info.long_kernel : info.kernel.kernel;
  const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(parts));
  const Status status = start(kernel, grid, threads, of_kernel, static_cast<size_t>(shared), launch);
  if (status.failed() || info.summed == 0) return status;
  return add_blocks(info, loop, blocks, tiling, launch);
}

}  // namespace fusewise::cuda
