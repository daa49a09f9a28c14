#include <fusewise/cpu/row_loop.h>

#include "dequantise.math.h"

namespace fusewise::dequantise {

RT_KERNEL Status forward_cpu(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Forward, Floats>(loop, params, launch);
}

}  // namespace fusewise::dequantise
