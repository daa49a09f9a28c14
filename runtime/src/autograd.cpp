// Autograd as torchgen writes it for native ops, once for every pass. The derivative of a pass is
// another op of the dispatcher, so a graph of any order records, compiles and batches like the first.
#include <fusewise/torch/allocate.h>

#include <ATen/EmptyTensor.h>
#include <ATen/TensorSubclassLikeUtils.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/TorchDispatchModeTLS.h>
#include <c10/util/SmallVector.h>
#include <torch/csrc/autograd/VariableTypeUtils.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/csrc/dynamo/compiled_autograd.h>
#include <torch/version.h>

#include <algorithm>
#include <bit>
#include <mutex>

namespace fusewise {
namespace {

using torch::autograd::Node;
using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

// What one backward call needs beside the incoming gradients: tensors in the derivative's order.
struct Saved {
  std::vector<Tensor> tensors;
  Params params;
  Needs needs;
};

c10::IValue to_value(const Tensor& tensor) {
  return tensor.defined() ? c10::IValue(tensor) : c10::IValue();
}

// Whether the derivative takes a gradient of the output.
bool has_gradient(const Operator& op, const Output& output) {
  if (output.detached) return false;
  if (output.dtype_like >= 0) {
    const Kind kind = op.pass->inputs[output.dtype_like].kind;
    return kind == Kind::kFloat || kind == Kind::kNumber;
  }
  return !output.dtype || is_differentiable(*output.dtype);
}

int num_arriving(const Operator& op) {
  const Pass& pass = *op.pass;
  return op.derivative->num_inputs - static_cast<int>(pass.saved_inputs.size() +
                                                      pass.saved_outputs.size() +
                                                      pass.saved_shapes.size());
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

// Whether the gradient that arrives can be handed on in place of the output that equals it. One without
// a model has its shape, and the engine casts it to the type of the gradient's input.
bool hands_on(const Output& output, const Stack& inputs) {
  if (output.equal_input < 0) return false;
  const Tensor model = model_of(output, inputs);
  if (!model.defined() || inputs[output.equal_input].isNone()) return true;
  return are_alike(inputs[output.equal_input].toTensor(), model);
}

bool is_equal(const std::vector<Output>& outputs, int first, int second, const Stack& inputs) {
  const int equal = outputs[second].equal_output;
  const int arriving = outputs[second].equal_input;
  const bool is_common = equal >= 0 && (equal == first || equal == outputs[first].equal_output);
  if (!is_common && (arriving < 0 || arriving != outputs[first].equal_input)) return false;
  const Tensor a = model_of(outputs[first], inputs);
  const Tensor b = model_of(outputs[second], inputs);
  return a.defined() && b.defined() ? are_alike(a, b) : a.defined() == b.defined();
}

variable_list differentiate(const Operator& op, const variable_list& grads, const Saved& saved) {
  const Operator& derivative = *op.derivative;
  variable_list result(op.num_inputs);
  bool any = false;
  for (const Tensor& grad : grads) any = any || grad.defined();
  if (!any) return result;

  Stack stack;
  stack.reserve(derivative.num_arguments());
  for (int k = 0; k < op.num_outputs; ++k) {
    if (has_gradient(op, op.pass->outputs[k])) stack.push_back(to_value(grads[k]));
  }
  for (const Tensor& tensor : saved.tensors) stack.push_back(to_value(tensor));

  // As ATen's formulas do, this gives the tensor that arrives to every input whose gradient it is, and
  // one tensor to inputs that have a gradient in common.
  const std::vector<Output>& outputs = derivative.pass->outputs;
  std::array<int, kMaxOperands> source;  // the output that is computed for each
  c10::List<bool> needs;
  needs.reserve(derivative.num_outputs);
  bool runs = false;
  for (int k = 0; k < derivative.num_outputs; ++k) {
    const int input = op.pass->gradients[k];
    source[k] = -1;
    if (saved.needs[input]) {
      if (!hands_on(outputs[k], stack)) source[k] = k;
      else if (stack[outputs[k].equal_input].isTensor()) {
        result[input] = stack[outputs[k].equal_input].toTensor();
      }
    }
    for (int j = 0; j < k && source[k] == k; ++j) {
      if (source[j] == j && is_equal(outputs, j, k, stack)) source[k] = j;
    }
    needs.push_back(source[k] == k);
    runs = runs || source[k] == k;
  }
  if (!runs) return result;

  // A sparse gradient, as that of an embedding, is handed on as it is, and dense for what is computed.
  for (c10::IValue& value : stack) {
    if (value.isTensor() && value.toTensor().is_sparse()) value = value.toTensor().to_dense();
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

// Whether a tensor, or a part of it, is as large as a result, or a part of that.
bool is_full(const Tensor& tensor, int parts, const Tensor& result, int result_parts) {
  if (parts == result_parts) return same_sizes(tensor.sym_sizes(), result.sym_sizes());
  return same_sizes(part_sizes(tensor, parts), part_sizes(result, result_parts));
}

// Whether a gradient made without a model comes out with the shape, type and strides of the tensor.
bool is_laid_out_alike(const Tensor& tensor, int parts, const Tensor& result, int result_parts) {
  if (tensor.scalar_type() != result.scalar_type() || tensor.device() != result.device() ||
      !is_full(tensor, parts, result, result_parts)) {
    return false;
  }
  if (parts == result_parts) return same_sizes(tensor.sym_strides(), result.sym_strides());
  return tensor.is_contiguous_or_false() && result.is_contiguous_or_false();
}

// Whether a tensor is memory and nothing that wants to see how it is made.
bool is_plain(const Tensor& tensor) {
  const at::Device device = tensor.device();
  return (device.is_cpu() || device.is_cuda()) && !at::isTensorSubclassLike(tensor) &&
         !c10::impl::dispatch_mode_enabled();
}

// One number, never read, with the shape, type and device of a tensor.
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

class PassNode final : public torch::autograd::TraceableFunction {
 public:
  explicit PassNode(const Operator& op) : op_(op) {}

  std::string name() const override {
    std::string text;
    bool upper = true;
    for (const char c : op_.name) {
      if (c != '_') text += static_cast<char>(upper ? std::toupper(c) : c);  // names are ASCII
      upper = c == '_';
    }
    return text + "Backward";
  }

  // `kept` are the inputs of the derivative that it reads for the gradients that go on.
  void save_inputs(const Arguments& arguments, InputSet kept) {
    params_ = arguments.params;
    kept_ = kept >> num_arriving(op_);
    const Pass& pass = *op_.pass;
    const int inputs = static_cast<int>(pass.saved_inputs.size());
    const int saved = inputs + static_cast<int>(pass.saved_outputs.size());
    const int shapes = static_cast<int>(pass.saved_shapes.size());
    for (int s = 0; s < inputs; ++s) {
      if (!is_kept(s)) saved_.emplace_back();
      else saved_.emplace_back(*arguments.inputs[pass.saved_inputs[s]], /*is_output=*/false);
    }
    if (shapes == 0 && std::popcount(kept_) == saved) return;
    stand_ins_.resize(saved + shapes);
    for (int s = 0; s < inputs; ++s) {
      if (!is_kept(s)) stand_ins_[s].tensor = *arguments.inputs[pass.saved_inputs[s]];
    }
    for (int s = 0; s < shapes; ++s) {
      const int input = pass.saved_shapes[s];
      if (learns(input)) stand_ins_[saved + s].tensor = *arguments.inputs[input];
    }
  }

  void save_outputs(const Stack& stack) {
    const Pass& pass = *op_.pass;
    const c10::IValue* outputs = stack.data() + stack.size() - op_.num_outputs;
    int s = static_cast<int>(pass.saved_inputs.size());
    for (const int k : pass.saved_outputs) {
      const Tensor& output = outputs[k].toTensor();
      if (is_kept(s)) saved_.emplace_back(output, /*is_output=*/true);
      else {
        saved_.emplace_back();
        stand_ins_[s].tensor = output;
      }
      ++s;
    }
    if (stand_ins_.empty()) return;
    // An arriving gradient of these types has the shape and the type of a result.
    const Output* result = nullptr;
    bool is_told = true;
    for (int k = 0; k < op_.num_outputs; ++k) {
      const Output& output = pass.outputs[k];
      if (!has_gradient(op_, output)) continue;
      is_told = is_told && output.like < 0 && output.dtype_like < 0 && !output.dtype;
      if (result == nullptr) result = &output;
    }
    const Tensor& like = outputs[result - pass.outputs.data()].toTensor();
    for (s = 0; s < static_cast<int>(stand_ins_.size()); ++s) {
      if (stand_ins_[s].tensor.defined()) reduce(s, is_told, *result, like);
    }
  }

  void release_variables() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (SavedVariable& variable : saved_) variable.reset_data();
  }

  variable_list apply(variable_list&& grads) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return differentiate(op_, grads, unpack(/*with_strides=*/true));
  }

  // All that tells nodes apart: they are of one class, which is all that PyTorch sees by itself.
  void compiled_args(torch::dynamo::autograd::CompiledNodeArgs& args) const override {
    args.collect(reinterpret_cast<uintptr_t>(&op_));
    args.collect(kept_);
    for (int s = 0; s < static_cast<int>(saved_.size()); ++s) args.collect(saved_[s], is_output(s));
    for (int s = 0; s < num_saved(); ++s) args.collect(stand_in(s));
    for (int p = 0; p < op_.num_params(); ++p) {
      if (op_.params[p] == c10::TypeKind::FloatType) args.collect(params_[p].as<double>());
      else args.collect(params_[p].as<int64_t>());
    }
    for (int i = 0; i < op_.num_inputs; ++i) args.collect(task_should_compute_output(i));
  }

  // Compiled autograd does not trace the derivative: it gets a function to call, bound once under a name
  // that is unique in the process, and what the function needs as values.
  variable_list apply_with_saved(const variable_list& grads,
                                 torch::dynamo::autograd::SwapSavedVariables& swap) override {
    using namespace torch::dynamo::autograd;
    const auto& python = getPyCompilerInterface();
    for (SavedVariable& variable : saved_) swap.before(variable);
    for (StandIn& shape : stand_ins_) swap.before(shape.tensor);
    const Saved saved = unpack(/*with_strides=*/false);
    PackedArgs packed;
    for (const Tensor& tensor : saved.tensors) packed.pack(tensor);
    for (int p = 0; p < op_.num_params(); ++p) {
      if (op_.params[p] == c10::TypeKind::FloatType) packed.pack(saved.params[p].as<double>());
      else packed.pack(saved.params[p].as<int64_t>());
    }
    packed.pack(saved.needs);

    std::string function = op_.handle->schema().name() + "_backward";
    std::replace(function.begin(), function.end(), ':', '_');
    std::vector<at::TypePtr> types(saved.tensors.size(), at::TensorType::get());
    for (const c10::TypeKind kind : op_.params) {
      const bool is_float = kind == c10::TypeKind::FloatType;
      types.push_back(is_float ? IValuePacker<double>::packed_type() : IValuePacker<int64_t>::packed_type());
    }
    types.push_back(IValuePacker<Needs>::packed_type());
    const Operator& op = op_;
    const size_t count = saved.tensors.size();
    const auto run = [&op, count](const variable_list& incoming,
                                  const std::vector<c10::IValue>& values) {
      PackedArgs unpacked(values);
      Saved carried;
      for (size_t s = 0; s < count; ++s) carried.tensors.push_back(unpacked.unpack<Tensor>());
      for (int p = 0; p < op.num_params(); ++p) {
        if (op.params[p] == c10::TypeKind::FloatType) carried.params[p] = unpacked.unpack<double>();
        else carried.params[p] = unpacked.unpack<int64_t>();
      }
      carried.needs = unpacked.unpack<Needs>();
      return differentiate(op, incoming, carried);
    };
    std::call_once(op_.bound, [&] {
      python->bind_function(swap.get_py_compiler(), function, run, types);
    });
    using Metadata = std::vector<std::optional<InputMetadata>>;
    const auto metadata = IValuePacker<Metadata>::pack(get_input_metadata(next_edges()));
    variable_list result = python->call_function(swap.get_py_compiler(), "apply_functional",
                                                 function, grads, packed.vec(), metadata);
    for (SavedVariable& variable : saved_) swap.after(variable);
    for (StandIn& shape : stand_ins_) swap.after(shape.tensor);
    return result;
  }

 private:
  // What the derivative gets in place of a tensor that is not saved. Strides are those of a gradient that
  // is to lie in memory as its input does; none where that is contiguous.
  struct StandIn {
    Tensor tensor;
    std::vector<int64_t> strides;
  };

  int num_saved() const { return op_.derivative->num_inputs - num_arriving(op_); }
  bool is_output(int s) const { return s >= static_cast<int>(op_.pass->saved_inputs.size()); }
  bool is_kept(int s) const { return contains(kept_, s); }
  bool learns(int input) const { return next_edge(input).is_valid(); }
  Tensor stand_in(int s) const { return stand_ins_.empty() ? Tensor() : stand_ins_[s].tensor; }

  // What is left of a tensor that is not saved: its shape and type, or nothing where an arriving
  // gradient tells as much.
  void reduce(int s, bool is_told, const Output& result, const Tensor& like) {
    const Pass& pass = *op_.pass;
    const int inputs = static_cast<int>(pass.saved_inputs.size());
    const int saved = static_cast<int>(saved_.size());
    const int input = s < inputs ? pass.saved_inputs[s] : s < saved ? -1 : pass.saved_shapes[s - saved];
    StandIn& left = stand_ins_[s];
    const bool is_input = input >= 0;
    const bool is_optional = is_input && pass.inputs[input].optional;
    const int parts = is_input ? pass.inputs[input].parts : 1;
    const bool with_gradient = is_input && learns(input);
    bool is_needed = !is_told;
    if (s >= saved) is_needed = !is_full(left.tensor, parts, like, result.parts);
    // None would say that an optional input was not there.
    else if (is_optional) is_needed = true;
    else if (with_gradient && is_told) {
      is_needed = !is_laid_out_alike(left.tensor, parts, like, result.parts);
    }
    if (!is_needed) {
      left.tensor.reset();
      return;
    }
    if (with_gradient && is_plain(left.tensor) && !left.tensor.is_contiguous() &&
        left.tensor.is_non_overlapping_and_dense()) {
      left.strides = left.tensor.strides().vec();
    }
    left.tensor = expanded_number(left.tensor);
  }

  Saved unpack(bool with_strides) {
    Saved saved;
    saved.params = params_;
    saved.tensors.reserve(num_saved());
    for (int s = 0; s < num_saved(); ++s) {
      if (!is_kept(s)) {
        const Tensor left = stand_in(s);
        const bool is_permuted = with_strides && left.defined() && !stand_ins_[s].strides.empty();
        saved.tensors.push_back(
            is_permuted ? at::empty_strided(left.sizes(), stand_ins_[s].strides, left.options())
                        : left);
        continue;
      }
      // An input that has lost its history, by detach_(), must not get that of this node.
      saved.tensors.push_back(is_output(s) ? saved_[s].unpack(getptr()) : saved_[s].unpack());
    }
    saved.needs.fill(false);
    for (int i = 0; i < op_.num_inputs; ++i) saved.needs[i] = task_should_compute_output(i);
    return saved;
  }

  const Operator& op_;
  c10::SmallVector<SavedVariable, 3> saved_;  // inputs, then outputs; empty ones that are not kept
  c10::SmallVector<StandIn, 2> stand_ins_;  // for those, then shapes; none where nothing is missing
  InputSet kept_ = 0;  // of inputs, then outputs
  Params params_;
};

// Nodes are counted by shared_ptr up to torch 2.12, by intrusive_ptr from 2.13 on.
auto make_node(const Operator& op) {
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 13
  return c10::make_intrusive<PassNode>(op);
#else
  return std::shared_ptr<PassNode>(new PassNode(op), torch::autograd::deleteNode);
#endif
}

// Whether a gradient goes on to the input. A pass without a derivative leaves that to the composite.
bool is_attached(const Operator& op, int input) {
  const std::vector<int>& gradients = op.pass->gradients;
  return op.derivative == nullptr ||
         std::find(gradients.begin(), gradients.end(), input) != gradients.end();
}

bool has_tangent(const Tensor& tensor) {
  return tensor.defined() && tensor._fw_grad(/*level=*/0).defined();
}

bool has_tangent(const Operator& op, const Arguments& arguments) {
  for (int i = 0; i < op.num_inputs; ++i) {
    if (has_tangent(*arguments.inputs[i]) && is_attached(op, i)) return true;
  }
  return false;
}

// The inputs that a gradient goes on to.
InputSet learning(const Operator& op, const Arguments& arguments) {
  if (!at::GradMode::is_enabled()) return 0;
  bool arrives = false;
  for (const Output& output : op.pass->outputs) arrives = arrives || has_gradient(op, output);
  if (!arrives) return 0;
  InputSet found = 0;
  for (int i = 0; i < op.num_inputs; ++i) {
    const Tensor& tensor = *arguments.inputs[i];
    if (tensor.defined() && tensor.requires_grad() && is_attached(op, i)) found |= InputSet(1) << i;
  }
  return found;
}

// The inputs of the derivative that it reads for the gradients of `learning`.
InputSet kept_for(const Operator& op, InputSet learning) {
  InputSet kept = 0;
  for (int k = 0; k < op.derivative->num_outputs; ++k) {
    if (contains(learning, op.pass->gradients[k])) kept |= op.derivative->reads[k];
  }
  return kept;
}

// Whether the derivative reads an input that was not saved before, since this call does not read it: the
// formula is a sum over all its outputs, of those too that nobody needs.
bool is_lacking(const Operator& op, const Arguments& arguments, InputSet kept) {
  const std::vector<int>& saved = op.pass->saved_inputs;
  for (int s = 0; s < static_cast<int>(saved.size()); ++s) {
    if (!contains(kept, num_arriving(op) + s) || is_read(arguments, saved[s])) continue;
    const Tensor& tensor = *arguments.inputs[saved[s]];
    if (tensor.defined() ? is_one_number(tensor) : !op.pass->inputs[saved[s]].optional) return true;
  }
  return false;
}

// Forward mode and nested tensors are ATen's business; so is what no pass is the derivative of.
bool takes_composite(const Operator& op, const Arguments& arguments) {
  const bool tangent = has_tangent(op, arguments);
  TORCH_CHECK_NOT_IMPLEMENTED(op.pass->dissolves || !tangent, op.name,
                              ": no forward mode, since its surrogate backward is not linear");
  for (int i = 0; i < op.num_inputs; ++i) {
    const Tensor& tensor = *arguments.inputs[i];
    if (tensor.defined() && tensor.is_nested()) return true;
  }
  return tangent;
}

}  // namespace

void run_autograd(const Operator& op, c10::DispatchKeySet keys, Stack& stack) {
  const Arguments arguments(op, stack);
  const InputSet inputs = learning(op, arguments);
  const bool records = inputs != 0;
  const InputSet kept = records && op.derivative != nullptr ? kept_for(op, inputs) : 0;
  if ((records && (op.derivative == nullptr || is_lacking(op, arguments, kept))) ||
      takes_composite(op, arguments)) {
    run_composite(op, keys, stack);
    return;
  }
  decltype(make_node(op)) node;
  if (records) {
    node = make_node(op);
    for (int i = 0; i < op.num_inputs; ++i) {
      const Tensor& tensor = *arguments.inputs[i];
      node->add_next_edge(tensor.defined() && is_attached(op, i)
                              ? torch::autograd::impl::gradient_edge(tensor)
                              : torch::autograd::Edge());
    }
    node->save_inputs(arguments, kept);
  }
  {
    const at::AutoDispatchBelowAutograd guard;
    op.handle->redispatchBoxed(keys & c10::after_autograd_keyset, &stack);
  }
  if (!records) return;
  for (int k = 0; k < op.num_outputs; ++k) {
    const Tensor& output = stack[stack.size() - op.num_outputs + k].toTensor();
    if (has_gradient(op, op.pass->outputs[k]) && output.defined() &&
        is_differentiable(output.scalar_type())) {
      torch::autograd::set_history(output, node);
    } else {
      node->add_input_metadata(Node::undefined_input());
    }
  }
  node->save_outputs(stack);
}

void run_out_autograd(const Operator& op, c10::DispatchKeySet keys, Stack& stack) {
  {
    const Arguments arguments(op, stack, op.num_outputs);
    bool records = learning(op, arguments) != 0;
    bool tangent = has_tangent(op, arguments);
    for (int k = 0; k < op.num_outputs; ++k) {
      const Tensor& out = stack[stack.size() - op.num_outputs + k].toTensor();
      records = records || (at::GradMode::is_enabled() && out.requires_grad());
      tangent = tangent || has_tangent(out);
    }
    TORCH_CHECK(!records, op.name, "(): functions with out=... arguments don't support automatic ",
                "differentiation, but one of the arguments requires grad.");
    TORCH_CHECK_NOT_IMPLEMENTED(!tangent, op.name, "(): functions with out=... arguments don't ",
                                "support forward mode automatic differentiation.");
  }
  const at::AutoDispatchBelowAutograd guard;
  op.out->redispatchBoxed(keys & c10::after_autograd_keyset, &stack);
}

void run_out_view(const Operator& op, c10::DispatchKeySet keys, Stack& stack) {
  {
    const at::AutoDispatchBelowADInplaceOrView guard;
    op.out->redispatchBoxed(keys & c10::after_ADInplaceOrView_keyset, &stack);
  }
  for (int k = 0; k < op.num_outputs; ++k) {
    torch::autograd::increment_version(stack[stack.size() - op.num_outputs + k].toTensor());
  }
}

}  // namespace fusewise
