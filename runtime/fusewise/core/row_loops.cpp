#include <fusewise/core/row_loops.h>

#include <algorithm>

namespace fusewise {
namespace {

constexpr size_t kAlignment = 16;

size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

Operand absent(Dtype dtype) {
  Operand operand{};
  operand.fill = 0;
  operand.dtype = dtype;
  return operand;
}

void append_read(Loop& loop, const Operand& operand) { loop.operands[loop.num_reads++] = operand; }

void append_write(Loop& loop, const Operand& operand) {
  loop.operands[loop.num_reads + loop.num_writes++] = operand;
}

}  // namespace

bool has_write(const Loop& loop) {
  for (int k = loop.num_reads; k < num_operands(loop); ++k) {
    if (loop.operands[k].data != nullptr) return true;
  }
  return false;
}

RowLoops::RowLoops(const RowOperands& own, const Loop& loop, const Launch& launch) : own_(own), loop_(loop) {
  const auto item = static_cast<size_t>(size_of(loop.compute));
  total_bytes_ = aligned(static_cast<size_t>(num_rows(loop)) * item);
  const size_t index_bytes = own.has_index ? aligned(static_cast<size_t>(loop.sizes[0]) * item) : 0;
  const size_t bytes = total_bytes_ * static_cast<size_t>(own.num_totals) + index_bytes;
  if (bytes != 0) memory_ = static_cast<char*>(launch.allocate(launch.context, bytes));
}

Operand RowLoops::total(int number) const {
  Operand operand = absent(loop_.compute);
  operand.data = memory_ + total_bytes_ * static_cast<size_t>(number);
  int64_t stride = size_of(loop_.compute);
  for (int d = 1; d < loop_.num_dims; ++d) {
    operand.strides[d] = stride;
    stride *= loop_.sizes[d];
  }
  return operand;
}

Operand RowLoops::index() const {
  Operand operand = absent(loop_.compute);
  operand.data = memory_ + total_bytes_ * static_cast<size_t>(own_.num_totals);
  operand.strides[0] = size_of(loop_.compute);
  return operand;
}

RowTotals RowLoops::totals() const {
  return {memory_, static_cast<int64_t>(total_bytes_) / size_of(loop_.compute)};
}

// A loop of the same dimensions without writes. The first `computed` totals are there.
Loop RowLoops::reads(int computed) const {
  Loop loop = loop_;
  loop.num_writes = 0;
  for (int t = 0; t < own_.num_totals; ++t) {
    append_read(loop, t < computed ? total(t) : absent(loop_.compute));
  }
  if (own_.has_index) append_read(loop, index());
  return loop;
}

Loop RowLoops::phase(int computed, int count) const {
  Loop terms = reads(computed);
  for (int t = 0; t < count; ++t) append_write(terms, total(computed + t));
  return terms;
}

// A loop that reads all totals and has the writes of rows or all others.
Loop RowLoops::writes(bool of_rows) const {
  Loop loop = reads(own_.num_totals);
  for (int w = 0; w < loop_.num_writes; ++w) {
    const bool is_row = (own_.row_writes >> w & 1) != 0;
    if (is_row == of_rows) append_write(loop, loop_.operands[loop_.num_reads + w]);
  }
  return loop;
}

Loop RowLoops::rows() const {
  Loop rows = writes(true);
  for (int k = 0; k < rows.num_reads; ++k) {
    const bool is_index = own_.has_index && k == rows.num_reads - 1;
    const bool is_element = k < loop_.num_reads && (own_.row_reads >> k & 1) == 0;
    if (is_index || is_element) rows.operands[k] = absent(rows.operands[k].dtype);
  }
  --rows.num_dims;
  std::copy_n(rows.sizes + 1, rows.num_dims, rows.sizes);
  for (int k = 0; k < num_operands(rows); ++k) {
    int64_t* const strides = rows.operands[k].strides;
    std::copy_n(strides + 1, rows.num_dims, strides);
  }
  coalesce(rows);
  return rows;
}

Loop RowLoops::elements() const {
  Loop elements = writes(false);
  coalesce(elements);
  return elements;
}

}  // namespace fusewise
