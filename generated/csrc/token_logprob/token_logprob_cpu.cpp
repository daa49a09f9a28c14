// Generated from specs/losses/token_logprob.yaml by `fusewise generate`. Do not edit.
// The formulas stand in token_logprob.math.h.
#include <fusewise/cpu/row_pass.h>

#include "token_logprob.math.h"

namespace fusewise::ops::token_logprob {

RT_KERNEL Status forward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  static constexpr CpuPhase kPhases[] = {
      {.terms = cpu_terms<ForwardTotals0, Floats, 1>, .num_totals = 1},
      {.terms = cpu_terms<ForwardTotals1, Floats, 0>, .num_totals = 3},
  };
  static constexpr CpuRowPass kPass = {
      .phases = kPhases,
      .num_phases = 2,
      .num_totals = 4,
      .num_params = 1,
      .row_reads = 2,
      .row_writes = 31,
      .has_index = true,
      .rows = cpu_pass<ForwardRows, Floats>,
      .elements = nullptr,
  };
  return run_cpu_row_pass(kPass, loop, params, launch);
}

RT_KERNEL Status backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  static constexpr CpuRowPass kPass = {
      .phases = nullptr,
      .num_phases = 0,
      .num_totals = 0,
      .num_params = 3,
      .row_reads = 123,
      .row_writes = 0,
      .has_index = true,
      .rows = nullptr,
      .elements = cpu_pass<BackwardElements, Floats>,
  };
  return run_cpu_row_pass(kPass, loop, params, launch);
}

RT_KERNEL Status double_backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  static constexpr CpuPhase kPhases[] = {
      {.terms = cpu_terms<DoubleBackwardTotals0, Floats, 1>, .num_totals = 1},
      {.terms = cpu_terms<DoubleBackwardTotals1, Floats, 0>, .num_totals = 5},
      {.terms = cpu_terms<DoubleBackwardTotals2, Floats, 0>, .num_totals = 2},
      {.terms = cpu_terms<DoubleBackwardTotals3, Floats, 0>, .num_totals = 1},
  };
  static constexpr CpuRowPass kPass = {
      .phases = kPhases,
      .num_phases = 4,
      .num_totals = 9,
      .num_params = 3,
      .row_reads = 22,
      .row_writes = 3,
      .has_index = true,
      .rows = cpu_pass<DoubleBackwardRows, Floats>,
      .elements = cpu_pass<DoubleBackwardElements, Floats>,
  };
  return run_cpu_row_pass(kPass, loop, params, launch);
}

}  // namespace fusewise::ops::token_logprob
