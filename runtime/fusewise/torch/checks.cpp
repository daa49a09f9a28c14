#include <fusewise/torch/checks.h>

#include <fusewise/torch/dtypes.h>

namespace fusewise {
namespace {

bool is_supported(at::ScalarType dtype) {
  switch (dtype) {
    case at::kBool:
    case at::kByte:
    case at::kChar:
    case at::kShort:
    case at::kInt:
    case at::kLong:
    case at::kHalf:
    case at::kBFloat16:
    case at::kFloat:
    case at::kDouble: return true;
    default: return false;
  }
}

bool is_integer(at::ScalarType dtype) { return c10::isIntegralType(dtype, /*includeBool=*/false); }

void check_dtype(const Operator& op, const Input& input, at::ScalarType dtype) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      is_supported(dtype), op.name, ": ", input.name, " has dtype ", dtype_name(dtype),
      "; supported are bool, uint8, int8, int16, int32, int64, float16, bfloat16, float32, float64");
  TORCH_CHECK(input.kind != Kind::kBool || dtype == at::kBool, op.name, ": ", input.name,
                   " must be a bool tensor, got ", dtype_name(dtype));
  TORCH_CHECK(input.kind != Kind::kTotal || dtype == at::kFloat || dtype == at::kDouble, op.name, ": ", input.name,
              " must be a float32 or float64 tensor, got ", dtype_name(dtype));
  TORCH_CHECK(input.kind != Kind::kInt || is_integer(dtype), op.name, ": ", input.name,
                   " must be an integer tensor, got ", dtype_name(dtype));
}

void check_absent(const Operator& op, const Input& input, bool is_read) {
  const bool may_be_absent = input.optional || input.shape_only || input.kind == Kind::kTotal;
  TORCH_CHECK(may_be_absent || !is_read, op.name, ": ", input.name,
              " is None, but a needed output depends on it");
}

// True if a tensor counts as a number: 0-dim CPU tensors may be combined with tensors of any device.
bool is_number(const Input& input, const Tensor& tensor) {
  return tensor.dim() == 0 && tensor.device().is_cpu() && last_dim(input) != LastDim::kSqueezed;
}

}  // namespace

void check_layout(const Operator& op, const Input& input, const Tensor& tensor) {
  if (tensor.is_nested()) {
    TORCH_CHECK_NOT_IMPLEMENTED(tensor.layout() == at::kJagged, op.name, ": ", input.name,
                                " is a strided nested tensor; supported are jagged ones "
                                "(layout=torch.jagged)");
  } else {
    TORCH_CHECK_NOT_IMPLEMENTED(tensor.layout() == at::kStrided, op.name, ": ", input.name,
                                " has layout ", tensor.layout(), "; supported is strided");
  }
}

at::Device check_inputs(const Operator& op, const Arguments& arguments) {
  int leader = -1;
  for (int i = 0; i < op.num_inputs; ++i) {
    const Tensor& tensor = *arguments.inputs[i];
    const Input& input = op.pass->inputs[i];
    if (!tensor.defined()) {
      check_absent(op, input, is_read(arguments, i));
      continue;
    }
    if (tensor.layout() != at::kStrided) check_layout(op, input, tensor);
    check_dtype(op, input, tensor.scalar_type());
    if (is_number(input, tensor)) continue;
    if (leader < 0) leader = i;
    const at::Device device = arguments.inputs[leader]->device();
    TORCH_CHECK(tensor.device() == device, op.name, ": ", input.name, " must be on device ", device,
                " like ", op.pass->inputs[leader].name, ", got ", tensor.device());
  }
  return leader < 0 ? at::Device(at::kCPU) : arguments.inputs[leader]->device();
}

}  // namespace fusewise
