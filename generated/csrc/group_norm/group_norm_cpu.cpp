// Generated from specs/norms/group_norm.yaml by `fusewise generate`. Do not edit.
// The formulas stand in group_norm.math.h.
#include <fusewise/cpu/row_pass.h>

#include "group_norm.math.h"

namespace fusewise::ops::group_norm {

RT_KERNEL Status forward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  static constexpr CpuPhase kPhases[] = {
      {.terms = cpu_terms<ForwardTotals0, Floats, 0>, .num_totals = 1},
      {.terms = cpu_terms<ForwardTotals1, Floats, 0>, .num_totals = 1},
  };
  static constexpr CpuRowPass kPass = {
      .phases = kPhases,
      .num_phases = 2,
      .num_totals = 2,
      .num_params = 1,
      .row_reads = 0,
      .row_writes = 6,
      .has_index = false,
      .rows = cpu_pass<ForwardRows, Floats>,
      .elements = cpu_pass<ForwardElements, Floats>,
  };
  return run_cpu_row_pass(kPass, loop, params, launch);
}

RT_KERNEL Status backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  static constexpr CpuPhase kPhases[] = {
      {.terms = cpu_terms<BackwardTotals0, Floats, 0>, .num_totals = 2},
  };
  static constexpr CpuRowPass kPass = {
      .phases = kPhases,
      .num_phases = 1,
      .num_totals = 2,
      .num_params = 1,
      .row_reads = 24,
      .row_writes = 0,
      .has_index = false,
      .rows = nullptr,
      .elements = cpu_pass<BackwardElements, Floats>,
  };
  return run_cpu_row_pass(kPass, loop, params, launch);
}

RT_KERNEL Status double_backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  static constexpr CpuPhase kPhases[] = {
      {.terms = cpu_terms<DoubleBackwardTotals0, Floats, 0>, .num_totals = 4},
      {.terms = cpu_terms<DoubleBackwardTotals1, Floats, 0>, .num_totals = 4},
  };
  static constexpr CpuRowPass kPass = {
      .phases = kPhases,
      .num_phases = 2,
      .num_totals = 8,
      .num_params = 3,
      .row_reads = 0,
      .row_writes = 0,
      .has_index = false,
      .rows = nullptr,
      .elements = cpu_pass<DoubleBackwardElements, Floats>,
  };
  return run_cpu_row_pass(kPass, loop, params, launch);
}

}  // namespace fusewise::ops::group_norm
