#include <fusewise/torch/checks.h>

#include <ATen/MemoryOverlap.h>

namespace fusewise {
namespace {

// The bytes of a storage between the first and the last element of a tensor.
struct Span {
  int64_t begin;
  int64_t size;
};

Span span_of(const Tensor& tensor) {
  const int64_t item = static_cast<int64_t>(tensor.itemsize());
  int64_t size = item;
  for (int64_t d = 0; d < tensor.dim(); ++d) size += (tensor.size(d) - 1) * tensor.stride(d) * item;
  return {tensor.storage_offset() * item, size};
}

// The span of a tensor within each `period` bytes, if all larger strides are multiples of the period.
std::optional<Span> periodic_span(const Tensor& tensor, int64_t period) {
  const int64_t item = static_cast<int64_t>(tensor.itemsize());
  int64_t size = item;
  for (int64_t d = 0; d < tensor.dim(); ++d) {
    const int64_t stride = tensor.stride(d) * item;
    if (stride < period) size += (tensor.size(d) - 1) * stride;
    else if (tensor.size(d) > 1 && stride % period != 0) return std::nullopt;
  }
  return Span{tensor.storage_offset() * item % period, size};
}

bool are_apart(const Tensor& a, const Tensor& b, int64_t period) {
  const std::optional<Span> first = periodic_span(a, period);
  const std::optional<Span> second = periodic_span(b, period);
  if (!first || !second) return false;
  const int64_t distance = (second->begin - first->begin + period) % period;
  return first->size <= distance && second->size <= period - distance;
}

// True if two tensors certainly share no byte: their spans are disjoint, or are disjoint within every row of a
// matrix of which both are views.
bool are_apart(const Tensor& a, const Tensor& b) {
  if (a.numel() == 0 || b.numel() == 0 || !a.is_alias_of(b)) return true;
  const Span first = span_of(a);
  const Span second = span_of(b);
  if (first.begin + first.size <= second.begin || second.begin + second.size <= first.begin) return true;
  for (const Tensor* tensor : {&a, &b}) {
    for (const int64_t stride : tensor->strides()) {
      if (stride > 0 && are_apart(a, b, stride * static_cast<int64_t>(tensor->itemsize()))) return true;
    }
  }
  return false;
}

bool are_same(const Tensor& a, const Tensor& b) {
  return a.is_alias_of(b) && a.storage_offset() == b.storage_offset() && a.dtype() == b.dtype() &&
         a.sizes().equals(b.sizes()) && a.strides().equals(b.strides());
}

}  // namespace

void check_overlap(const Operator& op, const Arguments& arguments, const Outputs& outputs) {
  for (int k = 0; k < op.num_outputs; ++k) {
    const Tensor& output = outputs[k];
    at::assert_no_internal_overlap(output);
    for (int i = 0; i < op.num_inputs; ++i) {
      const Tensor& input = *arguments.inputs[i];
      if (!input.defined() || are_apart(output, input)) continue;
      const bool in_place = op.pass->inputs[i].parts == 1 && are_same(output, input) &&
                            op.pass->outputs[k].extent == Extent::kElement;
      TORCH_CHECK(in_place, op.name, ": out may share memory with ", op.pass->inputs[i].name,
                  "; clone one of them");
    }
    for (int other = 0; other < k; ++other) {
      TORCH_CHECK(are_apart(output, outputs[other]), op.name,
                  ": two tensors of out may share memory; clone one of them");
    }
  }
}

}  // namespace fusewise
