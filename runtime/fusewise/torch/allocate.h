#pragma once
// Shapes, dtypes, strides and devices of a call, decided once for CPU, CUDA and meta kernels, so that
// fake tensors agree with real ones. Int is int64_t, or c10::SymInt for meta tensors.

#include <fusewise/torch/operator.h>

namespace fusewise {

// Promotion as PyTorch does it, and the type that the arithmetic is done in: of integers and
// conditions, that of an output whose type is a float.
at::ScalarType common_dtype(const Operator& op, const Arguments& arguments);
at::ScalarType compute_dtype(const Operator& op, at::ScalarType common);

// The tensor that an output is like; null where it is like none, or like one that is None.
const Tensor* model_of(const Output& output, const Arguments& arguments);

// Of an output that has no model.
at::ScalarType result_dtype(const Output& output, const Arguments& arguments,
                            at::ScalarType common);

Dtype storage_dtype(at::ScalarType dtype);  // of a dtype that check_inputs let pass

std::string dtype_name(at::ScalarType dtype);  // as Python says it

// Layout, dtype and device of the inputs; returns the device of the call.
at::Device check_inputs(const Operator& op, const Arguments& arguments);

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

using SymInts = std::vector<c10::SymInt>;
SymInts part_sizes(const Tensor& tensor, int parts);

// A tensor, or one part of a packed one. Strides are in elements.
template <class Int>
struct View {
  c10::ArrayRef<Int> sizes;
  c10::ArrayRef<Int> strides;
  int64_t parts;
  Layout layout;

  int64_t dim() const { return static_cast<int64_t>(sizes.size()); }
  bool is_packed(int64_t d) const { return parts > 1 && d + 1 == dim(); }
  Int size(int64_t d) const { return is_packed(d) ? sizes[d] / parts : sizes[d]; }
  Int stride(int64_t d) const {
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
  return {sizes_of<Int>(tensor), strides_of<Int>(tensor), input.parts, input.layout};
}

template <class Int>
struct CallPlan {
  c10::SmallVector<Int, 6> sizes;      // as the inputs, or their parts, broadcast
  c10::SmallVector<Int, 6> strides;    // of a result
  c10::SmallVector<int64_t, 6> order;  // dimensions, innermost first; none of a flat plan
  bool flat = false;  // all inputs are dense with a result's own strides: one dimension is enough
  at::ScalarType common = at::kFloat;
  at::Device device = at::kCPU;
};

template <class Int>
CallPlan<Int> plan_call(const Operator& op, const Arguments& arguments);

// The shape of an output that is not a gradient.
template <class Int>
c10::SmallVector<Int, 6> result_sizes(const Operator& op, const Output& output,
                                      const CallPlan<Int>& plan);

// Of the CPU, or of the GPU that is the current one.
c10::Allocator* allocator_of(at::Device device);

template <class Int>
Outputs allocate(const Operator& op, const Arguments& arguments, const CallPlan<Int>& plan);

}  // namespace fusewise
