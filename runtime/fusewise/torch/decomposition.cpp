// The formula in ATen calls: what devices without a kernel run, what forward mode and higher
// derivatives record, and what a compiler decomposes.
#include <fusewise/torch/allocate.h>

#include <ATen/ExpandUtils.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/detach.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/stack.h>

#include <limits>

namespace fusewise {
namespace {

Tensor part_of(const Input& input, const Tensor& tensor, int part) {
  if (input.parts == 1) return tensor;
  if (input.layout == Layout::kInterleaved) {
    return tensor.slice(-1, part, std::numeric_limits<int64_t>::max(), input.parts);
  }
  const c10::SymInt size = tensor.sym_size(-1) / input.parts;
  return tensor.slice_symint(-1, size * part, size * (part + 1));
}

// As a kernel writes it: a value for each element of the loop, which a gradient then sums to the shape
// of its input.
Tensor reshape(const Tensor& value, const SymInts& loop, const SymInts& wanted) {
  const Tensor full = value.sym_sizes().equals(loop) ? value : value.expand_symint(loop);
  return loop == wanted ? full : at::sum_to(full, wanted);
}

// A formula may hand an input on, but results are new tensors.
bool shares_memory(const Tensor& output, const Tensor& input) {
  return input.defined() && output.has_storage() && input.has_storage() && output.is_alias_of(input);
}

Tensor pack(c10::ArrayRef<Tensor> parts, Layout layout) {
  if (parts.size() == 1) return parts[0];
  return layout == Layout::kChunked ? at::cat(parts, -1) : at::stack(parts, -1).flatten(-2);
}

}  // namespace

Outputs compute_decomposition(const Operator& op, const Arguments& arguments) {
  const at::Device device = check_inputs(op, arguments);
  const at::ScalarType common = common_dtype(op, arguments);
  const at::ScalarType compute = compute_dtype(op, common);
  std::vector<Tensor> reads;
  std::vector<at::ScalarType> types;
  SymInts sizes;
  bool nested = false;  // whose shapes ATen and the engine look after
  for (int i = 0; i < op.num_inputs; ++i) {
    const Input& input = op.pass->inputs[i];
    const Tensor& tensor = *arguments.inputs[i];
    if (input.shape_only) continue;
    types.insert(types.end(), input.parts, tensor.defined() ? tensor.scalar_type() : common);
    if (tensor.defined()) {
      nested = nested || tensor.is_nested();
      if (input.parts > 1) {
        TORCH_CHECK(tensor.dim() > 0 && tensor.sym_size(-1) % input.parts == 0, op.name, ": ",
                    input.name, ": last dimension must be a multiple of ", input.parts,
                    ", got shape ", tensor.sym_sizes());
      }
      if (!nested) sizes = at::infer_size_symint(sizes, part_sizes(tensor, input.parts));
    }
    if (!tensor.defined() || !is_read(arguments, i)) {
      const at::ScalarType type = input.kind == Kind::kBool ? at::kBool : compute;
      const Tensor fill = at::scalar_tensor(input.fill, at::TensorOptions(device).dtype(type));
      reads.insert(reads.end(), input.parts, fill);
      continue;
    }
    const Tensor value = input.kind == Kind::kBool ? tensor : tensor.to(compute);
    for (int part = 0; part < input.parts; ++part) reads.push_back(part_of(input, value, part));
  }

  std::array<Tensor, kMaxOperands> writes;
  op.pass->decomposition(reads.data(), arguments.params.data(), types.data(), writes.data());

  Outputs outputs(op.num_outputs);
  const Tensor* write = writes.data();
  for (int k = 0; k < op.num_outputs; ++k) {
    const Output& output = op.pass->outputs[k];
    const c10::ArrayRef<Tensor> parts(write, output.parts);
    write += output.parts;
    if (!arguments.needs[k]) continue;
    const Tensor* model = model_of(output, arguments);
    std::vector<Tensor> shaped(parts.begin(), parts.end());
    if (!nested) {
      const SymInts wanted = model == nullptr ? sizes : part_sizes(*model, output.parts);
      for (Tensor& part : shaped) part = reshape(part, sizes, wanted);
    }
    const Tensor packed = pack(shaped, output.layout);
    const at::ScalarType dtype =
        model == nullptr ? result_dtype(output, arguments, common) : model->scalar_type();
    Tensor value = is_differentiable(dtype) ? packed : at::detach(packed);
    // As kernels do it: by way of float (Triton knows no other), and what is too large gives the largest
    // number, whatever the version of torch.
    if (c10::isFloat8Type(dtype)) value = value.to(at::kFloat);
    if (dtype == at::kFloat8_e4m3fn) value = at::clamp(value, -448, 448);
    outputs[k] = value.to(dtype);
    for (int i = 0; i < op.num_inputs; ++i) {
      if (shares_memory(outputs[k], *arguments.inputs[i])) outputs[k] = outputs[k].clone();
    }
  }
  return outputs;
}

void run_decomposition(const Operator& op, c10::DispatchKeySet, Stack& stack) {
  finish(stack, op.num_arguments(), compute_decomposition(op, Arguments(op, stack)));
}

void run_opaque(const Operator& op, c10::DispatchKeySet, Stack& stack) {
  op.handle->callBoxed(stack);
}

namespace {

void compose(const Operator& op, bool decompose, Stack& stack) {
  const Arguments arguments(op, stack);
  std::array<Tensor, kMaxOperands> inputs;
  for (int i = 0; i < op.num_inputs; ++i) inputs[i] = *arguments.inputs[i];
  Outputs outputs(op.num_outputs);
  op.compose(inputs.data(), arguments.params.data(), decompose, outputs.data());
  finish(stack, op.num_arguments(), std::move(outputs));
}

}  // namespace

void run_compose(const Operator& op, c10::DispatchKeySet, Stack& stack) {
  compose(op, /*decompose=*/false, stack);
}

void run_compose_decomposed(const Operator& op, c10::DispatchKeySet, Stack& stack) {
  compose(op, /*decompose=*/true, stack);
}

std::vector<Tensor> call_op(const char* name, bool decompose, std::initializer_list<Tensor> inputs,
                            std::initializer_list<Number> params) {
  const c10::OperatorHandle op =
      c10::Dispatcher::singleton().findSchemaOrThrow(name, decompose ? "decomposition" : "");
  const std::vector<c10::Argument>& arguments = op.schema().arguments();
  Stack stack;
  stack.reserve(arguments.size());
  for (const Tensor& input : inputs) {
    stack.push_back(input.defined() ? c10::IValue(input) : c10::IValue());
  }
  for (const Number param : params) {
    stack.push_back(param_value(arguments[stack.size()].type()->kind(), param));
  }
  op.callBoxed(stack);
  std::vector<Tensor> outputs;
  outputs.reserve(stack.size());
  for (c10::IValue& value : stack) outputs.push_back(std::move(value).toTensor());
  return outputs;
}

}  // namespace fusewise
