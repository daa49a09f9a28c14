// Generated from specs/losses/cosine_embedding_loss.yaml by `fusewise generate`. Do not edit.
// The formulas stand in cosine_embedding_loss.math.h.
#include <fusewise/cpu/row_pass.h>

#include "cosine_embedding_loss.math.h"

namespace fusewise::ops::cosine_embedding_loss {

RT_KERNEL Status forward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  static constexpr CpuPhase kPhases[] = {
      {.terms = cpu_terms<ForwardTotals0, Floats, 0>, .num_totals = 3},
  };
  static constexpr CpuRowPass kPass = {
      .phases = kPhases,
      .num_phases = 1,
      .num_totals = 3,
      .num_params = 2,
      .row_reads = 4,
      .row_writes = 15,
      .has_index = false,
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
      .num_params = 2,
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
      {.terms = cpu_terms<DoubleBackwardTotals0, Floats, 0>, .num_totals = 6},
  };
  static constexpr CpuRowPass kPass = {
      .phases = kPhases,
      .num_phases = 1,
      .num_totals = 6,
      .num_params = 4,
      .row_reads = 36,
      .row_writes = 1,
      .has_index = false,
      .rows = cpu_pass<DoubleBackwardRows, Floats>,
      .elements = cpu_pass<DoubleBackwardElements, Floats>,
  };
  return run_cpu_row_pass(kPass, loop, params, launch);
}

}  // namespace fusewise::ops::cosine_embedding_loss
