// A loop as a GPU kernel is told of it, and where in it a row lies. Free of torch.
//
// A loop is rows of columns, and a row is vectors; the last of a row may be partial.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include <fusewise/core/loop.h>
#include <fusewise/core/reduction.h>
#include <fusewise/cuda/fast_divisor.cuh>

namespace fusewise::cuda {

// An operand as a kernel sees it.
template <class T>
struct KernelOperand {
  int64_t step;  // bytes from one vector of a row to the next
  T fill;
  Dtype dtype;
  bool is_broadcast;   // the same element in the whole row, or a number
  bool is_contiguous;  // neither that, nor has it gaps, nor is any vector off its place
  uint8_t size : 4;    // bytes of an element, 0 of what is no tensor
  uint8_t shift : 4;   // bytes from the first element to its data: of the second of a pair

  RT_FN bool is_absent() const { return size == 0; }
};

struct LoopTraits {
  uint8_t last_size;  // elements of the last vector of a row
  uint8_t num_outer;
  bool hoists_per_row;  // all of kHoistedFrom<Op> are broadcast
  // Of a walk, see pointwise.cuh:
  // Reads of kRowScalars<Op> are numbers in memory, those of kVectorOrScalar<Op> such numbers or plain, other operands
  // plain or unwanted.
  bool matches_specialization;
  bool fills_grid;    // whose second and third dimension are outer dimensions of the loop
  bool takes_halves;  // of two vectors side by side two threads take the first halves and the second
};

// A loop as a kernel sees it. What every thread reads stands first and together: a small kernel waits
// for each line of it, which is 64 bytes.
template <class Op, class T>
struct Arguments : LoopTraits {
  char* data[Op::kReads + Op::kWrites];
  FastDivisor row_vectors;
  uint64_t policies[Op::kReads];  // of the L2 cache, see vectorized.cuh
  int64_t strides[kMaxDims - 1][Op::kReads + Op::kWrites];  // bytes, in the outer dimensions
  KernelOperand<T> operands[Op::kReads + Op::kWrites];
  uint32_t interleaved;  // operands that are the first of the two vectors of one tensor, a bit each
  int64_t columns;
  FastDivisor sizes[kMaxDims - 1];
  T params[Op::kParams > 0 ? Op::kParams : 1];
};

// The Arguments of any pass, for the planners, which are compiled once for all passes.
template <class T>
struct ArgumentsRef {
  void* all;
  LoopTraits& traits;
  char** data;
  uint64_t* policies;
  FastDivisor& row_vectors;
  KernelOperand<T>* operands;
  uint32_t& interleaved;
  int64_t& columns;
  int64_t* strides;  // of all operands in the first outer dimension, then in the next
  FastDivisor* sizes;
  T* params;

  template <class Op>
  explicit ArgumentsRef(Arguments<Op, T>& of)
      : all(&of), traits(of), data(of.data), policies(of.policies), row_vectors(of.row_vectors),
        operands(of.operands), interleaved(of.interleaved), columns(of.columns), strides(of.strides[0]),
        sizes(of.sizes), params(of.params) {}
};

// A kernel, and what its launch depends on.
struct KernelInfo {
  const void* kernel;
  int size;   // elements of a vector
  int items;  // vectors that a thread takes of a long loop
  int num_params;
  int instructions;           // of an element
  bool is_vectorized;         // of vectors
  uint32_t interleaved;       // operands that may be the first of a pair
  uint32_t row_scalars;       // kRowScalars of the pass
  uint32_t hoisted_from;      // and kHoistedFrom
  const void* two_axis;       // the kernel that takes sums that cross in one pass, or null
  const void* specialized;    // that of operands and sums as the op is timed with, or null
  uint32_t vector_or_scalar;  // kVectorOrScalar, of kernels without sums
  uint32_t full;              // kFull
  uint32_t summed;            // and kSummed
};

template <class Op, class Vector>
KernelInfo info_of(const void* kernel, int items = 1) {
  constexpr bool kIsVectorized = Vector::kIsVectorized;
  constexpr uint32_t kFirsts = kIsVectorized ? kInterleaved<Op> : 0;
  return {kernel,    Vector::kSize, items,        Op::kParams,       Op::kInstructions,
          kIsVectorized, kFirsts,       kRowScalars<Op>, kHoistedFrom<Op>, nullptr,
          nullptr,   0,             kFull<Op>,    kSummed<Op>};
}

// The 16 bytes of each of the two vectors that hold a vector of either part of an interleaved tensor.
inline constexpr int kVectorBytes = 16;

// Every operand that is present is dense or broadcast in the innermost dimension, or part of a pair;
// `pairs` are those of the pass.
bool has_vectorizable_rows(const Loop& loop, uint32_t interleaved);

// Moves the places of the operands from kFirst on, pointers or offsets, by an outer dimension.
// Takes its index, which it returns, off the row, which is counted in the dimensions from this one to
// `last`.
template <int kFirst = 0, int kCount, class Op, class T, class Row, class Place>
__device__ __forceinline__ Row add_dim(const Arguments<Op, T>& arguments, Row& row, int dim,
                                        int last, Place (&places)[kCount]) {
  Row index = row;
  if (dim + 1 < last) {
    row = arguments.sizes[dim].divide(row);
    index -= row * static_cast<Row>(arguments.sizes[dim].value);
  }
#pragma unroll
  for (int k = 0; k < kCount; ++k) {
    places[k] += index * static_cast<Row>(arguments.strides[dim][kFirst + k]);
  }
  return index;
}

template <int kFirst = 0, int kCount, class Op, class T, class Row, class Place>
__device__ __forceinline__ void add_row(const Arguments<Op, T>& arguments, Row row, int first,
                                        int last, Place (&places)[kCount]) {
#pragma unroll 1
  for (int dim = first; dim < last; ++dim) add_dim<kFirst>(arguments, row, dim, last, places);
}

// Launches a kernel.
Status start(const void* kernel, dim3 blocks, int threads, void** arguments, size_t shared_bytes,
             const Launch& launch);

inline constexpr int64_t kMaxBlocks = (int64_t{1} << 31) - 1;
inline constexpr const char* kTooMany = "too many elements for one kernel";

}  // namespace fusewise::cuda
