// Starts a kernel on a stream. Free of torch.
#include <fusewise/cuda/arguments.cuh>

namespace fusewise::cuda {

Status start(const void* kernel, dim3 blocks, int threads, void** arguments, size_t shared_bytes,
             const Launch& launch) {
  const cudaError_t error =
      cudaLaunchKernel(kernel, blocks, dim3(static_cast<unsigned>(threads)), arguments, shared_bytes,
                       static_cast<cudaStream_t>(launch.stream));
  if (error == cudaSuccess) return {};
  cudaGetLastError();  // clears it, or the next launch would report it
  // A broken context fails every later call, even one that does nothing.
  const bool is_earlier = cudaFree(nullptr) == error;
  return {cudaGetErrorString(error), error, is_earlier};
}

}  // namespace fusewise::cuda
