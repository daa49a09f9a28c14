#include <fusewise/elementwise.h>

#include "lltm_cell.math.h"

namespace fusewise::lltm_cell {

using Storage = Dtypes<float, double, half, bfloat16>;

RT_KERNEL const char* forward_cpu(const Loop& loop, const double* params, const Launch& launch) {
  return run_cpu<Forward, Storage>(loop, params, launch);
}

RT_KERNEL const char* backward_cpu(const Loop& loop, const double* params, const Launch& launch) {
  return run_cpu<Backward, Storage>(loop, params, launch);
}

RT_KERNEL const char* double_backward_cpu(const Loop& loop, const double* params,
                                          const Launch& launch) {
  return run_cpu<DoubleBackward, Storage>(loop, params, launch);
}

}  // namespace fusewise::lltm_cell
