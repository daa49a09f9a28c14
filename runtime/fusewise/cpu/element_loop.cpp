#include <fusewise/cpu/element_loop.h>

#include <algorithm>

#include <fusewise/core/reduction.h>
#include <fusewise/cpu/row_batch.h>
#include <fusewise/cpu/rows.h>

namespace fusewise {
namespace {

// Rows that run side by side while the hoisted values of one vector are in use; and the fewest that are worth it.
constexpr int64_t kMostSideBySide = 512;
constexpr int64_t kFewSideBySide = 32;

// The divisor of `size` from `least` to `most` that is best for vectors of `elements` times as many; 1 if none is.
int64_t best_divisor(int64_t size, int64_t least, int64_t most, int64_t elements) {
  int64_t best = 1, best_score = 0;
  for (int64_t count = least; count <= std::min(size, most); ++count) {
    if (size % count != 0) continue;
    const int64_t score = count * (count * elements % kMostLanes == 0 ? 2 : 1);
    if (score < best_score) continue;
    best = count;
    best_score = score;
  }
  return best;
}

// True if short rows may be packed: each write is dense, or sums the rows.
bool may_pack(const Loop& loop) {
  for (int k = loop.num_reads; k < num_operands(loop); ++k) {
    const Operand& write = loop.operands[k];
    if (write.data == nullptr) continue;
    const int64_t item = size_of(write.dtype);
    const bool is_dense = write.strides[0] == item && write.strides[1] == loop.sizes[0] * item;
    if (write.strides[0] == 0 || !(is_dense || write.strides[1] == 0)) return false;
  }
  return true;
}

bool sums_rows(const Loop& loop) {
  for (int k = loop.num_reads; k < num_operands(loop); ++k) {
    if (loop.operands[k].data != nullptr && is_reduced(loop, loop.operands[k], 1)) return true;
  }
  return false;
}

}  // namespace

ElementLoop::ElementLoop(const Loop& elements, int64_t length) : loop(elements) {
  if (loop.num_dims == 0 || loop.sizes[0] != length) return;
  pass_rows = loop_rows = 1;
  if (loop.num_dims < 2 || numel(loop) == 0) return;
  if (has_rows_side_by_side(loop)) run_side_by_side();
  else if (length < kMostLanes && may_pack(loop)) pack();
}

void ElementLoop::pack() {
  const int64_t length = loop.sizes[0];
  const int64_t most = std::min(kCpuBuffer / length, sums_rows(loop) ? loop.sizes[1] / 2 : loop.sizes[1]);
  const int64_t rows = best_divisor(loop.sizes[1], 2, most, length);
  if (rows == 1) return;
  packing.length = length;
  for (int k = 0; k < num_operands(loop); ++k) {
    packing.strides[k] = loop.operands[k].strides[1];
    loop.operands[k].strides[1] *= rows;
  }
  loop.sizes[0] *= rows;
  loop.sizes[1] /= rows;
  pass_rows = rows;
}

// Without sums, some adjacent rows run along all their elements, after the phases of these rows.
void ElementLoop::run_side_by_side() {
  const int64_t length = loop.sizes[0];
  const auto swap = [](int64_t* sizes) { std::swap(sizes[0], sizes[1]); };
  int64_t rows = 1;
  if (!has_reduced_write(loop) && loop.num_dims < kMaxDims) {
    rows = best_divisor(loop.sizes[1], kFewSideBySide, kMostSideBySide, 1);
  }
  swap(loop.sizes);
  for (int k = 0; k < num_operands(loop); ++k) swap(loop.operands[k].strides);
  pass_rows = loop_rows = 0;
  if (rows == 1) return;
  const auto divide = [&](int64_t* numbers) {
    std::copy_backward(numbers + 2, numbers + loop.num_dims, numbers + loop.num_dims + 1);
  };
  divide(loop.sizes);
  loop.sizes[2] = loop.sizes[0] / rows;
  loop.sizes[0] = rows;
  for (int k = 0; k < num_operands(loop); ++k) {
    int64_t* const strides = loop.operands[k].strides;
    divide(strides);
    strides[2] = strides[0] * rows;
  }
  ++loop.num_dims;
  pass_rows = rows;
  loop_rows = length;
}

}  // namespace fusewise
