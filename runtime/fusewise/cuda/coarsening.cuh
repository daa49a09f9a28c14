// COARSENING
#pragma once

#include <fusewise/cuda/vector.cuh>

namespace fusewise::cuda {

inline constexpr int kBlockVectors = 256;  // of the largest blocks

// What a thread takes: of an outer dimension that is cut into so many parts the same vector of a row of
// each, so that threads side by side still take rows side by side; or of a row that is cut so the same vector
// of each part; of a loop of one dimension, vectors as far apart as a block is long.
struct Coarsening {
  uint32_t block;        // from the first vector of a block to that of the next
  int32_t last;          // the first vector of the last thread, or -1
  uint32_t step;         // from an item of a thread to its next, past the last where it takes one
  uint32_t whole;        // one past the last item that is a whole vector
  uint32_t rest;         // of a simple loop of one dimension, the first vector of the thread that takes what is not
  uint32_t axis0_items;  // from an index to the next in the first outer dimension, 1 or 0
  uint32_t axis1_items;  // and in the second
};

// Bytes from an item to the next. They stand behind what a thread of a single item reads.
template <int kOperands>
struct ItemStrides {
  uint32_t of[kOperands];
};

template <class Op>
RT_FN constexpr bool is_row_scalar(int k) {
  return (kRowScalars<Op> >> k & 1) != 0;
}

template <class Op>
RT_FN constexpr bool is_repeated(int k) {
  return (kRepeated<Op> >> k & 1) != 0;
}

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

// Enough bytes in flight also for passes that read little, or much of it again and again.
template <class Op>
constexpr bool moves_little() {
  return Op::kReads <= 3 || (Op::kReads - std::popcount(kRowScalars<Op>) <= 3 && Op::kWrites == 1);
}

// What a thread prepares weighs most where else it reads one vector, of small elements. Where all that it reads is
// repeated, large elements take more vectors to have enough stores under way.
template <class Op, class Vector>
constexpr int items_per_thread() {
  if (!Vector::kIsVectorized || !moves_little<Op>()) return 1;
  const bool reads_one = Op::kReads - std::popcount(kRowScalars<Op>) == 1;
  if (kHoistedFrom<Op> != 0 && reads_one && Vector::kSize == 8) return 4;
  return repeats_all<Op>() && kRowScalars<Op> == 0 && Vector::kSize == 4 ? 4 : 2;
}
template <class Op, class Vector>
inline constexpr int kItemsPerThread = items_per_thread<Op, Vector>();

// Whether a thread computes its vectors in a loop. The compiler would put loads of the second behind what the
// first needs where registers are few. Fewer operands leave enough, and then it is better off with all at once.
template <class Op>
inline constexpr bool kLoops = Op::kReads + Op::kWrites > 4 && Op::kInstructions >= 20;

// Of a block, whose threads take up to so many items.
constexpr int most_threads(int items) { return items > 1 ? kBlockVectors : kBlockVectors / 2; }

// Blocks that a multiprocessor should hold at once, where the compiler would spill to hold more, or put
// reads one step behind the others to take fewer registers than there are.
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

// Adds to the offsets of a row where it lies. Returns the first item of its threads.
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
