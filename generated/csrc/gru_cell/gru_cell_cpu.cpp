// Generated from specs/recurrent/gru_cell.yaml by `fusewise generate`. Do not edit.
// The formulas stand in gru_cell.math.h.
#include <fusewise/cpu/row_loop.h>

#include "gru_cell.math.h"

namespace fusewise::ops::gru_cell {

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

}  // namespace fusewise::ops::gru_cell
