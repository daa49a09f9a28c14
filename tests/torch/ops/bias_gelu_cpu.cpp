#include <fusewise/cpu/row_loop.h>

#include "bias_gelu.math.h"

namespace fusewise::bias_gelu {

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

}  // namespace fusewise::bias_gelu
