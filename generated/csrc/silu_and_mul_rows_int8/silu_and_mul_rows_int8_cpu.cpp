// Generated from specs/quantised/silu_and_mul_rows_int8.yaml by `fusewise generate`. Do not edit.
// The formulas stand in silu_and_mul_rows_int8.math.h.
#include <fusewise/core/rows.h>
#include <fusewise/cpu/index.h>
#include <fusewise/cpu/totals.h>
#include <fusewise/cpu/row_loop.h>

#include "silu_and_mul_rows_int8.math.h"

namespace fusewise::ops::silu_and_mul_rows_int8 {

RT_KERNEL Status forward_totals0_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu_totals<ForwardTotals0, Floats, 1>(loop, params, launch);
}

RT_KERNEL Status forward_rows_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<ForwardRows, Floats>(loop, params, launch);
}

RT_KERNEL Status forward_elements_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<ForwardElements, Floats>(loop, params, launch);
}

RT_KERNEL Status forward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  static constexpr RowPhase kPhases[] = {
      {.run = forward_totals0_cpu, .num_totals = 1},
  };
  static constexpr RowPass kPass = {
      .phases = kPhases,
      .num_phases = 1,
      .num_totals = 1,
      .num_params = 1,
      .row_reads = 0,
      .row_writes = 2,
      .fill_index = nullptr,
      .rows = forward_rows_cpu,
      .elements = forward_elements_cpu,
  };
  return run_row_pass(kPass, loop, params, launch);
}

}  // namespace fusewise::ops::silu_and_mul_rows_int8
