// Generated from specs/losses/js_divergence.yaml by `fusewise generate`. Do not edit.
// The formulas stand in js_divergence.math.h.
#include <fusewise/cpu/row_pass.h>

#include "js_divergence.math.h"

namespace fusewise::ops::js_divergence {

RT_KERNEL Status forward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  static constexpr CpuPhase kPhases[] = {
      {.terms = cpu_terms<ForwardTotals0, Floats, 3>, .num_totals = 2},
      {.terms = cpu_terms<ForwardTotals1, Floats, 0>, .num_totals = 2},
      {.terms = cpu_terms<ForwardTotals2, Floats, 0>, .num_totals = 1},
  };
  static constexpr CpuRowPass kPass = {
      .phases = kPhases,
      .num_phases = 3,
      .num_totals = 5,
      .num_params = 1,
      .row_reads = 0,
      .row_writes = 31,
      .has_index = false,
      .rows = cpu_pass<ForwardRows, Floats>,
      .elements = nullptr,
  };
  return run_cpu_row_pass(kPass, loop, params, launch);
}

RT_KERNEL Status backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  static constexpr CpuPhase kPhases[] = {
      {.terms = cpu_terms<BackwardTotals0, Floats, 0>, .num_totals = 4},
  };
  static constexpr CpuRowPass kPass = {
      .phases = kPhases,
      .num_phases = 1,
      .num_totals = 4,
      .num_params = 1,
      .row_reads = 121,
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
      {.terms = cpu_terms<DoubleBackwardTotals0, Floats, 3>, .num_totals = 2},
      {.terms = cpu_terms<DoubleBackwardTotals1, Floats, 0>, .num_totals = 2},
      {.terms = cpu_terms<DoubleBackwardTotals2, Floats, 0>, .num_totals = 6},
      {.terms = cpu_terms<DoubleBackwardTotals3, Floats, 0>, .num_totals = 6},
  };
  static constexpr CpuRowPass kPass = {
      .phases = kPhases,
      .num_phases = 4,
      .num_totals = 16,
      .num_params = 3,
      .row_reads = 4,
      .row_writes = 1,
      .has_index = false,
      .rows = cpu_pass<DoubleBackwardRows, Floats>,
      .elements = cpu_pass<DoubleBackwardElements, Floats>,
  };
  return run_cpu_row_pass(kPass, loop, params, launch);
}

}  // namespace fusewise::ops::js_divergence
