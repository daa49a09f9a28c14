// Generated from specs/quantised/lsq_quantise.yaml by `fusewise generate`. Do not edit.
// The formulas stand in lsq_quantise.math.h.
#include <fusewise/cpu/row_loop.h>

#include "lsq_quantise.math.h"

namespace fusewise::ops::lsq_quantise {

RT_KERNEL Status forward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Forward, Floats>(loop, params, launch);
}

RT_KERNEL Status backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Backward, Floats>(loop, params, launch);
}

RT_KERNEL Status double_backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<DoubleBackward, Floats>(loop, params, launch);
}

}  // namespace fusewise::ops::lsq_quantise
