// The loops of the passes that a row pass runs as; rows.h describes them. Free of torch; shared by CPU and CUDA.
#pragma once

#include <cstddef>
#include <cstdint>

#include <fusewise/core/rows.h>

namespace fusewise {

// The operands that a row pass adds to those of its passes, and those that concern rows.
struct RowOperands {
  int num_totals;
  bool has_index;
  uint32_t row_reads;   // the reads that row writes may depend on: a bit each
  uint32_t row_writes;  // the writes that are a number for each row: a bit each
};

inline int64_t num_rows(const Loop& loop) {
  int64_t rows = 1;
  for (int d = 1; d < loop.num_dims; ++d) rows *= loop.sizes[d];
  return rows;
}

// Terms of a phase that its elements read. The terms of a row are dense, and rows are `step` bytes apart.
struct HeldTerms {
  void* data;
  int64_t step;
};

// True if a write of the loop is needed.
bool has_write(const Loop& loop);

class RowLoops {
 public:
  // Allocates the memory of the totals and of the index.
  RowLoops(const RowOperands& own, const Loop& loop, const Launch& launch);

  Operand index() const;

  RowTotals totals() const;

  // The loop of a phase that writes `count` totals after the first `computed` ones.
  Loop phase(int computed, int count) const;

  // The loop of the row writes, which has no dimension 0. Reads of elements and the index are absent.
  Loop rows() const;

  // The loop of all other writes. Held terms are its last read.
  Loop elements(const HeldTerms* held = nullptr) const;

 private:
  Operand of_rows(void* data, int64_t step) const;
  Operand total(int number) const;
  Loop reads(int computed) const;
  void append_writes(Loop& loop, bool of_rows) const;

  const RowOperands own_;
  const Loop& loop_;
  size_t total_bytes_;
  char* memory_ = nullptr;
};

}  // namespace fusewise
