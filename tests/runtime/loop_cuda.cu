// Three passes as a generated op has them: what compiling one costs.
#include <fusewise/cuda/pointwise.cuh>
#include <fusewise/cuda/reduction.cuh>

#include "loop_ops.h"  // its templates use what stands above

namespace fusewise {

Status swiglu_cuda(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_pointwise<Swiglu, Floats>(loop, params, launch);
}

Status swiglu_backward_cuda(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction<SwigluBackward, Floats>(loop, params, launch);
}

Status swiglu_double_backward_cuda(const Loop& loop, const Number* params,
                                   const Launch& launch) {
  return run_cuda_reduction<SwigluDoubleBackward, Floats>(loop, params, launch);
}

}  // namespace fusewise
