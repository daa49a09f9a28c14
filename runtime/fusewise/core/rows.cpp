#include <fusewise/core/rows.h>

#include <algorithm>

namespace fusewise {
namespace {

constexpr size_t kAlignment = 16;

size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

int64_t num_rows(const Loop& loop) {
  int64_t rows = 1;
  for (int d = 1; d < loop.num_dims; ++d) rows *= loop.sizes[d];
  return rows;
}

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

// Totals and the index of an element, as operands of the passes of one row pass.
class Workspace {
 public:
  Workspace(const RowPass& pass, const Loop& loop, const Launch& launch) : pass_(pass), loop_(loop) {
    const auto item = static_cast<size_t>(size_of(loop.compute));
    total_bytes_ = aligned(static_cast<size_t>(num_rows(loop)) * item);
    const size_t index_bytes = pass.fill_index != nullptr ? aligned(static_cast<size_t>(loop.sizes[0]) * item) : 0;
    const size_t bytes = total_bytes_ * static_cast<size_t>(pass.num_totals) + index_bytes;
    if (bytes != 0) memory_ = static_cast<char*>(launch.allocate(launch.context, bytes));
  }

  Operand total(int number) const {
    Operand operand = absent(loop_.compute);
    operand.data = memory_ + total_bytes_ * static_cast<size_t>(number);
    int64_t stride = size_of(loop_.compute);
    for (int d = 1; d < loop_.num_dims; ++d) {
      operand.strides[d] = stride;
      stride *= loop_.sizes[d];
    }
    return operand;
  }

  Operand index() const {
    Operand operand = absent(loop_.compute);
    operand.data = memory_ + total_bytes_ * static_cast<size_t>(pass_.num_totals);
    operand.strides[0] = size_of(loop_.compute);
    return operand;
  }

  // A loop of the same dimensions without writes. The first `computed` totals are there.
  Loop reads(int computed) const {
    Loop loop = loop_;
    loop.num_writes = 0;
    for (int t = 0; t < pass_.num_totals; ++t) {
      append_read(loop, t < computed ? total(t) : absent(loop_.compute));
    }
    if (pass_.fill_index != nullptr) append_read(loop, index());
    return loop;
  }

 private:
  const RowPass& pass_;
  const Loop& loop_;
  size_t total_bytes_;
  char* memory_ = nullptr;
};

// The loop over rows, which has no dimension 0: reads of elements and the index are absent.
Loop over_rows(const RowPass& pass, const Loop& loop, Loop writes) {
  for (int k = 0; k < writes.num_reads; ++k) {
    const bool is_index = pass.fill_index != nullptr && k == writes.num_reads - 1;
    const bool is_element = k < loop.num_reads && (pass.row_reads >> k & 1) == 0;
    if (is_index || is_element) writes.operands[k] = absent(writes.operands[k].dtype);
  }
  --writes.num_dims;
  std::copy_n(writes.sizes + 1, writes.num_dims, writes.sizes);
  for (int k = 0; k < num_operands(writes); ++k) {
    int64_t* const strides = writes.operands[k].strides;
    std::copy_n(strides + 1, writes.num_dims, strides);
  }
  return writes;
}

Status fill_index(const RowPass& pass, const Loop& loop, const Operand& index, const Launch& launch) {
  Loop row{};
  row.num_dims = 1;
  row.sizes[0] = loop.sizes[0];
  row.compute = loop.compute;
  append_write(row, index);
  return pass.fill_index(row, nullptr, launch);
}

Status run_phases(const RowPass& pass, const Workspace& workspace, const Number* params,
                  const Launch& launch) {
  int computed = 0;
  for (int k = 0; k < pass.num_phases; ++k) {
    const RowPhase& phase = pass.phases[k];
    Loop terms = workspace.reads(computed);
    for (int t = 0; t < phase.num_totals; ++t) append_write(terms, workspace.total(computed + t));
    if (const Status status = phase.run(terms, params, launch); status.failed()) return status;
    computed += phase.num_totals;
  }
  return {};
}

// True if a write of the loop is needed and has elements.
bool has_write(const Loop& loop) {
  for (int k = loop.num_reads; k < num_operands(loop); ++k) {
    if (loop.operands[k].data != nullptr) return true;
  }
  return false;
}

}  // namespace

Status run_row_pass(const RowPass& pass, const Loop& loop, const Number* given, const Launch& launch) {
  Number params[kMaxRowParams];
  std::copy_n(given, pass.num_params, params);
  params[pass.num_params] = loop.sizes[0];
  Status whole;
  if (pass.at_once != nullptr && numel(loop) != 0 && pass.at_once(loop, params, launch, whole)) return whole;
  const Workspace workspace(pass, loop, launch);
  if (num_rows(loop) != 0) {
    Status status;
    if (pass.fill_index != nullptr && loop.sizes[0] != 0) status = fill_index(pass, loop, workspace.index(), launch);
    if (!status.failed()) status = run_phases(pass, workspace, params, launch);
    if (status.failed()) return status;
  }
  Loop elements = workspace.reads(pass.num_totals);
  Loop rows = elements;
  for (int w = 0; w < loop.num_writes; ++w) {
    const bool is_row = (pass.row_writes >> w & 1) != 0;
    append_write(is_row ? rows : elements, loop.operands[loop.num_reads + w]);
  }
  rows = over_rows(pass, loop, rows);
  if (has_write(rows)) {
    coalesce(rows);
    if (const Status status = pass.rows(rows, params, launch); status.failed()) return status;
  }
  if (!has_write(elements)) return {};
  coalesce(elements);
  return pass.elements(elements, params, launch);
}

}  // namespace fusewise
