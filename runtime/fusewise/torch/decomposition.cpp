// Runs the decomposition of a pass into ATen calls: on devices without a kernel, and when forward mode,
// autograd for a higher derivative, or a compiler records it.
#include <fusewise/torch/allocate.h>
#include <fusewise/torch/call_plan.h>
#include <fusewise/torch/checks.h>
#include <fusewise/torch/compose.h>
#include <fusewise/torch/dtypes.h>

#include <ATen/ExpandUtils.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/detach.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/stack.h>

#include <algorithm>
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

// Expands a value to the shape of the loop and sums it to the wanted shape, as a kernel does for a gradient.
Tensor reshape(const Tensor& value, const SymInts& loop, const SymInts& wanted) {
  const Tensor full = value.sym_sizes().equals(loop) ? value : value.expand_symint(loop);
  return loop == wanted ? full : at::sum_to(full, wanted);
}

// True if an output shares memory with an input. A formula may return an input, but the results of an op are
// new tensors.
bool shares_memory(const Tensor& output, const Tensor& input) {
  return input.defined() && output.has_storage() && input.has_storage() && output.is_alias_of(input);
}

Tensor pack(c10::ArrayRef<Tensor> parts, Layout layout) {
  if (parts.size() == 1) return parts[0];
  return layout == Layout::kChunked ? at::cat(parts, -1) : at::stack(parts, -1).flatten(-2);
}

// The reads of a pass in the form that its decomposition takes.
struct Reads {
  std::vector<Tensor> values;
  std::vector<Dtype> types;
  SymInts sizes;        // of the loop
  bool is_row = false;  // true if the loop has no dimensions, and is a row of one element instead
};

// The sizes of an operand in the loop, or of one of its parts.
SymInts loop_sizes(const Tensor& tensor, int parts, LastDim last) {
  SymInts sizes = part_sizes(tensor, parts);
  if (last == LastDim::kSqueezed) sizes.emplace_back(1);
  return sizes;
}

void add_sizes(const Operator& op, const Input& input, const Tensor& tensor, Reads& reads) {
  check_packing(op, input, tensor.sym_sizes());
  check_kept(op, input, tensor.sym_sizes());
  reads.sizes = at::infer_size_symint(reads.sizes, loop_sizes(tensor, input.parts, last_dim(input)));
}

// Gives the reads of a pass that reduces their last dimension: that of the loop, or one of size 1. After them
// comes the index of an element in its row.
void set_last_dims(const Operator& op, Reads& reads) {
  reads.is_row = reads.sizes.empty();
  if (reads.is_row) reads.sizes.emplace_back(1);
  Tensor* value = reads.values.data();
  for (const Input& input : op.pass->inputs) {
    if (input.shape_only) continue;
    for (int part = 0; part < input.parts; ++part, ++value) {
      const bool lacks_dim = value->dim() == 0 || last_dim(input) == LastDim::kSqueezed;
      if (lacks_dim) *value = value->unsqueeze(-1);
      if (input.extent == Extent::kRow) continue;
      SymInts sizes = value->sym_sizes().vec();
      if (equal(sizes.back(), reads.sizes.back())) continue;
      sizes.back() = reads.sizes.back();
      *value = value->expand_symint(sizes);
    }
  }
  const Tensor& first = reads.values.front();
  const auto type = first.scalar_type() == at::kBool ? at::kLong : first.scalar_type();
  const auto options = at::TensorOptions(first.device()).dtype(type);
  reads.values.push_back(at::arange(reads.sizes.back(), options));
}

// A number as a tensor. A tensor of the call makes it, since a distributed one cannot be combined with a plain one.
Tensor scalar_tensor(const Operator& op, const Arguments& arguments, double value, const at::TensorOptions& options) {
  for (int i = 0; i < op.num_inputs; ++i) {
    const Tensor& model = *arguments.inputs[i];
    if (model.defined()) return model.new_full({}, value, options);
  }
  return at::scalar_tensor(value, options);
}

Reads take_reads(const Operator& op, const Arguments& arguments, at::Device device,
                 at::ScalarType common) {
  const at::ScalarType compute = compute_dtype(op, common);
  Reads reads;
  for (int i = 0; i < op.num_inputs; ++i) {
    const Input& input = op.pass->inputs[i];
    const Tensor& tensor = *arguments.inputs[i];
    if (tensor.defined()) add_sizes(op, input, tensor, reads);
    if (input.shape_only) continue;
    const Dtype type = storage_dtype(tensor.defined() ? tensor.scalar_type() : common);
    reads.types.insert(reads.types.end(), input.parts, type);
    if (!tensor.defined() || !is_read(arguments, i)) {
      const at::ScalarType type = input.kind == Kind::kBool ? at::kBool : compute;
      const Tensor fill = scalar_tensor(op, arguments, input.fill, at::TensorOptions(device).dtype(type));
      reads.values.insert(reads.values.end(), input.parts, fill);
      continue;
    }
    const Tensor value = input.kind == Kind::kBool ? tensor : tensor.to(compute);
    for (int part = 0; part < input.parts; ++part) reads.values.push_back(part_of(input, value, part));
  }
  check_rows<c10::SymInt>(op, common, reads.sizes);
  if (op.pass->reduces) set_last_dims(op, reads);
  return reads;
}

// The parts of an output in its shape before the last dimension is squeezed.
void reshape_parts(const Operator& op, const Output& output, const Tensor* model, const Reads& reads,
                   std::vector<Tensor>& parts) {
  const LastDim last = last_dim(*op.pass, output);
  SymInts loop = reads.sizes;
  if (output.extent == Extent::kRow) loop.back() = 1;
  SymInts wanted = reads.sizes;
  if (model != nullptr) wanted = loop_sizes(*model, output.parts, last);
  else if (last != LastDim::kUsual) wanted.back() = 1;
  for (Tensor& part : parts) part = reshape(part, loop, wanted);
}

// Casts as kernels do. A cast to float8 goes through float, the only type that Triton converts from. A value
// that is too large for e4m3fn becomes its largest number in every version of torch.
Tensor cast(const Tensor& value, at::ScalarType dtype) {
  Tensor result = is_differentiable(dtype) ? value : at::detach(value);
  if (c10::isFloat8Type(dtype)) result = result.to(at::kFloat);
  if (dtype == at::kFloat8_e4m3fn) result = at::clamp(result, -448, 448);
  return result.to(dtype);
}

// A result with the order of dimensions, innermost first, that a kernel gives it.
Tensor in_order(const Tensor& result, const Ints<int64_t>& innermost_first) {
  Ints<int64_t> order;
  for (const int64_t d : innermost_first) {
    if (d < result.dim()) order.insert(order.begin(), d);
  }
  if (std::is_sorted(order.begin(), order.end())) return result.contiguous();
  Ints<int64_t> inverse(order.size(), 0);
  for (size_t d = 0; d < order.size(); ++d) inverse[order[d]] = static_cast<int64_t>(d);
  return result.permute(order).contiguous().permute(inverse);
}

}  // namespace

Outputs compute_decomposition(const Operator& op, const Arguments& arguments) {
  const at::Device device = check_inputs(op, arguments);
  const at::ScalarType common = common_dtype(op, arguments);
  const Reads reads = take_reads(op, arguments, device, common);
  const std::vector<Value> values(reads.values.begin(), reads.values.end());
  std::array<Value, kMaxOperands> writes;
  op.pass->decomposition(values.data(), arguments.params.data(), reads.types.data(), writes.data());

  const Ints<int64_t> order = plan_call<c10::SymInt>(op, arguments).order;
  Outputs outputs(op.num_outputs);
  const Value* write = writes.data();
  for (int k = 0; k < op.num_outputs; ++k) {
    const Output& output = op.pass->outputs[k];
    std::vector<Tensor> parts;
    for (int part = 0; part < output.parts; ++part) parts.push_back((write++)->tensor());
    if (!arguments.needs[k]) continue;
    const Tensor* model = model_of(output, arguments);
    reshape_parts(op, output, model, reads, parts);
    const at::ScalarType dtype =
        model == nullptr ? result_dtype(output, arguments, common) : model->scalar_type();
    const bool lacks_dim =
        last_dim(*op.pass, output) == LastDim::kSqueezed || (reads.is_row && model == nullptr);
    const Tensor packed = pack(parts, output.layout);
    outputs[k] = cast(lacks_dim ? packed.squeeze(-1) : packed, dtype);
    if (model == nullptr && !order.empty()) outputs[k] = in_order(outputs[k], order);
    for (int i = 0; i < op.num_inputs; ++i) {
      if (shares_memory(outputs[k], *arguments.inputs[i])) outputs[k] = outputs[k].clone();
    }
  }
  return outputs;
}

c10::OperatorHandle decomposed(const c10::OperatorHandle& handle) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(handle.schema().name().c_str(), "decomposition");
}

void run_decomposition(const Operator& op, c10::DispatchKeySet, Stack& stack) {
  return_results(stack, op.num_arguments(), compute_decomposition(op, Arguments(op, stack)));
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
  return_results(stack, op.num_arguments(), std::move(outputs));
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
