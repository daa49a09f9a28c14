// The Python module: a function for each op, which calls the dispatcher directly. Calls with a
// __torch_function__ of a subclass or a mode go through torch.ops.
#include <fusewise/torch/operator.h>

#include <ATen/PythonTorchFunctionTLS.h>
#include <c10/util/SmallVector.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/pybind.h>
#include <torch/version.h>

// Of torch/csrc/jit/python/pybind_utils.h, which takes a compiler seconds.
namespace torch::jit {
TORCH_PYTHON_API c10::IValue toIValue(pybind11::handle object, const c10::TypePtr& type,
                                      std::optional<int32_t> size);
}

namespace fusewise {
namespace {

// An ELF note that names the torch version of the headers. load_extension reads it from the file before it
// loads the module: a module of another torch registers its ops against the wrong ABI, and crashes.
#define FUSEWISE_BUILT_FOR "fusewise is built for torch " TORCH_VERSION
struct Note {
  uint32_t name_size = sizeof "Fusewise";
  uint32_t text_size = sizeof FUSEWISE_BUILT_FOR;
  uint32_t type = 1;
  alignas(4) char name[sizeof "Fusewise"] = "Fusewise";
  alignas(4) char text[sizeof FUSEWISE_BUILT_FOR] = FUSEWISE_BUILT_FOR;
};
[[gnu::used, gnu::section(".note.fusewise")]] alignas(4) const Note kNote = {};

// A function of the module, or None: it is called before an op that a subclass or a mode sees.
constexpr const char* kBeforeSubclass = "before_subclass";

// The Python function of an op.
struct Function {
  const Operator* op;
  std::string qualified;              // "fusewise::swiglu"
  PyObject* module;
  // torch.ops.fusewise.swiglu.default and its .out, after their first use
  PyObject* whole = nullptr;
  PyObject* with_out = nullptr;
  std::vector<PyObject*> names = {};  // interned; inputs, params, then "out"
  std::vector<c10::IValue> defaults = {};
  std::vector<bool> required = {};
  PyMethodDef method = {};
};

int num_slots(const Function& f) { return static_cast<int>(f.names.size()); }

// Puts positional and keyword arguments into slots; the slot of a missing argument is null. Returns false after
// it has set a Python error.
bool bind(const Function& f, PyObject* const* args, Py_ssize_t count, PyObject* keywords,
          PyObject** slots) {
  const char* name = f.op->name.c_str();
  if (count > num_slots(f)) {
    PyErr_Format(PyExc_TypeError, "%s() takes at most %d arguments, got %zd", name, num_slots(f),
                 count);
    return false;
  }
  std::copy(args, args + count, slots);
  const Py_ssize_t num_keywords = keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords);
  for (Py_ssize_t k = 0; k < num_keywords; ++k) {
    PyObject* keyword = PyTuple_GET_ITEM(keywords, k);
    int slot = 0;
    while (slot < num_slots(f) && f.names[slot] != keyword) ++slot;
    if (slot == num_slots(f)) {  // not interned, or unknown
      slot = 0;
      while (slot < num_slots(f) && PyUnicode_Compare(f.names[slot], keyword) != 0) ++slot;
    }
    if (slot == num_slots(f)) {
      PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", name, keyword);
      return false;
    }
    if (slots[slot] != nullptr) {
      PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%U'", name, keyword);
      return false;
    }
    slots[slot] = args[count + k];
  }
  for (int slot = 0; slot < num_slots(f); ++slot) {
    if (slots[slot] == nullptr && f.required[slot]) {
      PyErr_Format(PyExc_TypeError, "%s() missing required argument '%U'", name, f.names[slot]);
      return false;
    }
  }
  return true;
}

// Tensor k of out=, which is a tuple in an op of several outputs.
PyObject* out_item(const Operator& op, PyObject* out, int k) {
  return op.num_outputs > 1 ? PyTuple_GET_ITEM(out, k) : out;
}

// Finds an overload of the op in torch.ops.
PyObject* find_overload(const Function& f, const char* name) {
  const size_t colons = f.qualified.find("::");
  THPObjectPtr owner(PyImport_ImportModule("torch"));
  if (owner) owner = PyObject_GetAttrString(owner.get(), "ops");
  if (owner) owner = PyObject_GetAttrString(owner.get(), f.qualified.substr(0, colons).c_str());
  if (owner) owner = PyObject_GetAttrString(owner.get(), f.qualified.substr(colons + 2).c_str());
  return owner ? PyObject_GetAttrString(owner.get(), name) : nullptr;
}

// Calls an overload of the op in torch.ops. It has a name of its own, unlike the op, whose name may be that of a
// function of PyTorch to a subclass. Inputs before the first missing one are positional arguments, others have names.
PyObject* call_overload(Function& f, PyObject* const* slots, PyObject* out) {
  THPObjectPtr before(PyObject_GetAttrString(f.module, kBeforeSubclass));
  if (!before) return nullptr;
  if (before.get() != Py_None && !THPObjectPtr(PyObject_CallNoArgs(before.get()))) return nullptr;
  PyObject*& overload = out == nullptr ? f.whole : f.with_out;
  if (overload == nullptr) overload = find_overload(f, out == nullptr ? "default" : "out");
  if (overload == nullptr) return nullptr;
  const int inputs = f.op->num_inputs;
  const int params_end = inputs + f.op->num_params();
  int given = 0;
  while (given < inputs && slots[given] != nullptr) ++given;
  THPObjectPtr positional(PyTuple_New(given));
  THPObjectPtr named(PyDict_New());
  if (!positional || !named) return nullptr;
  for (int slot = 0; slot < params_end; ++slot) {
    if (slots[slot] == nullptr) continue;
    if (slot < given) PyTuple_SET_ITEM(positional.get(), slot, Py_NewRef(slots[slot]));
    else if (PyDict_SetItem(named.get(), f.names[slot], slots[slot]) < 0) return nullptr;
  }
  for (int k = 0; out != nullptr && k < f.op->num_outputs; ++k) {
    const std::string name = f.op->num_outputs > 1 ? "out" + std::to_string(k) : "out";
    if (PyDict_SetItemString(named.get(), name.c_str(), out_item(*f.op, out, k)) < 0) return nullptr;
  }
  return PyObject_Call(overload, positional.get(), named.get());
}

bool overrides(PyObject* object) {
  if (object == nullptr || THPVariable_CheckExact(object)) return false;
  if (PyFloat_CheckExact(object) || PyLong_CheckExact(object) || PyBool_Check(object)) return false;
  PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(object));
  return PyObject_HasAttrString(type, "__torch_function__") == 1;
}

bool to_tensor(const Function& f, int slot, PyObject* object, bool optional, Stack& stack) {
  if (THPVariable_Check(object)) {
    stack.emplace_back(THPVariable_Unpack(object));
    return true;
  }
  if (optional && object == Py_None) {
    stack.emplace_back();
    return true;
  }
  PyErr_Format(PyExc_TypeError, "%s(): %U must be a Tensor%s, got %s", f.op->name.c_str(),
               f.names[slot], optional ? " or None" : "", Py_TYPE(object)->tp_name);
  return false;
}

// True if a number of Python or numpy, or in a tensor, equals the value.
bool equals(PyObject* object, const c10::IValue& value) {
  THPObjectPtr read(value.isBool() ? PyBool_FromLong(value.toBool())
                                   : PyLong_FromLongLong(value.toInt()));
  const int same = read ? PyObject_RichCompareBool(object, read.get(), Py_EQ) : -1;
  if (same < 0) PyErr_Clear();
  return same == 1;
}

// Converts a param that is no plain Python number, such as a scalar of numpy, a tensor of one element or a
// symbolic number. The conversion is the dispatcher's, so that torch.ops accepts the same. It refuses a tensor
// whose gradient would be lost, and a number that conversion to int or bool would change.
std::optional<c10::IValue> convert_param(const Function& f, int slot, PyObject* object) {
  const c10::TypeKind type = f.op->params[slot - f.op->num_inputs];
  const char* wanted = type == c10::TypeKind::BoolType ? "a bool"
                       : type == c10::TypeKind::IntType ? "an int"
                                                        : "a float";
  if (THPVariable_Check(object)) {
    const Tensor& tensor = THPVariable_Unpack(object);
    if (tensor.requires_grad() || tensor._fw_grad(/*level=*/0).defined()) {
      PyErr_Format(PyExc_TypeError,
                   "%s(): %U is a param, which has no gradient, but got a Tensor that requires one; "
                   "detach it", f.op->name.c_str(), f.names[slot]);
      return std::nullopt;
    }
    if (tensor.key_set().has(c10::DispatchKey::FuncTorchBatched)) {
      PyErr_Format(PyExc_TypeError, "%s(): %U is a param, of which vmap takes no batch; call the op for each value",
                   f.op->name.c_str(), f.names[slot]);
      return std::nullopt;
    }
  }
  try {
    const c10::Argument& argument = f.op->handle->schema().arguments()[slot];
    c10::IValue value = torch::jit::toIValue(object, argument.type(), std::nullopt);
    if (value.isDouble() || equals(object, value)) return value;
    PyErr_Format(PyExc_TypeError, "%s(): %U must be %s, got %R", f.op->name.c_str(),
                 f.names[slot], wanted, object);
  } catch (const pybind11::cast_error&) {
    PyErr_Format(PyExc_TypeError, "%s(): %U must be %s, got %s", f.op->name.c_str(),
                 f.names[slot], wanted, Py_TYPE(object)->tp_name);
  }
  return std::nullopt;
}

bool to_param(const Function& f, int slot, PyObject* object, Stack& stack) {
  const c10::TypeKind type = f.op->params[slot - f.op->num_inputs];
  if (type == c10::TypeKind::FloatType && (PyFloat_Check(object) || PyLong_Check(object))) {
    const double value = PyFloat_AsDouble(object);
    if (value == -1 && PyErr_Occurred()) return false;
    stack.emplace_back(value);
    return true;
  }
  if (type == c10::TypeKind::IntType && PyLong_Check(object)) {
    const long long value = PyLong_AsLongLong(object);
    if (value == -1 && PyErr_Occurred()) return false;
    stack.emplace_back(static_cast<int64_t>(value));
    return true;
  }
  if (type == c10::TypeKind::BoolType && PyBool_Check(object)) {
    stack.emplace_back(object == Py_True);
    return true;
  }
  std::optional<c10::IValue> value = convert_param(f, slot, object);
  if (!value) return false;
  stack.push_back(std::move(*value));
  return true;
}

PyObject* wrap(Stack& stack) {
  if (stack.size() == 1) return THPVariable_Wrap(std::move(stack[0]).toTensor());
  THPObjectPtr tuple(PyTuple_New(static_cast<Py_ssize_t>(stack.size())));
  if (!tuple) return nullptr;
  for (size_t k = 0; k < stack.size(); ++k) {
    PyObject* item = THPVariable_Wrap(std::move(stack[k]).toTensor());
    if (item == nullptr) return nullptr;
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(k), item);
  }
  return tuple.release();
}

PyObject* call(PyObject* capsule, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
  HANDLE_TH_ERRORS
  Function& f = *static_cast<Function*>(PyCapsule_GetPointer(capsule, nullptr));
  const Operator& op = *f.op;
  std::array<PyObject*, kMaxOperands + kMaxParams + 1> slots;
  std::fill_n(slots.begin(), num_slots(f), nullptr);
  if (!bind(f, args, count, keywords, slots.data())) return nullptr;

  const int out_slot = op.num_inputs + op.num_params();
  PyObject* out = out_slot < num_slots(f) && slots[out_slot] != Py_None ? slots[out_slot] : nullptr;
  const bool many = op.num_outputs > 1;
  if (out != nullptr && many && (!PyTuple_Check(out) || PyTuple_GET_SIZE(out) != op.num_outputs)) {
    PyErr_Format(PyExc_TypeError, "%s(): out must be a tuple of %d Tensors", op.name.c_str(),
                 op.num_outputs);
    return nullptr;
  }
  bool overridden = at::impl::torch_function_mode_enabled();
  for (int slot = 0; slot < out_slot; ++slot) overridden = overridden || overrides(slots[slot]);
  for (int k = 0; out != nullptr && k < op.num_outputs; ++k) {
    overridden = overridden || overrides(out_item(op, out, k));
  }
  if (overridden) {
    Stack checked;  // the params are checked here too, and passed as they were given
    for (int slot = op.num_inputs; slot < out_slot; ++slot) {
      PyObject* object = slots[slot];
      if (object == nullptr || overrides(object)) continue;
      if (!to_param(f, slot, object, checked)) return nullptr;
    }
    return call_overload(f, slots.data(), out);
  }

  Stack stack;
  stack.reserve(num_slots(f) + op.num_outputs);
  for (int slot = 0; slot < out_slot; ++slot) {
    PyObject* object = slots[slot];
    bool good = true;
    if (object == nullptr) stack.push_back(f.defaults[slot]);
    else if (slot < op.num_inputs) good = to_tensor(f, slot, object, !f.required[slot], stack);
    else good = to_param(f, slot, object, stack);
    if (!good) return nullptr;
  }
  if (out != nullptr) {
    for (int k = 0; k < op.num_outputs; ++k) {
      if (!to_tensor(f, out_slot, out_item(op, out, k), /*optional=*/false, stack)) return nullptr;
    }
  }
  // The call must not drop the last C++ reference to a tensor that Python holds, since this would take the GIL.
  c10::SmallVector<Tensor, 8> references;
  for (const c10::IValue& value : stack) {
    if (value.isTensor()) references.push_back(value.toTensor());
  }
  {
    pybind11::gil_scoped_release no_gil;
    (out == nullptr ? op.handle : op.out)->callBoxed(stack);
  }
  return wrap(stack);
  END_HANDLE_TH_ERRORS
}

bool add_function(PyObject* module, const Operator& op) {
  Function& f = *new Function{.op = &op, .qualified = op.handle->schema().name(), .module = module};  // never freed
  for (const c10::Argument& argument : op.handle->schema().arguments()) {
    const bool optional = argument.type()->kind() == c10::TypeKind::OptionalType;
    f.names.push_back(PyUnicode_InternFromString(argument.name().c_str()));
    f.defaults.push_back(argument.default_value().value_or(c10::IValue()));
    f.required.push_back(!argument.default_value().has_value() && !optional);
  }
  if (op.out) {
    f.names.push_back(PyUnicode_InternFromString("out"));
    f.required.push_back(false);
  }
  f.method = {op.dispatch_name.c_str(), reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call)),
              METH_FASTCALL | METH_KEYWORDS, nullptr};
  THPObjectPtr capsule(PyCapsule_New(&f, nullptr, nullptr));
  if (!capsule) return false;
  THPObjectPtr function(PyCFunction_New(&f.method, capsule.get()));
  return function && PyModule_AddObjectRef(module, op.dispatch_name.c_str(), function.get()) == 0;
}

}  // namespace
}  // namespace fusewise

PyMODINIT_FUNC PyInit__C() {
  static PyModuleDef definition = {
      PyModuleDef_HEAD_INIT, "_C",    "Eager entry points of fused ops.", -1, nullptr, nullptr,
      nullptr,               nullptr, nullptr};
  PyObject* module = PyModule_Create(&definition);
  if (module == nullptr) return nullptr;
  if (PyModule_AddObjectRef(module, fusewise::kBeforeSubclass, Py_None) < 0) return nullptr;
  for (const fusewise::Operator* op : fusewise::registered_operators()) {
    if (!fusewise::add_function(module, *op)) return nullptr;
  }
  return module;
}
