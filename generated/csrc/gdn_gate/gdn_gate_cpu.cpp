// Generated from specs/gates/gdn_gate.yaml by `fusewise generate`. Do not edit.
// The formulas stand in gdn_gate.math.h.
#include <fusewise/cpu/row_loop.h>

#include "gdn_gate.math.h"

namespace fusewise::ops::gdn_gate {

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

}  // namespace fusewise::ops::gdn_gate
