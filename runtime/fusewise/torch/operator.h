#pragma once
// A pass as the dispatcher knows it, and the arguments of one call of it. Kernels are boxed: they take
// their arguments from the stack, so that one function serves every op and no op compiles any of it.

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

// Lives as long as the program.
struct Operator {
  std::string name;           // in messages
  std::string dispatch_name;  // of variants that a param chooses, which share a name, the own one
  std::optional<c10::OperatorHandle> handle;
  std::optional<c10::OperatorHandle> out;  // of a forward pass
  const Pass* pass = nullptr;  // or, for an op of other ops:
  Compose compose = nullptr;
  const Operator* derivative = nullptr;
  int num_inputs = 0;
  int num_outputs = 0;
  bool takes_needs = false;
  std::vector<c10::TypeKind> params;  // FloatType, IntType or BoolType
  std::vector<InputSet> reads;        // of each gradient
  mutable std::once_flag bound;  // to compiled autograd

  int num_params() const { return static_cast<int>(params.size()); }
  int num_arguments() const { return num_inputs + num_params() + (takes_needs ? 1 : 0); }
};

const std::vector<const Operator*>& registered_operators();

// What lies on top of the stack; `extra` more values, those of out=, lie above it.
struct Arguments {
  Arguments(const Operator& op, const Stack& stack, int extra = 0);

  std::array<const Tensor*, kMaxOperands> inputs;  // undefined where None was given
  Params params;
  Needs needs;
  InputSet reads;  // what the outputs that are needed are made of
};

// Whether the values of an input count in this call.
inline bool is_read(const Arguments& arguments, int input) {
  return contains(arguments.reads, input);
}

// Whether a tensor may stand for a shape, in place of one that was not saved: one number, expanded.
bool is_one_number(const Tensor& tensor);

c10::IValue param_value(c10::TypeKind type, Number value);

// Of float8, a quantised type, there is no gradient.
bool is_differentiable(at::ScalarType dtype);

// Replaces the arguments by the results.
void finish(Stack& stack, int num_arguments, Outputs&& outputs);

// The formula in ATen calls, from arguments as the op takes them to outputs as the op gives them.
Outputs compute_decomposition(const Operator& op, const Arguments& arguments);

// What is registered for a dispatch key.
using Entry = void (*)(const Operator&, c10::DispatchKeySet, Stack&);
void run_kernel(const Operator& op, c10::DispatchKeySet keys, Stack& stack);     // CPU, CUDA
void run_meta(const Operator& op, c10::DispatchKeySet keys, Stack& stack);
void run_decomposition(const Operator& op, c10::DispatchKeySet keys, Stack& stack);  // other devices
void run_opaque(const Operator& op, c10::DispatchKeySet keys, Stack& stack);     // the op itself
void run_autograd(const Operator& op, c10::DispatchKeySet keys, Stack& stack);
void run_out_kernel(const Operator& op, c10::DispatchKeySet keys, Stack& stack);
void run_out_meta(const Operator& op, c10::DispatchKeySet keys, Stack& stack);
void run_out_copy(const Operator& op, c10::DispatchKeySet keys, Stack& stack);   // the op, and a copy
void run_out_view(const Operator& op, c10::DispatchKeySet keys, Stack& stack);   // ADInplaceOrView
void run_out_autograd(const Operator& op, c10::DispatchKeySet keys, Stack& stack);
void run_compose(const Operator& op, c10::DispatchKeySet keys, Stack& stack);
void run_compose_decomposed(const Operator& op, c10::DispatchKeySet keys, Stack& stack);

}  // namespace fusewise
