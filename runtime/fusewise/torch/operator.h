#pragma once
// A pass as an op of the dispatcher, and the arguments of one call. Kernels are boxed: they take their
// arguments from the stack, so that one function, compiled once, serves every op.

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <c10/util/SmallVector.h>

#include <array>
#include <mutex>
#include <string>

#include <fusewise/torch/op.h>

namespace fusewise {

using torch::jit::Stack;

inline constexpr int kMaxParams = 32;
using Params = std::array<Number, kMaxParams>;
using Outputs = c10::SmallVector<Tensor, 4>;
using Needs = std::array<bool, kMaxOperands>;

// A bit for each input of a pass.
using InputSet = uint32_t;
static_assert(kMaxOperands <= 32);

constexpr bool contains(InputSet set, int input) { return (set >> input & 1) != 0; }

// A tensor that a pass saves for its derivative: an input, an output, a total, or the shape of an input.
struct SavedTensor {
  int input = -1;
  int output = -1;
  int total = -1;
  bool shape_only = false;
  int parts = 1;
  // True if a stand-in, never None, replaces the tensor when no needed gradient reads it; see PassNode. There
  // are two reasons: incoming gradients may have another shape or dtype than a result, or None would mean that
  // an optional input was not given.
  bool always_stands_in = false;
};

// An op of the dispatcher. It lives as long as the program.
struct Operator {
  std::string name;           // in messages; the variants that a param chooses share it
  std::string dispatch_name;  // in the dispatcher
  std::optional<c10::OperatorHandle> handle;
  std::optional<c10::OperatorHandle> out;  // of a forward pass
  const Pass* pass = nullptr;
  Compose compose = nullptr;  // of a composed op, which has no pass
  const Operator* rows = nullptr;  // of an op whose rows are other dimensions; see row_dims.h
  std::vector<int64_t> row_dims;   // kAllDims, or none if the last param names the dimension
  const Operator* derivative = nullptr;
  const Operator* primal = nullptr;  // the op of which this is the derivative
  std::vector<SavedTensor> saved;  // for the derivative, in the order of its inputs
  int num_incoming = 0;            // gradients of outputs: the first inputs of the derivative
  int first_incoming = 0;          // the output to which the first incoming gradient belongs
  bool incoming_tell_length = false;  // true if each incoming gradient has the length of a row
  int num_inputs = 0;
  int num_outputs = 0;
  bool takes_needs = false;
  std::vector<c10::TypeKind> params;  // FloatType, IntType or BoolType
  std::vector<InputSet> reads;        // of each gradient
  mutable std::once_flag bound;       // set when compiled autograd has bound the derivative

  int num_params() const { return static_cast<int>(params.size()); }
  int num_arguments() const { return num_inputs + num_params() + (takes_needs ? 1 : 0); }
};

const std::vector<const Operator*>& registered_operators();

// Calls visitor(p, zero) for each param, where zero has the type that carries the param: double, or int64_t for
// an int or a bool.
template <class Visitor>
void for_each_param(const Operator& op, const Visitor& visitor) {
  for (int p = 0; p < op.num_params(); ++p) {
    if (op.params[p] == c10::TypeKind::FloatType) visitor(p, double{});
    else visitor(p, int64_t{});
  }
}

// The arguments of a call: the values on top of the stack, below `extra` values of out=.
struct Arguments {
  Arguments(const Operator& op, const Stack& stack, int extra = 0);

  std::array<const Tensor*, kMaxOperands> inputs;  // undefined where None was given
  Params params;
  Needs needs;
  InputSet reads;  // the inputs that the needed outputs depend on
};

// True if the values of an input matter in this call.
inline bool is_read(const Arguments& arguments, int input) {
  return contains(arguments.reads, input);
}

// True if a tensor is one expanded number, like the stand-ins for tensors that were not saved.
bool is_one_number(const Tensor& tensor);

// True if an input is a nested tensor.
bool has_nested(const Operator& op, const Arguments& arguments);

c10::IValue param_value(c10::TypeKind type, Number value);

// True if tensors of a dtype have gradients. float8, a quantized type, has none.
bool is_differentiable(at::ScalarType dtype);

// Replaces the arguments on the stack by the results.
void return_results(Stack& stack, int num_arguments, Outputs&& outputs);

// The overload of an op that decomposes its pass.
c10::OperatorHandle decomposed(const c10::OperatorHandle& handle);

// Computes the op by the decomposition of its pass.
Outputs compute_decomposition(const Operator& op, const Arguments& arguments);

// The implementation of an op for a dispatch key.
using Entry = void (*)(const Operator&, c10::DispatchKeySet, Stack&);
void run_kernel(const Operator& op, c10::DispatchKeySet keys, Stack& stack);     // CPU, CUDA
Outputs run_kernel_with_totals(const Operator& op, Stack& stack);  // returns the totals that the pass keeps
void run_meta(const Operator& op, c10::DispatchKeySet keys, Stack& stack);
void run_decomposition(const Operator& op, c10::DispatchKeySet keys, Stack& stack);  // other devices
void run_opaque(const Operator& op, c10::DispatchKeySet keys, Stack& stack);     // the op itself
void run_nested(const Operator& op, c10::DispatchKeySet keys, Stack& stack);     // with the values
void run_nested_decomposed(const Operator& op, c10::DispatchKeySet keys, Stack& stack);
void run_nested_out(const Operator& op, c10::DispatchKeySet keys, Stack& stack);  // refuses the call
void run_autograd(const Operator& op, c10::DispatchKeySet keys, Stack& stack);
void run_out_kernel(const Operator& op, c10::DispatchKeySet keys, Stack& stack);
void run_out_meta(const Operator& op, c10::DispatchKeySet keys, Stack& stack);
void run_out_copy(const Operator& op, c10::DispatchKeySet keys, Stack& stack);   // the op, and a copy
void run_out_view(const Operator& op, c10::DispatchKeySet keys, Stack& stack);   // ADInplaceOrView
void run_out_autograd(const Operator& op, c10::DispatchKeySet keys, Stack& stack);
void run_compose(const Operator& op, c10::DispatchKeySet keys, Stack& stack);
void run_compose_decomposed(const Operator& op, c10::DispatchKeySet keys, Stack& stack);
void run_row_dims(const Operator& op, c10::DispatchKeySet keys, Stack& stack);
void run_row_dims_decomposed(const Operator& op, c10::DispatchKeySet keys, Stack& stack);
void run_row_dims_out(const Operator& op, c10::DispatchKeySet keys, Stack& stack);

}  // namespace fusewise
