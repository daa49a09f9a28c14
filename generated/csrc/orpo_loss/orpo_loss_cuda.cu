// Generated from specs/losses/orpo_loss.yaml by `fusewise generate`. Do not edit.
// The formulas stand in orpo_loss.math.h.
#include <fusewise/core/rows.h>
#include <fusewise/cuda/index.h>
#include <fusewise/cuda/row.cuh>
#include <fusewise/cuda/totals.cuh>
#include <fusewise/cuda/reduction.cuh>

#include "orpo_loss.math.h"

namespace fusewise::ops::orpo_loss {

Status forward_totals0_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_totals<ForwardTotals0, Floats, 0>(loop, params, launch);
}

Status forward_rows_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_pointwise_strided<ForwardRows, WideFloats>(loop, params, launch);
}

Status forward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  using Passes = cuda::RowPasses<63, 60, 0, 0, 0, false, cuda::NoPass, ForwardRows, cuda::NoPass,
      cuda::Phase<ForwardTotals0, 0>>;
  static constexpr RowPhase kPhases[] = {
      {.run = forward_totals0_cuda, .num_totals = 4},
  };
  static constexpr RowPass kPass = {
      .phases = kPhases,
      .num_phases = 1,
      .num_totals = 4,
      .num_params = 1,
      .row_reads = 0,
      .row_writes = 63,
      .fill_index = nullptr,
      .rows = forward_rows_cuda,
      .elements = nullptr,
      .at_once = run_cuda_rows<Passes, Floats>,
  };
  return run_row_pass(kPass, loop, params, launch);
}

Status backward_elements_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction<BackwardElements, WideFloats>(loop, params, launch);
}

Status backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  using Passes = cuda::RowPasses<0, 0, 0, 0, 0, false, BackwardElements, cuda::NoPass,
      cuda::NoPass>;
  static constexpr RowPass kPass = {
      .phases = nullptr,
      .num_phases = 0,
      .num_totals = 0,
      .num_params = 3,
      .row_reads = 963,
      .row_writes = 0,
      .fill_index = nullptr,
      .rows = nullptr,
      .elements = backward_elements_cuda,
      .at_once = run_cuda_rows<Passes, Floats>,
  };
  return run_row_pass(kPass, loop, params, launch);
}

Status double_backward_totals0_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_totals_strided<DoubleBackwardTotals0, Floats, 0>(loop, params, launch);
}

Status double_backward_rows_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction_strided<DoubleBackwardRows, WideFloats>(loop, params, launch);
}

Status double_backward_elements_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction_strided<DoubleBackwardElements, WideFloats>(loop, params, launch);
}

Status double_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  static constexpr RowPhase kPhases[] = {
      {.run = double_backward_totals0_cuda, .num_totals = 6},
  };
  static constexpr RowPass kPass = {
      .phases = kPhases,
      .num_phases = 1,
      .num_totals = 6,
      .num_params = 5,
      .row_reads = 12,
      .row_writes = 3,
      .fill_index = nullptr,
      .rows = double_backward_rows_cuda,
      .elements = double_backward_elements_cuda,
  };
  return run_row_pass(kPass, loop, params, launch);
}

}  // namespace fusewise::ops::orpo_loss
