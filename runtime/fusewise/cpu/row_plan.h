// The plan of a loop on the CPU: the access mode of each operand, and the rows that run together. Free of
// torch.
#pragma once

#include <algorithm>

#include <fusewise/core/reduction.h>
#include <fusewise/cpu/element_loop.h>
#include <fusewise/cpu/rows.h>

namespace fusewise {

// The way in which a row loop reads or writes an operand.
enum class AccessMode : int8_t {
  kInPlace,
  kAbsent,      // no memory: a read has the value `fill`, and a write is dropped
  kRowScalar,   // a read with one value for the whole row
  kConverted,   // through a buffer
  kColumnSums,  // a write that is added to the partial sums of columns
  kLaneSums,    // a write that is summed in lanes
};

// True if row loops of floats read and write this type in place.
inline bool is_vector_type(Dtype dtype) {
  return dtype == Dtype::kFloat || dtype == Dtype::kHalf || dtype == Dtype::kBFloat16;
}

// True if row loops of floats read this type in place where a pass reads integers.
inline bool is_vector_integer(Dtype dtype) {
  return dtype == Dtype::kBool || dtype == Dtype::kUInt8 || dtype == Dtype::kInt8 || dtype == Dtype::kInt32;
}

// The end of the memory that a loop reads or writes of an operand.
inline const char* memory_end(const Loop& loop, const Operand& operand) {
  const char* end = static_cast<const char*>(operand.data);
  if (end == nullptr || numel(loop) == 0) return end;
  for (int d = 0; d < loop.num_dims; ++d) {
    end += std::max<int64_t>(0, operand.strides[d]) * (loop.sizes[d] - 1);
  }
  return end + size_of(operand.dtype);
}

struct RowPlan {
  RowPlan(const Loop& loop, const CpuPass& pass, const Packing& packing);

  // True if row loops take the dtype of an operand as it is.
  bool is_vector(int k) const {
    const Dtype dtype = loop.operands[k].dtype;
    return in_floats && (is_vector_type(dtype) || ((integers >> k & 1) != 0 && is_vector_integer(dtype)));
  }
  bool is_second_of_pair(int k) const { return k > 0 && (pairs >> (k - 1) & 1); }
  // The dimension along which rows run together.
  int rows_dim() const { return reduction.outer[segments > 1 ? reduction.segment_dims : 0]; }

  const Loop& loop;
  const Packing& packing;
  const int num_operands;
  const bool in_floats;
  const uint32_t integers;
  const Plan reduction;
  Dtype types[kMaxOperands];
  int64_t inner_strides[kMaxOperands];
  AccessMode modes[kMaxOperands];
  const char* ends[kMaxOperands];        // the end of the memory of each operand
  Written written[kMaxOperands] = {};    // the destinations of writes in place
  uint32_t pairs = 0;                    // a bit for the first of two interleaved operands
  bool buffered = false;                 // true if some operand needs a buffer
  int64_t segments = 1;                  // segments that run together, row by row
  int64_t most_rows = 1;                 // the most rows of a segment that run together

 private:
  bool is_dense_pair(int k) const;
  AccessMode mode_of(int k) const;
  bool has_row_sums() const;
  bool converts_row_scalars() const;
  int64_t rows_together() const;
  int64_t segments_together() const;
  int64_t bytes_moved() const;
  bool may_bypass_caches(int k) const;
};

}  // namespace fusewise
