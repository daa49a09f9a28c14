// Kernel arguments of a loop nest, and the index arithmetic of its rows. Free of torch.
//
// The inner dimension of a loop is a row of columns. A row is divided into vectors; its last vector may be
// partial. The outer dimensions number the rows.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include <fusewise/core/pass.h>
#include <fusewise/core/reduction.h>
#include <fusewise/cuda/fast_divisor.cuh>
#include <fusewise/cuda/kernel_address.cuh>

namespace fusewise::cuda {

// The type and layout of an operand.
template <class T>
struct KernelOperand {
  int64_t step;  // bytes from one vector of a row to the next
  T fill;        // the value of an absent read
  Dtype dtype;
  bool is_broadcast;   // every row has a single value
  bool is_contiguous;  // rows are dense and all vectors are aligned, or it is part of an interleaved tensor
  uint8_t size : 4;    // bytes of an element, 0 if the operand is absent
  uint8_t shift : 4;   // bytes from the first element to `data`, for the second part of an interleaved tensor

  RT_FN bool is_absent() const { return size == 0; }
};

struct LoopTraits {
  uint8_t last_size;  // elements of the last vector of a row
  uint8_t num_outer;
  bool hoists_per_row;  // the reads of kHoistedFrom<Op> are all row scalars
  // The operands of a pointwise loop have the layout that the specialized kernel requires: reads of
  // kRowScalars<Op> are row scalars, reads of kVectorOrScalar<Op> are row scalars or contiguous, other operands
  // are contiguous, and some writes may be absent.
  bool matches_specialization;
  bool fills_grid;    // outer dimensions 1 and 2 are dimensions y and z of the grid
  bool takes_halves;  // two threads share two adjacent vectors: one takes both first halves, the other both second
};

// The arguments of a kernel. The fields that every thread reads come first: a short kernel waits for each line
// of 64 bytes of its arguments.
template <class Op, class T>
struct Arguments : LoopTraits {
  char* data[Op::kReads + Op::kWrites];
  FastDivisor row_vectors;
  uint64_t policies[Op::kReads];  // of the L2 cache, see cache_hints.cuh
  int64_t strides[kMaxDims - 1][Op::kReads + Op::kWrites];  // of the outer dimensions, in bytes
  KernelOperand<T> operands[Op::kReads + Op::kWrites];
  uint32_t interleaved;  // operands that are the first part of an interleaved tensor, a bit each
  int64_t columns;
  FastDivisor sizes[kMaxDims - 1];
  T params[Op::kParams > 0 ? Op::kParams : 1];
};

// References to the Arguments of any pass, for the planners, which are compiled once for all passes.
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
  int64_t* strides;  // of all operands in the first outer dimension, then in the second, and so on
  FastDivisor* sizes;
  T* params;

  template <class Op>
  explicit ArgumentsRef(Arguments<Op, T>& of)
      : all(&of), traits(of), data(of.data), policies(of.policies), row_vectors(of.row_vectors),
        operands(of.operands), interleaved(of.interleaved), columns(of.columns), strides(of.strides[0]),
        sizes(of.sizes), params(of.params) {}
};

// The kernels that may run a loop, and the properties of the pass that their launch depends on.
struct KernelInfo {
  const void* kernel;
  int size;   // elements of a vector
  int items;  // vectors of a thread in a long loop
  int num_params;
  int instructions;           // kInstructions of the pass
  bool is_vectorized;         // else access is strided
  uint32_t interleaved;       // kInterleaved of the pass, 0 for strided access
  uint32_t row_scalars;       // kRowScalars of the pass
  uint32_t hoisted_from;      // kHoistedFrom of the pass
  const void* two_axis;       // the kernel of a two-axis reduction, or null
  const void* specialized;    // the kernel that is specialized for the typical shapes, or null
  uint32_t vector_or_scalar;  // kVectorOrScalar of the pass, for pointwise kernels
  uint32_t full;              // kFull of the pass
  uint32_t summed;            // kSummed of the pass
};

template <class Op, class Vector>
KernelInfo info_of(const void* kernel, int items = 1) {
  static_assert(PassInterface<Op, typename Vector::Value>);
  constexpr bool kIsVectorized = Vector::kIsVectorized;
  constexpr uint32_t kFirsts = kIsVectorized ? kInterleaved<Op> : 0;
  return {kernel,        Vector::kSize, items,           Op::kParams,       Op::kInstructions,
          kIsVectorized, kFirsts,       kRowScalars<Op>, kHoistedFrom<Op>, nullptr,
          nullptr,       0,             kFull<Op>,       kSummed<Op>};
}

// The bytes of a vector. Two adjacent vectors of an interleaved tensor hold one vector of each of its parts.
inline constexpr int kVectorBytes = 16;

// True if every operand is dense or broadcast in the inner dimension, absent, or part of an interleaved tensor.
// `interleaved` is kInterleaved of the pass.
bool has_vectorizable_rows(const Loop& loop, uint32_t interleaved);

// True if the operand is dense in the inner dimension, which has more than one element.
bool is_dense_row(const Loop& loop, const Operand& operand);

// Moves the places (pointers or offsets) of the operands from kFirst on by the index of a row in one outer
// dimension. Before the call `row` counts rows in the dimensions from `dim` to `last`, after it in the
// remaining dimensions. Returns the index.
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

// Moves the places by the indices of a row in the outer dimensions from `first` to `last`.
template <int kFirst = 0, int kCount, class Op, class T, class Row, class Place>
__device__ __forceinline__ void add_row(const Arguments<Op, T>& arguments, Row row, int first,
                                        int last, Place (&places)[kCount]) {
#pragma unroll 1
  for (int dim = first; dim < last; ++dim) add_dim<kFirst>(arguments, row, dim, last, places);
}

inline constexpr size_t kSharedBytes = 48 << 10;  // that a block may have on every GPU

// True if a block may have so much shared memory on the current GPU.
bool has_shared_bytes(size_t bytes);

inline constexpr int kPortableBlocks = 8;     // of a cluster, on every GPU that has clusters
inline constexpr int kMaxClusterBlocks = 16;  // on a large GPU

// True if the current GPU has clusters of so many blocks, and this package has code for them.
bool has_clusters(int64_t blocks);

// Launches a kernel of any pass. If `is_clustered`, the blocks along y are a cluster.
Status start(const void* kernel, dim3 blocks, int threads, void** arguments, size_t shared_bytes,
             const Launch& launch, bool is_clustered = false);

inline constexpr int64_t kMaxBlocks = (int64_t{1} << 31) - 1;
inline constexpr const char* kTooMany = "too many elements for one kernel";

}  // namespace fusewise::cuda
