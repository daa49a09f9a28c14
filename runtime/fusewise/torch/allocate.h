#pragma once
// The allocation of results.

#include <fusewise/torch/call_plan.h>

namespace fusewise {

// The input whose shape, strides and dtype an output has; null if it has none or the input is None.
const Tensor* model_of(const Output& output, const Arguments& arguments);

// The allocator of the CPU, or of the current GPU.
c10::Allocator* allocator_of(at::Device device);

template <class Int>
Outputs allocate(const Operator& op, const Arguments& arguments, const CallPlan<Int>& plan);

// A total that a pass keeps for its derivative.
inline const Output kKeptTotal{.name = "total", .extent = Extent::kRow};

Outputs allocate_totals(const Operator& op, const CallPlan<int64_t>& plan);

}  // namespace fusewise
