// Plans the kernel that transposes operands tile by tile in shared memory. Free of torch.
#include <bit>

#include <fusewise/cuda/kernels/transposed.cuh>
#include <fusewise/cuda/planning.cuh>

namespace fusewise::cuda {

namespace {

// How a loop is cut into square tiles. The first dimension in `order` is the one in which the transposed
// operands are dense.
struct TransposedPlan {
  TransposedTiling tiling;
  int order[kMaxDims];
  int num_outer;
  int64_t blocks;
  size_t shared_bytes;
};


bool is_straight(const Operand& operand) {
  return operand.data == nullptr || operand.strides[0] == 0 ||
         operand.strides[0] == size_of(operand.dtype);
}

// True if all vectors of the transposed operands are aligned, and lie along dimension `dim`.
bool is_transposed_dim(const Loop& loop, Dtype dtype, int size, int dim) {
  bool fits = loop.sizes[dim] % size == 0;
  for (int k = 0; k < num_operands(loop); ++k) {
    const Operand& operand = loop.operands[k];
    if (is_straight(operand)) continue;
    fits &= operand.dtype == dtype && operand.strides[dim] == size_of(dtype);
    fits &= reinterpret_cast<uintptr_t>(operand.data) % kVectorBytes == 0;
    for (int d = 0; d < loop.num_dims; ++d) {
      fits &= d == dim || operand.strides[d] % kVectorBytes == 0;
    }
  }
  return fits;
}

// Returns false if the operands that are neither dense nor broadcast in the inner dimension are not all dense
// in the same other dimension, or have partial or unaligned vectors.
bool plan_transposed(const Loop& loop, Dtype dtype, int size, TransposedPlan& plan) {
  if (loop.num_dims < 2 || loop.sizes[0] % size != 0) return false;
  int dim = 1;
  while (dim < loop.num_dims && !is_transposed_dim(loop, dtype, size, dim)) ++dim;
  if (dim == loop.num_dims) return false;
  plan = {};
  plan.order[0] = dim;
  plan.num_outer = 1;
  const int64_t side = kTileVectors * size;
  plan.tiling.across = FastDivisor(ceil_div(loop.sizes[0], side));
  plan.tiling.down = FastDivisor(ceil_div(loop.sizes[dim], side));
  plan.blocks = plan.tiling.across.value * plan.tiling.down.value;
  for (int d = 1; d < loop.num_dims; ++d) {
    if (d == dim) continue;
    plan.order[plan.num_outer++] = d;
    plan.blocks *= loop.sizes[d];
  }
  for (int k = 0; k < num_operands(loop); ++k) {
    plan.tiling.transposed |= static_cast<uint32_t>(!is_straight(loop.operands[k])) << k;
  }
  plan.shared_bytes =
      static_cast<size_t>(std::popcount(plan.tiling.transposed) * side * kTilePitch * 4);
  return plan.shared_bytes <= kSharedBytes && plan.blocks <= kMaxBlocks;
}

}  // namespace

template <class T>
bool run_transposed(const KernelInfo& info, Dtype dtype, const ArgumentsRef<T>& arguments,
                    const Loop& loop, const Number* params, const Launch& launch, Status& status) {
  TransposedPlan plan;
  if (!plan_transposed(loop, dtype, info.size, plan)) return false;
  set_arguments(info, loop, params, plan.order, plan.num_outer, arguments);
  void* of_kernel[] = {arguments.all, &plan.tiling};
  const dim3 blocks(static_cast<unsigned>(plan.blocks));
  status = start(info.kernel, blocks, kBlockThreads, of_kernel, plan.shared_bytes, launch);
  return true;
}

template bool run_transposed(const KernelInfo&, Dtype, const ArgumentsRef<rt::LowPrecision>&,
                             const Loop&, const Number*, const Launch&, Status&);
template bool run_transposed(const KernelInfo&, Dtype, const ArgumentsRef<float>&, const Loop&,
                             const Number*, const Launch&, Status&);

}  // namespace fusewise::cuda
