// Generated from specs/basics/addone.yaml by `fusewise generate`. Do not edit.
// The formulas stand in addone.math.h.
#include <fusewise/cpu/row_loop.h>

#include "addone.math.h"

namespace fusewise::ops::addone {

RT_KERNEL Status forward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Forward, Numbers>(loop, params, launch);
}

RT_KERNEL Status backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Backward, Floats>(loop, params, launch);
}

RT_KERNEL Status double_backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<DoubleBackward, Floats>(loop, params, launch);
}

}  // namespace fusewise::ops::addone
