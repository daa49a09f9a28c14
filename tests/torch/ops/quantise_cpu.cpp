#include <fusewise/cpu/row_loop.h>

#include "quantise.math.h"

namespace fusewise::quantise {

RT_KERNEL Status forward_cpu(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Forward, FloatsAndFloat8>(loop, params, launch);
}

RT_KERNEL Status backward_cpu(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Backward, Floats>(loop, params, launch);
}

RT_KERNEL Status scale_cpu(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Scale, FloatsAndFloat8>(loop, params, launch);
}

}  // namespace fusewise::quantise
