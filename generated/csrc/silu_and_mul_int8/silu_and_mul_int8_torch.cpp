// Generated from specs/quantised/silu_and_mul_int8.yaml by `fusewise generate`. Do not edit.
// The formulas stand in silu_and_mul_int8.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::silu_and_mul_int8 {

KernelFunction forward_cpu, forward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& gate = reads[0];
  const Value& up = reads[1];
  const Value& scale = reads[2];
  const Value sigmoid0 = aten::sigmoid(gate);
  const Value round0 = aten::round(gate * sigmoid0 * up / scale);
  writes[0] = aten::clamp(round0, -128, 127);
}

const Pass kForward = {
    .schema = "silu_and_mul_int8(Tensor x, Tensor scale) -> Tensor",
    .inputs = {{.name = "x", .parts = 2}, {.name = "scale"}},
    .outputs = {{.name = "out", .dtype = Dtype::kInt8}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::silu_and_mul_int8
