// A loop as a GPU kernel is told of it, and where in it a row lies. Free of torch.
//
// A loop is rows of columns, and a row is vectors; the last of a row may be partial.
#pragma once

#include <bit>
#include <cstdint>

#include <cuda_runtime_api.h>

#include <fusewise/loop.h>
#include <fusewise/reduction.h>

namespace fusewise::cuda {

// Division by a number that the host knows: a multiplication and a shift.
struct Divisor {
  int64_t value;
  uint64_t magic;        // for dividends below 2^63
  uint32_t small_magic;  // for those below 2^31
  int shift;

  Divisor() = default;
  explicit Divisor(int64_t divisor) : value(divisor), magic(0), small_magic(0), shift(0) {
    if (divisor <= 1) return;
    const uint64_t by = static_cast<uint64_t>(divisor);
    shift = std::bit_width(by - 1);
    const unsigned __int128 excess = (static_cast<unsigned __int128>(1) << shift) - by;
    magic = static_cast<uint64_t>((excess << 64) / by + 1);
    small_magic = static_cast<uint32_t>((excess << 32) / by + 1);
  }

  __device__ uint32_t divide(uint32_t n) const { return (__umulhi(n, small_magic) + n) >> shift; }
  __device__ int64_t divide(int64_t n) const {
    const uint64_t all = static_cast<uint64_t>(n);
    return static_cast<int64_t>((__umul64hi(all, magic) + all) >> shift);
  }
};

// An operand as a kernel sees it.
template <class T>
struct Slot {
  char* data;
  int64_t step;  // bytes from one vector of a row to the next
  T fill;
  Dtype dtype;
  bool is_broadcast;  // the same element in the whole row, or a number
  bool is_plain;      // neither that, nor has it gaps, nor is any vector off its place
  uint8_t size : 4;   // bytes of an element
  uint8_t shift : 4;  // bytes from the first element to `data`: of the second of a pair
};

// A loop as a kernel sees it. What every thread reads stands together: a small kernel waits for each
// line of it.
template <class Op, class T>
struct Arguments {
  int last_size;  // elements of the last vector of a row
  uint8_t num_outer;
  bool is_plain;       // every read is
  bool writes_plain;   // every write is
  bool prepares_rows;  // all of kPreparedFrom<Op> are broadcast
  Divisor row_vectors;
  Slot<T> slots[Op::kReads + Op::kWrites];
  uint32_t pairs;  // operands that are the first of the two vectors of one tensor, a bit each
  int64_t columns;
  int64_t vectors;  // of all rows
  int64_t strides[kMaxDims - 1][Op::kReads + Op::kWrites];  // bytes, in the outer dimensions
  Divisor sizes[kMaxDims - 1];
  T params[Op::kParams > 0 ? Op::kParams : 1];
};

// The 16 bytes of each of the two vectors that hold a vector of either part of an interleaved tensor.
inline constexpr int kVectorBytes = 16;

// Whether an operand and the next are such parts, and every vector is in its place; `pairs` are those
// of the pass.
inline bool is_pair(const Loop& loop, uint32_t pairs, int k) {
  return (pairs >> k & 1) != 0 && is_interleaved(loop, k) &&
         has_aligned_rows(loop, loop.operands[k], kVectorBytes);
}

// Every operand that is present is dense or broadcast in the innermost dimension, or part of a pair.
inline bool has_packed_rows(const Loop& loop, uint32_t pairs) {
  for (int k = 0; k < num_operands(loop); ++k) {
    const Operand& operand = loop.operands[k];
    const int64_t stride = inner_stride(loop, operand);
    if (is_pair(loop, pairs, k)) ++k;
    else if (operand.data != nullptr && stride != 0 && stride != size_of(operand.dtype)) return false;
  }
  return true;
}

// Of vectors of `size` elements. Returns the operands that are the first of a pair.
template <class T>
uint32_t set_slots(const Loop& loop, int size, uint32_t pairs, Slot<T>* slots) {
  uint32_t found = 0;
  for (int k = 0; k < num_operands(loop); ++k) {
    const Operand& operand = loop.operands[k];
    Slot<T>& slot = slots[k];
    slot.data = static_cast<char*>(operand.data);
    slot.fill = static_cast<T>(operand.fill);
    slot.dtype = operand.dtype;
    slot.step = inner_stride(loop, operand) * size;
    slot.is_broadcast = slot.data == nullptr || slot.step == 0;
    slot.size = static_cast<uint8_t>(size_of(slot.dtype));
    const bool is_first = is_pair(loop, pairs, k);
    const bool is_second = k > 0 && (found >> (k - 1) & 1) != 0;
    found |= static_cast<uint32_t>(is_first) << k;
    if (is_second) slot.shift = static_cast<uint8_t>(kVectorBytes - slot.size);
    slot.data += slot.shift;
    const int64_t bytes = slot.size * size;
    const bool is_dense = slot.data != nullptr && slot.step == bytes;
    slot.is_plain = is_first || is_second || (is_dense && has_aligned_rows(loop, operand, bytes));
  }
  return found;
}

// Of vectors of `size` elements. `order` lists the outer dimensions of the loop, fastest first.
template <class Op, class T>
Arguments<Op, T> make_arguments(const Loop& loop, const double* params, int size, bool is_packed,
                                const int* order, int num_outer) {
  Arguments<Op, T> arguments{};
  arguments.columns = inner_size(loop);
  arguments.row_vectors = Divisor(ceil_div(arguments.columns, size));
  arguments.vectors = numel(loop) / arguments.columns * arguments.row_vectors.value;
  arguments.last_size = static_cast<int>((arguments.columns - 1) % size + 1);
  arguments.is_plain = true;
  arguments.writes_plain = true;
  arguments.prepares_rows = true;
  arguments.num_outer = static_cast<uint8_t>(num_outer);
  for (int i = 0; i < num_outer; ++i) arguments.sizes[i] = Divisor(loop.sizes[order[i]]);
  arguments.pairs = set_slots(loop, size, is_packed ? kPairs<Op> : 0, arguments.slots);
  for (int k = 0; k < Op::kReads + Op::kWrites; ++k) {
    const Slot<T>& slot = arguments.slots[k];
    (k < Op::kReads ? arguments.is_plain : arguments.writes_plain) &= slot.is_plain;
    if ((kPreparedFrom<Op> >> k & 1) != 0) arguments.prepares_rows &= slot.is_broadcast;
    for (int i = 0; i < num_outer; ++i) {
      arguments.strides[i][k] = loop.operands[k].strides[order[i]];
    }
  }
  for (int i = 0; i < Op::kParams; ++i) arguments.params[i] = static_cast<T>(params[i]);
  return arguments;
}

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

inline const char* launch_error() {
  const cudaError_t error = cudaGetLastError();
  return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}

inline constexpr int64_t kMaxBlocks = (int64_t{1} << 31) - 1;

}  // namespace fusewise::cuda
