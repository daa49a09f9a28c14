// Generated from specs/softmax/sink_softmax.yaml by `fusewise generate`. Do not edit.
// The formulas stand in sink_softmax.math.h.
#include <fusewise/cpu/row_pass.h>

#include "sink_softmax.math.h"

namespace fusewise::ops::sink_softmax {

RT_KERNEL Status forward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  static constexpr CpuPhase kPhases[] = {
      {.terms = cpu_terms<ForwardTotals0, Floats, 1>, .num_totals = 1},
      {.terms = cpu_terms<ForwardTotals1, Floats, 0, 0>, .num_totals = 1},
  };
  static constexpr CpuRowPass kPass = {
      .phases = kPhases,
      .num_phases = 2,
      .num_totals = 2,
      .num_params = 1,
      .row_reads = 2,
      .row_writes = 6,
      .has_index = false,
      .rows = cpu_pass<ForwardRows, Floats>,
      .elements = cpu_pass<ForwardElements, Floats>,
      .held_elements = cpu_pass<ForwardHeldElements, Floats>,
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
      .num_params = 1,
      .row_reads = 28,
      .row_writes = 2,
      .has_index = false,
      .rows = cpu_pass<BackwardRows, Floats>,
      .elements = cpu_pass<BackwardElements, Floats>,
  };
  return run_cpu_row_pass(kPass, loop, params, launch);
}

RT_KERNEL Status double_backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  static constexpr CpuPhase kPhases[] = {
      {.terms = cpu_terms<DoubleBackwardTotals0, Floats, 1>, .num_totals = 1},
      {.terms = cpu_terms<DoubleBackwardTotals1, Floats, 0>, .num_totals = 3},
      {.terms = cpu_terms<DoubleBackwardTotals2, Floats, 0>, .num_totals = 1},
  };
  static constexpr CpuRowPass kPass = {
      .phases = kPhases,
      .num_phases = 3,
      .num_totals = 5,
      .num_params = 3,
      .row_reads = 18,
      .row_writes = 4,
      .has_index = false,
      .rows = cpu_pass<DoubleBackwardRows, Floats>,
      .elements = cpu_pass<DoubleBackwardElements, Floats>,
  };
  return run_cpu_row_pass(kPass, loop, params, launch);
}

}  // namespace fusewise::ops::sink_softmax
