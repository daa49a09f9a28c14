#include <fusewise/cpu/row_loop.h>

#include "lltm_cell.math.h"

namespace fusewise::lltm_cell {

using Storage = Dtypes<float, double, half, bfloat16>;

RT_KERNEL Status forward_cpu(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Forward, Storage>(loop, params, launch);
}

RT_KERNEL Status backward_cpu(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Backward, Storage>(loop, params, launch);
}

RT_KERNEL Status double_backward_cpu(const Loop& loop, const Number* params,
                                     const Launch& launch) {
  return run_cpu<DoubleBackward, Storage>(loop, params, launch);
}

}  // namespace fusewise::lltm_cell
