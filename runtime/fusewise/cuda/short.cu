// Plans the kernel of short loops, whose time is mostly that of a launch. Free of torch.
#include <fusewise/cuda/kernels/short.cuh>
#include <fusewise/cuda/planning.cuh>

namespace fusewise::cuda {

namespace {

// A loop is short up to so many vectors: half of them if a vector has two elements, a quarter if a thread
// hoists row values. Its rows must be long enough that few threads of a block stay idle.
constexpr int64_t kShortVectors = 1 << 19;
constexpr int64_t kShortRow = 32;
constexpr int64_t kShortBlocks = 4096;

}  // namespace

template <class T>
bool run_short(const KernelInfo& info, const ShortArgumentsRef<T>& arguments, const Loop& loop,
               const Number* params, const Launch& launch, Status& status) {
  if (loop.num_dims == 0 || loop.num_dims > 3 || loop.sizes[0] % info.size != 0) return false;
  const int64_t vectors = numel(loop) / info.size;
  const int64_t row = loop.sizes[0] / info.size;
  const int64_t share = (info.hoisted_from & info.row_scalars) != 0 ? 4 : info.size == 2 ? 2 : 1;
  if (vectors > kShortVectors / share) return false;
  if (loop.num_dims > 1 && row < kShortRow) return false;
  const int most = vectors < kManyBlocks * kFewThreads ? kFewThreads : kBlockVectors;
  const int64_t row_blocks = ceil_div(row, int64_t{most});
  if (vectors / row * row_blocks > kShortBlocks || is_large(loop, info.size)) return false;
  arguments.traits = {static_cast<uint32_t>(row), loop.num_dims > 1};
  const int operands = num_operands(loop);
  for (int k = 0; k < operands; ++k) {
    const Operand& operand = loop.operands[k];
    const bool is_dense = is_contiguous(loop, operand, info.size);
    if (!operand_matches_specialization(info, loop, k, is_dense)) return false;
    arguments.data[k] = static_cast<char*>(operand.data);
    for (int d : {1, 2}) {
      const int64_t stride = d < loop.num_dims ? operand.strides[d] : 0;
      arguments.strides[(d - 1) * operands + k] = static_cast<uint32_t>(stride);
    }
  }
  for (int i = 0; i < info.num_params; ++i) arguments.params[i] = params[i].as<T>();
  const auto threads = static_cast<int>(ceil_div(row, 32 * row_blocks) * 32);
  const auto size_of = [&](int d) {
    return static_cast<unsigned>(d < loop.num_dims ? loop.sizes[d] : 1);
  };
  const dim3 blocks(static_cast<unsigned>(row_blocks), size_of(1), size_of(2));
  void* of_kernel[] = {arguments.all};
  status = start(info.kernel, blocks, threads, of_kernel, 0, launch);
  return true;
}

template bool run_short(const KernelInfo&, const ShortArgumentsRef<rt::LowPrecision>&, const Loop&,
                        const Number*, const Launch&, Status&);
template bool run_short(const KernelInfo&, const ShortArgumentsRef<float>&, const Loop&,
                        const Number*, const Launch&, Status&);

}  // namespace fusewise::cuda
