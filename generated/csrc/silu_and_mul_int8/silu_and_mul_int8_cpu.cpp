// Generated from specs/quantised/silu_and_mul_int8.yaml by `fusewise generate`. Do not edit.
//
// out = clamp(round(silu(gate) * up / scale), -128, 127)
// forward: 3 read and 1 written for each element
#include <fusewise/cpu/elementwise.h>

#include "silu_and_mul_int8.math.h"

namespace fusewise::ops::silu_and_mul_int8 {

RT_KERNEL Status forward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Forward, Floats>(loop, params, launch);
}

}  // namespace fusewise::ops::silu_and_mul_int8
