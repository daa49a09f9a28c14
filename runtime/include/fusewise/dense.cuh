// Runs the derivatives of an op of one tensor on the GPU. There is nothing to broadcast it with, so no
// gradient is a sum, and the kernels that sum are half of an op's code. Free of torch.
#pragma once

#include <fusewise/elementwise.cuh>

namespace fusewise {

template <class Op, class Storage, bool kWithVectors = true>
const char* run_cuda_dense(const Loop& loop, const double* params, const Launch& launch) {
  if (has_reduced_write(loop)) return "a gradient would be a sum: pass tensors of one shape";
  if (numel(loop) == 0) return nullptr;
  return cuda::Dispatch<cuda::Elementwise<Op, kWithVectors>, Storage>::run(loop, params, launch);
}

// For passes that seldom run: without the vector kernels, which take long to compile.
template <class Op, class Storage>
const char* run_cuda_dense_small(const Loop& loop, const double* params, const Launch& launch) {
  return run_cuda_dense<Op, Storage, false>(loop, params, launch);
}

}  // namespace fusewise
