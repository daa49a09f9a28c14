// Generated from specs/bias/bias_dropout_add.yaml by `fusewise generate`. Do not edit.
// The formulas stand in bias_dropout_add.math.h.
#include <fusewise/cpu/row_loop.h>

#include "bias_dropout_add.math.h"

namespace fusewise::ops::bias_dropout_add {

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

}  // namespace fusewise::ops::bias_dropout_add
