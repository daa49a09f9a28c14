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

// An operand whose rows are `step` bytes apart.
Operand RowLoops::of_rows(void* data, int64_t step) const {
  Operand operand = absent(loop_.compute);
  operand.data = data;
  for (int d = 1; d < loop_.num_dims; ++d) {
    operand.strides[d] = step;
    step *= loop_.sizes[d];
  }
  return operand;
}

Operand RowLoops::total(int number) const {
  return of_rows(memory_ + total_bytes_ * static_cast<size_t>(number), size_of(loop_.compute));
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

// Appends the writes of rows or all others.
void RowLoops::append_writes(Loop& loop, bool of_rows) const {
  for (int w = 0; w < loop_.num_writes; ++w) {
    const bool is_row = (own_.row_writes >> w & 1) != 0;
    if (is_row == of_rows) append_write(loop, loop_.operands[loop_.num_reads + w]);
  }
}

Loop RowLoops::rows() const {
  Loop rows = reads(own_.num_totals);
  append_writes(rows, true);
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

Loop RowLoops::elements(const HeldTerms* held) const {
  Loop elements = reads(own_.num_totals);
  if (held != nullptr) {
    Operand terms = of_rows(held->data, held->step);
    terms.strides[0] = size_of(loop_.compute);
    append_read(elements, terms);
  }
  append_writes(elements, false);
  coalesce(elements);
  return elements;
}

}  // namespace fusewise
