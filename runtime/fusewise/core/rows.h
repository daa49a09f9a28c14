// A pass with reductions, as a sequence of passes without them. Free of torch; shared by CPU and CUDA.
//
// Dimension 0 of the loop is the row that is reduced. A *total* is the result of one reduction, a number for
// each row. Totals are computed in phases: the terms of a phase are a pass (pass.h), whose writes are summed
// over the row, or whose maxima are taken. A phase may read the totals of earlier ones. All totals computed,
// the writes are ordinary passes, to which totals are row scalars.
//
// All these passes have the same reads: those of the whole pass, then all totals, then the index of the element
// in its row, if `fill_index` is there. Their params are those of the whole pass, and then the length of a row. Totals
// that are not computed yet are absent.
#pragma once

#include <fusewise/core/loop.h>

namespace fusewise {

inline constexpr int kMaxRowParams = 32;

struct RowPhase {
  Kernel run;  // its writes are totals: in the compute type, with stride 0 along the row
  int num_totals;
};

// All totals of all rows, in the compute type. Total `t` of row `r` stands at data[t * stride + r].
struct RowTotals {
  const void* data;
  int64_t stride;
};

struct RowPass {
  const RowPhase* phases;
  int num_phases;
  int num_totals;       // of all phases
  int num_params;       // of the whole pass
  uint32_t row_reads;   // the reads that row writes may depend on: a bit each
  uint32_t row_writes;  // the writes that are a number for each row: a bit each
  Kernel fill_index;    // writes 0, 1, 2, ... to its only write; null if no pass reads the index
  Kernel rows;          // computes the row writes, in a loop without dimension 0; null if there are none
  Kernel elements;      // computes the other writes; null if there are none
  // Runs the whole pass by one kernel, or returns false if the loop does not allow it. It is asked first without
  // totals, and then, if it returned false, with those of the phases. Its params are those of the passes, its status
  // is stored.
  bool (*at_once)(const Loop& loop, const Number* params, const RowTotals* totals, const Launch& launch,
                  Status& status) = nullptr;
};

// Runs the phases and the writes of a pass. The loop has dimension 0 whatever its size; see LoopBuilder.
Status run_row_pass(const RowPass& pass, const Loop& loop, const Number* params, const Launch& launch);

}  // namespace fusewise
