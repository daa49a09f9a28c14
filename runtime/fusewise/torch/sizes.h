#pragma once
// Sizes and strides of tensors. Int is int64_t, or c10::SymInt for meta tensors.

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>

#include <algorithm>
#include <vector>

#include <fusewise/torch/op.h>

namespace fusewise {

template <class Int>
c10::ArrayRef<Int> sizes_of(const Tensor& tensor) {
  if constexpr (std::is_same_v<Int, c10::SymInt>) return tensor.sym_sizes();
  else return tensor.sizes();
}

template <class Int>
c10::ArrayRef<Int> strides_of(const Tensor& tensor) {
  if constexpr (std::is_same_v<Int, c10::SymInt>) return tensor.sym_strides();
  else return tensor.strides();
}

template <class Int>
using Ints = c10::SmallVector<Int, 6>;

// Comparisons that do not specialize a size that is unknown while a graph is traced; the result is then false.
inline bool equal(int64_t a, int64_t b) { return a == b; }
inline bool equal(const c10::SymInt& a, const c10::SymInt& b) {
  return TORCH_GUARD_OR_FALSE(a.sym_eq(b));
}
inline bool less(int64_t a, int64_t b) { return a < b; }
inline bool less(const c10::SymInt& a, const c10::SymInt& b) {
  return TORCH_GUARD_OR_FALSE(a.sym_lt(b));
}

// Equality for checks: the graph asserts it if a size is unknown.
inline bool must_equal(int64_t a, int64_t b) { return a == b; }
inline bool must_equal(const c10::SymInt& a, const c10::SymInt& b) {
  return a.sym_eq(b).expect_true(__FILE__, __LINE__);
}

template <class Int>
bool equal(c10::ArrayRef<Int> a, c10::ArrayRef<Int> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Int& x, const Int& y) { return equal(x, y); });
}

// The strides of a dense tensor whose dimensions have this order, innermost first.
template <class Int>
Ints<Int> dense_strides(c10::ArrayRef<Int> sizes, c10::ArrayRef<int64_t> order) {
  Ints<Int> strides(sizes.size(), Int(1));
  Int next = 1;
  for (const int64_t d : order) {
    strides[d] = next;
    next = next * sizes[d];
  }
  return strides;
}

template <class Int>
Ints<Int> contiguous_strides(c10::ArrayRef<Int> sizes) {
  Ints<Int> strides(sizes.size(), Int(1));
  for (int64_t d = static_cast<int64_t>(sizes.size()) - 2; d >= 0; --d) {
    const Int& size = sizes[d + 1];
    strides[d] = strides[d + 1] * (less(size, Int(1)) ? Int(1) : size);
  }
  return strides;
}

using SymInts = std::vector<c10::SymInt>;

// The sizes of one part of a packed tensor.
inline SymInts part_sizes(const Tensor& tensor, int parts) {
  SymInts sizes = tensor.sym_sizes().vec();
  if (parts > 1) sizes.back() = sizes.back() / parts;
  return sizes;
}

// The last dimension of the loop in the shape of an operand: as for every other dimension, kept with size 1, or
// left out.
enum class LastDim : int8_t { kUsual, kKept, kSqueezed };

inline LastDim last_dim(Extent extent, bool keepdim) {
  if (extent == Extent::kElement) return LastDim::kUsual;
  return keepdim ? LastDim::kKept : LastDim::kSqueezed;
}

inline LastDim last_dim(const Input& input) { return last_dim(input.extent, input.keepdim); }

inline LastDim last_dim(const Pass& pass, const Output& output) {
  return output.like >= 0 ? last_dim(pass.inputs[output.like]) : last_dim(output.extent, output.keepdim);
}

// A tensor, or one part of a packed one. Strides are in elements. A squeezed tensor counts as if it had one more
// last dimension, of size 1.
template <class Int>
struct View {
  c10::ArrayRef<Int> sizes;
  c10::ArrayRef<Int> strides;
  int64_t parts;
  Layout layout;
  bool squeezed;

  int64_t dim() const { return static_cast<int64_t>(sizes.size()) + (squeezed ? 1 : 0); }
  bool is_added(int64_t d) const { return squeezed && d + 1 == dim(); }
  bool is_packed(int64_t d) const { return parts > 1 && d + 1 == dim(); }
  Int size(int64_t d) const {
    if (is_added(d)) return 1;
    return is_packed(d) ? sizes[d] / parts : sizes[d];
  }
  Int stride(int64_t d) const {
    if (is_added(d)) return 0;
    return is_packed(d) && layout == Layout::kInterleaved ? strides[d] * parts : strides[d];
  }
  Int offset(int64_t part) const {
    if (part == 0) return 0;
    const int64_t last = dim() - 1;
    return strides[last] * part * (layout == Layout::kChunked ? size(last) : Int(1));
  }
};

template <class Int>
View<Int> view_of(const Input& input, const Tensor& tensor) {
  return {sizes_of<Int>(tensor), strides_of<Int>(tensor), input.parts, input.layout,
          last_dim(input) == LastDim::kSqueezed};
}

}  // namespace fusewise
