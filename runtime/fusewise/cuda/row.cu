// Plans the row kernel. Free of torch.
#include <algorithm>
#include <bit>

#include <fusewise/cuda/planning.cuh>
#include <fusewise/cuda/reduction.cuh>
#include <fusewise/cuda/row.cuh>

namespace fusewise::cuda {

namespace {

constexpr int kShortThreads = 128;  // of a block that has several short rows

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

// How many threads of a kernel that sums columns a multiprocessor has, for its many registers, and how many
// multiprocessors a large GPU has. The number of teams, and so the bits of sums over rows, depends on the shape alone.
constexpr int kResidentThreads = 256;
constexpr int64_t kMultiprocessors = 132;

int64_t num_blocks(const RowInfo& info, int64_t rows, int block_teams, int threads) {
  const int64_t all = ceil_div(rows, int64_t{block_teams});
  if (info.summed == 0) return all;
  const int64_t resident = kMultiprocessors * std::max(1, kResidentThreads / threads);
  return std::min(all, std::max(resident, ceil_div(all, kMaxTerms)));
}

// Adds the sums of teams.
Status add_teams(const RowInfo& info, const Loop& loop, int64_t teams, const RowTiling& tiling, const Launch& launch) {
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
    sum.terms = teams;
    sum.num_kept = sum.num_summed = 1;
    sum.kept_sizes[0] = loop.sizes[0];
    sum.kept_steps[0] = 1;
    sum.kept_strides[0] = write.strides[0];
    sum.summed_sizes[0] = teams;
    sum.summed_steps[0] = columns;
    offset += teams * columns;
    if (write.data != nullptr) sums[count++] = sum;
  }
  return finalize(sums, count, static_cast<const float*>(tiling.partials), launch);
}

}  // namespace

bool can_hold_rows(const RowInfo& info, const Loop& loop) {
  const int64_t columns = loop.sizes[0];
  if (columns == 0 || columns > int64_t{info.max_warps} * kTileElements) return false;
  for (int k = 0; k < num_operands(loop); ++k) {
    const Operand& operand = loop.operands[k];
    if (operand.data == nullptr) continue;
    const int write = k - loop.num_reads;
    if (write < 0 && (info.columns >> k & 1) != 0 && !is_over_rows(loop, operand)) return false;
    if (write >= 0 && (info.summed >> write & 1) != 0) {
      if (!is_over_rows(loop, operand)) return false;
      continue;
    }
    if (write >= 0 && is_over_some_rows(loop, operand)) return false;
  }
  return true;
}

Status run_rows(const RowInfo& info, const ArgumentsRef<float>& arguments, const Loop& loop, const Number* params,
                const Launch& launch) {
  const int size = info.kernel.size;
  int order[kMaxDims] = {};
  for (int d = 1; d < loop.num_dims; ++d) order[d - 1] = d;
  set_arguments(info.kernel, loop, params, order, loop.num_dims - 1, arguments);
  const int64_t rows = numel(loop) / loop.sizes[0];
  const TotalsPlan plan = plan_totals(rows, loop.sizes[0], size, kTileElements / size / 32, 1);
  RowTiling tiling{};
  tiling.rows = rows;
  tiling.vectors = static_cast<int>(ceil_div(loop.sizes[0], int64_t{size}));
  tiling.partial = static_cast<int>(loop.sizes[0] % size);
  tiling.is_aligned = has_aligned_vectors(info, loop);
  tiling.is_short = plan.tiles == 1;
  tiling.is_split = plan.is_split;
  tiling.lane_bits = std::bit_width(static_cast<unsigned>(plan.lanes)) - 1;
  const int threads = tiling.is_short ? kShortThreads : static_cast<int>(plan.tiles) * 32;
  const int block_teams = tiling.is_short ? kShortThreads / plan.lanes : 1;
  const int64_t blocks = num_blocks(info, rows, block_teams, threads);
  if (blocks > kMaxBlocks) return {kTooMany};
  const int64_t teams = blocks * block_teams;
  if (info.summed != 0) {
    const auto sums = static_cast<size_t>(std::popcount(info.summed) * teams * tiling.vectors * size);
    tiling.partials = static_cast<float*>(launch.allocate(launch.context, sums * sizeof(float)));
  }
  const size_t turns = info.summed != 0 ? 2 : 1;
  const size_t shared =
      tiling.is_short ? 0 : turns * static_cast<size_t>(info.num_totals) * kMaxRowWarps * sizeof(float);
  void* of_kernel[] = {arguments.all, &tiling};
  const Status status =
      start(info.kernel.kernel, dim3(static_cast<unsigned>(blocks)), threads, of_kernel, shared, launch);
  if (status.failed() || info.summed == 0) return status;
  return add_teams(info, loop, teams, tiling, launch);
}

}  // namespace fusewise::cuda
