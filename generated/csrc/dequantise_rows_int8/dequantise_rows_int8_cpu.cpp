// Generated from specs/quantised/dequantise_rows_int8.yaml by `fusewise generate`. Do not edit.
// The formulas stand in dequantise_rows_int8.math.h.
#include <fusewise/core/rows.h>
#include <fusewise/cpu/index.h>
#include <fusewise/cpu/totals.h>
#include <fusewise/cpu/row_loop.h>

#include "dequantise_rows_int8.math.h"

namespace fusewise::ops::dequantise_rows_int8 {

RT_KERNEL Status forward_elements_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<ForwardElements, Floats>(loop, params, launch);
}

RT_KERNEL Status forward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  static constexpr RowPass kPass = {
      .phases = nullptr,
      .num_phases = 0,
      .num_totals = 0,
      .num_params = 0,
      .row_reads = 2,
      .row_writes = 0,
      .fill_index = nullptr,
      .rows = nullptr,
      .elements = forward_elements_cpu,
  };
  return run_row_pass(kPass, loop, params, launch);
}

RT_KERNEL Status backward_totals0_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu_totals<BackwardTotals0, Floats, 0>(loop, params, launch);
}

RT_KERNEL Status backward_rows_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<BackwardRows, Floats>(loop, params, launch);
}

RT_KERNEL Status backward_elements_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<BackwardElements, Floats>(loop, params, launch);
}

RT_KERNEL Status backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  static constexpr RowPhase kPhases[] = {
      {.run = backward_totals0_cpu, .num_totals = 1},
  };
  static constexpr RowPass kPass = {
      .phases = kPhases,
      .num_phases = 1,
      .num_totals = 1,
      .num_params = 0,
      .row_reads = 4,
      .row_writes = 1,
      .fill_index = nullptr,
      .rows = backward_rows_cpu,
      .elements = backward_elements_cpu,
  };
  return run_row_pass(kPass, loop, params, launch);
}

RT_KERNEL Status double_backward_totals0_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu_totals<DoubleBackwardTotals0, Floats, 0>(loop, params, launch);
}

RT_KERNEL Status double_backward_rows_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<DoubleBackwardRows, Floats>(loop, params, launch);
}

RT_KERNEL Status double_backward_elements_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<DoubleBackwardElements, Floats>(loop, params, launch);
}

RT_KERNEL Status double_backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  static constexpr RowPhase kPhases[] = {
      {.run = double_backward_totals0_cpu, .num_totals = 1},
  };
  static constexpr RowPass kPass = {
      .phases = kPhases,
      .num_phases = 1,
      .num_totals = 1,
      .num_params = 0,
      .row_reads = 33,
      .row_writes = 2,
      .fill_index = nullptr,
      .rows = double_backward_rows_cpu,
      .elements = double_backward_elements_cpu,
  };
  return run_row_pass(kPass, loop, params, launch);
}

}  // namespace fusewise::ops::dequantise_rows_int8
