#include <fusewise/torch/allocate.h>

#include <ATen/EmptyTensor.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>

#include <fusewise/torch/dtypes.h>

namespace fusewise {
namespace {

template <class Int>
Tensor empty(c10::ArrayRef<Int> sizes, c10::ArrayRef<Int> strides, at::ScalarType dtype,
             at::Device device) {
  if constexpr (std::is_same_v<Int, int64_t>) {
    // A call through the dispatcher would cost as much as a small kernel.
    const auto key = device.is_cpu() ? c10::DispatchKey::CPU : c10::DispatchKey::CUDA;
    return at::detail::empty_strided_generic(sizes, strides, allocator_of(device),
                                             c10::DispatchKeySet(key), dtype);
  } else {
    return at::empty_strided_symint(sizes, strides, at::TensorOptions(device).dtype(dtype));
  }
}

template <class Int>
Tensor empty_gradient(const Tensor& like, at::Device device) {
  // Real and fake tensors disagree on whether an empty tensor is dense.
  const auto sizes = sizes_of<Int>(like);
  const auto is_zero = [](const Int& size) { return equal(size, Int(0)); };
  if (std::any_of(sizes.begin(), sizes.end(), is_zero) || is_one_number(like)) {
    return empty<Int>(sizes, contiguous_strides(sizes), like.scalar_type(), device);
  }
  if constexpr (std::is_same_v<Int, int64_t>) {
    if (like.is_non_overlapping_and_dense()) {
      return empty<Int>(like.sizes(), like.strides(), like.scalar_type(), device);
    }
  }
  return at::empty_like(like, at::TensorOptions(device).dtype(like.scalar_type()));
}

template <class Int>
Tensor empty_result(const Operator& op, const Output& output, at::ScalarType dtype,
                    const CallPlan<Int>& plan) {
  if (output.parts == 1 && last_dim(*op.pass, output) == LastDim::kUsual) {
    return empty<Int>(plan.sizes, plan.strides, dtype, plan.device);
  }
  return empty<Int>(result_sizes(op, output, plan), result_strides(op, output, plan), dtype, plan.device);
}

}  // namespace

const Tensor* model_of(const Output& output, const Arguments& arguments) {
  if (output.like < 0 || !arguments.inputs[output.like]->defined()) return nullptr;
  return arguments.inputs[output.like];
}

c10::Allocator* allocator_of(at::Device device) {
  if (device.is_cpu()) return c10::GetCPUAllocator();
  return at::detail::getCUDAHooks().getCUDADeviceAllocator();
}

template <class Int>
Outputs allocate(const Operator& op, const Arguments& arguments, const CallPlan<Int>& plan) {
  Outputs outputs(op.num_outputs);
  for (int k = 0; k < op.num_outputs; ++k) {
    if (!arguments.needs[k]) continue;
    const Output& output = op.pass->outputs[k];
    if (const Tensor* model = model_of(output, arguments)) {
      outputs[k] = empty_gradient<Int>(*model, plan.device);
    } else {
      const at::ScalarType dtype = result_dtype(output, arguments, plan.common);
      outputs[k] = empty_result(op, output, dtype, plan);
    }
  }
  return outputs;
}

Outputs allocate_totals(const Operator& op, const CallPlan<int64_t>& plan) {
  Outputs totals;
  for (int t = 0; t < op.pass->kept_totals; ++t) {
    totals.push_back(empty_result(op, kKeptTotal, compute_dtype(op, plan.common), plan));
  }
  return totals;
}

template Outputs allocate(const Operator&, const Arguments&, const CallPlan<int64_t>&);
template Outputs allocate(const Operator&, const Arguments&, const CallPlan<c10::SymInt>&);

}  // namespace fusewise
