// Starts a kernel on a stream. Free of torch.
#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include <fusewise/cuda/arguments.cuh>

namespace fusewise::cuda {

namespace {

// Parts of a GPU may lack the multiprocessors for clusters of eight blocks.
constexpr int kClusterMultiprocessors = 64;

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

// Allows a kernel all the shared memory of the current GPU's blocks, and clusters of more blocks than are portable,
// once. If a call allowed the bytes that it needs, another thread could allow fewer before the kernel starts.
cudaError_t allow_all(const void* kernel) {
  static std::mutex mutex;
  static auto& allowed = *new std::set<std::pair<int, const void*>>;
  int device = 0;
  int most = 0;
  cudaFuncAttributes attributes;
  cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess) return error;
  const std::lock_guard lock(mutex);
  if (allowed.contains({device, kernel})) return cudaSuccess;
  error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, kernel);
  if (error != cudaSuccess) return error;
  const int dynamic = most - static_cast<int>(attributes.sharedSizeBytes);
  error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, dynamic);
  if (error == cudaSuccess && attributes.binaryVersion >= 90) {
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  }
  if (error == cudaSuccess) allowed.emplace(device, kernel);
  return error;
}

// Calls `body` with a configuration of which the blocks along y are a cluster.
template <class Body>
cudaError_t with_clusters(dim3 blocks, int threads, size_t shared_bytes, cudaStream_t stream, const Body& body) {
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = cluster.val.clusterDim.z = 1;
  cluster.val.clusterDim.y = blocks.y;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = 1;
  return body(config);
}

cudaError_t launch_kernel(const void* kernel, dim3 blocks, int threads, void** arguments, size_t shared_bytes,
                          const Launch& launch, bool is_clustered) {
  auto* const stream = static_cast<cudaStream_t>(launch.stream);
  if (!is_clustered) {
    const dim3 block(static_cast<unsigned>(threads));
    return cudaLaunchKernel(kernel, blocks, block, arguments, shared_bytes, stream);
  }
  return with_clusters(blocks, threads, shared_bytes, stream, [&](const cudaLaunchConfig_t& config) {
    return cudaLaunchKernelExC(&config, kernel, arguments);
  });
}

__global__ void empty_kernel() {}

// The blocks of the largest clusters of the current GPU, if each takes a multiprocessor of its own. Part of a GPU, or a
// GPU of which parts are disabled, may have too few of these side by side for more blocks than are portable.
int find_max_blocks(int device) {
  constexpr int kThreads = 32;
  const auto* const kernel = reinterpret_cast<const void*>(&empty_kernel);
  int most = 0;  // bytes of shared memory
  int clusters = 0;
  const auto count = [&](const cudaLaunchConfig_t& config) {
    return cudaOccupancyMaxActiveClusters(&clusters, kernel, &config);
  };
  const dim3 blocks(1, kMaxClusterBlocks);
  const bool is_known =
      cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) == cudaSuccess &&
      allow_all(kernel) == cudaSuccess &&
      with_clusters(blocks, kThreads, static_cast<size_t>(most), nullptr, count) == cudaSuccess;
  if (!is_known) cudaGetLastError();  // clears the error, or the next launch would report it
  return is_known && clusters > 0 ? kMaxClusterBlocks : kPortableBlocks;
}

int max_blocks(int device) {
  static std::mutex mutex;
  static auto& found = *new std::map<int, int>;
  const std::lock_guard lock(mutex);
  const auto [place, is_new] = found.try_emplace(device, 0);
  if (is_new) place->second = find_max_blocks(device);
  return place->second;
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

bool has_clusters(int64_t blocks) {
  int device = 0;
  int major = 0;
  int minor = 0;
  int multiprocessors = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess ||
      cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device) != cudaSuccess) {
    return false;
  }
  // The code that runs is that of the newest architecture which is not newer than the GPU.
  int newest = 0;
  for (const int built : kBuiltFor) {
    if (built <= 100 * major + 10 * minor) newest = std::max(newest, built);
  }
  if (newest < 900 || multiprocessors < kClusterMultiprocessors) return false;
  return blocks <= kPortableBlocks || blocks <= max_blocks(device);
}

Status start(const void* kernel, dim3 blocks, int threads, void** arguments, size_t shared_bytes,
             const Launch& launch, bool is_clustered) {
  cudaError_t error = cudaSuccess;
  if (shared_bytes > kSharedBytes || (is_clustered && blocks.y > kPortableBlocks)) error = allow_all(kernel);
  if (error == cudaSuccess) {
    error = launch_kernel(kernel, blocks, threads, arguments, shared_bytes, launch, is_clustered);
  }
  if (error == cudaSuccess) return {};
  cudaGetLastError();  // clears it, or the next launch would report it
  // A broken context fails every later call, even one that does nothing.
  const bool is_earlier = cudaFree(nullptr) == error;
  return {message_of(error), error, is_earlier};
}

}  // namespace fusewise::cuda
