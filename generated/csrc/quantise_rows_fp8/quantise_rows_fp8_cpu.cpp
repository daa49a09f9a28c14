// Generated from specs/quantised/quantise_rows_fp8.yaml by `fusewise generate`. Do not edit.
// The formulas stand in quantise_rows_fp8.math.h.
#include <fusewise/core/rows.h>
#include <fusewise/cpu/index.h>
#include <fusewise/cpu/totals.h>
#include <fusewise/cpu/row_loop.h>

#include "quantise_rows_fp8.math.h"

namespace fusewise::ops::quantise_rows_fp8 {

RT_KERNEL Status forward_totals0_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu_totals<ForwardTotals0, FloatsAndFloat8, 1>(loop, params, launch);
}

RT_KERNEL Status forward_rows_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<ForwardRows, FloatsAndFloat8>(loop, params, launch);
}

RT_KERNEL Status forward_elements_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<ForwardElements, FloatsAndFloat8>(loop, params, launch);
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

}  // namespace fusewise::ops::quantise_rows_fp8
