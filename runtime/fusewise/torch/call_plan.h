#pragma once
// Shape, strides, dtype and device of a call. CPU, CUDA and meta kernels share this code, so that fake tensors
// agree with real ones.

#include <fusewise/torch/operator.h>
#include <fusewise/torch/sizes.h>

namespace fusewise {

template <class Int>
struct CallPlan {
  Ints<Int> sizes;       // to which the inputs, or their parts, broadcast; the last one is the length of a row
  Ints<Int> strides;     // of a result with these sizes
  Ints<int64_t> order;   // of dimensions, innermost first; empty if flat
  bool flat = false;     // all inputs have the strides of a result, so that one dimension is enough
  at::ScalarType common = at::kFloat;  // the promoted dtype
  at::Device device = at::kCPU;
};

template <class Int>
CallPlan<Int> plan_call(const Operator& op, const Arguments& arguments);

// The shape of an output that is not a gradient.
template <class Int>
Ints<Int> result_sizes(const Operator& op, const Output& output, const CallPlan<Int>& plan);

template <class Int>
Ints<Int> result_strides(const Operator& op, const Output& output, const CallPlan<Int>& plan);

}  // namespace fusewise
