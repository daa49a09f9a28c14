// Generated from specs/quantised/silu_and_mul_int8.yaml by `fusewise generate`. Do not edit.
// The formulas stand in silu_and_mul_int8.math.h.
#include <fusewise/cuda/pointwise.cuh>

#include "silu_and_mul_int8.math.h"

namespace fusewise::ops::silu_and_mul_int8 {

Status forward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_pointwise<Forward, Floats>(loop, params, launch);
}

}  // namespace fusewise::ops::silu_and_mul_int8
