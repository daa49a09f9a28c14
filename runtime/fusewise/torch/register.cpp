// The registration of ops in PyTorch's dispatcher, from their descriptions.
#include <fusewise/torch/derivative.h>
#include <fusewise/torch/row_dims.h>

#include <ATen/core/enum_tag.h>
#include <torch/csrc/jit/frontend/function_schema_parser.h>
#include <torch/library.h>

#include <memory>

namespace fusewise {
namespace {

std::vector<const Operator*>& operators() {
  static std::vector<const Operator*> all;
  return all;
}

class Kernel final : public c10::OperatorKernel {
 public:
  Kernel(const Operator& op, Entry entry) : op_(op), entry_(entry) {}
  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet keys, Stack* stack) {
    entry_(op_, keys, *stack);
  }

 private:
  const Operator& op_;
  Entry entry_;
};

std::string out_arguments(int num_outputs, bool types_only) {
  std::string text;
  for (int k = 0; k < num_outputs; ++k) {
    if (k > 0) text += ", ";
    text += "Tensor(a" + std::to_string(k) + "!)";
    if (types_only) continue;
    text += num_outputs == 1 ? " out" : " out" + std::to_string(k);
  }
  return types_only && num_outputs > 1 ? "(" + text + ")" : text;
}

class Definition {
 public:
  Definition(const char* library, std::string schema, Operator& op)
      : library_(*new torch::Library(torch::Library::FRAGMENT, library, std::nullopt, __FILE__,
                                     __LINE__)),
        schema_(std::move(schema)),
        op_(op) {}

  std::string name(const char* overload) const {
    return overload[0] == '\0' ? op_.dispatch_name : op_.dispatch_name + "." + overload;
  }

  // Defines the schema under an overload name, with `extra` arguments, and with `results` in place of its own.
  void define(const char* overload, const std::vector<at::Tag>& tags, const std::string& extra = "",
              const std::string& results = "") {
    const size_t open = schema_.find('(');
    const size_t arrow = schema_.rfind(" -> ");
    const size_t close = schema_.rfind(')', arrow);
    std::string arguments = schema_.substr(open, close - open);
    const bool has_keywords = arguments.find("*, ") != std::string::npos;
    if (!extra.empty()) arguments += (has_keywords ? ", " : ", *, ") + extra;
    c10::FunctionSchema schema = torch::jit::parseSchema(
        name(overload) + arguments + ")" +
        (results.empty() ? schema_.substr(arrow) : " -> " + results));
    schema.setAliasAnalysis(c10::AliasAnalysisKind::FROM_SCHEMA);
    library_.def(std::move(schema), tags);
  }

  // Defines the overload with the arguments of out=.
  void define_out(const std::vector<at::Tag>& tags) {
    define("out", tags, out_arguments(op_.num_outputs, false), out_arguments(op_.num_outputs, true));
  }

  void implement(const char* overload, c10::DispatchKey key, Entry entry) {
    library_.impl(name(overload).c_str(),
                  torch::dispatch(key, torch::CppFunction::makeFromBoxedFunctor(
                                           std::make_unique<Kernel>(op_, entry))));
  }

  // Registers an implementation by other ops, which autograd and vmap trace.
  void implement_by_ops(const char* overload, Entry entry) {
    implement(overload, c10::DispatchKey::CompositeImplicitAutograd, entry);
    implement(overload, c10::DispatchKey::FuncTorchBatchedDecomposition, entry);
  }

 private:
  torch::Library& library_;  // never unloaded
  std::string schema_;
  Operator& op_;
};

// Makes an op from its schema, without pass and handles.
std::unique_ptr<Operator> describe(const char* schema_text) {
  const c10::FunctionSchema schema = torch::jit::parseSchema(schema_text);
  auto op = std::make_unique<Operator>();
  op->name = op->dispatch_name = schema.name();
  for (const c10::Argument& argument : schema.arguments()) {
    const c10::TypeKind kind = argument.type()->kind();
    const bool tensor = kind == c10::TypeKind::TensorType || kind == c10::TypeKind::OptionalType;
    if (kind == c10::TypeKind::ListType) op->takes_needs = true;
    else if (tensor) ++op->num_inputs;
    else op->params.push_back(kind);
  }
  op->num_outputs = static_cast<int>(schema.returns().size());
  TORCH_INTERNAL_ASSERT(op->num_params() <= kMaxParams && op->num_inputs <= kMaxOperands,
                        schema_text);
  return op;
}

c10::OperatorHandle find(const char* library, const Operator& op, const char* overload) {
  const std::string qualified = std::string(library) + "::" + op.dispatch_name;
  return c10::Dispatcher::singleton().findSchemaOrThrow(qualified.c_str(), overload);
}

// Defines an op and its decomposition, which other ops implement.
void define_by_ops(Definition& definition, Entry whole, Entry decomposed) {
  definition.define("", {at::Tag::pt2_compliant_tag});
  definition.implement_by_ops("", whole);
  definition.define("decomposition", {at::Tag::pt2_compliant_tag});
  definition.implement_by_ops("decomposition", decomposed);
}

bool is_pointwise(const Pass& pass) {
  if (pass.reduces) return false;
  for (const Input& input : pass.inputs) {
    if (input.parts > 1) return false;
  }
  for (const Output& output : pass.outputs) {
    if (output.parts > 1 || output.like >= 0) return false;
  }
  return true;
}

Operator& register_pass(const char* library, const Pass& pass, bool forward) {
  using c10::DispatchKey;
  Operator& op = *describe(pass.schema).release();
  op.pass = &pass;
  if (pass.name != nullptr) op.name = pass.name;
  TORCH_INTERNAL_ASSERT(op.num_inputs == static_cast<int>(pass.inputs.size()) &&
                            op.num_outputs == static_cast<int>(pass.outputs.size()),
                        "schema and description differ: ", pass.schema);
  for (const Output& output : pass.outputs) {
    InputSet& reads = op.reads.emplace_back(0);
    for (const int input : output.reads) reads |= InputSet(1) << input;
  }
  if (pass.derivative != nullptr) {
    Operator& derivative = register_pass(library, *pass.derivative, false);
    derivative.primal = &op;
    op.derivative = &derivative;
    describe_saved(op);
  }

  Definition definition(library, pass.schema, op);
  std::vector<at::Tag> tags = {at::Tag::pt2_compliant_tag};
  if (is_pointwise(pass)) tags.push_back(at::Tag::pointwise);
  const auto implement = [&](const char* overload, Entry kernel, Entry meta, Entry decomposition,
                             Entry autograd) {
    if (pass.kernels.cpu != nullptr) definition.implement(overload, DispatchKey::CPU, kernel);
    if (pass.kernels.cuda != nullptr) definition.implement(overload, DispatchKey::CUDA, kernel);
    definition.implement(overload, DispatchKey::Meta, meta);
    definition.implement(overload, DispatchKey::CompositeExplicitAutograd, decomposition);
    definition.implement(overload, DispatchKey::Autograd, autograd);
  };
  definition.define("", tags);
  implement("", run_kernel, run_meta, run_decomposition, run_autograd);
  // Nested tensors take this key where no autograd is.
  constexpr DispatchKey kNested = DispatchKey::CompositeImplicitAutogradNestedTensor;
  definition.implement("", kNested, run_nested);
  if (forward) {
    definition.define("decomposition", {at::Tag::pt2_compliant_tag});
    definition.implement_by_ops("decomposition", pass.decomposes ? run_decomposition : run_opaque);
    definition.implement("decomposition", kNested, run_nested_decomposed);
    definition.define_out(tags);
    implement("out", run_out_kernel, run_out_meta, run_out_copy, run_out_autograd);
    // PyTorch does not functionalize a custom op that writes to an argument.
    definition.implement("out", DispatchKey::Functionalize, run_out_copy);
    definition.implement("out", DispatchKey::ADInplaceOrView, run_out_view);
    definition.implement("out", kNested, run_nested_out);
  }
  op.handle = find(library, op, "");
  if (forward) {
    op.out = find(library, op, "out");
    operators().push_back(&op);
  }
  return op;
}

}  // namespace

const std::vector<const Operator*>& registered_operators() { return operators(); }

Registration::Registration(const char* library, const Pass& forward) {
  register_pass(library, forward, /*forward=*/true);
}

Registration::Registration(const char* library, const char* schema, Compose compose) {
  Operator& op = *describe(schema).release();
  op.compose = compose;
  Definition definition(library, schema, op);
  define_by_ops(definition, run_compose, run_compose_decomposed);
  op.handle = find(library, op, "");
  operators().push_back(&op);
}

RowDimsRegistration::RowDimsRegistration(const char* library, const char* schema, const Pass& rows,
                                         std::initializer_list<int64_t> dims) {
  Operator& op = *describe(schema).release();
  op.rows = &register_pass(library, rows, /*forward=*/true);
  op.name = op.rows->name;
  op.row_dims = dims;
  Definition definition(library, schema, op);
  define_by_ops(definition, run_row_dims, run_row_dims_decomposed);
  definition.define_out({at::Tag::pt2_compliant_tag});
  definition.implement_by_ops("out", run_row_dims_out);
  op.handle = find(library, op, "");
  op.out = find(library, op, "out");
  operators().push_back(&op);
}

}  // namespace fusewise
