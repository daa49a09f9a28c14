// Thread coarsening: how many vectors of a pointwise loop a thread processes, and which. Free of torch.
//
// Finding the place of a vector costs more than many formulas do. A thread of a long loop therefore processes
// several vectors, its items. They lie a constant stride apart, and row scalars and hoisted values serve all of
// them.
#pragma once

#include <fusewise/cuda/vector.cuh>

namespace fusewise::cuda {

inline constexpr int kBlockVectors = 256;  // vectors of the largest blocks

// The items of a thread. One dimension is coarsened: it is cut into as many parts as a thread has items, and
// the thread takes the vector with the same index of each part, so that adjacent threads take adjacent vectors
// of each part. In a loop of one dimension the items of a thread lie one block of threads apart. Items are
// numbered along the coarsened dimension.
struct Coarsening {
  uint32_t block;        // vectors from the first of a block to the first of the next block
  int32_t last;          // threads whose first vector has a higher number have none; -1 if no vector is whole
  uint32_t step;         // from one item of a thread to its next; beyond all items if a thread has one
  uint32_t whole;        // the number of items that are whole vectors
  uint32_t rest;         // number of the thread that takes the partial vector of a loop of one dimension
  uint32_t axis0_items;  // 1 if the first outer dimension is coarsened, else 0
  uint32_t axis1_items;  // 1 if the second outer dimension is coarsened, else 0
};

// Bytes from one item to the next, for each operand. This is an argument of its own, behind all others, because
// a thread with one item does not read it.
template <int kOperands>
struct ItemStrides {
  uint32_t of[kOperands];
};

// True if the read is a row scalar at the typical shapes.
template <class Op>
RT_FN constexpr bool is_row_scalar(int k) {
  return (kRowScalars<Op> >> k & 1) != 0;
}

// True if the read is smaller than the loop at the typical shapes.
template <class Op>
RT_FN constexpr bool is_repeated(int k) {
  return (kRepeated<Op> >> k & 1) != 0;
}

// True if no operand has a fixed dtype.
template <class Op>
constexpr bool has_one_type() {
  bool found = true;
  for (int k = 0; k < Op::kReads + Op::kWrites; ++k) {
    found &= stored_dtype<Op>(k, Dtype::kFloat) == Dtype::kFloat;
  }
  return found;
}

template <class Op>
constexpr bool repeats_all() {
  return kRepeated<Op> == (1u << Op::kReads) - 1;
}

// True if a thread with one vector would have too few bytes in flight.
template <class Op>
constexpr bool moves_little() {
  return Op::kReads <= 3 || (Op::kReads - std::popcount(kRowScalars<Op>) <= 3 && Op::kWrites == 1);
}

// The vectors of a thread in a long loop. Four vectors pay in two cases: with hoisted values and one read of
// 16-bit elements besides row scalars, because hoisting then costs most; and with 32-bit elements if all reads
// are repeated, because fewer vectors would leave too few stores in flight.
template <class Op, class Vector>
constexpr int items_per_thread() {
  if (!Vector::kIsVectorized || !moves_little<Op>()) return 1;
  const bool reads_one = Op::kReads - std::popcount(kRowScalars<Op>) == 1;
  if (kHoistedFrom<Op> != 0 && reads_one && Vector::kSize == 8) return 4;
  return repeats_all<Op>() && kRowScalars<Op> == 0 && Vector::kSize == 4 ? 4 : 2;
}
template <class Op, class Vector>
inline constexpr int kItemsPerThread = items_per_thread<Op, Vector>();

// True if a thread computes its vectors in a loop. Unrolled, the compiler would move the loads of the second
// vector behind the computation of the first to save registers. With few operands registers suffice, and
// unrolled code is faster.
template <class Op>
inline constexpr bool kLoops = Op::kReads + Op::kWrites > 4 && Op::kInstructions >= 20;

// Threads of the largest block if a thread has up to `items` vectors.
constexpr int most_threads(int items) { return items > 1 ? kBlockVectors : kBlockVectors / 2; }

// Blocks that a multiprocessor should hold at the same time, from which the compiler derives the number of
// registers. 0 leaves the number to the compiler; in the other passes it would spill, or delay loads to save
// registers.
template <class Op, class Vector>
constexpr int pointwise_blocks() {
  const int operands = Op::kReads + Op::kWrites;
  const bool has_row_scalars = std::popcount(kRowScalars<Op>) > 1;
  if (!Vector::kIsVectorized) return operands > 8 ? 4 : operands > 6 && has_row_scalars ? 8 : 0;
  if (moves_little<Op>()) return 0;
  if (Op::kReads <= 5 && Op::kWrites == 2) return 10;
  if (has_row_scalars) return 8;
  if (Op::kReads <= 5 || Op::kWrites == 1 || operands > 10) return 0;
  return operands < 10 ? 6 : 5;
}

// Adds the offset of a row to the offsets of the operands. Returns the number of the first item of its threads.
template <int kOperands, class Op, class T>
__device__ __forceinline__ uint32_t add_place(const Coarsening& coarsening, const Arguments<Op, T>& arguments,
                                              uint32_t row, uint32_t (&offsets)[kOperands]) {
  if (__builtin_expect(arguments.fills_grid, 1)) {
#pragma unroll
    for (int k = 0; k < kOperands; ++k) {
      offsets[k] += row * static_cast<uint32_t>(arguments.strides[0][k]);
    }
    uint32_t item = row * coarsening.axis0_items;
    if (arguments.num_outer > 1) {
#pragma unroll
      for (int k = 0; k < kOperands; ++k) {
        offsets[k] += blockIdx.y * static_cast<uint32_t>(arguments.strides[1][k]);
        offsets[k] += blockIdx.z * static_cast<uint32_t>(arguments.strides[2][k]);
      }
      item += blockIdx.y * coarsening.axis1_items;
    }
    return item;
  }
  uint32_t item = 0;
#pragma unroll 1
  for (int dim = 0; dim < arguments.num_outer; ++dim) {
    const uint32_t index = add_dim(arguments, row, dim, arguments.num_outer, offsets);
    item += index * (dim == 0 ? coarsening.axis0_items : dim == 1 ? coarsening.axis1_items : 0);
  }
  return item;
}

}  // namespace fusewise::cuda
