// Runs a kernel on tensors: makes a loop over their memory, and returns the results as tensors.
#include <fusewise/torch/allocate.h>
#include <fusewise/torch/checks.h>
#include <fusewise/torch/dtypes.h>

#include <ATen/Parallel.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>

#include <fusewise/core/reduction.h>
#include <fusewise/cpu/pages.h>

namespace fusewise {
namespace {

void parallel_for(int64_t n, int64_t grain, void (*body)(void*, int64_t, int64_t), void* context) {
  at::parallel_for(0, n, grain, [&](int64_t begin, int64_t end) { body(context, begin, end); });
}

// A tensor, or part of one, as an operand whose strides are not set yet.
struct Access {
  const View<int64_t>* view;  // null: no memory
  int64_t item;               // bytes of an element
};

class LoopBuilder {
 public:
  LoopBuilder(const Operator& op, const CallPlan<int64_t>& plan, Loop& loop)
      : op_(op), plan_(plan), loop_(loop) {
    loop.num_dims = 0;
    loop.num_reads = loop.num_writes = 0;
    loop.compute = storage_dtype(compute_dtype(op, plan.common));
  }

  void read(const Input& input, const Tensor& tensor, bool skipped) {
    for (int part = 0; part < input.parts; ++part) {
      ++loop_.num_reads;
      if (!tensor.defined()) {
        add_absent(input.fill, plan_.common);
      } else if (skipped) {
        add_absent(input.fill, tensor.scalar_type());
      } else if (plan_.device.type() != tensor.device().type()) {
        // A 0-dim CPU tensor that is combined with tensors of another device is a number.
        const at::Scalar number = tensor.item();
        add_absent(number.isFloatingPoint() ? Number(number.toDouble()) : Number(number.toLong()),
                   tensor.scalar_type());
      } else {
        // Kernels do not write to reads.
        add(const_cast<void*>(tensor.const_data_ptr()), tensor, view_of<int64_t>(input, tensor), part);
      }
    }
  }

  void write(const Output& output, const Tensor& tensor) {
    const bool squeezed = last_dim(*op_.pass, output) == LastDim::kSqueezed;
    for (int part = 0; part < output.parts; ++part) {
      ++loop_.num_writes;
      if (!tensor.defined()) {
        add_absent(0, plan_.common);
        continue;
      }
      const View<int64_t> view{tensor.sizes(), tensor.strides(), output.parts, output.layout, squeezed};
      add(tensor.mutable_data_ptr(), tensor, view, part);
    }
  }

  void set_dims(bool flat) {
    if (flat) {
      int64_t numel = 1;
      for (const int64_t size : plan_.sizes) numel *= size;
      append(numel, [](const Access& access) { return access.item; });
      return;
    }
    const int64_t dim = static_cast<int64_t>(plan_.sizes.size());
    const int kept = op_.pass->reduces ? 1 : 0;  // dimensions that are not merged
    if (kept > 0) append_row();
    for (int64_t i = 0; i < dim; ++i) {
      const int64_t d = plan_.order.empty() ? dim - 1 - i : plan_.order[i];  // a flat plan has none
      if (plan_.sizes[d] == 1 || (kept > 0 && d == dim - 1)) continue;
      if (loop_.num_dims == kMaxDims) coalesce(loop_, kept);
      TORCH_CHECK(loop_.num_dims < kMaxDims, op_.name, ": more than ", kMaxDims,
                  " dimensions that cannot be merged");
      append_dim(d);
    }
    coalesce(loop_, kept);
  }

 private:
  // Appends the last dimension as dimension 0 of a pass that reduces, where it stays whatever its size. A 0-dim
  // loop is a row of one element.
  void append_row() {
    const bool is_one = plan_.sizes.empty() || plan_.sizes.back() == 1;
    if (is_one) append(1, [](const Access&) -> int64_t { return 0; });
    else append_dim(static_cast<int64_t>(plan_.sizes.size()) - 1);
  }

  void append_dim(int64_t d) {
    const int64_t dim = static_cast<int64_t>(plan_.sizes.size());
    const int64_t size = plan_.sizes[d];
    append(size, [&](const Access& access) -> int64_t {
      const int64_t own = d - (dim - access.view->dim());
      if (own < 0 || access.view->size(own) != size) return 0;
      return access.view->stride(own) * access.item;
    });
  }

  template <class Stride>
  void append(int64_t size, const Stride& stride) {
    loop_.sizes[loop_.num_dims] = size;
    for (int k = 0; k < num_operands(loop_); ++k) {
      const Access& access = accesses_[k];
      loop_.operands[k].strides[loop_.num_dims] = access.view == nullptr ? 0 : stride(access);
    }
    ++loop_.num_dims;
  }

  Operand& next() {
    const int k = num_operands(loop_) - 1;
    TORCH_CHECK(k < kMaxOperands, op_.name, ": more than ", kMaxOperands, " operands");
    return loop_.operands[k];
  }

  void add_absent(Number fill, at::ScalarType dtype) {
    Operand& operand = next();
    operand.data = nullptr;
    operand.fill = fill;
    operand.dtype = storage_dtype(dtype);
    accesses_[num_operands(loop_) - 1] = {nullptr, 0};
  }

  void add(void* data, const Tensor& tensor, const View<int64_t>& view, int part) {
    Operand& operand = next();
    const int k = num_operands(loop_) - 1;
    views_.push_back(view);
    accesses_[k] = {&views_.back(), static_cast<int64_t>(tensor.itemsize())};
    // An empty tensor has no memory, and neither have its parts.
    const int64_t bytes = data == nullptr ? 0 : views_.back().offset(part) * accesses_[k].item;
    operand.data = static_cast<char*>(data) + bytes;
    operand.fill = 0;
    operand.dtype = storage_dtype(tensor.scalar_type());
  }

  const Operator& op_;
  const CallPlan<int64_t>& plan_;
  Loop& loop_;
  c10::SmallVector<View<int64_t>, kMaxOperands> views_;  // never grows, since pointers refer to its elements
  std::array<Access, kMaxOperands> accesses_;
};

// Makes a device the current one. c10::DeviceGuard asks the driver at its end even if nothing changed, which
// takes a fortieth of the time of a small call.
class CurrentDevice {
 public:
  explicit CurrentDevice(at::Device device)
      : impl_(device.type()), device_(device), before_(impl_.exchangeDevice(device)) {}
  CurrentDevice(const CurrentDevice&) = delete;
  ~CurrentDevice() {
    if (before_ != device_) impl_.uncheckedSetDevice(before_);
  }

 private:
  const c10::impl::VirtualGuardImpl impl_;
  const at::Device device_;
  const at::Device before_;
};

// Memory for the totals and partial sums of a pass, freed when its kernels are launched. The allocator of a GPU
// gives freed memory to later work of the same stream only.
struct Workspace {
  c10::Allocator* allocator;
  c10::SmallVector<c10::DataPtr, 2> memory = {};

  static void* allocate(void* workspace, size_t bytes) {
    auto& [allocator, memory] = *static_cast<Workspace*>(workspace);
    return memory.emplace_back(allocator->allocate(bytes)).get();
  }
};

// Raises torch.AcceleratorError for a CUDA error, as PyTorch does.
[[noreturn]] void raise(const Operator& op, const Status& status) {
  TORCH_CHECK(status.error != 0, op.name, ": ", status.message);
  std::string text = "CUDA error: " + std::string(status.message);
  if (status.is_earlier) text += ". It is an error of work that was launched before, and found here";
  const c10::SourceLocation here{__func__, __FILE__, static_cast<uint32_t>(__LINE__)};
  throw c10::AcceleratorError(here, status.error, op.name + ": " + text);
}

void run_loop(const Operator& op, const Arguments& arguments, const at::Device device,
              const Loop& loop) {
  const bool cuda = device.is_cuda();
  Workspace workspace{allocator_of(device)};
  Launch launch{.allocate = Workspace::allocate,
                .context = &workspace,
                .stream = nullptr,
                .parallel_for = parallel_for};
  Status status;
  if (cuda) {
    const c10::impl::VirtualGuardImpl guard_impl(device.type());
    launch.stream = guard_impl.getStream(device).native_handle();
    status = op.pass->kernels.cuda(loop, arguments.params.data(), launch);
  } else {
    status = op.pass->kernels.cpu(loop, arguments.params.data(), launch);
  }
  if (status.failed()) raise(op, status);
}

// True if a kernel does not read the memory of an input. Inputs that are smaller than the loop are read: they
// cost nothing, and kernels are specialized for calls that have them.
bool is_skipped(const Arguments& arguments, const CallPlan<int64_t>& plan, int input) {
  const Tensor& tensor = *arguments.inputs[input];
  if (is_read(arguments, input) || !tensor.defined()) return false;
  return is_one_number(tensor) || tensor.numel() >= c10::multiply_integers(plan.sizes);
}

// Runs the kernel. It stores `totals`, if they are not empty.
void launch(const Operator& op, const Arguments& arguments, const CallPlan<int64_t>& plan,
            const Outputs& outputs, bool flat, const Outputs& totals = {}) {
  bool empty = true;
  for (const Tensor& written : outputs) empty = empty && (!written.defined() || written.numel() == 0);
  for (const Tensor& total : totals) empty = empty && total.numel() == 0;
  if (empty) return;

  Loop loop;
  LoopBuilder builder(op, plan, loop);
  for (int i = 0; i < op.num_inputs; ++i) {
    if (op.pass->inputs[i].shape_only) continue;
    builder.read(op.pass->inputs[i], *arguments.inputs[i], is_skipped(arguments, plan, i));
  }
  for (int k = 0; k < op.num_outputs; ++k) {
    builder.write(op.pass->outputs[k], outputs[k]);
  }
  for (int t = 0; t < op.pass->kept_totals; ++t) {
    builder.write(kKeptTotal, totals.empty() ? Tensor() : totals[t]);
  }
  builder.set_dims(flat);

  Loop first, rest;
  // GPU kernels and passes that reduce divide two-axis reductions themselves, where they need to.
  const bool divides = plan.device.is_cuda() || op.pass->reduces;
  while (!flat && !divides && separate_sums(loop, first, rest)) {
    run_loop(op, arguments, plan.device, first);
    loop = rest;
  }
  run_loop(op, arguments, plan.device, loop);
}

// The tensors of out=, checked, and resized if they are empty.
template <class Int>
Outputs take_out(const Operator& op, const Arguments& arguments, const CallPlan<Int>& plan,
                 const Stack& stack) {
  Outputs outputs(op.num_outputs);
  for (int k = 0; k < op.num_outputs; ++k) {
    const Output& output = op.pass->outputs[k];
    const Tensor& out = stack[stack.size() - op.num_outputs + k].toTensor();
    TORCH_CHECK_NOT_IMPLEMENTED(out.layout() == at::kStrided, op.name, ": out has layout ", out.layout(),
                                "; supported is strided");
    const at::ScalarType dtype = result_dtype(output, arguments, plan.common);
    TORCH_CHECK(out.scalar_type() == dtype, op.name, ": out must have dtype ",
                     dtype_name(dtype), ", got ", dtype_name(out.scalar_type()));
    TORCH_CHECK(out.device() == plan.device, op.name, ": out must be on device ",
                plan.device, ", got ", out.device());
    const auto sizes = result_sizes(op, output, plan);
    if (!sizes_of<Int>(out).equals(sizes)) {
      TORCH_CHECK(out.sym_numel() == 0, op.name, ": out must have shape ",
                        c10::ArrayRef<Int>(sizes), ", got ", sizes_of<Int>(out));
      if constexpr (std::is_same_v<Int, int64_t>) out.resize_(sizes);
      else out.resize__symint(sizes);
    }
    outputs[k] = out;
  }
  return outputs;
}

bool is_flat(const Operator& op, const CallPlan<int64_t>& plan, const Outputs& outputs) {
  if (!plan.flat) return false;
  for (int k = 0; k < op.num_outputs; ++k) {
    if (!outputs[k].strides().equals(plan.strides)) return false;
  }
  return true;
}

// The memory of out= is left alone: it may be a file that is larger than the memory of the machine.
void populate_new(const CallPlan<int64_t>& plan, const Outputs& outputs) {
  if (!plan.device.is_cpu()) return;
  for (const Tensor& output : outputs) {
    if (!output.defined() || !output.is_non_overlapping_and_dense()) continue;
    populate(output.mutable_data_ptr(), output.nbytes(), parallel_for);
  }
}

void return_out(const Operator& op, Stack& stack, Outputs&& outputs) {
  return_results(stack, op.num_arguments() + op.num_outputs, std::move(outputs));
}

// Computes the totals that a derivative reads and that its caller did not pass, from the saved inputs. The
// arguments then refer to `totals`.
void complete_totals(const Operator& op, const CallPlan<int64_t>& plan, Arguments& arguments, Outputs& totals) {
  if (op.primal == nullptr || op.primal->pass->kept_totals == 0) return;
  const auto is_missing = [&](int i) {
    return op.pass->inputs[i].kind == Kind::kTotal && !arguments.inputs[i]->defined() && is_read(arguments, i);
  };
  bool any = false;
  for (int i = 0; i < op.num_inputs; ++i) any = any || is_missing(i);
  if (!any) return;
  const Operator& primal = *op.primal;
  const Tensor undefined;
  Arguments of_primal = arguments;  // the params are the same
  of_primal.inputs.fill(&undefined);
  of_primal.reads = ~InputSet(0);
  const std::vector<int>& saved = primal.pass->saved_inputs;
  for (int s = 0; s < static_cast<int>(saved.size()); ++s) {
    const int input = primal.num_incoming + s;
    if (is_read(arguments, input)) of_primal.inputs[saved[s]] = arguments.inputs[input];
  }
  totals = allocate_totals(primal, plan);
  launch(primal, of_primal, plan, Outputs(primal.num_outputs), /*flat=*/false, totals);
  int number = 0;
  for (int i = 0; i < op.num_inputs; ++i) {
    if (op.pass->inputs[i].kind != Kind::kTotal) continue;
    if (is_missing(i)) arguments.inputs[i] = &totals[number];
    ++number;
  }
}

// Runs the kernel on the arguments on the stack. Returns the totals that it stores, if it is to keep them.
Outputs run(const Operator& op, Stack& stack, bool keeps_totals) {
  Arguments arguments(op, stack);
  const CallPlan<int64_t> plan = plan_call<int64_t>(op, arguments);
  const CurrentDevice current(plan.device);
  Outputs completed;
  complete_totals(op, plan, arguments, completed);
  Outputs outputs = allocate(op, arguments, plan);
  populate_new(plan, outputs);
  Outputs totals = keeps_totals ? allocate_totals(op, plan) : Outputs();
  launch(op, arguments, plan, outputs, plan.flat, totals);
  return_results(stack, op.num_arguments(), std::move(outputs));
  return totals;
}

}  // namespace

void run_kernel(const Operator& op, c10::DispatchKeySet, Stack& stack) {
  run(op, stack, /*keeps_totals=*/false);
}

Outputs run_kernel_with_totals(const Operator& op, Stack& stack) { return run(op, stack, /*keeps_totals=*/true); }

void run_meta(const Operator& op, c10::DispatchKeySet, Stack& stack) {
  const Arguments arguments(op, stack);
  return_results(stack, op.num_arguments(), allocate(op, arguments, plan_call<c10::SymInt>(op, arguments)));
}

void run_out_kernel(const Operator& op, c10::DispatchKeySet, Stack& stack) {
  const Arguments arguments(op, stack, op.num_outputs);
  const CallPlan<int64_t> plan = plan_call<int64_t>(op, arguments);
  Outputs outputs = take_out(op, arguments, plan, stack);
  check_overlap(op, arguments, outputs);
  const CurrentDevice current(plan.device);
  launch(op, arguments, plan, outputs, is_flat(op, plan, outputs));
  return_out(op, stack, std::move(outputs));
}

void run_out_meta(const Operator& op, c10::DispatchKeySet, Stack& stack) {
  const Arguments arguments(op, stack, op.num_outputs);
  const auto plan = plan_call<c10::SymInt>(op, arguments);
  Outputs outputs = take_out(op, arguments, plan, stack);
  return_out(op, stack, std::move(outputs));
}

void run_out_copy(const Operator& op, c10::DispatchKeySet, Stack& stack) {
  const Arguments arguments(op, stack, op.num_outputs);
  const auto plan = plan_call<c10::SymInt>(op, arguments);
  Outputs outputs = take_out(op, arguments, plan, stack);
  Stack results(stack.end() - op.num_arguments() - op.num_outputs, stack.end() - op.num_outputs);
  op.handle->callBoxed(results);
  for (int k = 0; k < op.num_outputs; ++k) outputs[k].copy_(results[k].toTensor());
  return_out(op, stack, std::move(outputs));
}

}  // namespace fusewise
