// Calls an op of rows in the last dimension for rows in other dimensions. The inputs are viewed with the dimensions
// of a row last and merged into one, and the results are viewed back. Autograd, vmap and compilers see these views,
// so that derivatives and batches need no code of their own. A kernel reads a row with any stride in place. Several
// dimensions that have no common stride are copied.
#include <fusewise/torch/operator.h>
#include <fusewise/torch/row_dims.h>
#include <fusewise/torch/sizes.h>

#include <ATen/ExpandUtils.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/StringUtil.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>

namespace fusewise {
namespace {

// The rows of a call.
class RowDims {
 public:
  RowDims(const Operator& op, const Arguments& arguments) : op_(op), inputs_(rows_pass(op).inputs) {
    const auto count = static_cast<int64_t>(std::max<size_t>(op.row_dims.size(), 1));
    for (int i = 0; i < op.num_inputs; ++i) {
      const Tensor& tensor = *arguments.inputs[i];
      if (!tensor.defined()) continue;
      nested_ = nested_ || tensor.is_nested();
      rank_ = std::max(rank_, tensor.dim() + (is_row(i) ? count : 0));
    }
    const bool is_all = !op.row_dims.empty() && op.row_dims.front() == kAllDims;
    if (is_all) {
      for (int64_t d = -std::max<int64_t>(rank_, 1); d < 0; ++d) dims_.push_back(d);
    } else if (op.row_dims.empty()) {
      dims_.push_back(named_dim(arguments));
    } else {
      dims_.assign(op.row_dims.begin(), op.row_dims.end());
    }
    const bool is_fixed = !is_all && !op.row_dims.empty();
    TORCH_CHECK_INDEX(!is_fixed || rank_ >= -dims_.front(), op.name, ": a row is the dimension",
                      dims_.size() > 1 ? "s " : " ", c10::Join(", ", dims_), ", but the inputs have ", rank_);
    TORCH_CHECK_NOT_IMPLEMENTED(!nested_ || are_last(), op.name,
                                ": rows of nested tensors are in the last dimension only");
    if (!are_last()) broadcast(arguments);
  }

  // True if the op of rows takes the tensors as they are.
  bool are_last() const { return dims_.size() == 1 && dims_.front() == -1; }

  Tensor input(int i, const Tensor& tensor) const {
    // A tensor without dimensions promotes no other one, and keeps that.
    const bool stays = !tensor.defined() || tensor.dim() == 0 || is_row(i);
    return stays ? tensor : moved(tensor);
  }

  // A view of a tensor with rows in one last dimension. It is a copy where these have no common stride.
  Tensor moved(Tensor tensor) const {
    while (tensor.dim() < -dims_.front()) tensor = tensor.unsqueeze(0);
    const auto count = static_cast<int64_t>(dims_.size());
    SymInts sizes = tensor.sym_sizes().vec();
    if (count > 1 && !is_one(sizes)) {
      for (int64_t k = 0; k < count; ++k) sizes[sizes.size() + dims_[k]] = sizes_[k];
      tensor = tensor.expand_symint(sizes);
    }
    tensor = tensor.permute(order(tensor.dim()));
    if (count == 1) return tensor;
    sizes = tensor.sym_sizes().vec();
    c10::SymInt length = 1;
    for (; sizes.size() + count > static_cast<size_t>(tensor.dim()); sizes.pop_back()) length *= sizes.back();
    sizes.push_back(length);
    return tensor.reshape_symint(sizes);
  }

  // The view of a result of the op of rows in the dimensions of the call.
  Tensor result(int k, Tensor tensor) const {
    const Output& output = rows_pass(op_).outputs[k];
    if (last_dim(rows_pass(op_), output) == LastDim::kSqueezed) return tensor;
    if (dims_.size() > 1) {
      SymInts sizes = tensor.sym_sizes().vec();
      sizes.pop_back();
      for (const c10::SymInt& size : sizes_) sizes.push_back(output.keepdim ? c10::SymInt(1) : size);
      tensor = tensor.view_symint(sizes);
    }
    const Ints<int64_t> order = this->order(tensor.dim());
    Ints<int64_t> inverse(order.size(), 0);
    for (size_t d = 0; d < order.size(); ++d) inverse[order[d]] = static_cast<int64_t>(d);
    return tensor.permute(inverse);
  }

  // The shape of a result in the dimensions of the call.
  SymInts result_sizes(int k) const {
    const Output& output = rows_pass(op_).outputs[k];
    if (output.extent == Extent::kElement) return loop_;
    if (!output.keepdim) return without_rows(loop_);
    SymInts sizes = loop_;
    for (const int64_t d : dims_) sizes[sizes.size() + d] = 1;
    return sizes;
  }

 private:
  static const Pass& rows_pass(const Operator& op) { return *op.rows->pass; }

  bool is_row(int i) const { return last_dim(inputs_[i]) == LastDim::kSqueezed; }

  bool is_reduced(int64_t dim) const { return std::find(dims_.begin(), dims_.end(), dim) != dims_.end(); }

  bool is_one(const SymInts& sizes) const {
    return std::all_of(dims_.begin(), dims_.end(),
                       [&](int64_t d) { return equal(sizes[sizes.size() + d], c10::SymInt(1)); });
  }

  // The param that names the dimension, counted from the last one.
  int64_t named_dim(const Arguments& arguments) const {
    const auto dim = arguments.params[op_.num_params() - 1].as<int64_t>();
    const int64_t rank = std::max<int64_t>(rank_, 1);
    const c10::Argument& param = op_.handle->schema().arguments()[op_.num_arguments() - 1];
    TORCH_CHECK_INDEX(-rank <= dim && dim < rank, op_.name, ": ", param.name(), " is ", dim,
                      ", expected a dimension from ", -rank, " to ", rank - 1);
    return dim < 0 ? dim : dim - rank;
  }

  // The dimensions in the order that has those of a row last.
  Ints<int64_t> order(int64_t dim) const {
    Ints<int64_t> order;
    for (int64_t d = 0; d < dim; ++d) {
      if (!is_reduced(d - dim)) order.push_back(d);
    }
    for (const int64_t d : dims_) order.push_back(dim + d);
    return order;
  }

  SymInts without_rows(const SymInts& sizes) const {
    SymInts found;
    const auto dim = static_cast<int64_t>(sizes.size());
    for (int64_t d = 0; d < dim; ++d) {
      if (!is_reduced(d - dim)) found.push_back(sizes[d]);
    }
    return found;
  }

  // Sets the shape to which the inputs broadcast, and the sizes of a row's dimensions.
  void broadcast(const Arguments& arguments) {
    for (int i = 0; i < op_.num_inputs; ++i) {
      const Tensor& tensor = *arguments.inputs[i];
      if (!tensor.defined()) continue;
      SymInts sizes = tensor.sym_sizes().vec();
      if (is_row(i)) sizes = with_rows(sizes);
      loop_ = at::infer_size_symint(loop_, sizes);
    }
    for (const int64_t d : dims_) sizes_.push_back(loop_[loop_.size() + d]);
  }

  // The sizes of a tensor of rows with the dimensions that it lacks.
  SymInts with_rows(const SymInts& sizes) const {
    SymInts found;
    auto left = static_cast<int64_t>(sizes.size());
    for (int64_t d = -1; left > 0 || d >= dims_.front(); --d) {
      const bool lacks = is_reduced(d) || left == 0;
      found.insert(found.begin(), lacks ? c10::SymInt(1) : sizes[--left]);
    }
    return found;
  }

  const Operator& op_;
  const std::vector<Input>& inputs_;
  int64_t rank_ = 0;
  bool nested_ = false;
  Ints<int64_t> dims_;  // negative, ascending
  SymInts loop_;        // empty if the rows are last
  SymInts sizes_;       // of the dimensions of a row
};

// The arguments of the op of rows.
Stack rows_arguments(const Operator& op, const Arguments& arguments, const RowDims& rows) {
  Stack stack;
  stack.reserve(op.num_arguments() + op.num_outputs);
  for (int i = 0; i < op.num_inputs; ++i) {
    const Tensor tensor = rows.are_last() ? *arguments.inputs[i] : rows.input(i, *arguments.inputs[i]);
    stack.push_back(tensor.defined() ? c10::IValue(tensor) : c10::IValue());
  }
  for (int p = 0; p < op.rows->num_params(); ++p) stack.push_back(param_value(op.params[p], arguments.params[p]));
  return stack;
}

void call_rows(const Operator& op, const c10::OperatorHandle& handle, Stack& stack) {
  Stack results;
  {
    const Arguments arguments(op, stack);
    const RowDims rows(op, arguments);
    results = rows_arguments(op, arguments, rows);
    handle.callBoxed(results);
    // A result is not known as a view, or it could not be detached in place, nor be changed so if it was made without
    // grad mode. Autograd notices a change by the version, since the backward may read the results of the op of rows.
    const c10::impl::ExcludeDispatchKeyGuard no_views(c10::DispatchKey::ADInplaceOrView);
    for (int k = 0; k < op.num_outputs && !rows.are_last(); ++k) {
      const Tensor of_rows = std::move(results[k]).toTensor();
      Tensor result = rows.result(k, of_rows);
      if (!of_rows.is_inference()) {
        torch::autograd::impl::set_version_counter(result, torch::autograd::impl::version_counter(of_rows));
      }
      results[k] = std::move(result);
    }
  }
  torch::jit::drop(stack, op.num_arguments());
  for (c10::IValue& result : results) stack.push_back(std::move(result));
}

// The tensor of out= for the op of rows; resized if it is empty.
Tensor take_out(const Operator& op, const RowDims& rows, int k, const Tensor& out) {
  const SymInts sizes = rows.result_sizes(k);
  if (!out.sym_sizes().equals(sizes)) {
    TORCH_CHECK(out.sym_numel() == 0, op.name, ": out must have shape ", c10::SymIntArrayRef(sizes), ", got ",
                out.sym_sizes());
    out.resize__symint(sizes);
  }
  const bool is_row = last_dim(*op.rows->pass, op.rows->pass->outputs[k]) == LastDim::kSqueezed;
  return is_row ? out : rows.moved(out);
}

}  // namespace

void run_row_dims(const Operator& op, c10::DispatchKeySet, Stack& stack) {
  call_rows(op, *op.rows->handle, stack);
}

void run_row_dims_decomposed(const Operator& op, c10::DispatchKeySet, Stack& stack) {
  call_rows(op, decomposed(*op.rows->handle), stack);
}

void run_row_dims_out(const Operator& op, c10::DispatchKeySet, Stack& stack) {
  Outputs outputs;
  {
    const Arguments arguments(op, stack, op.num_outputs);
    const RowDims rows(op, arguments);
    Stack given = rows_arguments(op, arguments, rows);
    Outputs written;
    for (int k = 0; k < op.num_outputs; ++k) {
      const Tensor& out = stack[stack.size() - op.num_outputs + k].toTensor();
      outputs.push_back(out);
      written.push_back(rows.are_last() ? out : take_out(op, rows, k, out));
      given.push_back(written.back());
    }
    op.rows->out->callBoxed(given);
    for (int k = 0; k < op.num_outputs; ++k) {
      if (!written[k].is_alias_of(outputs[k])) outputs[k].copy_(rows.result(k, written[k]));
    }
  }
  return_results(stack, op.num_arguments() + op.num_outputs, std::move(outputs));
}

}  // namespace fusewise
