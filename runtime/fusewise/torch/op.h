#pragma once
// What a generated <op>_torch.cpp says about its op: passes as plain data, each with its formula in
// ATen calls. Everything that PyTorch expects of an op (autograd, allocation, checks, out=) is
// runtime/fusewise/torch, compiled once, so this header is all that an op's own file pays for.

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>

#include <initializer_list>
#include <optional>
#include <type_traits>
#include <vector>

#include <fusewise/core/loop.h>

namespace fusewise {

using at::Tensor;

// Declares kernels by name: `KernelFunction forward_cpu, forward_cuda;`
using KernelFunction = std::remove_pointer_t<Kernel>;

#ifdef FUSEWISE_WITH_CUDA
inline constexpr bool kWithCuda = true;
#else
inline constexpr bool kWithCuda = false;
#endif

// The formula in ATen calls. Reads and writes are those of the pass's kernel in the same order, the
// parts of a packed tensor one by one. Reads come in the compute type (bool inputs stay bool), and an
// input that is None or undefined comes as a number; `types` are those that they had. The runtime casts
// what is written, sums gradients to their input's shape and packs parts.
using Decomposition = void (*)(const Tensor* in, const Number* params, const at::ScalarType* types,
                           Tensor* out);

enum class Kind : int8_t { kFloat, kNumber, kInt, kBool };
enum class Layout : int8_t { kChunked, kInterleaved };

struct Input {
  const char* name;
  Kind kind = Kind::kFloat;
  bool optional = false;  // may be None, and reads as `fill` then
  double fill = 0;
  int parts = 1;    // packed along the last dimension when more than one
  Layout layout = Layout::kChunked;
  bool shape_only = false;  // no operand of the kernel: only an output is like it
};

struct Output {
  const char* name;
  // A gradient has the shape, strides and dtype of this input of the pass; -1: a result, which has the
  // shape and strides that the inputs broadcast to, and their promoted dtype. So has a gradient whose
  // input is None.
  int like = -1;
  // Of a gradient: the inputs that its formula reads. Nothing else is saved for its sake, and an input
  // that no gradient of a call reads may be None, or a tensor that stands for its shape and dtype.
  std::vector<int> reads = {};
  int parts = 1;
  Layout layout = Layout::kChunked;
  std::optional<at::ScalarType> dtype = std::nullopt;  // instead of the promoted one
  int dtype_like = -1;  // or that of this input of the pass
  bool detached = false;  // no gradient of it goes on to an input
  // Of a gradient: what has the same values, a gradient that arrives (an input of the pass) or an output
  // before it that is, like this one, like no input. Autograd hands that on, and asks for this one only
  // where shape or dtype differ.
  int equal_input = -1;
  int equal_output = -1;
};

struct Kernels {
  Kernel cpu = nullptr;
  Kernel cuda = nullptr;  // without one, CUDA tensors go through the decomposition
};

// A forward, backward or double backward; each is an op of the dispatcher, with the next as its
// derivative.
// Schema: the inputs, then the params, then for gradients `bool[n] needs`, one for each output.
struct Pass {
  const char* schema;
  const char* name = nullptr;  // in messages, where the schema's is that of a variant
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  Kernels kernels = {};
  Decomposition decomposition;
  // The derivative's inputs are the gradients of all differentiable outputs, then saved inputs, then
  // saved outputs, then inputs of which the shape alone is saved; its params are the same. Without a
  // derivative, the decomposition is recorded instead.
  const Pass* derivative = nullptr;
  std::vector<int> saved_inputs = {};
  std::vector<int> saved_outputs = {};
  std::vector<int> saved_shapes = {};
  // Of which inputs the derivative's outputs are the gradients. The others are detached: they make no
  // output require a gradient, and their own is None.
  std::vector<int> gradients = {};
  bool decomposes = true;  // whether the decomposition has that derivative: not every surrogate does
};

// An op of ATen calls around other ops; `decompose` calls their decompositions.
using Compose = void (*)(const Tensor* in, const Number* params, bool decompose, Tensor* out);

// Calls another op, say call_op("fusewise::lltm_cell", decompose, {gates, old_cell}).
std::vector<Tensor> call_op(const char* name, bool decompose, std::initializer_list<Tensor> inputs,
                            std::initializer_list<Number> params = {});

// One an op: defines it and its derivatives in PyTorch's dispatcher, under `library`::.
struct Registration {
  Registration(const char* library, const Pass& forward);
  Registration(const char* library, const char* schema, Compose compose);
};

}  // namespace fusewise
