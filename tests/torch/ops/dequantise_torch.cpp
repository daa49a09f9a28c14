#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::dequantise {

KernelFunction forward_cpu, forward_cuda;

namespace {

void forward_decomposition(
    const Value* in, const Number* params, const Dtype*, Value* out) {
  const Value& index = in[0];
  const Value& mask = in[1];
  out[0] = aten::where(mask, index * params[0].as<double>(), 0.0);
}

const Pass kForward = {
    .schema = "dequantise(Tensor index, Tensor mask, *, float scale=0.1) -> Tensor",
    .inputs = {
        {.name = "index", .kind = Kind::kInt},
        {.name = "mask", .kind = Kind::kBool},
    },
    .outputs = {
        {.name = "out", .dtype = Dtype::kFloat},
    },
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
};

const Pass kDoubleForward = {
    .schema = "dequantise_double(Tensor index, Tensor mask, *, float scale=0.1) -> Tensor",
    .name = "dequantise",
    .inputs = kForward.inputs,
    .outputs = {
        {.name = "out", .dtype = Dtype::kDouble},
    },
    .kernels = kForward.kernels,
    .decomposition = forward_decomposition,
};

const Registration kRegistration("fusewise_test", kForward);
const Registration kDoubleRegistration("fusewise_test", kDoubleForward);

}  // namespace
}  // namespace fusewise::dequantise
