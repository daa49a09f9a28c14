// Generated from specs/norms/add_rms_norm.yaml by `fusewise generate`. Do not edit.
// The formulas stand in add_rms_norm.math.h.
#include <fusewise/cpu/row_pass.h>

#include "add_rms_norm.math.h"

namespace fusewise::ops::add_rms_norm {

RT_KERNEL Status forward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  static constexpr CpuPhase kPhases[] = {
      {.terms = cpu_terms<ForwardTotals0, Floats, 0>, .num_totals = 1},
  };
  static constexpr CpuRowPass kPass = {
      .phases = kPhases,
      .num_phases = 1,
      .num_totals = 1,
      .num_params = 1,
      .row_reads = 0,
      .row_writes = 0,
      .has_index = false,
      .rows = nullptr,
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
      .num_params = 2,
      .row_reads = 0,
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
  };
  static constexpr CpuRowPass kPass = {
      .phases = kPhases,
      .num_phases = 1,
      .num_totals = 4,
      .num_params = 5,
      .row_reads = 0,
      .row_writes = 0,
      .has_index = false,
      .rows = nullptr,
      .elements = cpu_pass<DoubleBackwardElements, Floats>,
  };
  return run_cpu_row_pass(kPass, loop, params, launch);
}

}  // namespace fusewise::ops::add_rms_norm
