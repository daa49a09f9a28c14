// Generated from specs/norms/channel_layer_norm.yaml by `fusewise generate`. Do not edit.
// The formulas stand in channel_layer_norm.math.h.
#include <fusewise/core/rows.h>
#include <fusewise/cuda/index.h>
#include <fusewise/cuda/row.cuh>
#include <fusewise/cuda/totals.cuh>
#include <fusewise/cuda/reduction.cuh>

#include "channel_layer_norm.math.h"

namespace fusewise::ops::channel_layer_norm {

Status forward_totals0_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_totals<ForwardTotals0, Floats, 0>(loop, params, launch);
}

Status forward_totals1_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_totals<ForwardTotals1, Floats, 0>(loop, params, launch);
}

Status forward_rows_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_pointwise_strided<ForwardRows, WideFloats>(loop, params, launch);
}

Status forward_elements_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_pointwise<ForwardElements, WideFloats>(loop, params, launch);
}

Status forward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  using Passes = cuda::RowPasses<6, 6, 6, 6, 0, false, ForwardElements, ForwardRows, cuda::NoPass,
      cuda::Phase<ForwardTotals0, 0>, cuda::Phase<ForwardTotals1, 0>>;
  static constexpr RowPhase kPhases[] = {
      {.run = forward_totals0_cuda, .num_totals = 1},
      {.run = forward_totals1_cuda, .num_totals = 1},
  };
  static constexpr RowPass kPass = {
      .phases = kPhases,
      .num_phases = 2,
      .num_totals = 2,
      .num_params = 1,
      .row_reads = 0,
      .row_writes = 6,
      .fill_index = nullptr,
      .rows = forward_rows_cuda,
      .elements = forward_elements_cuda,
      .at_once = run_cuda_rows<Passes, Floats>,
  };
  return run_row_pass(kPass, loop, params, launch);
}

Status backward_totals0_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_totals<BackwardTotals0, Floats, 0>(loop, params, launch);
}

Status backward_elements_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction<BackwardElements, WideFloats>(loop, params, launch);
}

Status backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  using Passes = cuda::RowPasses<0, 0, 4, 0, 6, false, BackwardElements, cuda::NoPass,
      cuda::NoPass, cuda::Phase<BackwardTotals0, 0>>;
  static constexpr RowPhase kPhases[] = {
      {.run = backward_totals0_cuda, .num_totals = 2},
  };
  static constexpr RowPass kPass = {
      .phases = kPhases,
      .num_phases = 1,
      .num_totals = 2,
      .num_params = 1,
      .row_reads = 24,
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

Status double_backward_totals1_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_totals_strided<DoubleBackwardTotals1, Floats, 0>(loop, params, launch);
}

Status double_backward_elements_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction_strided<DoubleBackwardElements, WideFloats>(loop, params, launch);
}

Status double_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  static constexpr RowPhase kPhases[] = {
      {.run = double_backward_totals0_cuda, .num_totals = 4},
      {.run = double_backward_totals1_cuda, .num_totals = 4},
  };
  static constexpr RowPass kPass = {
      .phases = kPhases,
      .num_phases = 2,
      .num_totals = 8,
      .num_params = 3,
      .row_reads = 0,
      .row_writes = 0,
      .fill_index = nullptr,
      .rows = nullptr,
      .elements = double_backward_elements_cuda,
  };
  return run_row_pass(kPass, loop, params, launch);
}

}  // namespace fusewise::ops::channel_layer_norm
