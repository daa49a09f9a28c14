#include <fusewise/elementwise.h>

#include "dequantise.math.h"

namespace fusewise::dequantise {

RT_KERNEL const char* forward_cpu(const Loop& loop, const double* params, const Launch& launch) {
  return run_cpu<Forward, Floats>(loop, params, launch);
}

}  // namespace fusewise::dequantise
