#include <fusewise/torch/derivative.h>

#include <ATen/EmptyTensor.h>
#include <ATen/TensorSubclassLikeUtils.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/TorchDispatchModeTLS.h>
#include <c10/util/SmallVector.h>

#include <fusewise/torch/allocate.h>
#include <fusewise/torch/dtypes.h>

namespace fusewise {
namespace {

c10::IValue to_value(const Tensor& tensor) {
  return tensor.defined() ? c10::IValue(tensor) : c10::IValue();
}

bool same_sizes(c10::SymIntArrayRef a, c10::SymIntArrayRef b) {
  return TORCH_GUARD_OR_FALSE(c10::sym_equals(a, b));
}

Tensor model_of(const Output& output, const Stack& inputs) {
  const bool none = output.like < 0 || inputs[output.like].isNone();
  return none ? Tensor() : inputs[output.like].toTensor();
}

bool are_alike(const Tensor& a, const Tensor& b) {
  return a.scalar_type() == b.scalar_type() && a.device() == b.device() &&
         same_sizes(a.sym_sizes(), b.sym_sizes());
}

// True if the node can forward the incoming gradient that an output equals. An output without a model has the
// same shape, and the engine casts the gradient to the dtype of its input.
bool is_forwarded(const Pass& pass, const Output& output, const Stack& inputs) {
  if (output.equal_input < 0) return false;
  if (last_dim(pass, output) != last_dim(pass.inputs[output.equal_input])) return false;
  const Tensor model = model_of(output, inputs);
  if (!model.defined() || inputs[output.equal_input].isNone()) return true;
  return are_alike(inputs[output.equal_input].toTensor(), model);
}

bool is_equal(const Pass& pass, int first, int second, const Stack& inputs) {
  const std::vector<Output>& outputs = pass.outputs;
  const int equal = outputs[second].equal_output;
  const int incoming = outputs[second].equal_input;
  const bool is_common = equal >= 0 && (equal == first || equal == outputs[first].equal_output);
  if (!is_common && (incoming < 0 || incoming != outputs[first].equal_input)) return false;
  if (last_dim(pass, outputs[first]) != last_dim(pass, outputs[second])) return false;
  const Tensor a = model_of(outputs[first], inputs);
  const Tensor b = model_of(outputs[second], inputs);
  return a.defined() && b.defined() ? are_alike(a, b) : a.defined() == b.defined();
}

}  // namespace

bool has_gradient(const Operator& op, const Output& output) {
  if (output.detached) return false;
  if (output.dtype_like >= 0) {
    const Kind kind = op.pass->inputs[output.dtype_like].kind;
    return kind == Kind::kFloat || kind == Kind::kNumber;
  }
  return !output.dtype || is_differentiable(scalar_type(*output.dtype));
}

void describe_saved(Operator& op) {
  const Pass& pass = *op.pass;
  bool tells = true;  // true if each incoming gradient has the shape and dtype of a result
  bool has_rows = false;  // true if an incoming gradient lacks the length of a row
  op.incoming_tell_length = true;
  for (int k = op.num_outputs - 1; k >= 0; --k) {
    const Output& output = pass.outputs[k];
    if (!has_gradient(op, output)) continue;
    ++op.num_incoming;
    op.first_incoming = k;
    has_rows = has_rows || last_dim(pass, output) != LastDim::kUsual;
    op.incoming_tell_length = op.incoming_tell_length && output.like < 0 && !has_rows;
    tells = tells && output.like < 0 && output.dtype_like < 0 && !output.dtype && !has_rows;
  }
  for (const int i : pass.saved_inputs) {
    const Input& input = pass.inputs[i];
    const bool always_stands_in = !tells || input.optional;
    op.saved.push_back({.input = i, .parts = input.parts, .always_stands_in = always_stands_in});
  }
  for (const int k : pass.saved_outputs) {
    op.saved.push_back({.output = k, .always_stands_in = !tells});
  }
  for (int t = 0; t < pass.kept_totals; ++t) op.saved.push_back({.total = t});
  for (const int i : pass.saved_shapes) {
    op.saved.push_back({.input = i,
                        .shape_only = true,
                        .parts = pass.inputs[i].parts,
                        .always_stands_in = has_rows});
  }
  TORCH_INTERNAL_ASSERT(
      op.num_incoming + static_cast<int>(op.saved.size()) == op.derivative->num_inputs, pass.schema);
}

std::vector<Tensor> differentiate(const Operator& op, const std::vector<Tensor>& grads,
                                  const Saved& saved) {
  const Operator& derivative = *op.derivative;
  std::vector<Tensor> result(op.num_inputs);
  bool any = false;
  for (const Tensor& grad : grads) any = any || grad.defined();
  if (!any) return result;

  Stack stack;
  stack.reserve(derivative.num_arguments());
  for (int k = 0; k < op.num_outputs; ++k) {
    if (has_gradient(op, op.pass->outputs[k])) stack.push_back(to_value(grads[k]));
  }
  for (const Tensor& tensor : saved.tensors) stack.push_back(to_value(tensor));

  // Like ATen's formulas, this forwards an incoming gradient to every input that has this gradient, and returns
  // one tensor for inputs with equal gradients.
  const std::vector<Output>& outputs = derivative.pass->outputs;
  std::array<int, kMaxOperands> source;  // the computed output that each output equals, or -1
  c10::List<bool> needs;
  needs.reserve(derivative.num_outputs);
  bool runs = false;
  for (int k = 0; k < derivative.num_outputs; ++k) {
    const int input = op.pass->gradients[k];
    source[k] = -1;
    if (saved.needs[input]) {
      if (!is_forwarded(*derivative.pass, outputs[k], stack)) source[k] = k;
      else if (stack[outputs[k].equal_input].isTensor()) {
        result[input] = stack[outputs[k].equal_input].toTensor();
      }
    }
    for (int j = 0; j < k && source[k] == k; ++j) {
      if (source[j] == j && is_equal(*derivative.pass, j, k, stack)) source[k] = j;
    }
    needs.push_back(source[k] == k);
    runs = runs || source[k] == k;
  }
  if (!runs) return result;

  // A sparse gradient, like that of an embedding, is forwarded unchanged; kernels need a dense one.
  for (c10::IValue& value : stack) {
    if (value.isTensor() && value.toTensor().is_sparse()) value.toTensor() = value.toTensor().to_dense();
  }
  for (int p = 0; p < op.num_params(); ++p) {
    stack.push_back(param_value(op.params[p], saved.params[p]));
  }
  stack.emplace_back(std::move(needs));
  derivative.handle->callBoxed(stack);
  for (int k = 0; k < derivative.num_outputs; ++k) {
    if (source[k] < 0 || !stack[source[k]].isTensor()) continue;
    result[op.pass->gradients[k]] = stack[source[k]].toTensor();
  }
  return result;
}

bool is_full(const Tensor& tensor, int parts, const Tensor& result, int result_parts) {
  if (parts == result_parts) return same_sizes(tensor.sym_sizes(), result.sym_sizes());
  return same_sizes(part_sizes(tensor, parts), part_sizes(result, result_parts));
}

bool is_laid_out_alike(const Tensor& tensor, int parts, const Tensor& result, int result_parts) {
  if (tensor.scalar_type() != result.scalar_type() || tensor.device() != result.device() ||
      !is_full(tensor, parts, result, result_parts)) {
    return false;
  }
  if (parts == result_parts) return same_sizes(tensor.sym_strides(), result.sym_strides());
  return tensor.is_contiguous_or_false() && result.is_contiguous_or_false();
}

bool is_plain(const Tensor& tensor) {
  const at::Device device = tensor.device();
  return (device.is_cpu() || device.is_cuda()) && !at::isTensorSubclassLike(tensor) &&
         !c10::impl::dispatch_mode_enabled();
}

Tensor expanded_number(const Tensor& tensor) {
  if (is_plain(tensor)) {
    const c10::OptionalDeviceGuard guard(tensor.device());
    const c10::SmallVector<int64_t, 6> strides(tensor.dim(), 0);
    const auto key = tensor.is_cpu() ? c10::DispatchKey::CPU : c10::DispatchKey::CUDA;
    return at::detail::empty_strided_generic(tensor.sizes(), strides, allocator_of(tensor.device()),
                                             c10::DispatchKeySet(key), tensor.scalar_type());
  }
  const at::AutoDispatchBelowAutograd guard;
  return tensor.new_empty_symint({}).expand_symint(tensor.sym_sizes());
}

}  // namespace fusewise
