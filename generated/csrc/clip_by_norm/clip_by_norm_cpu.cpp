// Generated from specs/basics/clip_by_norm.yaml by `fusewise generate`. Do not edit.
// The formulas stand in clip_by_norm.math.h.
#include <fusewise/cpu/row_pass.h>

#include "clip_by_norm.math.h"

namespace fusewise::ops::clip_by_norm {

RT_KERNEL Status forward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  static constexpr CpuPhase kPhases[] = {
      {.terms = cpu_terms<ForwardTotals0, Floats, 0>, .num_totals = 1},
  };
  static constexpr CpuRowPass kPass = {
      .phases = kPhases,
      .num_phases = 1,
      .num_totals = 1,
      .num_params = 2,
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
      {.terms = cpu_terms<BackwardTotals0, Floats, 0>, .num_totals = 1},
  };
  static constexpr CpuRowPass kPass = {
      .phases = kPhases,
      .num_phases = 1,
      .num_totals = 1,
      .num_params = 4,
      .row_reads = 10,
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
      .num_params = 4,
      .row_reads = 4,
      .row_writes = 2,
      .has_index = false,
      .rows = cpu_pass<DoubleBackwardRows, Floats>,
      .elements = cpu_pass<DoubleBackwardElements, Floats>,
  };
  return run_cpu_row_pass(kPass, loop, params, launch);
}

}  // namespace fusewise::ops::clip_by_norm
