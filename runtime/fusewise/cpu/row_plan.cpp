#include <fusewise/cpu/row_plan.h>

#include <algorithm>

#include <fusewise/cpu/capability.h>

namespace fusewise {

namespace {

constexpr int64_t kBlock = 4096;   // the most elements of short rows that run together
constexpr int64_t kAcross = 1024;  // the same for short rows of different segments

// Measured: from this much on, non-temporal stores save more than the next reader of the result loses.
int64_t bypassing_bytes() { return cpu_cache_bytes() / 4 * 3; }

}  // namespace

RowPlan::RowPlan(const Loop& loop, const CpuPass& pass, const Packing& packing)
    : loop(loop),
      packing(packing),
      num_operands(fusewise::num_operands(loop)),
      in_floats(loop.compute == Dtype::kFloat),
      integers(pass.integers),
      reduction(plan_reduction(loop, cpu_tiling(loop))) {
  for (int k = 0; k < num_operands; ++k) inner_strides[k] = inner_stride(loop, loop.operands[k]);
  for (int k = 0; k < num_operands; ++k) {
    if ((pass.pairs >> k & 1) && is_dense_pair(k)) pairs |= uint32_t{1} << k;
  }
  for (int k = 0; k < num_operands; ++k) {
    const Operand& operand = loop.operands[k];
    types[k] = operand.dtype;
    modes[k] = mode_of(k);
    buffered |= !in_floats || modes[k] == AccessMode::kConverted;
    ends[k] = memory_end(loop, operand);
  }
  segments = segments_together();
  most_rows = segments > 1 ? 1 : rows_together();
  if (!in_floats || bytes_moved() < bypassing_bytes()) return;
  for (int k = loop.num_reads; k < num_operands; ++k) {
    if (may_bypass_caches(k)) written[k] = Written::kPastCaches;
  }
}

// True if operands k and k + 1 are together dense, in a type that row loops read in place.
bool RowPlan::is_dense_pair(int k) const {
  const Operand& operand = loop.operands[k];
  const bool is_summed = k >= loop.num_reads && is_reduced(loop, operand);
  return !is_summed && in_floats && is_vector_type(operand.dtype) && is_interleaved(loop, k) &&
         packing.is_uniform(loop, k);
}

AccessMode RowPlan::mode_of(int k) const {
  const Operand& operand = loop.operands[k];
  if ((pairs >> k & 1) || is_second_of_pair(k)) return AccessMode::kInPlace;
  if (operand.data == nullptr) return AccessMode::kAbsent;
  if (k >= loop.num_reads) {
    const WriteMode mode = reduction.modes[k - loop.num_reads];
    if (mode == WriteMode::kColumn) return AccessMode::kColumnSums;
    if (needs_finalize(mode)) return AccessMode::kLaneSums;
  } else if (!packing.is_uniform(loop, k)) {
    return AccessMode::kConverted;
  } else if (inner_strides[k] == 0) {
    return AccessMode::kRowScalar;
  }
  const bool fits = operand.dtype == loop.compute || is_vector(k);
  return fits && inner_strides[k] == size_of(operand.dtype) ? AccessMode::kInPlace
                                                             : AccessMode::kConverted;
}

bool RowPlan::has_row_sums() const {
  const WriteMode* const begin = reduction.modes;
  return std::find(begin, begin + loop.num_writes, WriteMode::kRow) != begin + loop.num_writes;
}

bool RowPlan::converts_row_scalars() const {
  for (int k = 0; k < loop.num_reads; ++k) {
    if (modes[k] == AccessMode::kRowScalar && !is_vector(k)) return true;
  }
  return false;
}

// The most rows that run together: one if rows go through buffers or have sums of their own.
int64_t RowPlan::rows_together() const {
  const bool is_down = reduction.num_outer > 0 && reduction.traversal == Traversal::kDown;
  if (buffered || !is_down || converts_row_scalars() || has_row_sums()) return 1;
  const int64_t count = std::clamp<int64_t>(reduction.columns, 1, reduction.tile);
  return std::max<int64_t>(1, kBlock / count);
}

// The number of segments that run together, row by row. Segments of short rows do so if, in memory, a row of
// the next segment comes before the next row of the same one: a single segment would read few bytes of each
// page.
int64_t RowPlan::segments_together() const {
  const bool is_plain = in_floats && !buffered && reduction.traversal == Traversal::kDown;
  const bool is_short = reduction.columns <= kAcross / 2 && reduction.tiles == 1;
  const bool has_segments = reduction.segment_dims > 0 && reduction.segment_dims < reduction.num_outer;
  if (!is_plain || !is_short || !has_segments) return 1;
  if (converts_row_scalars() || has_row_sums()) return 1;
  const int along = reduction.outer[reduction.segment_dims];
  for (int k = 0; k < num_operands; ++k) {
    if (modes[k] != AccessMode::kInPlace) continue;
    const int64_t across = loop.operands[k].strides[along];
    const int64_t down = loop.operands[k].strides[reduction.outer[0]];
    if (across != 0 && down != 0 && across > down) return 1;
  }
  const int64_t most = kAcross / std::max<int64_t>(1, reduction.columns);
  int64_t count = std::clamp<int64_t>(loop.sizes[along], 1, most);
  while (loop.sizes[along] % count != 0) --count;
  return count;
}

// The number of bytes that are read or written once.
int64_t RowPlan::bytes_moved() const {
  int64_t bytes = 0;
  for (int k = 0; k < num_operands; ++k) {
    const Operand& operand = loop.operands[k];
    const bool moves = modes[k] == AccessMode::kInPlace || modes[k] == AccessMode::kConverted;
    if (moves && !is_reduced(loop, operand)) bytes += size_of(operand.dtype);
  }
  return bytes * numel(loop);
}

// True if a write takes non-temporal stores. These need aligned rows; tiles are whole cache lines. A write to
// memory that the loop has just read is faster in the cache.
bool RowPlan::may_bypass_caches(int k) const {
  const Operand& operand = loop.operands[k];
  if (modes[k] != AccessMode::kInPlace || !has_aligned_rows(loop, operand, kLine)) return false;
  for (int i = 0; i < loop.num_reads; ++i) {
    if (loop.operands[i].data == operand.data) return false;
  }
  return true;
}

}  // namespace fusewise
