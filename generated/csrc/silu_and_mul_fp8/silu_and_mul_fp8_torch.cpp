// Generated from specs/quantised/silu_and_mul_fp8.yaml by `fusewise generate`. Do not edit.
// The formulas stand in silu_and_mul_fp8.math.h.
#include <ATen/ops/clamp.h>
#include <ATen/ops/sigmoid.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::silu_and_mul_fp8 {

KernelFunction forward_cpu, forward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& gate = reads[0];
  const Tensor& up = reads[1];
  const Tensor& scale = reads[2];
  const Tensor sigmoid0 = at::sigmoid(gate);
  writes[0] = at::clamp(gate * sigmoid0 * up / scale, -448, 448);
}

const Pass kForward = {
    .schema = "silu_and_mul_fp8(Tensor x, Tensor scale) -> Tensor",
    .inputs = {{.name = "x", .parts = 2}, {.name = "scale"}},
    .outputs = {{.name = "out", .dtype = at::kFloat8_e4m3fn}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::silu_and_mul_fp8
