// Generated from specs/losses/softcapped_cross_entropy.yaml by `fusewise generate`. Do not edit.
// The formulas stand in softcapped_cross_entropy.math.h.
#include <fusewise/core/rows.h>
#include <fusewise/cpu/index.h>
#include <fusewise/cpu/totals.h>
#include <fusewise/cpu/row_loop.h>

#include "softcapped_cross_entropy.math.h"

namespace fusewise::ops::softcapped_cross_entropy {

RT_KERNEL Status forward_totals0_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu_totals<ForwardTotals0, Floats, 2>(loop, params, launch);
}

RT_KERNEL Status forward_totals1_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu_totals<ForwardTotals1, Floats, 0>(loop, params, launch);
}

RT_KERNEL Status forward_rows_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<ForwardRows, Floats>(loop, params, launch);
}

RT_KERNEL Status forward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  static constexpr RowPhase kPhases[] = {
      {.run = forward_totals0_cpu, .num_totals = 2},
      {.run = forward_totals1_cpu, .num_totals = 1},
  };
  static constexpr RowPass kPass = {
      .phases = kPhases,
      .num_phases = 2,
      .num_totals = 3,
      .num_params = 2,
      .row_reads = 2,
      .row_writes = 1,
      .fill_index = fill_index_cpu,
      .rows = forward_rows_cpu,
      .elements = nullptr,
  };
  return run_row_pass(kPass, loop, params, launch);
}

RT_KERNEL Status backward_totals0_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu_totals<BackwardTotals0, Floats, 1>(loop, params, launch);
}

RT_KERNEL Status backward_totals1_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu_totals<BackwardTotals1, Floats, 0>(loop, params, launch);
}

RT_KERNEL Status backward_elements_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<BackwardElements, Floats>(loop, params, launch);
}

RT_KERNEL Status backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  static constexpr RowPhase kPhases[] = {
      {.run = backward_totals0_cpu, .num_totals = 1},
      {.run = backward_totals1_cpu, .num_totals = 1},
  };
  static constexpr RowPass kPass = {
      .phases = kPhases,
      .num_phases = 2,
      .num_totals = 2,
      .num_params = 2,
      .row_reads = 5,
      .row_writes = 0,
      .fill_index = fill_index_cpu,
      .rows = nullptr,
      .elements = backward_elements_cpu,
  };
  return run_row_pass(kPass, loop, params, launch);
}

RT_KERNEL Status double_backward_totals0_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu_totals<DoubleBackwardTotals0, Floats, 1>(loop, params, launch);
}

RT_KERNEL Status double_backward_totals1_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu_totals<DoubleBackwardTotals1, Floats, 0>(loop, params, launch);
}

RT_KERNEL Status double_backward_totals2_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu_totals<DoubleBackwardTotals2, Floats, 0>(loop, params, launch);
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
      {.run = double_backward_totals0_cpu, .num_totals = 2},
      {.run = double_backward_totals1_cpu, .num_totals = 1},
      {.run = double_backward_totals2_cpu, .num_totals = 2},
  };
  static constexpr RowPass kPass = {
      .phases = kPhases,
      .num_phases = 3,
      .num_totals = 5,
      .num_params = 2,
      .row_reads = 10,
      .row_writes = 1,
      .fill_index = fill_index_cpu,
      .rows = double_backward_rows_cpu,
      .elements = double_backward_elements_cpu,
  };
  return run_row_pass(kPass, loop, params, launch);
}

}  // namespace fusewise::ops::softcapped_cross_entropy
