// Times the kernel that reduces rows on a GPU, with sums of squares, each beside a copy that moves as many bytes:
//   nvcc -std=c++20 -arch=native -Iruntime -Itests/runtime benchmarks/totals.cu
//     runtime/fusewise/core/reduction.cpp runtime/fusewise/cuda/*.cu -o totals && ./totals
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include <fusewise/cuda/totals.cuh>

#include "cuda_check.h"

using namespace fusewise;

namespace {

struct Squares {
  static constexpr int kReads = 1, kWrites = 1, kParams = 0, kInstructions = 2;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    out[0] = in[0] * in[0];
  }
};

constexpr int64_t kShapes[][2] = {{1048576, 64}, {524288, 128}, {262144, 256}, {131072, 512}, {65536, 768},
                                  {65536, 1000}, {65536, 1021}, {16384, 4096}, {16384, 4095}, {8192, 8192},
                                  {4096, 16384}, {2048, 32768}, {512, 131072}, {64, 8192},    {8, 131072},
                                  {1, 16777216}};

// The milliseconds of a launch, one of `count` in a graph.
float milliseconds(int count, const std::function<void(cudaStream_t, int)>& launch_one) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t runnable;
  cudaEvent_t start, end;
  require(cudaStreamCreate(&stream));
  require(cudaEventCreate(&start));
  require(cudaEventCreate(&end));
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < count; ++i) launch_one(stream, i);
  require(cudaStreamEndCapture(stream, &graph));
  require(cudaGraphInstantiate(&runnable, graph, 0));
  float best = INFINITY;
  for (int i = 0; i < 10; ++i) {
    float time = 0;
    require(cudaEventRecord(start, stream));
    require(cudaGraphLaunch(runnable, stream));
    require(cudaEventRecord(end, stream));
    require(cudaEventSynchronize(end));
    require(cudaEventElapsedTime(&time, start, end));
    if (i >= 3) best = std::min(best, time / static_cast<float>(count));
  }
  require(cudaGraphExecDestroy(runnable));
  require(cudaGraphDestroy(graph));
  return best;
}

}  // namespace

int main() {
  constexpr size_t kBytes = size_t{1} << 30;  // several times the L2 cache
  char *data, *workspace;
  require(cudaMalloc(&data, 2 * kBytes));
  require(cudaMemset(data, 0, 2 * kBytes));
  require(cudaMalloc(&workspace, kBytes / 16));
  std::printf("%-10s %-16s %10s %10s %8s %8s\n", "dtype", "shape", "us", "copy us", "GB/s", "share");
  for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kFloat}) {
    for (const auto& shape : kShapes) {
      const std::string name = std::to_string(shape[0]) + " x " + std::to_string(shape[1]);
      const int64_t item = size_of(dtype);
      const auto bytes = static_cast<size_t>(shape[0] * shape[1] * item);
      const int places = static_cast<int>(kBytes / bytes);
      const int count = std::max(20, std::min(200, places));
      const auto total = [&](cudaStream_t stream, int i) {
        Loop loop{};
        loop.num_dims = 2;
        loop.sizes[0] = shape[1];
        loop.sizes[1] = shape[0];
        loop.num_reads = loop.num_writes = 1;
        loop.compute = Dtype::kFloat;
        const size_t at = static_cast<size_t>(i % places) * bytes;
        loop.operands[0].data = data + at;
        loop.operands[0].dtype = dtype;
        loop.operands[0].strides[0] = item;
        loop.operands[0].strides[1] = shape[1] * item;
        loop.operands[1].data = workspace;
        loop.operands[1].dtype = Dtype::kFloat;
        loop.operands[1].strides[1] = 4;
        Launch launch{};
        launch.context = workspace + kBytes / 32;
        launch.allocate = [](void* context, size_t) { return context; };
        launch.stream = stream;
        require(run_cuda_totals<Squares, Floats, 0>(loop, nullptr, launch).message);
      };
      const auto copy = [&](cudaStream_t stream, int i) {
        const size_t at = static_cast<size_t>(i % places) * bytes;
        require(cudaMemcpyAsync(data + kBytes + at / 2, data + at, bytes / 2, cudaMemcpyDeviceToDevice, stream));
      };
      const float time = milliseconds(count, total), of_copy = milliseconds(count, copy);
      std::printf("%-10s %-16s %10.2f %10.2f %8.0f %7.1f%%\n", dtype == Dtype::kFloat ? "float" : "bfloat16",
                  name.c_str(), time * 1e3, of_copy * 1e3, static_cast<double>(bytes) / time * 1e-6,
                  100 * of_copy / time);
    }
  }
}
