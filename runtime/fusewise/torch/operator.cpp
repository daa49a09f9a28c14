#include <fusewise/torch/operator.h>

#include <algorithm>

namespace fusewise {
namespace {

const Tensor kUndefined;

}  // namespace

Arguments::Arguments(const Operator& op, const Stack& stack, int extra) {
  const c10::IValue* value = stack.data() + stack.size() - op.num_arguments() - extra;
  for (int i = 0; i < op.num_inputs; ++i, ++value) {
    inputs[i] = value->isTensor() ? &value->toTensor() : &kUndefined;
  }
  for (int p = 0; p < op.num_params(); ++p, ++value) {
    switch (op.params[p]) {
      case c10::TypeKind::FloatType: params[p] = value->toDouble(); break;
      case c10::TypeKind::IntType: params[p] = value->toInt(); break;
      default: params[p] = value->toBool();
    }
  }
  needs.fill(true);
  reads = ~InputSet(0);
  if (op.takes_needs) {
    reads = 0;
    const c10::List<bool> list = value->toBoolList();
    TORCH_CHECK(static_cast<int>(list.size()) == op.num_outputs, op.name, ": needs must have ",
                op.num_outputs, " entries, got ", list.size());
    for (int k = 0; k < op.num_outputs; ++k) {
      needs[k] = list[k];
      if (needs[k]) reads |= op.reads[k];
    }
    int param = op.num_params();
    for (const int input : op.pass->arrivals) params[param++] = inputs[input]->defined();
  }
}

bool is_one_number(const Tensor& tensor) {
  const auto is_zero = [](const auto& stride) { return TORCH_GUARD_OR_FALSE(stride.sym_eq(0)); };
  if (tensor.unsafeGetTensorImpl()->has_symbolic_sizes_strides()) {
    const c10::SymIntArrayRef strides = tensor.sym_strides();
    return std::all_of(strides.begin(), strides.end(), is_zero);
  }
  const c10::IntArrayRef strides = tensor.strides();
  return std::all_of(strides.begin(), strides.end(), [](int64_t stride) { return stride == 0; });
}

c10::IValue param_value(c10::TypeKind type, Number value) {
  switch (type) {
    case c10::TypeKind::FloatType: return value.as<double>();
    case c10::TypeKind::IntType: return value.as<int64_t>();
    default: return value.as<bool>();
  }
}

bool is_differentiable(at::ScalarType dtype) {
  return c10::isFloatingType(dtype) && !c10::isFloat8Type(dtype);
}

void return_results(Stack& stack, int num_arguments, Outputs&& outputs) {
  torch::jit::drop(stack, num_arguments);
  for (Tensor& output : outputs) stack.emplace_back(std::move(output));
}

}  // namespace fusewise
