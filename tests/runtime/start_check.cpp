// Starts a kernel with stubs in place of the CUDA runtime, in which a launch fails, and prints the message.
// Arguments: the error of the launch, the major and minor compute capability of the GPU, bytes of shared memory.
// The argument `clusters` prints whether clusters of 8 and of 16 blocks run where these have 8 multiprocessors.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime_api.h>

#include <fusewise/core/loop.h>

namespace fusewise::cuda {

// Declared in arguments.cuh, which a compiler without CUDA cannot read.
Status start(const void* kernel, dim3 blocks, int threads, void** arguments, size_t shared_bytes,
             const Launch& launch, bool is_clustered = false);
bool has_clusters(int64_t blocks);

}  // namespace fusewise::cuda

namespace {

cudaError_t launch_error;
int major, minor;
// Bytes of shared memory: of a block at most, of the kernel's own variables, and of those that a launch may ask for.
constexpr int kMost = 99 << 10, kOwn = 1 << 10;
int granted = 48 << 10;

}  // namespace

extern "C" {

cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, size_t bytes, cudaStream_t) {
  return bytes > static_cast<size_t>(granted) ? cudaErrorInvalidValue : launch_error;
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t*, const void*, void**) { return launch_error; }
cudaError_t cudaGetLastError() { return launch_error; }
cudaError_t cudaFree(void*) { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t) { return "what CUDA says"; }

cudaError_t cudaGetDevice(int* device) {
  *device = 1;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* found, cudaDeviceAttr, int) {
  *found = kMost;
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* found, const void*) {
  found->sharedSizeBytes = kOwn;
  found->binaryVersion = 90;
  return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute attribute, int bytes) {
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  if (bytes > kMost - kOwn) return cudaErrorInvalidValue;
  granted = bytes;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* found, int device) {
  std::strcpy(found->name, device == 1 ? "NVIDIA GPU of a test" : "another");
  found->major = major;
  found->minor = minor;
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveClusters(int* found, const void*, const cudaLaunchConfig_t* launch) {
  *found = 2 * launch->dynamicSmemBytes <= kMost;  // two blocks share a multiprocessor
  return cudaSuccess;
}

// nvcc calls these where a program begins and ends, and for a kernel.
void** __cudaRegisterFatBinary(void*) { return nullptr; }
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) { return 0; }
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*) {}
unsigned __cudaPopCallConfiguration(dim3*, dim3*, size_t*, void*) { return 0; }
cudaError_t __cudaGetKernel(cudaKernel_t*, const void*) { return launch_error; }
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, size_t, cudaStream_t) { return launch_error; }

}  // extern "C"

int main(int, char** arguments) {
  if (std::strcmp(arguments[1], "clusters") == 0) {
    std::printf("%d %d\n", fusewise::cuda::has_clusters(8), fusewise::cuda::has_clusters(16));
    return 0;
  }
  launch_error = static_cast<cudaError_t>(std::atoi(arguments[1]));
  major = std::atoi(arguments[2]);
  minor = std::atoi(arguments[3]);
  const auto bytes = static_cast<size_t>(std::atoi(arguments[4]));
  const fusewise::Launch launch{};
  for (int k = 0; k < 2; ++k) {
    const fusewise::Status status = fusewise::cuda::start(nullptr, dim3(1), 32, nullptr, bytes, launch);
    if (k == 1) std::printf("%s\n", status.failed() ? status.message : "started");
  }
}
