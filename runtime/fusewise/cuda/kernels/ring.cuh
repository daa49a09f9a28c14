// The ring buffer of a reduction: a thread copies its vectors asynchronously into shared memory, one to three
// steps ahead of the computation. Free of torch.
#pragma once

#include <fusewise/cuda/async.cuh>
#include <fusewise/cuda/kernels/work_tile.cuh>

namespace fusewise::cuda {

inline constexpr int kRingBytes = 48 << 10;  // a kernel may have so much shared memory on every GPU

// The steps in the buffer. With one step there is no buffer, and vectors are loaded into registers.
template <class Op, class Vector>
inline constexpr int kStages =
    Vector::kIsVectorized ? one_to_four(kRingBytes / (Op::kReads * kBlockThreads * kVectorBytes)) : 1;

template <class Tile>
struct Ring {
  using Op = typename Tile::Op;
  using Vector = typename Tile::Vector;
  static constexpr int kReads = Op::kReads;
  static constexpr int kDepth = kStages<Op, Vector>;
  static constexpr int kSpan = kBlockThreads * kVectorBytes;  // from one read of a step to the next
  static constexpr int kBytes = kDepth > 1 ? kDepth * kReads * kSpan : 0;

  // Addresses of the thread's vectors: of the first step in the buffer, and of the next step to copy. After a
  // copy the latter is that of the oldest step.
  uint32_t first_stage;
  uint32_t stage;

  __device__ __forceinline__ explicit Ring(const char* memory)
      : first_stage(shared_address(memory) + threadIdx.x * kVectorBytes), stage(first_stage) {}

  // Starts the copies of a step, if the thread has it, and moves the pointers and the ring to the next.
  __device__ __forceinline__ void fetch(const Tile& tile, int step, uint32_t& index, char* (&from)[kReads]) {
    if (step < tile.mine) copy(tile, from);
    commit_group();
    tile.template advance<0>(index, from);
    stage += kReads * kSpan;
    if (stage == first_stage + kBytes) stage = first_stage;
  }

  __device__ __forceinline__ void copy(const Tile& tile, char* const (&from)[kReads]) const {
#pragma unroll
    for (int k = 0; k < kReads; ++k) {
      if (tile.is_full(k)) copy_vector(tile, k, from[k]);
    }
    if (Tile::kOtherReads != 0 && tile.moves_others) copy_others(tile, from);
  }
  __device__ __forceinline__ void copy_others(const Tile& tile, char* const (&from)[kReads]) const {
#pragma unroll
    for (int k = 0; k < kReads; ++k) {
      if (!tile.is_full(k) && (tile.reduction.contiguous >> k & 1) != 0) copy_vector(tile, k, from[k]);
    }
    if (!may_have_row_scalars(tile)) return;
#pragma unroll
    for (int k = 0; k < kReads; ++k) {
      if (is_row_scalar_of(tile, k)) copy_scalar_async(stage + k * kSpan, from[k]);
    }
  }
  __device__ __forceinline__ void copy_vector(const Tile& tile, int k, const char* from) const {
    const Dtype type = type_of<Vector>(tile.arguments, k);
    copy_async<Vector>(type, is_of_pair<Op>(k), stage + k * kSpan, from);
  }

  static __device__ __forceinline__ bool may_have_row_scalars(const Tile& tile) {
    return kReads > 1 && Tile::kOtherReads != 0 && tile.reduction.row_scalars != 0;
  }
  static __device__ __forceinline__ bool is_row_scalar_of(const Tile& tile, int k) {
    return !tile.is_full(k) && (tile.reduction.row_scalars >> k & 1) != 0;
  }

  // Stores the loop-invariant reads in all steps.
  __device__ __forceinline__ void store_loop_invariant(const Tile& tile, char* const (&from)[kReads]) const {
#pragma unroll
    for (int k = 0; k < kReads; ++k) {
      if (tile.is_full(k) || (tile.reduction.loop_invariant >> k & 1) == 0 || tile.mine == 0) continue;
      const Dtype type = type_of<Vector>(tile.arguments, k);
      const auto& operand = tile.arguments.operands[k];
      Vector same;
      if (operand.is_contiguous) same.load_contiguous(type, from[k]);
      else same.load_broadcast(type, operand, from[k]);
      same.unpack(type, operand);
#pragma unroll
      for (int i = 0; i < kDepth; ++i) store_shared(first_stage + (i * kReads + k) * kSpan, same.words);
    }
  }

  // Loads the oldest step, whose copies have arrived.
  __device__ __forceinline__ void load(const Tile& tile, Vector (&reads)[kReads]) const {
#pragma unroll
    for (int k = 0; k < kReads; ++k) load_shared(stage + k * kSpan, reads[k].words);
    if (!may_have_row_scalars(tile)) return;
#pragma unroll
    for (int k = 0; k < kReads; ++k) {
      if (is_row_scalar_of(tile, k)) reads[k].unpack_scalar(type_of<Vector>(tile.arguments, k));
    }
  }
};

}  // namespace fusewise::cuda
