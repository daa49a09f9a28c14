// Generated from specs/quantised/rms_norm_rows_int8.yaml by `fusewise generate`. Do not edit.
// The formulas stand in rms_norm_rows_int8.math.h.
#include <ATen/ops/abs.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/detach.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/round.h>
#include <ATen/ops/rsqrt.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::rms_norm_rows_int8 {

KernelFunction forward_cpu, forward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& x = reads[0];
  const Tensor& weight = reads[1];
  const double eps = params[0].as<double>();
  const double smallest = params[1].as<double>();
  const Tensor mean0 = at::mean(x * x, {-1}, true);
  const Tensor rsqrt0 = at::rsqrt(mean0 + eps);
  const Tensor normed = x * rsqrt0 * weight;
  const Tensor abs0 = at::abs(normed);
  const Tensor amax0 = at::amax(abs0, -1, true);
  const Tensor maximum0 = at::maximum(amax0, constant(smallest, reads[0]));
  const Tensor s = maximum0 / 127;
  const Tensor round0 = at::round(normed / s);
  writes[0] = at::clamp(round0, -127, 127);
  writes[1] = at::detach(s);
}

const Pass kForward = {
    .schema = "rms_norm_rows_int8(Tensor x, Tensor weight, *, float eps=1e-06, float "
              "smallest=1e-05) -> (Tensor, Tensor)",
    .inputs = {{.name = "x"}, {.name = "weight"}},
    .outputs = {{.name = "q", .dtype = at::kChar},
                {.name = "scale", .dtype = at::kFloat, .detached = true, .extent = Extent::kRow}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .reduces = true,
    .needs_elements = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::rms_norm_rows_int8
