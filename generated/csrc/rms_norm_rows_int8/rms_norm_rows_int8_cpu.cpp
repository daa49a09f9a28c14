// Generated from specs/quantised/rms_norm_rows_int8.yaml by `fusewise generate`. Do not edit.
// The formulas stand in rms_norm_rows_int8.math.h.
#include <fusewise/cpu/row_pass.h>

#include "rms_norm_rows_int8.math.h"

namespace fusewise::ops::rms_norm_rows_int8 {

RT_KERNEL Status forward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  static constexpr CpuPhase kPhases[] = {
      {.terms = cpu_terms<ForwardTotals0, Floats, 0>, .num_totals = 1},
      {.terms = cpu_terms<ForwardTotals1, Floats, 1>, .num_totals = 1},
  };
  static constexpr CpuRowPass kPass = {
      .phases = kPhases,
      .num_phases = 2,
      .num_totals = 2,
      .num_params = 2,
      .row_reads = 0,
      .row_writes = 2,
      .has_index = false,
      .rows = cpu_pass<ForwardRows, Floats>,
      .elements = cpu_pass<ForwardElements, Floats>,
  };
  return run_cpu_row_pass(kPass, loop, params, launch);
}

}  // namespace fusewise::ops::rms_norm_rows_int8
