// Generated from specs/quantised/rms_norm_rows_fp8.yaml by `fusewise generate`. Do not edit.
// The formulas stand in rms_norm_rows_fp8.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::rms_norm_rows_fp8 {

KernelFunction forward_cpu, forward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& weight = reads[1];
  const double eps = params[0].as<double>();
  const double smallest = params[1].as<double>();
  const Value mean0 = aten::mean(x * x);
  const Value rsqrt0 = aten::rsqrt(mean0 + eps);
  const Value normed = x * rsqrt0 * weight;
  const Value abs0 = aten::abs(normed);
  const Value amax0 = aten::amax(abs0);
  const Value maximum0 = aten::maximum(amax0, constant(smallest, reads[0]));
  const Value s = maximum0 / 448;
  writes[0] = aten::clamp(normed / s, -448, 448);
  writes[1] = aten::detach(s);
}

const Pass kForward = {
    .schema = "rms_norm_rows_fp8(Tensor x, Tensor weight, *, float eps=1e-06, float "
              "smallest=1e-05) -> (Tensor, Tensor)",
    .inputs = {{.name = "x"}, {.name = "weight"}},
    .outputs = {{.name = "q", .dtype = Dtype::kFloat8E4M3FN},
                {.name = "scale", .dtype = Dtype::kFloat, .detached = true,
                 .extent = Extent::kRow}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .reduces = true,
    .needs_elements = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::rms_norm_rows_fp8
