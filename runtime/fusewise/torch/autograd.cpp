// Autograd as torchgen writes it for native ops, once for every pass. The derivative of a pass is
// another op of the dispatcher, so a graph of any order records, compiles and batches like the first.
#include <fusewise/torch/derivative.h>

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
  std::vector<StandIn> stand_ins_;  // for those, then shapes; none where nothing is missing
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

// Whether a gradient goes on to the input. A pass without a derivative leaves that to the decomposition.
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
  InputSet found = 0;
  if (!at::GradMode::is_enabled()) return found;
  for (int i = 0; i < op.num_inputs; ++i) {
    const Tensor& tensor = *arguments.inputs[i];
    if (tensor.defined() && tensor.requires_grad() && is_attached(op, i)) found |= InputSet(1) << i;
  }
  if (found == 0) return found;
  bool arrives = false;
  for (const Output& output : op.pass->outputs) arrives = arrives || has_gradient(op, output);
  return arrives ? found : 0;
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
bool takes_decomposition(const Operator& op, const Arguments& arguments) {
  const bool tangent = has_tangent(op, arguments);
  TORCH_CHECK_NOT_IMPLEMENTED(op.pass->decomposes || !tangent, op.name,
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
      takes_decomposition(op, arguments)) {
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
