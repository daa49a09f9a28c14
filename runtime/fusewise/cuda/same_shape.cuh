// Runs the derivatives of an op of one tensor on a GPU. Its tensor is never broadcast, so no gradient is a sum, and
// the op needs no reduction kernels, which would be half of its code. Free of torch.
#pragma once

#include <fusewise/cuda/pointwise.cuh>

namespace fusewise {

template <class Op, class Storage, bool kWithVectors = true>
Status run_cuda_same_shape(const Loop& loop, const Number* params, const Launch& launch) {
  if (has_reduced_write(loop)) return {"a gradient would be a sum: pass tensors of one shape"};
  return run_cuda_pointwise<Op, Storage, kWithVectors>(loop, params, launch);
}

template <class Op, class Storage>
Status run_cuda_same_shape_strided(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_same_shape<Op, Storage, false>(loop, params, launch);
}

}  // namespace fusewise
