// C entry points of the CPU kernels of a few passes, for tests/runtime/loops.py.
#include "loop_ops.h"

#include <algorithm>
#include <deque>
#include <thread>
#include <vector>

#include <fusewise/cpu/capability.h>
#include <fusewise/cpu/pages.h>
#include <fusewise/cpu/row_plan.h>
#include <fusewise/core/reduction.h>
#include <fusewise/cuda/totals_plan.h>

namespace fusewise::ops::loops {
std::remove_pointer_t<Kernel> multiply_cpu, mix_cpu, swiglu_backward_cpu, round_cpu, hoisted_cpu,
    functions_cpu, elementary_cpu, totals_cpu, row_pass_cpu, held_row_pass_cpu;
}

namespace {

using namespace fusewise;

// Runs [0, n) in parts of unequal length, the last part first.
void run_pieces(int64_t n, int64_t, void (*body)(void*, int64_t, int64_t), void* context) {
  int64_t end = n;
  for (int64_t length = 1; end > 0; length = length % 7 + 2) {
    const int64_t begin = std::max<int64_t>(0, end - length);
    body(context, begin, end);
    end = begin;
  }
}

// A workspace filled with rubbish, which must not affect results, and with guard bytes behind each allocation, which
// must stay unchanged.
struct Workspace {
  std::deque<std::vector<unsigned char>> memory = {};

  static void* allocate(void* workspace, size_t size) {
    auto& memory = static_cast<Workspace*>(workspace)->memory;
    return memory.emplace_back(size + kGuard, kRubbish).data();
  }

  bool is_guarded() const {
    return std::all_of(memory.begin(), memory.end(), [](const auto& bytes) {
      const auto guard = bytes.end() - static_cast<int64_t>(kGuard);
      return std::all_of(guard, bytes.end(), [](unsigned char byte) { return byte == kRubbish; });
    });
  }

 private:
  static constexpr size_t kGuard = 64;
  static constexpr unsigned char kRubbish = 0x7f;
};

int64_t parallel_calls = 0;

void run_threads(int64_t n, int64_t, void (*body)(void*, int64_t, int64_t), void* context) {
  ++parallel_calls;
  std::vector<std::thread> threads;
  const int64_t step = n / 3 + 1;
  for (int64_t begin = 0; begin < n; begin += step) {
    threads.emplace_back(body, context, begin, std::min(n, begin + step));
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

extern "C" {

int64_t loop_size() { return sizeof(Loop); }

void loop_coalesce(Loop* loop) { coalesce(*loop); }

// The plan of the CUDA reduction kernel for vectorized access with `vector` elements, or for strided access if
// `vector` is 1: the rows of a segment, the number of splits and the modes of writes.
void loop_plan(const Loop* loop, int vector, int64_t* segment_rows, int64_t* splits, int8_t* modes) {
  const Plan plan = plan_reduction(*loop, cuda_tiling(*loop, vector, vector > 1, true));
  *segment_rows = plan.segment_rows;
  *splits = plan.splits;
  for (int w = 0; w < loop->num_writes; ++w) modes[w] = static_cast<int8_t>(plan.modes[w]);
}

// The number of partial sums of the vectorized CUDA reduction kernel if it stores the writes in `results`, a
// bit each, itself.
int64_t loop_partials(const Loop* loop, int vector, uint32_t results) {
  Plan plan = plan_reduction(*loop, cuda_tiling(*loop, vector, true, true));
  place_partials(*loop, results, plan);
  return plan.num_partials;
}

// The plan of the CUDA kernel that reduces rows, for vectors of `size` elements: threads of a block, threads of a
// warp that share a row, tiles of a stretch, stretches of a row, blocks.
void totals_plan(int64_t rows, int64_t columns, int size, int tile_bytes, int64_t* found) {
  const cuda::TotalsPlan plan = cuda::plan_totals(rows, columns, size, 4, tile_bytes);
  const int64_t all[] = {plan.threads, plan.lanes, plan.stretch_tiles, plan.stretches, plan.blocks};
  std::copy(std::begin(all), std::end(all), found);
}

// The plan of the CPU: the number of its partial sums and the modes of writes. Returns true if rows run down a
// column of tiles.
bool loop_cpu_plan(const Loop* loop, int64_t* partials, int8_t* modes) {
  const Plan plan = plan_reduction(*loop, cpu_tiling(*loop));
  *partials = plan.num_partials;
  for (int w = 0; w < loop->num_writes; ++w) modes[w] = static_cast<int8_t>(plan.modes[w]);
  return plan.traversal == Traversal::kDown;
}

// Whether the first write goes past the caches.
bool loop_bypasses_caches(const Loop* loop) {
  return RowPlan(*loop, {}, {}).written[loop->num_reads] == Written::kPastCaches;
}

// Runs a kernel and returns its error message, or null. `threading` is 0 for the caller's thread, 1 for parts
// of unequal length, 2 for threads.
const char* loop_run(int op, const Loop* loop, const Number* params, int threading) {
  Workspace workspace;
  const Launch launch{Workspace::allocate, &workspace, nullptr,
                      threading == 0 ? nullptr : threading == 1 ? run_pieces : run_threads};
  constexpr Kernel kKernels[] = {ops::loops::multiply_cpu, ops::loops::mix_cpu,
                                 ops::loops::swiglu_backward_cpu, ops::loops::round_cpu,
                                 ops::loops::hoisted_cpu,       ops::loops::functions_cpu,
                                 ops::loops::elementary_cpu,    ops::loops::totals_cpu,
                                 ops::loops::row_pass_cpu,       ops::loops::held_row_pass_cpu};
  const Status status = kKernels[op](*loop, params, launch);
  if (!workspace.is_guarded()) return "something was written behind the workspace";
  return status.message;
}

// The number of times that a kernel called run_threads.
int64_t loop_parallel_calls() { return parallel_calls; }

int64_t loop_cache_bytes() { return cpu_cache_bytes(); }

void loop_populate(void* data, size_t bytes) { populate(data, bytes, run_threads); }

int loop_capability() { return static_cast<int>(cpu_capability()); }

// Runs the pass Functions, or Elementary, on one float at a time.
void loop_floats(bool elementary, const float* x, const float* y, int64_t count, float* out) {
  for (int64_t i = 0; i < count; ++i) {
    const float in[] = {x[i], y[i]};
    const float* const none = nullptr;
    if (elementary) Elementary::apply(in, none, out + i * Elementary::kWrites);
    else Functions::apply(in, none, out + i * Functions::kWrites);
  }
}

}  // extern "C"
