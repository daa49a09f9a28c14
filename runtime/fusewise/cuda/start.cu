// Starts a kernel on a stream. Free of torch.
#include <map>
#include <mutex>
#include <string>

#include <fusewise/cuda/arguments.cuh>

namespace fusewise::cuda {

namespace {

// The architectures that nvcc compiles this package for, such as 800 for sm_80.
constexpr int kBuiltFor[] = {__CUDA_ARCH_LIST__};

std::string describe_missing_image(cudaError_t error, const cudaDeviceProp& gpu) {
  const std::string arch = std::to_string(10 * gpu.major + gpu.minor);
  const std::string capability = std::to_string(gpu.major) + "." + std::to_string(gpu.minor);
  std::string text = std::string(cudaGetErrorString(error)) + ". This package is built for ";
  for (const int built : kBuiltFor) text += "sm_" + std::to_string(built / 10) + ", ";
  text += "and not for sm_" + arch + " (" + gpu.name + ", compute capability " + capability + ")\n  hint: ";
  if (error == cudaErrorUnsupportedPtxVersion) text += "update the driver, or build for this GPU: ";
  return text + "FUSEWISE_ARCHS=\"" + arch + "\" fusewise build, or `pip wheel` with this setting";
}

// The message for the current GPU, if the package has no code that runs there. It lives as long as the program.
const char* message_of(cudaError_t error) {
  int device;
  cudaDeviceProp gpu;
  const bool is_missing = error == cudaErrorNoKernelImageForDevice || error == cudaErrorUnsupportedPtxVersion;
  if (!is_missing || cudaGetDevice(&device) != cudaSuccess ||
      cudaGetDeviceProperties(&gpu, device) != cudaSuccess) {
    return cudaGetErrorString(error);
  }
  static std::mutex mutex;
  static auto& messages = *new std::map<int, std::string>;
  const std::lock_guard lock(mutex);
  return messages.try_emplace(device, describe_missing_image(error, gpu)).first->second.c_str();
}

}  // namespace

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
  return {message_of(error), error, is_earlier};
}

}  // namespace fusewise::cuda
