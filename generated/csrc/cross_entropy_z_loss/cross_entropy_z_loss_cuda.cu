// Generated from specs/losses/cross_entropy_z_loss.yaml by `fusewise generate`. Do not edit.
// The formulas stand in cross_entropy_z_loss.math.h.
#include <fusewise/core/rows.h>
#include <fusewise/cuda/index.h>
#include <fusewise/cuda/row.cuh>
#include <fusewise/cuda/totals.cuh>
#include <fusewise/cuda/reduction.cuh>

#include "cross_entropy_z_loss.math.h"

namespace fusewise::ops::cross_entropy_z_loss {

Status forward_totals0_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_totals<ForwardTotals0, Floats, 1>(loop, params, launch);
}

Status forward_totals1_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_relative_totals<cuda::Phase<ForwardTotals0, 1>, cuda::Phase<ForwardTotals1, 0, 1,
      1, ForwardRescale>, 2, Floats>(loop, params, launch);
}

Status forward_rows_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_pointwise_strided<ForwardRows, WideFloats>(loop, params, launch);
}

Status forward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  using Passes = cuda::RowPasses<15, 12, 0, 0, 0, true, cuda::NoPass, ForwardRows, cuda::NoPass,
      cuda::Phase<ForwardTotals0, 1>, cuda::Phase<ForwardTotals1, 0, 1, 1, ForwardRescale>>;
  static constexpr RowPhase kPhases[] = {
      {.run = forward_totals0_cuda, .num_totals = 1},
      {.run = forward_totals1_cuda, .num_totals = 3},
  };
  static constexpr RowPass kPass = {
      .phases = kPhases,
      .num_phases = 2,
      .num_totals = 4,
      .num_params = 3,
      .row_reads = 2,
      .row_writes = 15,
      .fill_index = fill_index_cuda,
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
  using Passes = cuda::RowPasses<0, 0, 0, 0, 0, true, BackwardElements, cuda::NoPass,
      cuda::NoPass>;
  static constexpr RowPass kPass = {
      .phases = nullptr,
      .num_phases = 0,
      .num_totals = 0,
      .num_params = 4,
      .row_reads = 59,
      .row_writes = 0,
      .fill_index = fill_index_cuda,
      .rows = nullptr,
      .elements = backward_elements_cuda,
      .at_once = run_cuda_rows<Passes, Floats>,
  };
  return run_row_pass(kPass, loop, params, launch);
}

Status double_backward_totals0_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_totals_strided<DoubleBackwardTotals0, Floats, 1>(loop, params, launch);
}

Status double_backward_totals1_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_totals_strided<DoubleBackwardTotals1, Floats, 0>(loop, params, launch);
}

Status double_backward_totals2_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_totals_strided<DoubleBackwardTotals2, Floats, 0>(loop, params, launch);
}

Status double_backward_totals3_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_totals_strided<DoubleBackwardTotals3, Floats, 0>(loop, params, launch);
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
      {.run = double_backward_totals0_cuda, .num_totals = 2},
      {.run = double_backward_totals1_cuda, .num_totals = 2},
      {.run = double_backward_totals2_cuda, .num_totals = 2},
      {.run = double_backward_totals3_cuda, .num_totals = 1},
  };
  static constexpr RowPass kPass = {
      .phases = kPhases,
      .num_phases = 4,
      .num_totals = 7,
      .num_params = 4,
      .row_reads = 22,
      .row_writes = 3,
      .fill_index = fill_index_cuda,
      .rows = double_backward_rows_cuda,
      .elements = double_backward_elements_cuda,
  };
  return run_row_pass(kPass, loop, params, launch);
}

}  // namespace fusewise::ops::cross_entropy_z_loss
