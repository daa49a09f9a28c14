// Generated from specs/quantised/silu_and_mul_rows_fp8.yaml by `fusewise generate`. Do not edit.
// The formulas stand in silu_and_mul_rows_fp8.math.h.
#include <fusewise/core/rows.h>
#include <fusewise/cuda/index.h>
#include <fusewise/cuda/row.cuh>
#include <fusewise/cuda/totals.cuh>
#include <fusewise/cuda/pointwise.cuh>

#include "silu_and_mul_rows_fp8.math.h"

namespace fusewise::ops::silu_and_mul_rows_fp8 {

Status forward_totals0_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_totals<ForwardTotals0, FloatsAndFloat8, 1>(loop, params, launch);
}

Status forward_rows_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_pointwise_strided<ForwardRows, FloatsAndFloat8>(loop, params, launch);
}

Status forward_elements_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_pointwise<ForwardElements, FloatsAndFloat8>(loop, params, launch);
}

Status forward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  using Passes = cuda::RowPasses<2, 2, 0, 0, 0, false, ForwardElements, ForwardRows, cuda::NoPass,
      cuda::Phase<ForwardTotals0, 1>>;
  static constexpr RowPhase kPhases[] = {
      {.run = forward_totals0_cuda, .num_totals = 1},
  };
  static constexpr RowPass kPass = {
      .phases = kPhases,
      .num_phases = 1,
      .num_totals = 1,
      .num_params = 1,
      .row_reads = 0,
      .row_writes = 2,
      .fill_index = nullptr,
      .rows = forward_rows_cuda,
      .elements = forward_elements_cuda,
      .at_once = run_cuda_rows<Passes, FloatsAndFloat8>,
  };
  return run_row_pass(kPass, loop, params, launch);
}

}  // namespace fusewise::ops::silu_and_mul_rows_fp8
