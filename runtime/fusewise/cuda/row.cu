// Plans the row kernel. Free of torch.
#include <fusewise/cuda/planning.cuh>
#include <fusewise/cuda/row.cuh>

namespace fusewise::cuda {

namespace {

constexpr int kShortThreads = 128;  // of a block that has several short rows

bool is_summed(const Loop& loop, const Operand& write) {
  for (int d = 1; d < loop.num_dims; ++d) {
    if (loop.sizes[d] > 1 && write.strides[d] == 0) return true;
  }
  return false;
}

}  // namespace

bool can_hold_rows(const Loop& loop, int size) {
  const int64_t columns = loop.sizes[0];
  if (columns == 0 || columns % size != 0 || columns > int64_t{kMaxRowTiles} * kTileElements) return false;
  for (int k = 0; k < num_operands(loop); ++k) {
    const Operand& operand = loop.operands[k];
    if (operand.data == nullptr) continue;
    if (k >= loop.num_reads && is_summed(loop, operand)) return false;
    const bool is_dense = inner_stride(loop, operand) != 0;
    if (is_dense && !has_aligned_rows(loop, operand, int64_t{size} * size_of(operand.dtype))) return false;
  }
  return true;
}

Status run_rows(const KernelInfo& info, int tiles, const ArgumentsRef<float>& arguments, int num_totals,
                const Loop& loop, const Number* params, const Launch& launch) {
  int order[kMaxDims] = {};
  for (int d = 1; d < loop.num_dims; ++d) order[d - 1] = d;
  set_arguments(info, loop, params, order, loop.num_dims - 1, arguments);
  const int64_t rows = numel(loop) / loop.sizes[0];
  const int vectors = kTileElements / info.size / 32;
  const TotalsPlan plan = plan_totals(rows, loop.sizes[0], info.size, vectors, 1);
  RowTiling tiling{};
  tiling.rows = rows;
  tiling.vectors = static_cast<int>(loop.sizes[0] / info.size);
  tiling.is_short = plan.tiles == 1;
  tiling.is_split = plan.is_split;
  tiling.lane_bits = std::bit_width(static_cast<unsigned>(plan.lanes)) - 1;
  const int threads = tiling.is_short ? kShortThreads : static_cast<int>(ceil_div(plan.tiles, int64_t{tiles})) * 32;
  const int block_rows = tiling.is_short ? kShortThreads / plan.lanes : 1;
  const int64_t blocks = ceil_div(rows, int64_t{block_rows});
  if (blocks > kMaxBlocks) return {kTooMany};
  const size_t shared = tiling.is_short ? 0 : static_cast<size_t>(num_totals) * kMaxRowWarps * sizeof(float);
  void* of_kernel[] = {arguments.all, &tiling};
  return start(info.kernel, dim3(static_cast<unsigned>(blocks)), threads, of_kernel, shared, launch);
}

}  // namespace fusewise::cuda
