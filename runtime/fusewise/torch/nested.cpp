// Calls an op for jagged nested tensors with their values, which are plain tensors, and makes nested tensors of the
// results. Autograd records the steps from and to the values, so that derivatives need no code of their own.
#include <fusewise/torch/allocate.h>
#include <fusewise/torch/checks.h>
#include <fusewise/torch/operator.h>

#include <ATen/ops/_nested_get_jagged_dummy.h>
#include <ATen/ops/_nested_get_lengths.h>
#include <ATen/ops/_nested_get_max_seqlen.h>
#include <ATen/ops/_nested_get_min_seqlen.h>
#include <ATen/ops/_nested_get_offsets.h>
#include <ATen/ops/_nested_get_ragged_idx.h>
#include <ATen/ops/_nested_get_values.h>
#include <ATen/ops/_nested_view_from_jagged.h>
#include <ATen/ops/diff.h>
#include <ATen/ops/repeat_interleave.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <optional>

namespace fusewise {
namespace {

std::optional<Tensor> if_defined(const Tensor& tensor) {
  return tensor.defined() ? std::optional(tensor) : std::nullopt;
}

// The nested tensors of a call. Dimension 0 of each is the batch; one other dimension is ragged. The values have no
// dimension 0, and all lengths of the ragged dimension after each other.
class Jagged {
 public:
  Jagged(const Operator& op, const Arguments& arguments) : op_(op) {
    for (int i = 0; i < op.num_inputs; ++i) {
      const Tensor& tensor = *arguments.inputs[i];
      if (!tensor.defined() || !tensor.is_nested()) continue;
      check_layout(op, input(i), tensor);
      if (!model_.defined()) set_model(i, tensor);
      const bool fits = rank(i, tensor) == rank_ && at::_nested_get_ragged_idx(tensor) == ragged_ &&
                        equal(tensor.sym_size(ragged_), model_.sym_size(ragged_));
      TORCH_CHECK(fits, op.name, ": ", input(i).name, " of shape ", tensor.sym_sizes(), " and ", model_name_,
                  " of shape ", model_.sym_sizes(), " are nested tensors of different structure; their offsets must ",
                  "be the same tensor");
    }
  }

  // The values of a nested tensor, or a plain tensor that broadcasts with them.
  Tensor values(int i, const Tensor& tensor) const {
    if (!tensor.defined()) return tensor;
    if (tensor.is_nested()) return at::_nested_get_values(tensor);
    Tensor plain = tensor;
    while (plain.dim() > 0 && reaches_ragged(i, plain) && equal(plain.sym_size(0), c10::SymInt(1))) {
      plain = plain.squeeze(0);
    }
    if (plain.dim() == 0 || !reaches_ragged(i, plain)) return plain;
    const int64_t missing = rank_ - rank(i, plain);
    const bool is_one = missing >= 0 && equal(plain.sym_size(ragged_ - missing), c10::SymInt(1));
    const bool has_batch = missing == 0 && !lengths_ && equal(plain.sym_size(0), model_.sym_size(0));
    TORCH_CHECK(is_one && (missing > 0 || has_batch), op_.name, ": ", input(i).name, " of shape ",
                tensor.sym_sizes(), " does not broadcast with ", model_name_, " of shape ", model_.sym_sizes());
    return missing > 0 ? plain : repeat(plain);
  }

  // The nested tensor of these values.
  Tensor nested(const Tensor& values) const {
    return at::_nested_view_from_jagged(values, offsets_, at::_nested_get_jagged_dummy(model_), lengths_, ragged_,
                                        if_defined(at::_nested_get_min_seqlen(model_)),
                                        if_defined(at::_nested_get_max_seqlen(model_)));
  }

 private:
  const Input& input(int i) const { return op_.pass->inputs[i]; }

  void set_model(int i, const Tensor& tensor) {
    model_ = tensor;
    model_name_ = input(i).name;
    rank_ = rank(i, tensor);
    ragged_ = at::_nested_get_ragged_idx(tensor);
    offsets_ = at::_nested_get_offsets(tensor);
    lengths_ = if_defined(at::_nested_get_lengths(tensor));
    TORCH_CHECK_NOT_IMPLEMENTED(!op_.pass->reduces || ragged_ < rank_ - 1, op_.name, ": ", model_name_, " of shape ",
                                model_.sym_sizes(), " is ragged in the dimension of a row");
  }

  // The dimensions of a tensor and the last one, if it lacks that.
  int64_t rank(int i, const Tensor& tensor) const {
    return tensor.dim() + (last_dim(input(i)) == LastDim::kSqueezed ? 1 : 0);
  }

  bool reaches_ragged(int i, const Tensor& plain) const { return rank(i, plain) >= rank_ - ragged_; }

  // Repeats each entry of a batch, whose ragged dimension has size 1, for the length that it has in the values.
  Tensor repeat(const Tensor& plain) const {
    const c10::SymInt total = at::_nested_get_values(model_).sym_size(ragged_ - 1);
    return at::repeat_interleave_symint(plain.squeeze(ragged_).movedim(0, ragged_ - 1), at::diff(offsets_),
                                        ragged_ - 1, total);
  }

  const Operator& op_;
  Tensor model_;  // the first nested tensor
  const char* model_name_ = nullptr;
  int64_t rank_ = 0;
  int64_t ragged_ = 0;
  Tensor offsets_;
  std::optional<Tensor> lengths_;  // of a tensor with gaps between its values
};

// Makes a nested tensor of values. The derivative of _nested_view_from_jagged has no derivative in PyTorch.
struct ToNested : torch::autograd::Function<ToNested> {
  static constexpr bool is_traceable = true;  // by compiled autograd

  static Tensor forward(torch::autograd::AutogradContext*, const Tensor& values, const Jagged& jagged) {
    const at::AutoDispatchBelowADInplaceOrView guard;
    const Tensor nested = jagged.nested(values);
    torch::autograd::impl::set_version_counter(nested, torch::autograd::impl::version_counter(values));
    return nested;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext*,
                                                 const torch::autograd::variable_list& gradients) {
    const Tensor& gradient = gradients[0];
    return {gradient.defined() ? at::_nested_get_values(gradient) : gradient, Tensor()};
  }
};

void call_with_values(const Operator& op, const c10::OperatorHandle& handle, Stack& stack) {
  Outputs outputs(op.num_outputs);
  {
    const Arguments arguments(op, stack);
    const Jagged jagged(op, arguments);
    Stack given(stack.end() - op.num_arguments(), stack.end());
    for (int i = 0; i < op.num_inputs; ++i) {
      const Tensor values = jagged.values(i, *arguments.inputs[i]);
      if (values.defined()) given[i] = values;
    }
    handle.callBoxed(given);
    for (int k = 0; k < op.num_outputs; ++k) {
      outputs[k] = given[k].toTensor();
      const Tensor* model = model_of(op.pass->outputs[k], arguments);
      const bool is_nested = model == nullptr || model->is_nested();
      if (outputs[k].defined() && is_nested) outputs[k] = ToNested::apply(outputs[k], jagged);
    }
  }
  return_results(stack, op.num_arguments(), std::move(outputs));
}

}  // namespace

bool has_nested(const Operator& op, const Arguments& arguments) {
  return std::any_of(arguments.inputs.begin(), arguments.inputs.begin() + op.num_inputs,
                     [](const Tensor* tensor) { return tensor->defined() && tensor->is_nested(); });
}

void run_nested(const Operator& op, c10::DispatchKeySet, Stack& stack) {
  call_with_values(op, *op.handle, stack);
}

void run_nested_decomposed(const Operator& op, c10::DispatchKeySet, Stack& stack) {
  call_with_values(op, decomposed(*op.handle), stack);
}

void run_nested_out(const Operator& op, c10::DispatchKeySet, Stack& stack) {
  const Jagged jagged(op, Arguments(op, stack, op.num_outputs));  // which refuses other nested tensors
  TORCH_CHECK_NOT_IMPLEMENTED(false, op.name, ": out= takes no nested tensors");
}

}  // namespace fusewise
