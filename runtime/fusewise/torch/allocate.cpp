#include <fusewise/torch/allocate.h>

#include <ATen/EmptyTensor.h>
#include <ATen/ExpandUtils.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/native/TypeProperties.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/DefaultDtype.h>

#include <algorithm>

namespace fusewise {
namespace {

template <class Int>
using Ints = c10::SmallVector<Int, 6>;

// Comparisons that do not specialise a size that is unknown while a graph is traced.
bool equal(int64_t a, int64_t b) { return a == b; }
bool equal(const c10::SymInt& a, const c10::SymInt& b) { return TORCH_GUARD_OR_FALSE(a.sym_eq(b)); }
bool less(int64_t a, int64_t b) { return a < b; }
bool less(const c10::SymInt& a, const c10::SymInt& b) { return TORCH_GUARD_OR_FALSE(a.sym_lt(b)); }

// For checks: of an unknown size, the graph asserts it.
bool must_equal(int64_t a, int64_t b) { return a == b; }
bool must_equal(const c10::SymInt& a, const c10::SymInt& b) {
  return a.sym_eq(b).expect_true(__FILE__, __LINE__);
}

template <class Int>
bool equal(c10::ArrayRef<Int> a, c10::ArrayRef<Int> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Int& x, const Int& y) { return equal(x, y); });
}

bool is_supported(at::ScalarType dtype) {
  switch (dtype) {
    case at::kBool:
    case at::kByte:
    case at::kChar:
    case at::kShort:
    case at::kInt:
    case at::kLong:
    case at::kHalf:
    case at::kBFloat16:
    case at::kFloat:
    case at::kDouble: return true;
    default: return false;
  }
}

bool is_integer(at::ScalarType dtype) { return c10::isIntegralType(dtype, /*includeBool=*/false); }

void check_dtype(const Operator& op, const Input& input, at::ScalarType dtype) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      is_supported(dtype), op.name, ": ", input.name, " has dtype ", dtype_name(dtype),
      "; supported are bool, uint8, int8, int16, int32, int64, float16, bfloat16, float32, float64");
  TORCH_CHECK(input.kind != Kind::kBool || dtype == at::kBool, op.name, ": ", input.name,
                   " must be a bool tensor, got ", dtype_name(dtype));
  TORCH_CHECK(input.kind != Kind::kInt || is_integer(dtype), op.name, ": ", input.name,
                   " must be an integer tensor, got ", dtype_name(dtype));
}

void check_layout(const Operator& op, const Input& input, const Tensor& tensor) {
  if (tensor.is_nested()) {
    TORCH_CHECK_NOT_IMPLEMENTED(tensor.layout() == at::kJagged, op.name, ": ", input.name,
                                " is a strided nested tensor; supported are jagged ones "
                                "(layout=torch.jagged)");
  } else {
    TORCH_CHECK_NOT_IMPLEMENTED(tensor.layout() == at::kStrided, op.name, ": ", input.name,
                                " has layout ", tensor.layout(), "; supported is strided");
  }
}

void check_absent(const Operator& op, const Input& input, bool is_read) {
  TORCH_CHECK(input.optional || input.shape_only || !is_read, op.name, ": ", input.name,
              " is None, but an output that is needed is made of it");
}

// A 0-dim CPU tensor may stand beside tensors of any device, as a number.
bool is_number(const Tensor& tensor) { return tensor.dim() == 0 && tensor.device().is_cpu(); }

template <class Int>
void check_split(const Operator& op, const Input& input, const View<Int>& view) {
  if (input.parts == 1) return;
  TORCH_CHECK(view.dim() > 0, op.name, ": ", input.name, " packs ", input.parts,
                    " parts along its last dimension, but has none");
  const Int& last = view.sizes.back();
  TORCH_CHECK(must_equal(Int(last % input.parts), Int(0)), op.name, ": ", input.name,
                    ": last dimension is ", last, ", expected a multiple of ", input.parts);
}

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
                      " does not broadcast with ", c10::ArrayRef<Int>(sizes));
  }
}

// The order that TensorIterator gives dimensions, by the same insertion sort over the same comparison:
// a dimension is moved inwards when the first input that tells two apart has a smaller stride there.
template <class Int>
c10::SmallVector<int64_t, 6> sort_dimensions(const Ints<Int>& sizes,
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
  c10::SmallVector<int64_t, 6> order;
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

// All inputs alike and dense: what TensorIterator calls its fast set-up.
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

template <class Int>
Tensor empty(c10::ArrayRef<Int> sizes, c10::ArrayRef<Int> strides, at::ScalarType dtype,
             at::Device device) {
  if constexpr (std::is_same_v<Int, int64_t>) {
    // Straight to the allocator: a trip through the dispatcher costs as much as a small kernel.
    const auto key = device.is_cpu() ? c10::DispatchKey::CPU : c10::DispatchKey::CUDA;
    return at::detail::empty_strided_generic(sizes, strides, allocator_of(device),
                                             c10::DispatchKeySet(key), dtype);
  } else {
    return at::empty_strided_symint(sizes, strides, at::TensorOptions(device).dtype(dtype));
  }
}

template <class Int>
Tensor empty_gradient(const Tensor& like, at::Device device) {
  // Of an empty tensor, real and fake ones disagree on whether it is dense.
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
  if (output.parts == 1) return empty<Int>(plan.sizes, plan.strides, dtype, plan.device);
  const Ints<Int> sizes = result_sizes(op, output, plan);
  return empty<Int>(sizes, dense_strides<Int>(sizes, plan.order), dtype, plan.device);
}

}  // namespace

std::string dtype_name(at::ScalarType dtype) {
  return std::string(c10::getDtypeNames(dtype).first);
}

at::ScalarType common_dtype(const Operator& op, const Arguments& arguments) {
  at::native::ResultTypeState state;
  bool floats = false;
  bool numbers = false;
  for (int i = 0; i < op.num_inputs; ++i) {
    const Kind kind = op.pass->inputs[i].kind;
    floats = floats || kind == Kind::kFloat;
    numbers = numbers || kind == Kind::kNumber;
  }
  for (int i = 0; i < op.num_inputs; ++i) {
    const Tensor& tensor = *arguments.inputs[i];
    const Kind kind = op.pass->inputs[i].kind;
    if (op.pass->inputs[i].shape_only) continue;
    const bool counts = kind == Kind::kFloat || kind == Kind::kNumber || !(floats || numbers);
    if (counts && tensor.defined()) state = at::native::update_result_type_state(tensor, state);
  }
  const at::ScalarType dtype = at::native::result_type(state);
  if (floats && c10::isIntegralType(dtype, /*includeBool=*/true)) {
    return c10::get_default_dtype_as_scalartype();
  }
  return numbers && dtype == at::kBool ? at::kLong : dtype;
}

at::ScalarType compute_dtype(const Operator& op, at::ScalarType common) {
  const auto compute = [](at::ScalarType dtype) {
    if (dtype == at::kDouble) return at::kDouble;
    return c10::isFloatingType(dtype) ? at::kFloat : at::kLong;
  };
  at::ScalarType result = compute(common);
  for (const Input& input : op.pass->inputs) {
    if (input.kind == Kind::kFloat || input.kind == Kind::kNumber) return result;
  }
  for (const Output& output : op.pass->outputs) {
    const at::ScalarType wanted = compute(output.dtype.value_or(common));
    if (result != at::kDouble && wanted != at::kLong) result = wanted;
  }
  return result;
}

const Tensor* model_of(const Output& output, const Arguments& arguments) {
  if (output.like < 0 || !arguments.inputs[output.like]->defined()) return nullptr;
  return arguments.inputs[output.like];
}

SymInts part_sizes(const Tensor& tensor, int parts) {
  SymInts sizes = tensor.sym_sizes().vec();
  if (parts > 1) sizes.back() = sizes.back() / parts;
  return sizes;
}

at::ScalarType result_dtype(const Output& output, const Arguments& arguments,
                            at::ScalarType common) {
  if (output.dtype_like < 0) return output.dtype.value_or(common);
  const Tensor& like = *arguments.inputs[output.dtype_like];
  return like.defined() ? like.scalar_type() : common;
}

Dtype storage_dtype(at::ScalarType dtype) {
  switch (dtype) {
    case at::kBool: return Dtype::kBool;
    case at::kByte: return Dtype::kUInt8;
    case at::kChar: return Dtype::kInt8;
    case at::kShort: return Dtype::kInt16;
    case at::kInt: return Dtype::kInt32;
    case at::kLong: return Dtype::kInt64;
    case at::kHalf: return Dtype::kHalf;
    case at::kBFloat16: return Dtype::kBFloat16;
    case at::kFloat: return Dtype::kFloat;
    case at::kDouble: return Dtype::kDouble;
    case at::kFloat8_e4m3fn: return Dtype::kFloat8E4M3FN;
    case at::kFloat8_e5m2: return Dtype::kFloat8E5M2;
    default: TORCH_INTERNAL_ASSERT(false, "no storage dtype for ", dtype);
  }
}

c10::Allocator* allocator_of(at::Device device) {
  if (device.is_cpu()) return c10::GetCPUAllocator();
  return at::detail::getCUDAHooks().getCUDADeviceAllocator();
}

at::Device check_inputs(const Operator& op, const Arguments& arguments) {
  int leader = -1;
  for (int i = 0; i < op.num_inputs; ++i) {
    const Tensor& tensor = *arguments.inputs[i];
    const Input& input = op.pass->inputs[i];
    if (!tensor.defined()) {
      check_absent(op, input, is_read(arguments, i));
      continue;
    }
    if (tensor.layout() != at::kStrided || tensor.is_nested()) check_layout(op, input, tensor);
    check_dtype(op, input, tensor.scalar_type());
    if (is_number(tensor)) continue;
    if (leader < 0) leader = i;
    const at::Device device = arguments.inputs[leader]->device();
    TORCH_CHECK(tensor.device() == device, op.name, ": ", input.name, " must be on device ", device,
                " like ", op.pass->inputs[leader].name, ", got ", tensor.device());
  }
  return leader < 0 ? at::Device(at::kCPU) : arguments.inputs[leader]->device();
}

template <class Int>
CallPlan<Int> plan_call(const Operator& op, const Arguments& arguments) {
  CallPlan<Int> plan;
  plan.device = check_inputs(op, arguments);
  plan.common = common_dtype(op, arguments);
  plan.flat = plan_flat(op, arguments, plan);
  if (plan.flat) return plan;
  plan.sizes.clear();
  c10::SmallVector<View<Int>, 8> views;
  for (int i = 0; i < op.num_inputs; ++i) {
    const Tensor& tensor = *arguments.inputs[i];
    if (!tensor.defined()) continue;
    const Input& input = op.pass->inputs[i];
    views.push_back(view_of<Int>(input, tensor));
    check_split(op, input, views.back());
    broadcast_onto(op, input, views.back(), plan.sizes);
  }
  plan.order = sort_dimensions(plan.sizes, views);
  const bool contiguous = std::is_sorted(plan.order.rbegin(), plan.order.rend());
  plan.strides = contiguous ? contiguous_strides<Int>(plan.sizes)
                            : dense_strides<Int>(plan.sizes, plan.order);
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
  return sizes;
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

template CallPlan<int64_t> plan_call(const Operator&, const Arguments&);
template CallPlan<c10::SymInt> plan_call(const Operator&, const Arguments&);
template Ints<int64_t> result_sizes(const Operator&, const Output&, const CallPlan<int64_t>&);
template Ints<c10::SymInt> result_sizes(const Operator&, const Output&,
                                        const CallPlan<c10::SymInt>&);
template Outputs allocate(const Operator&, const Arguments&, const CallPlan<int64_t>&);
template Outputs allocate(const Operator&, const Arguments&, const CallPlan<c10::SymInt>&);

}  // namespace fusewise
