// Generated from specs/bias/layer_scale_residual.yaml by `fusewise generate`. Do not edit.
// The formulas stand in layer_scale_residual.math.h.
#include <fusewise/cpu/row_loop.h>

#include "layer_scale_residual.math.h"

namespace fusewise::ops::layer_scale_residual {

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

}  // namespace fusewise::ops::layer_scale_residual
