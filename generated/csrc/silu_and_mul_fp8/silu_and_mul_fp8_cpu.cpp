// Generated from specs/quantised/silu_and_mul_fp8.yaml by `fusewise generate`. Do not edit.
//
// out = clamp(silu(gate) * up / scale, -448, 448)
// forward: 3 read and 1 written for each element
#include <fusewise/cpu/elementwise.h>

#include "silu_and_mul_fp8.math.h"

namespace fusewise::ops::silu_and_mul_fp8 {

RT_KERNEL Status forward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Forward, FloatsAndFloat8>(loop, params, launch);
}

}  // namespace fusewise::ops::silu_and_mul_fp8
