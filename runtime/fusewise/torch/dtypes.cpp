#include <fusewise/torch/dtypes.h>
#include <fusewise/torch/sizes.h>

#include <ATen/native/TypeProperties.h>
#include <c10/core/DefaultDtype.h>

#include <array>

namespace fusewise {

std::string dtype_name(at::ScalarType dtype) {
  return std::string(c10::getDtypeNames(dtype).first);
}

namespace {

// A squeezed tensor counts as if it had its last dimension, so a 0-dim one promotes as tensors with dimensions
// do.
void add_type(const Input& input, const Tensor& tensor, at::native::ResultTypeState& state) {
  if (tensor.dim() > 0 || last_dim(input) != LastDim::kSqueezed) {
    state = at::native::update_result_type_state(tensor, state);
    return;
  }
  const at::ScalarType dtype = tensor.scalar_type();
  const bool first = state.dimResult == at::ScalarType::Undefined;
  state.dimResult = first ? dtype : c10::promoteTypes(state.dimResult, dtype);
}

}  // namespace

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
    if (counts && tensor.defined()) add_type(op.pass->inputs[i], tensor, state);
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
    const at::ScalarType wanted = compute(dtype_or(output, common));
    if (result != at::kDouble && wanted != at::kLong) result = wanted;
  }
  return result;
}

at::ScalarType dtype_or(const Output& output, at::ScalarType other) {
  return output.dtype ? scalar_type(*output.dtype) : other;
}

at::ScalarType result_dtype(const Output& output, const Arguments& arguments,
                            at::ScalarType common) {
  if (output.dtype_like < 0) return dtype_or(output, common);
  const Tensor& like = *arguments.inputs[output.dtype_like];
  return like.defined() ? like.scalar_type() : common;
}

namespace {

// In the order of Dtype.
constexpr at::ScalarType kScalarTypes[] = {
    at::kBool,     at::kByte,  at::kChar,   at::kShort,          at::kInt,         at::kLong, at::kHalf,
    at::kBFloat16, at::kFloat, at::kDouble, at::kFloat8_e4m3fn, at::kFloat8_e5m2,
};
// By a number of torch: the number of the storage type, or -1.
constexpr auto kDtypes = [] {
  std::array<int8_t, static_cast<size_t>(at::ScalarType::NumOptions)> found;
  found.fill(-1);
  for (size_t i = 0; i < std::size(kScalarTypes); ++i) found[static_cast<size_t>(kScalarTypes[i])] = i;
  return found;
}();

}  // namespace

at::ScalarType scalar_type(Dtype dtype) { return kScalarTypes[static_cast<int>(dtype)]; }

Dtype storage_dtype(at::ScalarType dtype) {
  const int8_t found = kDtypes[static_cast<size_t>(dtype)];
  TORCH_INTERNAL_ASSERT(found >= 0, "no storage dtype for ", dtype);
  return static_cast<Dtype>(found);
}

}  // namespace fusewise
