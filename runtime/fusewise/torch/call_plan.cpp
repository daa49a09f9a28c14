#include <fusewise/torch/call_plan.h>

#include <algorithm>

#include <fusewise/torch/checks.h>
#include <fusewise/torch/dtypes.h>

namespace fusewise {
namespace {

template <class Int>
void broadcast_onto(const Operator& op, const Input& input, const View<Int>& view,
                    Ints<Int>& sizes) {
  const int64_t dim = std::max<int64_t>(view.dim(), static_cast<int64_t>(sizes.size()));
  sizes.insert(sizes.begin(), dim - sizes.size(), Int(1));
  for (int64_t d = 0; d < view.dim(); ++d) {
    Int& size = sizes[dim - view.dim() + d];
    const Int other = view.size(d);
    if (equal(other, Int(1)) || equal(size, other)) continue;
    if (equal(size, Int(1))) {
      size = other;
      continue;
    }
    TORCH_CHECK(must_equal(size, other), op.name, ": ", input.name, " of shape ", view.sizes,
                view.squeezed ? ", which has one number for each row," : "", " does not broadcast with ",
                c10::ArrayRef<Int>(sizes));
  }
}

// The order of dimensions, innermost first, by the same insertion sort with the same comparison as in
// TensorIterator: the first input with different strides in two dimensions orders them.
template <class Int>
Ints<int64_t> sort_dimensions(const Ints<Int>& sizes,
                                             const c10::SmallVector<View<Int>, 8>& views) {
  const int64_t dim = static_cast<int64_t>(sizes.size());
  const auto stride = [&](const View<Int>& view, int64_t d) -> Int {
    const int64_t own = d - (dim - view.dim());
    if (own < 0 || (equal(view.size(own), Int(1)) && !equal(sizes[d], Int(1)))) return 0;
    return view.stride(own);
  };
  const auto compare = [&](int64_t inner, int64_t outer) {
    for (const View<Int>& view : views) {
      const Int a = stride(view, inner);
      const Int b = stride(view, outer);
      if (equal(a, Int(0)) || equal(b, Int(0))) continue;
      if (less(a, b)) return -1;
      if (less(b, a)) return 1;
      if (less(sizes[outer], sizes[inner])) return 1;
    }
    return 0;
  };
  Ints<int64_t> order;
  for (int64_t d = dim - 1; d >= 0; --d) order.push_back(d);
  for (int64_t i = 1; i < dim; ++i) {
    int64_t moving = i;
    for (int64_t j = i - 1; j >= 0; --j) {
      const int comparison = compare(order[j], order[moving]);
      if (comparison < 0) break;
      if (comparison == 0) continue;
      std::swap(order[j], order[moving]);
      moving = j;
    }
  }
  return order;
}

// The strides of a result. Those of a contiguous one are PyTorch's own, even if it is empty.
template <class Int>
Ints<Int> strides_in_order(c10::ArrayRef<Int> sizes, c10::ArrayRef<int64_t> order) {
  const bool contiguous = std::is_sorted(order.rbegin(), order.rend());
  return contiguous ? contiguous_strides<Int>(sizes) : dense_strides<Int>(sizes, order);
}

// Plans a call whose inputs all have one shape and the same dense strides, as TensorIterator's fast_set_up
// does. Returns false for other calls.
template <class Int>
bool plan_flat(const Operator& op, const Arguments& arguments, CallPlan<Int>& plan) {
  for (const Output& output : op.pass->outputs) {
    if (output.parts > 1) return false;
  }
  const Tensor* first = nullptr;
  bool contiguous = true;
  for (int i = 0; i < op.num_inputs; ++i) {
    const Tensor& tensor = *arguments.inputs[i];
    if (!tensor.defined()) continue;
    if (op.pass->inputs[i].parts > 1) return false;
    if (first == nullptr) first = &tensor;
    else if (!equal(sizes_of<Int>(*first), sizes_of<Int>(tensor))) return false;
    contiguous = contiguous && tensor.is_contiguous_or_false();
  }
  if (first == nullptr) return false;
  const auto sizes = sizes_of<Int>(*first);
  const auto strides = strides_of<Int>(*first);
  plan.sizes.assign(sizes.begin(), sizes.end());
  if (contiguous) {
    plan.strides = contiguous_strides(sizes);
    return true;
  }
  bool channels_last = true;
  bool same = true;
  for (int i = 0; i < op.num_inputs; ++i) {
    const Tensor& tensor = *arguments.inputs[i];
    if (!tensor.defined()) continue;
    channels_last = channels_last && tensor.is_contiguous_or_false(at::MemoryFormat::ChannelsLast);
    same = same && tensor.unsafeGetTensorImpl()->is_non_overlapping_and_dense_or_false() &&
           equal(strides, strides_of<Int>(tensor));
  }
  if (channels_last) {
    plan.strides = dense_strides<Int>(sizes, {1, 3, 2, 0});
    return true;
  }
  if (same) plan.strides.assign(strides.begin(), strides.end());
  return same;
}

}  // namespace

template <class Int>
CallPlan<Int> plan_call(const Operator& op, const Arguments& arguments) {
  CallPlan<Int> plan;
  plan.device = check_inputs(op, arguments);
  plan.common = common_dtype(op, arguments);
  plan.flat = !op.pass->reduces && plan_flat(op, arguments, plan);
  if (plan.flat) return plan;
  plan.sizes.clear();
  c10::SmallVector<View<Int>, 8> views;
  for (int i = 0; i < op.num_inputs; ++i) {
    const Tensor& tensor = *arguments.inputs[i];
    if (!tensor.defined()) continue;
    const Input& input = op.pass->inputs[i];
    views.push_back(view_of<Int>(input, tensor));
    check_packing(op, input, views.back().sizes);
    check_kept(op, input, views.back().sizes);
    broadcast_onto(op, input, views.back(), plan.sizes);
  }
  check_rows<Int>(op, plan.common, plan.sizes);
  plan.order = sort_dimensions(plan.sizes, views);
  plan.strides = strides_in_order<Int>(plan.sizes, plan.order);
  return plan;
}

template <class Int>
Ints<Int> result_sizes(const Operator& op, const Output& output, const CallPlan<Int>& plan) {
  Ints<Int> sizes = plan.sizes;
  if (output.parts > 1) {
    TORCH_CHECK(!sizes.empty(), op.name, ": ", output.name, " packs ", output.parts,
                      " parts along the last dimension, but the inputs have none");
    sizes.back() = sizes.back() * output.parts;
  }
  const LastDim last = last_dim(*op.pass, output);
  if (last == LastDim::kUsual || sizes.empty()) return sizes;
  if (last == LastDim::kKept) sizes.back() = 1;
  else sizes.pop_back();
  return sizes;
}

template <class Int>
Ints<Int> result_strides(const Operator& op, const Output& output, const CallPlan<Int>& plan) {
  const Ints<Int> sizes = result_sizes(op, output, plan);
  Ints<int64_t> order;
  for (const int64_t d : plan.order) {
    if (d < static_cast<int64_t>(sizes.size())) order.push_back(d);
  }
  return strides_in_order<Int>(sizes, order);
}

template CallPlan<int64_t> plan_call(const Operator&, const Arguments&);
template CallPlan<c10::SymInt> plan_call(const Operator&, const Arguments&);
template Ints<int64_t> result_sizes(const Operator&, const Output&, const CallPlan<int64_t>&);
template Ints<c10::SymInt> result_sizes(const Operator&, const Output&,
                                        const CallPlan<c10::SymInt>&);
template Ints<int64_t> result_strides(const Operator&, const Output&, const CallPlan<int64_t>&);
template Ints<c10::SymInt> result_strides(const Operator&, const Output&,
                                          const CallPlan<c10::SymInt>&);

}  // namespace fusewise
