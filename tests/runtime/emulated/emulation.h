// Runs CUDA kernels on a CPU: this header, included first, lets a C++ compiler take a .cu file, and the kernels run
// as ordinary functions. Each thread of a block is a fiber of one host thread. A fiber runs until it waits for
// others, at a barrier or a shuffle, so a block has the same outcome each time. Blocks run one after another, those of
// a cluster by turns, and of each second launch the threads run from the last to the first.
// What a GPU alone decides (races between barriers, asynchronous copies, inline PTX) is not emulated.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>

#include <cuda_runtime.h>

#define __CUDACC__  // the runtime's headers now take the branches of a CUDA compiler
#define __launch_bounds__(...)
#undef __shared__
#define __shared__ thread_local  // the fibers of a block share it
#define __noinline__

namespace emulation {

struct Index {
  unsigned x, y, z;
};

// Of the thread that runs.
extern Index thread_index, block_index;
extern dim3 block_size, grid_size;

// Waits for the other threads of the cluster, of the block, or of the warp.
void wait_for_cluster();
void wait_for_block();
void wait_for_warp();

// The slots of the warp's lanes, of 8 bytes each, for the thread's next shuffle. Shuffles have two sets by turns, since
// other lanes may still read those of the last one.
uint64_t* next_exchange();
int lane();

// What lane `from` passes. All lanes of a warp call it.
template <class T>
T shuffle(T value, int from) {
  static_assert(sizeof(T) <= 8);
  uint64_t* const slots = next_exchange();
  std::memcpy(&slots[lane()], &value, sizeof(T));
  wait_for_warp();
  T found;
  std::memcpy(&found, &slots[from], sizeof(T));
  return found;
}

// Runs a kernel whose arguments are bound. Memory that the launch does not set aside is not its own. If it is
// clustered, the blocks along y are a cluster.
void launch(const std::function<void()>& kernel, dim3 blocks, dim3 threads, size_t shared_bytes, bool is_clustered);

// The memory that `extern __shared__` arrays name.
inline constexpr size_t kSharedBytes = 227 << 10;
char* shared_memory();

// A barrier in shared memory that counts the bytes which arrive. Its phase ends when those that its block expects have
// arrived. To send is to store at the place of `to` in block number `rank` of the cluster. Places lie in shared_rows.
void start_barrier(uint64_t* barrier);
void expect_bytes(uint64_t* barrier, int bytes);
void send(float* to, uint64_t* barrier, int rank, float value);
void wait_for_bytes(uint64_t* barrier, uint32_t parity);

// Copies of the thread that run once it waits for them: those of all groups but the last `open` ones.
void copy_later(char* to, const char* from, size_t bytes);
void commit_copies();
void finish_copies(size_t open);

}  // namespace emulation

#define threadIdx emulation::thread_index
#define blockIdx emulation::block_index
#define blockDim emulation::block_size
#define gridDim emulation::grid_size

inline void __syncthreads() { emulation::wait_for_block(); }
inline void __syncwarp(unsigned = 0xffffffffu) { emulation::wait_for_warp(); }

template <class T>
T __shfl_sync(unsigned, T value, int from) {
  return emulation::shuffle(value, from);
}
template <class T>
T __shfl_down_sync(unsigned, T value, unsigned distance) {
  const int from = emulation::lane() + static_cast<int>(distance);
  return emulation::shuffle(value, from < 32 ? from : emulation::lane());
}
template <class T>
T __shfl_up_sync(unsigned, T value, unsigned distance) {
  const int from = emulation::lane() - static_cast<int>(distance);
  return emulation::shuffle(value, from >= 0 ? from : emulation::lane());
}
template <class T>
T __shfl_xor_sync(unsigned, T value, int mask) {
  return emulation::shuffle(value, emulation::lane() ^ mask);
}

inline uint32_t __umulhi(uint32_t a, uint32_t b) { return static_cast<uint32_t>(uint64_t{a} * b >> 32); }
inline uint64_t __umul64hi(uint64_t a, uint64_t b) {
  return static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline float __fadd_rn(float a, float b) { return a + b; }
inline double __dadd_rn(double a, double b) { return a + b; }
inline size_t __cvta_generic_to_shared(const void* pointer) { return reinterpret_cast<size_t>(pointer); }

inline uint32_t __byte_perm(uint32_t low, uint32_t high, uint32_t selectors) {
  const uint64_t all = uint64_t{high} << 32 | low;
  uint32_t found = 0;
  for (int i = 0; i < 4; ++i) {
    found |= static_cast<uint32_t>(all >> (selectors >> 4 * i & 7) * 8 & 0xff) << 8 * i;
  }
  return found;
}
inline uint32_t __funnelshift_r(uint32_t low, uint32_t high, uint32_t shift) {
  return static_cast<uint32_t>((uint64_t{high} << 32 | low) >> (shift & 31));
}
inline uint32_t __funnelshift_l(uint32_t low, uint32_t high, uint32_t shift) {
  return static_cast<uint32_t>((uint64_t{high} << 32 | low) << (shift & 31) >> 32);
}
inline uint32_t __funnelshift_rc(uint32_t low, uint32_t high, uint32_t shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}
inline uint32_t __funnelshift_lc(uint32_t low, uint32_t high, uint32_t shift) {
  return shift >= 32 ? low : static_cast<uint32_t>((uint64_t{high} << 32 | low) << shift >> 32);
}
inline int __popc(uint32_t bits) { return __builtin_popcount(bits); }
inline int __clz(int bits) { return bits == 0 ? 32 : __builtin_clz(static_cast<unsigned>(bits)); }

template <class T>
constexpr T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
constexpr T max(T a, T b) {
  return a < b ? b : a;
}
