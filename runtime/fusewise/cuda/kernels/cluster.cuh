// Blocks of a cluster, which send numbers to each other's shared memory. A barrier there (mbarrier in the PTX ISA)
// counts the bytes that arrive. A barrier of the whole cluster would wait for all that was stored before. Before sm_90
// there are no clusters. Free of torch.
#pragma once

#include <fusewise/cuda/async.cuh>

namespace fusewise::cuda {

// By one thread of the block.
__device__ __forceinline__ void start_barrier(uint64_t* barrier) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(
                   shared_address(barrier))
               : "memory");
#endif
}

// All threads of a cluster arrive, and wait until all have. Then all blocks have started, and so have their barriers.
__device__ __forceinline__ void arrive_in_cluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}
__device__ __forceinline__ void wait_for_cluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

// Tells how many bytes will arrive, by one thread of the block.
__device__ __forceinline__ void expect_bytes(uint64_t* barrier, int bytes) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
#endif
}

// Sends a number to the place of `to` in block number `rank` of the cluster.
__device__ __forceinline__ void send(float* to, uint64_t* barrier, int rank, float value) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "{\n.reg .b32 to, barrier;\nmapa.shared::cluster.u32 to, %0, %2;\nmapa.shared::cluster.u32 barrier, %1, %2;\n"
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [to], %3, [barrier];\n}"
      :
      : "r"(shared_address(to)), "r"(shared_address(barrier)), "r"(rank), "r"(__float_as_uint(value))
      : "memory");
#endif
}

// Waits until all bytes have arrived. The parity is 0 and 1 by turns.
__device__ __forceinline__ void wait_for_bytes(uint64_t* barrier, uint32_t parity) {
#if __CUDA_ARCH__ >= 900
  uint32_t has_all;
  do {
    asm volatile(
        "{\n.reg .pred p;\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(has_all)
        : "r"(shared_address(barrier)), "r"(parity)
        : "memory");
  } while (has_all == 0);
#endif
}

}  // namespace fusewise::cuda
