// The reduction kernel: one pass over the data that stores the dense writes and leaves partial sums. Free of
// torch.
//
// A block processes a work tile. With vectorized access and up to six reads, vectors are copied asynchronously
// into shared memory, one to three steps ahead, because registers could not hold enough bytes in flight in
// addition to the sums. Sums stay in registers for the whole work tile.
#pragma once

#include <fusewise/cuda/kernels/ring.cuh>
#include <fusewise/cuda/kernels/sums.cuh>

namespace fusewise::cuda {

// True if the pass has a second kernel with vectorized access, in which the compiler knows which operands are
// contiguous and which are sums. Interleaved tensors of floats gain nothing from it.
template <class Op, class Vector>
inline constexpr bool kHasSpecialized =
    Vector::kIsVectorized && kSummed<Op> != 0 && (kInterleaved<Op> == 0 || Vector::kSize == 8);

// The least number of blocks that a multiprocessor holds, for the compiler's choice of registers. A general
// kernel beside a specialized one seldom runs; it holds one block less, which avoids spills.
template <class Op, class Vector, bool kIsSpecialized>
constexpr int reduction_min_blocks() {
  if (kIsSpecialized) {
    return specialized_blocks(Op::kReads, std::popcount(kSummed<Op>),
                              std::popcount(kFull<Op> >> Op::kReads), Vector::kSize);
  }
  const int most = reduction_blocks(Op::kReads, Op::kWrites, Vector::kSize, Vector::kIsVectorized);
  if (!Vector::kIsVectorized) return most;
  if (kHasSpecialized<Op, Vector>) return most > 1 ? most - 1 : 1;
  // With more sums and hoisted values, those of possible row scalars for each element, three blocks would spill.
  constexpr int kHeld = Op::kWrites + (kHoistedFrom<Op> != 0 ? kHoisted<Op> : 0);
  const int fit = kHeld * Vector::kSize > 32 ? 2 : 3;
  return most > fit ? fit : most;
}

// Loads the vectors of a step, if the pass has no ring buffer.
template <class Tile, class Vector, int kReads>
__device__ __forceinline__ void load_reads(const Tile& tile, char* const (&from)[kReads],
                                           Vector (&reads)[kReads]) {
#pragma unroll
  for (int k = 0; k < kReads; ++k) {
    const Dtype type = type_of<Vector>(tile.arguments, k);
    const auto& operand = tile.arguments.operands[k];
    if constexpr (!Vector::kIsVectorized) reads[k].load(type, operand, from[k]);
    else if (operand.is_contiguous) reads[k].load_contiguous(type, from[k]);
    else reads[k].load_broadcast(type, operand, from[k]);
  }
#pragma unroll
  for (int k = 0; k < kReads; ++k) {
    reads[k].unpack(type_of<Vector>(tile.arguments, k), tile.arguments.operands[k]);
  }
}

// Computes a vector. `is_hoisted` says that `hoisted` holds the hoisted values.
template <class Tile, class Op = typename Tile::Op, class Vector = typename Tile::Vector>
__device__ __forceinline__ void compute(const Tile& tile, Vector (&reads)[Op::kReads],
                                        HoistedOf<Op, Vector>& hoisted, bool is_hoisted,
                                        typename Vector::Value (&results)[Op::kWrites][Vector::kSize]) {
  deinterleave<Tile::kIsSpecialized>(tile.arguments, reads);
  if constexpr (Tile::kIsSpecialized) {
    constexpr uint32_t kAlike = kRowScalars<Op> | kHoistedFrom<Op>;
    apply_vector<Op, Vector, Hoisting::kPerVector, kAlike>(tile.arguments, reads, hoisted, is_hoisted,
                                                             results);
  } else {
    apply_vector<Op>(tile.arguments, reads, results);
  }
}

// Stores the dense writes of a vector and adds the summed writes to the sums of the thread.
template <class Tile, class T, class Sum, int kWrites, int kSize>
__device__ __forceinline__ void store_and_sum(const Tile& tile, const T (&results)[kWrites][kSize],
                                              char* const (&to)[kWrites], Sum (&sums)[kWrites][kSize]) {
  using Vector = typename Tile::Vector;
  Vector writes[kWrites];
  pack_writes<Tile::kIsSpecialized>(tile.arguments, results, writes);
#pragma unroll
  for (int w = 0; w < kWrites; ++w) {
    if (tile.is_dense(w)) {
      const int k = Tile::kReads + w;
      const Dtype type = type_of<Vector>(tile.arguments, k);
      if constexpr (Vector::kIsVectorized) writes[w].store_contiguous(type, to[w]);
      else writes[w].store(type, tile.arguments.operands[k], to[w]);
    }
    if (!tile.is_summed(w)) continue;
#pragma unroll
    for (int i = 0; i < kSize; ++i) sums[w][i] = add(sums[w][i], static_cast<Sum>(results[w][i]));
  }
}

// Processes a partial vector. Only a loop with a single row has one; all its writes are dense or summed.
template <class Tile, class Sum, int kWrites, int kSize>
__device__ __forceinline__ void process_partial_vector(const Tile& tile, Sum (&sums)[kWrites][kSize]) {
  using Vector = typename Tile::Vector;
  const auto& arguments = tile.arguments;
  const auto& reduction = tile.reduction;
  if (arguments.last_size >= kSize || tile.end != reduction.segment_items || threadIdx.x != 0) return;
  char* places[Tile::kOperands];
#pragma unroll
  for (int k = 0; k < Tile::kOperands; ++k) {
    places[k] = arguments.data[k] + reduction.segment_vectors * arguments.operands[k].step;
  }
  apply_elements<typename Tile::Op, Vector>(
      arguments, places, arguments.last_size, [&](int w, int i, typename Vector::Value result) {
        const int k = Tile::kReads + w;
        if (tile.is_dense(w)) {
          const Dtype type = type_of<Vector>(arguments, k);
          Vector::store_element(type, arguments.operands[k], places[k], i, result);
        }
        sums[w][0] = add(sums[w][0], static_cast<Sum>(result));
      });
}

template <class Op, class Vector, bool kIsSpecialized>
__global__ void __launch_bounds__(kBlockThreads, (reduction_min_blocks<Op, Vector, kIsSpecialized>()))
    reduction_kernel(const __grid_constant__ Arguments<Op, typename Vector::Value> arguments,
                     const __grid_constant__
                         ReductionArguments<Op::kReads, Op::kWrites, typename Vector::Sum> reduction) {
  using Sum = typename Vector::Sum;
  using Tile = WorkTile<Op, Vector, kIsSpecialized>;
  constexpr int kSize = Vector::kSize;
  constexpr int kDepth = Ring<Tile>::kDepth;
  constexpr int kSums = kBlockThreads * kSize * static_cast<int>(sizeof(Sum));
  alignas(kVectorBytes) __shared__ char memory[Ring<Tile>::kBytes > kSums ? Ring<Tile>::kBytes : kSums];
  const Tile tile(arguments, reduction);
  char* from[Op::kReads];
  char* to[Op::kWrites];
  tile.point(from, to);
  uint32_t from_index = tile.first_index();
  uint32_t to_index = from_index;
  Ring<Tile> ring(memory);
  if constexpr (kDepth > 1) {  // the first steps are copied
#pragma unroll 1
    for (int step = 0; step < kDepth - 1; ++step) ring.fetch(tile, step, from_index, from);
    ring.store_loop_invariant(tile, from);
  }
  Sum sums[Op::kWrites][kSize] = {};
  HoistedOf<Op, Vector> hoisted;
  const bool keeps_hoisted = (kHoistedFrom<Op> & ~reduction.loop_invariant) == 0;
#pragma unroll 1
  for (int step = 0; step < tile.steps; ++step) {
    if constexpr (kDepth > 1) ring.fetch(tile, step + kDepth - 1, from_index, from);
    wait_group<kDepth - 1>();
    const bool is_inside = step < tile.mine;
    if (is_inside) {
      Vector reads[Op::kReads];
      if constexpr (kDepth > 1) ring.load(tile, reads);
      else load_reads(tile, from, reads);
      typename Vector::Value results[Op::kWrites][kSize];
      compute(tile, reads, hoisted, step > 0 && keeps_hoisted, results);
      store_and_sum(tile, results, to, sums);
    }
    if (reduction.sums_rows && (!tile.is_along || step + 1 == tile.steps)) {
      store_row_sums(tile, tile.row_tile(step), is_inside, sums);
    }
    if constexpr (kDepth == 1) tile.template advance<0>(from_index, from);
    if (tile.has_dense()) tile.template advance<Op::kReads>(to_index, to);
  }
  if constexpr (Vector::kIsVectorized) process_partial_vector(tile, sums);
#pragma unroll
  for (int w = 0; w < Op::kWrites; ++w) {
    const WriteMode mode = reduction.modes[w];
    if (!tile.is_summed(w) || !is_accumulated(mode)) continue;
    __syncthreads();
    if (mode == WriteMode::kColumn) store_column_sums(tile, memory, w, sums[w]);
    else store_block_sum(tile, memory, w, sums[w]);
  }
}

}  // namespace fusewise::cuda
