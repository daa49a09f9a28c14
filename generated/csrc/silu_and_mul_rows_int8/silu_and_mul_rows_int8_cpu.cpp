// Generated from specs/quantised/silu_and_mul_rows_int8.yaml by `fusewise generate`. Do not edit.
// The formulas stand in silu_and_mul_rows_int8.math.h.
#include <fusewise/cpu/row_pass.h>

#include "silu_and_mul_rows_int8.math.h"

namespace fusewise::ops::silu_and_mul_rows_int8 {

RT_KERNEL Status forward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  static constexpr CpuPhase kPhases[] = {
      {.terms = cpu_terms<ForwardTotals0, Floats, 1>, .num_totals = 1},
  };
  static constexpr CpuRowPass kPass = {
      .phases = kPhases,
      .num_phases = 1,
      .num_totals = 1,
      .num_params = 1,
      .row_reads = 0,
      .row_writes = 2,
      .has_index = false,
      .rows = cpu_pass<ForwardRows, Floats>,
      .elements = cpu_pass<ForwardElements, Floats>,
  };
  return run_cpu_row_pass(kPass, loop, params, launch);
}

}  // namespace fusewise::ops::silu_and_mul_rows_int8
