// Generated from specs/quantised/rms_norm_rows_int8.yaml by `fusewise generate`. Do not edit.
// The formulas stand in rms_norm_rows_int8.math.h.
#include <fusewise/core/rows.h>
#include <fusewise/cpu/index.h>
#include <fusewise/cpu/totals.h>
#include <fusewise/cpu/row_loop.h>

#include "rms_norm_rows_int8.math.h"

namespace fusewise::ops::rms_norm_rows_int8 {

RT_KERNEL Status forward_totals0_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu_totals<ForwardTotals0, Floats, 0>(loop, params, launch);
}

RT_KERNEL Status forward_totals1_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu_totals<ForwardTotals1, Floats, 1>(loop, params, launch);
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
      {.run = forward_totals1_cpu, .num_totals = 1},
  };
  static constexpr RowPass kPass = {
      .phases = kPhases,
      .num_phases = 2,
      .num_totals = 2,
      .num_params = 2,
      .row_reads = 0,
      .row_writes = 2,
      .fill_index = nullptr,
      .rows = forward_rows_cpu,
      .elements = forward_elements_cpu,
  };
  return run_row_pass(kPass, loop, params, launch);
}

}  // namespace fusewise::ops::rms_norm_rows_int8
