#pragma once
// The description of an op in its <op>_torch.cpp: passes as plain data, each with its decomposition into
// ATen calls. The other files of this folder do what PyTorch expects of an op (autograd, allocation, checks,
// out=). They are compiled once. An op's own file includes only this header and aten.h, which have no header
// of torch; one that calls other ops has compose.h instead.

#include <optional>
#include <type_traits>
#include <vector>

#include <fusewise/torch/value.h>

namespace fusewise {

// Declares kernels by name: `KernelFunction forward_cpu, forward_cuda;`
using KernelFunction = std::remove_pointer_t<Kernel>;

#ifdef FUSEWISE_WITH_CUDA
inline constexpr bool kWithCuda = true;
#else
inline constexpr bool kWithCuda = false;
#endif

// The formula of a pass in ATen calls. Reads and writes are those of the pass's kernel, in the same order; each
// part of a packed tensor is one of them. Reads are cast to the compute type (bool inputs stay bool), and an
// input that is None is a number; `types` are the dtypes before the cast. The runtime casts the writes, sums
// gradients to the shape of their input and packs parts. In a pass that reduces, the last dimension of element
// inputs has the length of a row and that of row inputs has size 1, as those of row writes have, and the index
// of an element in its row follows the reads.
using Decomposition = void (*)(const Value* in, const Number* params, const Dtype* types, Value* out);

// kTotal is a total that the forward pass kept: it has the compute type and does not promote. If it is None, the
// runtime computes it.
enum class Kind : int8_t { kFloat, kNumber, kInt, kBool, kTotal };
enum class Layout : int8_t { kChunked, kInterleaved };

// In a pass that reduces: an operand with an element for each element of a row, or with one number for each row.
// A row operand has the shape of the loop without its last dimension, or with size 1 there if it keeps it.
enum class Extent : int8_t { kElement, kRow };

struct Input {
  const char* name;
  Kind kind = Kind::kFloat;
  bool optional = false;  // may be None, and is then read as `fill`
  double fill = 0;
  int parts = 1;  // packed along the last dimension if more than one
  Layout layout = Layout::kChunked;
  bool shape_only = false;  // true if the kernel does not read it: it is the model of an output only
  Extent extent = Extent::kElement;
  bool keepdim = false;  // true for the gradient of a row output that keeps the last dimension
};

struct Output {
  const char* name;
  // The model of a gradient: the input of the pass whose shape, strides and dtype it has. -1 for a result,
  // which has the shape and strides that the inputs broadcast to, and their promoted dtype. A gradient whose
  // model is None is like a result.
  int like = -1;
  // The inputs that the formula of a gradient reads. Only these are saved for it. An input that no gradient of
  // a call reads may be None, or a stand-in with its shape and dtype.
  std::vector<int> reads = {};
  int parts = 1;
  Layout layout = Layout::kChunked;
  std::optional<Dtype> dtype = std::nullopt;  // replaces the promoted dtype
  int dtype_like = -1;  // the input of the pass whose dtype replaces the promoted one
  bool detached = false;  // true if its gradient does not reach an input
  // The tensor that a gradient equals: an incoming gradient (an input of the pass), or an earlier output.
  // Autograd forwards that tensor, and needs this output only if shape or dtype differ.
  int equal_input = -1;
  int equal_output = -1;
  Extent extent = Extent::kElement;  // of the formula. The shape of a gradient is that of its model
  bool keepdim = false;              // true if a row output keeps the last dimension, with size 1
};

struct Kernels {
  Kernel cpu = nullptr;
  Kernel cuda = nullptr;  // null: CUDA tensors take the decomposition
};

// A forward, backward or double backward pass. Each is an op of the dispatcher, and the next is its
// derivative. The schema has the inputs, then the params; that of a derivative ends with `bool[n] needs`,
// which has an entry for each output.
struct Pass {
  const char* schema;
  const char* name = nullptr;  // in messages, if the schema has the name of a variant
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  Kernels kernels = {};
  Decomposition decomposition;
  // The inputs of the derivative are the gradients of all differentiable outputs, then saved inputs, then
  // saved outputs, then kept totals, then inputs whose shape alone is saved; its params are the same. Autograd records
  // the decomposition of a pass without a derivative.
  const Pass* derivative = nullptr;
  std::vector<int> saved_inputs = {};
  std::vector<int> saved_outputs = {};
  std::vector<int> saved_shapes = {};
  // For each output of the derivative, the input whose gradient it is. Other inputs are detached: no output
  // requires a gradient because of them, and their gradient is None.
  std::vector<int> gradients = {};
  // The inputs of which the kernel is told whether they are there: by a param each, after those of the schema, that
  // is 1 or 0. They are incoming gradients.
  std::vector<int> arrivals = {};
  // The totals that the kernel stores after the outputs, if it is asked to: a number for each row, in the compute
  // type. They are inputs of the derivative, between its saved outputs and its saved shapes.
  int kept_totals = 0;
  bool decomposes = true;  // true if the decomposition has this derivative; false for some surrogates
  bool reduces = false;    // true if the pass has row operands or reductions along the last dimension
  bool needs_elements = false;  // true if the pass has a maximum, which a row of length 0 does not have
  bool reads_index = false;     // true if the place of an element in its row is a value of the compute type
};

// A composed op: ATen calls and calls of other ops. With `decompose` it calls their decompositions.
using Compose = void (*)(const Tensor* in, const Number* params, bool decompose, Tensor* out);

// Defines an op and its derivatives in PyTorch's dispatcher, in the namespace `library`.
struct Registration {
  Registration(const char* library, const Pass& forward);
  Registration(const char* library, const char* schema, Compose compose);
};

}  // namespace fusewise
