// Starts a kernel on a stream. Free of torch.
#include <fusewise/cuda/arguments.cuh>

namespace fusewise::cuda {

bool has_shared_bytes(size_t bytes) {
  if (bytes <= kSharedBytes) return true;
  int device = 0;
  int most = 0;
  return cudaGetDevice(&device) == cudaSuccess &&
         cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) == cudaSuccess &&
         bytes <= static_cast<size_t>(most);
}

Status start(const void* kernel, dim3 blocks, int threads, void** arguments, size_t shared_bytes,
             const Launch& launch) {
  cudaError_t error = cudaSuccess;
  if (shared_bytes > kSharedBytes) {
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes));
  }
  if (error == cudaSuccess) {
    error = cudaLaunchKernel(kernel, blocks, dim3(static_cast<unsigned>(threads)), arguments, shared_bytes,
                             static_cast<cudaStream_t>(launch.stream));
  }
  if (error == cudaSuccess) return {};
  cudaGetLastError();  // clears it, or the next launch would report it
  // A broken context fails every later call, even one that does nothing.
  const bool is_earlier = cudaFree(nullptr) == error;
  return {cudaGetErrorString(error), error, is_earlier};
}

}  // namespace fusewise::cuda
