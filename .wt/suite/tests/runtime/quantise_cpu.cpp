#include <fusewise/elementwise.h>

#include "quantise.math.h"

namespace fusewise::quantise {

RT_KERNEL const char* forward_cpu(const Loop& loop, const double* params, const Launch& launch) {
  return run_cpu<Forward, FloatsAndFloat8>(loop, params, launch);
}

RT_KERNEL const char* backward_cpu(const Loop& loop, const double* params, const Launch& launch) {
  return run_cpu<Backward, Floats>(loop, params, launch);
}

RT_KERNEL const char* scale_cpu(const Loop& loop, const double* params, const Launch& launch) {
  return run_cpu<Scale, FloatsAndFloat8>(loop, params, launch);
}

}  // namespace fusewise::quantise
