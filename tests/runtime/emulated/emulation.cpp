#include "emulation.h"

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include <fusewise/core/loop.h>
#include <fusewise/cuda/kernel_address.cuh>

namespace fusewise::cuda {

alignas(16) thread_local char shared_totals[emulation::kSharedBytes];
alignas(16) thread_local char shared_rows[emulation::kSharedBytes];
alignas(16) thread_local uint32_t memory[emulation::kSharedBytes / 4];

}  // namespace fusewise::cuda

namespace emulation {

Index thread_index, block_index;
dim3 block_size, grid_size;

namespace {

constexpr size_t kStackBytes = 256 << 10;
constexpr char kNoise = 0x7f;  // what shared memory holds before anything is stored in it

enum class Waits { kNot, kForWarp, kForBlock, kForCluster, kForBytes, kForever };

struct Copy {
  char* to;
  const char* from;
  size_t bytes;
};

// A fiber starts with setcontext, and goes on with longjmp, which makes no system call. It runs a thread of each
// launch.
struct Fiber {
  ucontext_t start;
  jmp_buf place;
  bool has_started = false;
  std::unique_ptr<char[]> stack;
  int turn;  // of its exchanges
  Waits waits;
  std::vector<Copy> copies;  // that are in no group yet
  std::deque<std::vector<Copy>> groups;
};

std::vector<Fiber> fibers;  // of all blocks that run by turns; kept from launch to launch
std::vector<std::vector<char>> memories;  // the shared memory of these blocks while others run
size_t running_block;
size_t sent = 0;  // numbers
jmp_buf scheduler;
Fiber* running;
const std::function<void()>* body;
uint64_t exchanges[8 * 32][2][32];
bool is_backward_order = false;

void fail(const char* message) {
  std::printf("FAIL %s\n", message);
  std::exit(1);
}

void yield(Waits waits) {
  running->waits = waits;
  if (_setjmp(running->place) == 0) _longjmp(scheduler, 1);
}

void run_fiber() {
  for (;;) {
    (*body)();
    yield(Waits::kForever);
  }
}

// Lets the threads of [first, end) go on if each of them waits for these threads or has ended. Returns true if any
// goes on.
bool release(size_t first, size_t end, Waits waits) {
  bool any = false;
  for (size_t t = first; t < end; ++t) {
    if (fibers[t].waits != waits && fibers[t].waits != Waits::kForever) return false;
    any |= fibers[t].waits == waits;
  }
  for (size_t t = first; t < end && any; ++t) {
    if (fibers[t].waits == waits) fibers[t].waits = Waits::kNot;
  }
  return any;
}

// Lets all threads with this reason to wait see whether it has passed.
bool release_all(Waits waits) {
  bool any = false;
  for (Fiber& fiber : fibers) {
    if (fiber.waits != waits) continue;
    fiber.waits = Waits::kNot;
    any = true;
  }
  return any;
}

// Runs the fiber `running` until it waits.
void resume() {
  if (_setjmp(scheduler) != 0) return;
  if (running->has_started) _longjmp(running->place, 1);
  running->has_started = true;
  setcontext(&running->start);
}

// Runs the threads of a warp until all of them wait for the block or have ended. Other warps stand still, so that
// what a warp does too early is seen. The threads of the block are those from `of_block` on.
void run_warp(size_t of_block, size_t warp, size_t threads) {
  const size_t first = of_block + 32 * warp, end = std::min(first + 32, of_block + threads);
  do {
    for (size_t i = 0; i < end - first; ++i) {
      const size_t t = is_backward_order ? end - 1 - i : first + i;
      if (fibers[t].waits != Waits::kNot) continue;
      running = &fibers[t];
      const auto x = static_cast<unsigned>(t - of_block);
      thread_index = {x % block_size.x, x / block_size.x % block_size.y, x / block_size.x / block_size.y};
      resume();
    }
  } while (release(first, end, Waits::kForWarp));
}

void start_fiber(Fiber& fiber) {
  if (!fiber.stack) {
    fiber.stack = std::make_unique<char[]>(kStackBytes);
    getcontext(&fiber.start);
    fiber.start.uc_stack.ss_sp = fiber.stack.get();
    fiber.start.uc_stack.ss_size = kStackBytes;
    fiber.start.uc_link = nullptr;
    makecontext(&fiber.start, run_fiber, 0);
  }
  fiber.turn = 0;
  fiber.waits = Waits::kNot;
  fiber.copies.clear();
  fiber.groups.clear();
}

// Runs the threads of a block until all of them wait for the cluster or have ended.
void run_block(size_t block, size_t threads) {
  const size_t warps = (threads + 31) / 32;
  const size_t first = block * threads;
  do {
    for (size_t w = 0; w < warps; ++w) run_warp(first, is_backward_order ? warps - 1 - w : w, threads);
  } while (release(first, first + threads, Waits::kForBlock));
}

// Runs the blocks of a cluster, or one block.
void run_blocks(size_t blocks, size_t threads, size_t shared_bytes) {
  std::memset(fusewise::cuda::shared_totals, kNoise, sizeof(fusewise::cuda::shared_totals));
  if (fibers.size() < blocks * threads) fibers.resize(blocks * threads);
  for (size_t t = 0; t < blocks * threads; ++t) start_fiber(fibers[t]);
  memories.assign(blocks, std::vector<char>(blocks > 1 ? shared_bytes : 0, kNoise));
  size_t sent_before;
  do {
    sent_before = sent;
    for (size_t i = 0; i < blocks; ++i) {
      running_block = is_backward_order ? blocks - 1 - i : i;
      if (blocks > 1) block_index.y = static_cast<unsigned>(running_block);
      std::vector<char>& memory = memories[running_block];
      std::copy(memory.begin(), memory.end(), fusewise::cuda::shared_rows);
      run_block(running_block, threads);
      std::copy_n(fusewise::cuda::shared_rows, memory.size(), memory.begin());
    }
  } while (release(0, blocks * threads, Waits::kForCluster) || (sent > sent_before && release_all(Waits::kForBytes)));
  for (size_t t = 0; t < blocks * threads; ++t) {
    if (fibers[t].waits != Waits::kForever) fail("threads wait for others that have ended");
  }
  const char* const beyond = fusewise::cuda::shared_totals + shared_bytes;
  const size_t others = sizeof(fusewise::cuda::shared_totals) - shared_bytes;
  if (others > 0 && (*beyond != kNoise || std::memcmp(beyond, beyond + 1, others - 1) != 0)) {
    fail("shared memory was written beyond its end");
  }
}

}  // namespace

void wait_for_cluster() { yield(Waits::kForCluster); }
void wait_for_block() { yield(Waits::kForBlock); }
void wait_for_warp() { yield(Waits::kForWarp); }
uint64_t* next_exchange() {
  running->turn ^= 1;
  return exchanges[(running - fibers.data()) / 32][running->turn];
}
int lane() { return static_cast<int>((running - fibers.data()) % 32); }

char* shared_memory() { return fusewise::cuda::shared_totals; }

// What a place is in another block of the cluster.
template <class T>
T* in_block(T* place, int rank) {
  const auto block = static_cast<size_t>(rank);
  const auto offset = static_cast<size_t>(reinterpret_cast<char*>(place) - fusewise::cuda::shared_rows);
  if (block >= memories.size() || offset + sizeof(T) > memories[block].size()) fail("a place beyond the cluster");
  return block == running_block ? place : reinterpret_cast<T*>(&memories[block][offset]);
}

constexpr uint8_t kStarted = 0xb5;

// The state of a barrier.
struct Barrier {
  int16_t missing;  // bytes; below zero if they arrive before they are expected
  bool is_open;     // some are expected
  uint8_t started;  // kStarted
  uint32_t parity;  // of the phase that goes on
};
static_assert(sizeof(Barrier) == sizeof(uint64_t));

void count(uint64_t* barrier, int bytes, bool is_open) {
  Barrier state;
  std::memcpy(&state, barrier, sizeof(state));
  if (state.started != kStarted) fail("the barrier has not started");
  state.missing = static_cast<int16_t>(state.missing + bytes);
  state.is_open |= is_open;
  if (state.is_open && state.missing == 0) {
    state.is_open = false;
    state.parity ^= 1;
  }
  std::memcpy(barrier, &state, sizeof(state));
}

void start_barrier(uint64_t* barrier) {
  const Barrier state{.missing = 0, .is_open = false, .started = kStarted, .parity = 0};
  std::memcpy(barrier, &state, sizeof(state));
}
void expect_bytes(uint64_t* barrier, int bytes) { count(barrier, bytes, true); }
void send(float* to, uint64_t* barrier, int rank, float value) {
  std::memcpy(in_block(to, rank), &value, sizeof(value));
  count(in_block(barrier, rank), -static_cast<int>(sizeof(value)), false);
  ++sent;
}
void wait_for_bytes(uint64_t* barrier, uint32_t parity) {
  Barrier state;
  for (;;) {
    std::memcpy(&state, barrier, sizeof(state));
    if (state.parity != parity) return;
    yield(Waits::kForBytes);
  }
}

void copy_later(char* to, const char* from, size_t bytes) { running->copies.push_back({to, from, bytes}); }
void commit_copies() {
  running->groups.push_back(std::move(running->copies));
  running->copies.clear();
}
void finish_copies(size_t open) {
  for (; running->groups.size() > open; running->groups.pop_front()) {
    for (const Copy& copy : running->groups.front()) std::memcpy(copy.to, copy.from, copy.bytes);
  }
}

void launch(const std::function<void()>& kernel, dim3 blocks, dim3 threads, size_t shared_bytes, bool is_clustered) {
  body = &kernel;
  is_backward_order = !is_backward_order;
  grid_size = blocks;
  block_size = threads;
  for (unsigned z = 0; z < blocks.z; ++z) {
    for (unsigned y = 0; y < (is_clustered ? 1 : blocks.y); ++y) {
      for (unsigned x = 0; x < blocks.x; ++x) {
        block_index = {x, y, z};
        run_blocks(is_clustered ? blocks.y : 1, size_t{threads.x} * threads.y * threads.z, shared_bytes);
      }
    }
  }
}

using Run = void (*)(const void*, void**);

std::map<const void*, Run>& kernels() {
  static std::map<const void*, Run> all;
  return all;
}

void add_kernel(const void* address, Run run) { kernels()[address] = run; }

}  // namespace emulation

// While a stream is captured, launches are counted in place of being run.
static bool is_capturing = false;
static size_t launches = 0;

namespace fusewise::cuda {

bool has_shared_bytes(size_t bytes) { return bytes <= emulation::kSharedBytes; }

bool has_clusters(int64_t) { return true; }

Status start(const void* kernel, dim3 blocks, int threads, void** arguments, size_t shared_bytes, const Launch&,
             bool is_clustered) {
  const auto found = emulation::kernels().find(kernel);
  if (found == emulation::kernels().end()) emulation::fail("the kernel has no address of the emulation");
  ++launches;
  if (is_capturing) return {};
  if (shared_bytes > emulation::kSharedBytes || threads > 1024) return {"too large for a block"};
  emulation::launch([&] { found->second(kernel, arguments); }, blocks, dim3(static_cast<unsigned>(threads)),
                    shared_bytes, is_clustered);
  return {};
}

}  // namespace fusewise::cuda

// The memory of the GPU is that of the host.
extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  *pointer = std::aligned_alloc(256, (bytes + 511) / 256 * 256);
  return cudaSuccess;
}
cudaError_t cudaFree(void* pointer) {
  std::free(pointer);
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  std::memset(to, value, bytes);
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
cudaError_t cudaStreamCreate(cudaStream_t*) { return cudaSuccess; }
cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) {
  is_capturing = true;
  launches = 0;
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t*) {
  is_capturing = false;
  return cudaSuccess;
}
cudaError_t cudaGraphGetNodes(cudaGraph_t, cudaGraphNode_t*, size_t* count) {
  *count = launches;
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t) { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t) { return "an error of the emulation"; }
}
