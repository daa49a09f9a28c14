// The CPU kernels of the passes, compiled for each capability as a generated file is.
#include <fusewise/elementwise.h>

#include "loop_ops.h"

namespace fusewise::ops::loops {

RT_KERNEL const char* multiply_cpu(const Loop& loop, const double* params, const Launch& launch) {
  return run_cpu<Multiply, Numbers>(loop, params, launch);
}

RT_KERNEL const char* mix_cpu(const Loop& loop, const double* params, const Launch& launch) {
  return run_cpu<Mix, Numbers>(loop, params, launch);
}

RT_KERNEL const char* swiglu_backward_cpu(const Loop& loop, const double* params,
                                          const Launch& launch) {
  return run_cpu<SwigluBackward, Floats>(loop, params, launch);
}

RT_KERNEL const char* round_cpu(const Loop& loop, const double* params, const Launch& launch) {
  return run_cpu<Round, FloatsAndFloat8>(loop, params, launch);
}

RT_KERNEL const char* prepared_cpu(const Loop& loop, const double* params, const Launch& launch) {
  return run_cpu<Prepared, Floats>(loop, params, launch);
}

RT_KERNEL const char* functions_cpu(const Loop& loop, const double* params, const Launch& launch) {
  return run_cpu<Functions, Floats>(loop, params, launch);
}

}  // namespace fusewise::ops::loops
