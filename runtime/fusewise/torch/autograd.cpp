// The autograd kernels of all passes, like those that torchgen writes for native ops. The derivative of a pass
// is another op of the dispatcher, so gradients of any order are recorded, compiled and batched like the op.
#include <fusewise/torch/derivative.h>
#include <fusewise/torch/sizes.h>

#include <ATen/ops/empty_strided.h>
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

  // `kept` are the inputs of the derivative that the needed gradients read.
  void save_inputs(const Arguments& arguments, InputSet kept) {
    params_ = arguments.params;
    kept_ = kept >> op_.num_incoming;
    if (op_.pass->kept_totals > 0 || std::popcount(kept_) < num_saved()) stand_ins_.resize(num_saved());
    for (int s = 0; s < num_saved(); ++s) {
      const SavedTensor& saved = op_.saved[s];
      if (saved.input < 0) continue;
      const Tensor& input = *arguments.inputs[saved.input];
      if (is_kept(s)) {
        saved_.emplace_back(input, /*is_output=*/false);
        continue;
      }
      if (!saved.shape_only) saved_.emplace_back();
      const bool stands_in = !saved.shape_only || saved.always_stands_in || needs_gradient(saved.input);
      if (stands_in) stand_ins_[s].tensor = input;
    }
  }

  // `totals` are those that the pass keeps, or none if its kernel did not store them.
  void save_outputs(const Stack& stack, const Outputs& totals) {
    const c10::IValue* outputs = stack.data() + stack.size() - op_.num_outputs;
    for (int s = 0; s < num_saved(); ++s) {
      if (const int total = op_.saved[s].total; total >= 0) {
        saved_.emplace_back();
        if (!totals.empty() && contains(kept_, s)) stand_ins_[s].tensor = totals[total];
      }
      if (op_.saved[s].output < 0) continue;
      const Tensor& output = outputs[op_.saved[s].output].toTensor();
      if (is_kept(s)) {
        saved_.emplace_back(output, /*is_output=*/true);
        continue;
      }
      saved_.emplace_back();
      stand_ins_[s].tensor = output;
    }
    if (stand_ins_.empty()) return;
    const Tensor& result = outputs[op_.first_incoming].toTensor();
    for (int s = 0; s < num_saved(); ++s) {
      if (!is_total(s) && stand_ins_[s].tensor.defined()) make_stand_in(s, result);
    }
  }

  void release_variables() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (SavedVariable& variable : saved_) variable.reset_data();
    for (int s = 0; s < num_saved(); ++s) {
      if (is_total(s)) stand_ins_[s].tensor.reset();
    }
  }

  variable_list apply(variable_list&& grads) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    // If the gradients are recorded, the derivative must see that a stand-in has no values.
    return differentiate(op_, grads, unpack(/*with_strides=*/!at::GradMode::is_enabled()));
  }

  // PyTorch distinguishes nodes by their class, which is the same for all ops, and by these values.
  void compiled_args(torch::dynamo::autograd::CompiledNodeArgs& args) const override {
    args.collect(reinterpret_cast<uintptr_t>(&op_));
    args.collect(kept_);
    for (int s = 0; s < static_cast<int>(saved_.size()); ++s) args.collect(saved_[s], is_output(s));
    for (int s = 0; s < num_saved(); ++s) args.collect(stand_in(s));
    for_each_param(op_, [&]<class T>(int p, T) { args.collect(params_[p].as<T>()); });
    for (int i = 0; i < op_.num_inputs; ++i) args.collect(task_should_compute_output(i));
  }

  // Compiled autograd does not trace the derivative. It gets a function, bound once under a name that is unique
  // in the process, and its arguments as values.
  variable_list apply_with_saved(const variable_list& grads,
                                 torch::dynamo::autograd::SwapSavedVariables& swap) override {
    using namespace torch::dynamo::autograd;
    const auto& python = getPyCompilerInterface();
    for (SavedVariable& variable : saved_) swap.before(variable);
    for (StandIn& shape : stand_ins_) swap.before(shape.tensor);
    const Saved saved = unpack(/*with_strides=*/false);
    PackedArgs packed;
    for (const Tensor& tensor : saved.tensors) packed.pack(tensor);
    for_each_param(op_, [&]<class T>(int p, T) { packed.pack(saved.params[p].as<T>()); });
    packed.pack(saved.needs);

    std::string function = op_.handle->schema().name() + "_backward";
    std::replace(function.begin(), function.end(), ':', '_');
    std::vector<at::TypePtr> types(saved.tensors.size(), at::TensorType::get());
    for_each_param(op_, [&]<class T>(int, T) { types.push_back(IValuePacker<T>::packed_type()); });
    types.push_back(IValuePacker<Needs>::packed_type());
    const Operator& op = op_;
    const size_t count = saved.tensors.size();
    const auto run = [&op, count](const variable_list& incoming,
                                  const std::vector<c10::IValue>& values) {
      PackedArgs unpacked(values);
      Saved carried;
      for (size_t s = 0; s < count; ++s) carried.tensors.push_back(unpacked.unpack<Tensor>());
      for_each_param(op, [&]<class T>(int p, T) { carried.params[p] = unpacked.unpack<T>(); });
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
  // The input of the derivative that replaces a tensor that is not saved: one expanded number with its shape
  // and dtype. `strides` are those of the gradient if it has the memory layout of the tensor; empty if
  // contiguous. Totals are here too, as hooks may not get them: a checkpoint counts the saved tensors of a call
  // and of its repetition, and if a mode intercepts one of them, that has no totals.
  struct StandIn {
    Tensor tensor;
    std::vector<int64_t> strides;
  };

  int num_saved() const { return static_cast<int>(op_.saved.size()); }
  bool is_output(int s) const { return op_.saved[s].output >= 0; }
  bool is_total(int s) const { return op_.saved[s].total >= 0; }
  bool is_kept(int s) const { return contains(kept_, s) && !is_total(s); }  // by saved_
  bool needs_gradient(int input) const { return input >= 0 && next_edge(input).is_valid(); }
  Tensor stand_in(int s) const { return stand_ins_.empty() ? Tensor() : stand_ins_[s].tensor; }

  // False if an incoming gradient, which is like the result, provides the same shape, dtype and strides.
  bool needs_stand_in(const SavedTensor& saved, const Tensor& tensor, const Tensor& result) const {
    const int result_parts = op_.pass->outputs[op_.first_incoming].parts;
    if (saved.always_stands_in) return true;
    if (saved.shape_only) return !is_full(tensor, saved.parts, result, result_parts);
    return needs_gradient(saved.input) &&
           !is_laid_out_alike(tensor, saved.parts, result, result_parts);
  }

  void make_stand_in(int s, const Tensor& result) {
    const SavedTensor& saved = op_.saved[s];
    auto& [tensor, strides] = stand_ins_[s];
    if (!needs_stand_in(saved, tensor, result)) {
      tensor.reset();
      return;
    }
    if (needs_gradient(saved.input) && is_plain(tensor) && !tensor.is_contiguous() &&
        tensor.is_non_overlapping_and_dense()) {
      strides = tensor.strides().vec();
    }
    tensor = expanded_number(tensor);
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
      // Only an output is unpacked with this node as its history; an input may have been detached in place.
      saved.tensors.push_back(is_output(s) ? saved_[s].unpack(getptr()) : saved_[s].unpack());
    }
    saved.needs.fill(false);
    for (int i = 0; i < op_.num_inputs; ++i) saved.needs[i] = task_should_compute_output(i);
    return saved;
  }

  const Operator& op_;
  c10::SmallVector<SavedVariable, 3> saved_;  // of inputs and outputs; empty where not kept
  std::vector<StandIn> stand_ins_;            // of inputs, outputs, totals and shapes; none if all are kept
  InputSet kept_ = 0;                         // a bit for each saved tensor
  Params params_;
};

// A node is held by shared_ptr up to torch 2.12, by intrusive_ptr from 2.13 on.
auto make_node(const Operator& op) {
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 13
  return c10::make_intrusive<PassNode>(op);
#else
  return std::shared_ptr<PassNode>(new PassNode(op), torch::autograd::deleteNode);
#endif
}

// True if a gradient reaches the input. For a pass without a derivative the decomposition determines this.
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

// The inputs whose gradient is recorded.
InputSet recorded_inputs(const Operator& op, const Arguments& arguments) {
  InputSet found = 0;
  if (!at::GradMode::is_enabled()) return found;
  for (int i = 0; i < op.num_inputs; ++i) {
    const Tensor& tensor = *arguments.inputs[i];
    if (tensor.defined() && tensor.requires_grad() && is_attached(op, i)) found |= InputSet(1) << i;
  }
  if (found == 0) return found;
  bool incoming = false;
  for (const Output& output : op.pass->outputs) incoming = incoming || has_gradient(op, output);
  return incoming ? found : 0;
}

// The inputs that the derivative reads for the gradients of these inputs of the pass.
InputSet kept_for(const Operator& op, InputSet inputs) {
  InputSet kept = 0;
  for (int k = 0; k < op.derivative->num_outputs; ++k) {
    if (contains(inputs, op.pass->gradients[k])) kept |= op.derivative->reads[k];
  }
  return kept;
}

// True if the derivative reads an input that was not saved because this call does not read it. The formula of
// the derivative is a sum over all outputs of this pass, including those that are not needed.
bool is_lacking(const Operator& op, const Arguments& arguments, InputSet kept) {
  const std::vector<int>& saved = op.pass->saved_inputs;
  for (int s = 0; s < static_cast<int>(saved.size()); ++s) {
    if (!contains(kept, op.num_incoming + s) || is_read(arguments, saved[s])) continue;
    const Tensor& tensor = *arguments.inputs[saved[s]];
    if (tensor.defined() ? is_one_number(tensor) : !op.pass->inputs[saved[s]].optional) return true;
  }
  return false;
}

// True if no tensor that the derivative gets is certain to have the length of a row: an incoming gradient may be
// None, and a saved tensor may be broadcast along the row.
bool loses_length(const Operator& op, const Arguments& arguments) {
  if (!op.pass->reduces || op.incoming_tell_length) return false;
  const auto has_length = [&](int i) {
    const Tensor& tensor = *arguments.inputs[i];
    if (!tensor.defined() || op.pass->inputs[i].extent == Extent::kRow || tensor.dim() == 0) return false;
    return !equal(tensor.sym_size(-1), c10::SymInt(op.pass->inputs[i].parts));
  };
  bool is_one = true;
  for (int i = 0; i < op.num_inputs; ++i) is_one = is_one && !has_length(i);
  if (is_one) return false;
  return std::none_of(op.saved.begin(), op.saved.end(), [&](const SavedTensor& saved) {
    if (saved.input >= 0) return has_length(saved.input);
    if (saved.total >= 0) return false;
    const Output& output = op.pass->outputs[saved.output];
    return output.like < 0 && last_dim(*op.pass, output) == LastDim::kUsual;
  });
}

// True if a call takes the decomposition, because ATen handles forward mode.
bool takes_decomposition(const Operator& op, const Arguments& arguments) {
  const bool tangent = has_tangent(op, arguments);
  TORCH_CHECK_NOT_IMPLEMENTED(op.pass->decomposes || !tangent, op.name,
                              ": no forward mode, since its surrogate backward is not linear");
  return tangent;
}

// True if the kernel of the pass is next in the dispatcher: the tensors are plain ones, and no mode or transform
// intercepts the call.
bool runs_kernel_next(const Operator& op, c10::DispatchKeySet below) {
  const c10::DispatchKey next = below.remove(c10::DispatchKey::ADInplaceOrView).highestPriorityTypeId();
  if (next == c10::DispatchKey::CPU) return op.pass->kernels.cpu != nullptr;
  return next == c10::DispatchKey::CUDA && op.pass->kernels.cuda != nullptr;
}

// True if the derivative reads totals for the needed gradients.
bool needs_totals(const Operator& op, InputSet kept) {
  for (size_t s = 0; s < op.saved.size(); ++s) {
    if (op.saved[s].total >= 0 && contains(kept, op.num_incoming + static_cast<int>(s))) return true;
  }
  return false;
}

}  // namespace

void run_autograd(const Operator& op, c10::DispatchKeySet keys, Stack& stack) {
  const Arguments arguments(op, stack);
  if (has_nested(op, arguments)) {
    run_nested(op, keys, stack);
    return;
  }
  const InputSet inputs = recorded_inputs(op, arguments);
  const bool records = inputs != 0;
  const InputSet kept = records && op.derivative != nullptr ? kept_for(op, inputs) : 0;
  const bool lacks_derivative =
      records && (op.derivative == nullptr || is_lacking(op, arguments, kept) || loses_length(op, arguments));
  if (lacks_derivative || takes_decomposition(op, arguments)) {
    run_decomposition(op, keys, stack);
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
  Outputs totals;
  {
    const at::AutoDispatchBelowAutograd guard;
    const c10::DispatchKeySet below = keys & c10::after_autograd_keyset;
    if (needs_totals(op, kept) && runs_kernel_next(op, below)) totals = run_kernel_with_totals(op, stack);
    else op.handle->redispatchBoxed(below, &stack);
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
  node->save_outputs(stack, totals);
}

void run_out_autograd(const Operator& op, c10::DispatchKeySet keys, Stack& stack) {
  {
    const Arguments arguments(op, stack, op.num_outputs);
    bool records = recorded_inputs(op, arguments) != 0;
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
    if (has_nested(op, arguments)) run_nested_out(op, keys, stack);
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
