// As loop_ops_cpu.cpp, apart from it because it takes long to compile with sanitizers.
#include <fusewise/cpu/row_loop.h>

#include "loop_ops.h"

namespace fusewise::ops::loops {

RT_KERNEL Status elementary_cpu(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Elementary, Floats>(loop, params, launch);
}

}  // namespace fusewise::ops::loops
