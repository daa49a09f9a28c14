#include <fusewise/cuda/index.h>

#include <fusewise/cuda/arguments.cuh>

namespace fusewise {
namespace {

constexpr int kThreads = 256;

template <class T>
__global__ void fill_kernel(T* index, int64_t count) {
  const int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i < count) index[i] = static_cast<T>(i);
}

template <class T>
Status fill(const Loop& loop, const Launch& launch) {
  T* index = static_cast<T*>(loop.operands[0].data);
  int64_t count = loop.sizes[0];
  const auto blocks = static_cast<unsigned>((count + kThreads - 1) / kThreads);
  void* arguments[] = {&index, &count};
  const auto* const kernel = cuda::address_of(&fill_kernel<T>);
  return cuda::start(kernel, dim3(blocks), kThreads, arguments, 0, launch);
}

}  // namespace

Status fill_index_cuda(const Loop& loop, const Number*, const Launch& launch) {
  if (loop.compute == Dtype::kDouble) return fill<double>(loop, launch);
  if (loop.compute == Dtype::kInt64) return fill<int64_t>(loop, launch);
  return fill<float>(loop, launch);
}

}  // namespace fusewise
