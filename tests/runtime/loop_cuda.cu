// Three passes as a generated op has them: what compiling one costs.
#include <fusewise/cuda/elementwise.cuh>
#include <fusewise/cuda/reduce.cuh>

#include "loop_ops.h"  // its templates use what stands above

namespace fusewise {

Status swiglu_cuda(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda<Swiglu, Floats>(loop, params, launch);
}

Status swiglu_backward_cuda(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reducing<SwigluBackward, Floats>(loop, params, launch);
}

Status swiglu_double_backward_cuda(const Loop& loop, const Number* params,
                                   const Launch& launch) {
  return run_cuda_reducing<SwigluDoubleBackward, Floats>(loop, params, launch);
}

}  // namespace fusewise
