// Generated from specs/quantised/silu_and_mul_fp8.yaml by `fusewise generate`. Do not edit.
// The formulas stand in silu_and_mul_fp8.math.h.
#include <fusewise/cpu/row_loop.h>

#include "silu_and_mul_fp8.math.h"

namespace fusewise::ops::silu_and_mul_fp8 {

RT_KERNEL Status forward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Forward, FloatsAndFloat8>(loop, params, launch);
}

}  // namespace fusewise::ops::silu_and_mul_fp8
