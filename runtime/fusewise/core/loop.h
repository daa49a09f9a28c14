// A loop nest over plain memory: sizes, and a pointer, a dtype and byte strides for each operand. Free of
// torch; shared by CPU and CUDA.
#pragma once

#include <cstddef>
#include <cstdint>

#include <fusewise/math/dtype.h>

namespace fusewise {

inline constexpr int kMaxDims = 12;
inline constexpr int kMaxOperands = 32;

// A number that the host passes to a kernel: a 64-bit integer or a double. A double alone would round large
// integers.
class Number {
 public:
  Number() = default;
  template <class Given>
    requires std::is_arithmetic_v<Given>
  Number(Given number) : is_whole_(std::is_integral_v<Given>) {
    if constexpr (std::is_integral_v<Given>) whole_ = static_cast<int64_t>(number);
    else real_ = static_cast<double>(number);
  }

  // The number as a T, with one rounding at most.
  template <class T>
  T as() const {
    if (is_whole_) return static_cast<T>(whole_);
    if constexpr (std::is_same_v<T, int64_t>) return truncate<int64_t>(real_);
    else return static_cast<T>(real_);
  }

 private:
  union {
    double real_;
    int64_t whole_;
  };
  bool is_whole_;
};

// An operand is absent if its data is null: an absent read has the value `fill`, of type `dtype`, and an absent
// write is skipped. A write is *reduced* if its stride is 0 in a dimension whose size is not 1: it is summed
// over that dimension in the compute type, in an order that depends on the loop alone.
struct Operand {
  void* data;
  Number fill;
  Dtype dtype;
  int64_t strides[kMaxDims];  // in bytes; dimension 0 is the innermost
};

struct Loop {
  int num_dims;
  int64_t sizes[kMaxDims];
  int num_reads;
  int num_writes;
  Operand operands[kMaxOperands];  // the reads, then the writes
  Dtype compute;                   // kFloat, kDouble or kInt64
};

struct Launch {
  // Allocates memory for totals and partial sums, aligned to 16 bytes. Every allocation of a call is valid until
  // all kernels that the call has launched have run.
  void* (*allocate)(void* context, size_t bytes);
  void* context;
  void* stream;  // cudaStream_t
  // Calls body(context, begin, end) for the parts of [0, n). If it is null, the caller's thread runs
  // everything.
  void (*parallel_for)(int64_t n, int64_t grain, void (*body)(void*, int64_t, int64_t),
                       void* context);
};

// The result of a launch: success, or a message that lives as long as the program.
struct Status {
  const char* message = nullptr;
  int error = 0;            // error code of the CUDA runtime; 0 for other errors
  bool is_earlier = false;  // true if the error belongs to work that was launched earlier

  bool failed() const { return message != nullptr; }
};

using Kernel = Status (*)(const Loop&, const Number* params, const Launch&);

inline int num_operands(const Loop& loop) { return loop.num_reads + loop.num_writes; }

inline int64_t numel(const Loop& loop) {
  int64_t count = 1;
  for (int d = 0; d < loop.num_dims; ++d) count *= loop.sizes[d];
  return count;
}

inline int64_t inner_size(const Loop& loop) { return loop.num_dims == 0 ? 1 : loop.sizes[0]; }

// The stride of an operand in the inner dimension. A dimension of size 1 counts as broadcast.
inline int64_t inner_stride(const Loop& loop, const Operand& operand) {
  return inner_size(loop) == 1 ? 0 : operand.strides[0];
}

// Drops dimensions of size 1 and merges those that are contiguous for every operand. The caller has
// ordered the dimensions, innermost first. Dimensions before `first` stay as they are.
inline void coalesce(Loop& loop, int first = 0) {
  const int operands = num_operands(loop);
  const auto mergeable = [&](int outer, int inner) {
    for (int k = 0; k < operands; ++k) {
      const Operand& operand = loop.operands[k];
      if (operand.data == nullptr) continue;
      if (operand.strides[outer] != operand.strides[inner] * loop.sizes[inner]) return false;
    }
    return true;
  };
  int last = first - 1;  // the last dimension that is kept so far
  for (int d = first; d < loop.num_dims; ++d) {
    if (loop.sizes[d] == 1) continue;
    if (last >= first && mergeable(d, last)) {
      loop.sizes[last] *= loop.sizes[d];
      continue;
    }
    ++last;
    loop.sizes[last] = loop.sizes[d];
    for (int k = 0; k < operands; ++k) {
      loop.operands[k].strides[last] = loop.operands[k].strides[d];
    }
  }
  loop.num_dims = last + 1;
}

// True if the write is summed over the dimension. A dimension of size 0 counts, since its sum is 0; a dimension
// of size 1 does not.
inline bool is_reduced(const Loop& loop, const Operand& write, int dim) {
  return write.strides[dim] == 0 && loop.sizes[dim] != 1;
}

inline bool is_reduced(const Loop& loop, const Operand& write) {
  if (write.data == nullptr) return false;
  for (int d = 0; d < loop.num_dims; ++d) {
    if (is_reduced(loop, write, d)) return true;
  }
  return false;
}

inline bool has_reduced_write(const Loop& loop) {
  for (int k = loop.num_reads; k < num_operands(loop); ++k) {
    if (is_reduced(loop, loop.operands[k])) return true;
  }
  return false;
}

inline bool writes_float8(const Loop& loop) {
  for (int k = loop.num_reads; k < num_operands(loop); ++k) {
    const Dtype dtype = loop.operands[k].dtype;
    if (dtype == Dtype::kFloat8E4M3FN || dtype == Dtype::kFloat8E5M2) return true;
  }
  return false;
}

// True if operands `k` and `k + 1` are the two parts of an interleaved tensor: their elements alternate in
// memory.
inline bool is_interleaved(const Loop& loop, int k) {
  const Operand& first = loop.operands[k];
  const Operand& second = loop.operands[k + 1];
  const int64_t item = size_of(first.dtype);
  bool found = first.data != nullptr && second.dtype == first.dtype &&
               second.data == static_cast<char*>(first.data) + item &&
               inner_stride(loop, first) == 2 * item;
  for (int d = 0; d < loop.num_dims; ++d) found &= first.strides[d] == second.strides[d];
  return found;
}

// True if every row of the operand starts at a multiple of `bytes`.
inline bool has_aligned_rows(const Loop& loop, const Operand& operand, int64_t bytes) {
  if (reinterpret_cast<uintptr_t>(operand.data) % static_cast<uintptr_t>(bytes) != 0) return false;
  for (int d = 1; d < loop.num_dims; ++d) {
    if (operand.strides[d] % bytes != 0) return false;
  }
  return true;
}

}  // namespace fusewise
