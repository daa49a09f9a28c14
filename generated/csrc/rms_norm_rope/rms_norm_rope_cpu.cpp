// Generated from specs/norms/rms_norm_rope.yaml by `fusewise generate`. Do not edit.
// The formulas stand in rms_norm_rope.math.h.
#include <fusewise/core/rows.h>
#include <fusewise/cpu/index.h>
#include <fusewise/cpu/totals.h>
#include <fusewise/cpu/row_loop.h>

#include "rms_norm_rope.math.h"

namespace fusewise::ops::rms_norm_rope {

RT_KERNEL Status forward_totals0_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu_totals<ForwardTotals0, Floats, 0>(loop, params, launch);
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

RT_KERNEL Status backward_elements_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<BackwardElements, Floats>(loop, params, launch);
}

RT_KERNEL Status backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  static constexpr RowPhase kPhases[] = {
      {.run = backward_totals0_cpu, .num_totals = 2},
  };
  static constexpr RowPass kPass = {
      .phases = kPhases,
      .num_phases = 1,
      .num_totals = 2,
      .num_params = 1,
      .row_reads = 0,
      .row_writes = 0,
      .fill_index = nullptr,
      .rows = nullptr,
      .elements = backward_elements_cpu,
  };
  return run_row_pass(kPass, loop, params, launch);
}

RT_KERNEL Status double_backward_totals0_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu_totals<DoubleBackwardTotals0, Floats, 0>(loop, params, launch);
}

RT_KERNEL Status double_backward_elements_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<DoubleBackwardElements, Floats>(loop, params, launch);
}

RT_KERNEL Status double_backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  static constexpr RowPhase kPhases[] = {
      {.run = double_backward_totals0_cpu, .num_totals = 4},
  };
  static constexpr RowPass kPass = {
      .phases = kPhases,
      .num_phases = 1,
      .num_totals = 4,
      .num_params = 1,
      .row_reads = 0,
      .row_writes = 0,
      .fill_index = nullptr,
      .rows = nullptr,
      .elements = double_backward_elements_cpu,
  };
  return run_row_pass(kPass, loop, params, launch);
}

}  // namespace fusewise::ops::rms_norm_rope
