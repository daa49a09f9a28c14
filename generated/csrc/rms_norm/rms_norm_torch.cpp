// Generated from specs/norms/rms_norm.yaml by `fusewise generate`. Do not edit.
// The formulas stand in rms_norm.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::rms_norm {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& weight = reads[1];
  const double eps = params[0].as<double>();
  const Value mean0 = aten::mean(x * x);
  const Value rstd = aten::rsqrt(mean0 + eps);
  writes[0] = x * rstd * weight;
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& weight = reads[2];
  const Value length = row_length(reads[4]);
  const double eps = params[0].as<double>();
  const Value mean0 = aten::mean(x * x);
  const Value rstd = aten::rsqrt(mean0 + eps);
  const Value mul0 = grad_out * weight;
  const Value sum0 = aten::sum(mul0 * x);
  const Value div0 = sum0 * (-0.5 * rstd * (rstd * rstd)) / length;
  const Value mul1 = div0 * x;
  writes[0] = mul0 * rstd + mul1 + mul1;
  writes[1] = grad_out * (x * rstd);
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_weight = reads[1];
  const Value& grad_out = reads[2];
  const Value& x = reads[3];
  const Value& weight = reads[4];
  const Value length = row_length(reads[5]);
  const double eps = params[0].as<double>();
  const bool has_grad_grad_x = params[1].as<bool>();
  const bool has_grad_grad_weight = params[2].as<bool>();
  const Value mean0 = aten::mean(x * x);
  const Value rstd = aten::rsqrt(mean0 + eps);
  const Value mul0 = grad_out * weight;
  const Value sum0 = aten::sum(mul0 * x);
  const Value mul1 = -0.5 * rstd;
  const Value mul2 = rstd * rstd;
  const Value mul3 = mul1 * mul2;
  const Value sum1 = aten::sum((grad_grad_x + grad_grad_x) * x);
  const Value div0 = sum1 / length;
  const Value mul4 = div0 * mul3;
  const Value mul5 = div0 * sum0;
  const Value mul6 = mul5 * mul1 * rstd;
  const Value where0 = aten::where(condition(has_grad_grad_x, reads[0]), mul6 + mul6 + mul5 * mul2 *
      -0.5, 0);
  const Value where1 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_x * mul0, 0);
  const Value where2 = aten::where(condition(has_grad_grad_weight, reads[0]), grad_grad_weight *
      grad_out * x, 0);
  const Value sum2 = aten::sum(where1 + where2);
  const Value mul7 = (where0 + sum2) * mul3 / length * x;
  const Value stop_grad0 = aten::detach(x);
  const Value where3 = aten::where(condition(has_grad_grad_weight, reads[0]), x, stop_grad0);
  const Value stop_grad1 = aten::detach(grad_grad_weight);
  const Value where4 = aten::where(condition(has_grad_grad_weight, reads[0]), grad_grad_weight,
      stop_grad1);
  const Value where5 = aten::where(condition(has_grad_grad_weight, reads[0]), where4 * (where3 *
      rstd), 0);
  const Value where6 = aten::where(condition(has_grad_grad_x, reads[0]), x, stop_grad0);
  const Value stop_grad2 = aten::detach(weight);
  const Value where7 = aten::where(condition(has_grad_grad_x, reads[0]), weight, stop_grad2);
  const Value stop_grad3 = aten::detach(grad_grad_x);
  const Value where8 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_x, stop_grad3);
  const Value add0 = mul4 * where6 + where8 * rstd;
  const Value where9 = aten::where(condition(has_grad_grad_x, reads[0]), add0 * where7, 0);
  const Value stop_grad4 = aten::detach(grad_out);
  const Value where10 = aten::where(condition(has_grad_grad_x, reads[0]), grad_out, stop_grad4);
  const Value mul8 = (where8 + where8) * (sum0 * mul3 / length);
  const Value where11 = aten::where(condition(has_grad_grad_x, reads[0]), mul8 + mul4 * (where10 *
      where7), 0);
  const Value where12 = aten::where(condition(has_grad_grad_weight, reads[0]), grad_out,
      stop_grad4);
  const Value where13 = aten::where(condition(has_grad_grad_weight, reads[0]), where4 * where12 *
      rstd, 0);
  writes[0] = where5 + where9;
  writes[1] = where11 + where13 + mul7 + mul7;
  writes[2] = aten::where(condition(has_grad_grad_x, reads[0]), add0 * where10, 0);
}

const Pass kDoubleBackward = {
    .schema = "rms_norm_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_weight, Tensor? "
              "grad_out, Tensor? x, Tensor? weight, *, float eps, bool[3] needs) -> (Tensor, "
              "Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_weight", .optional = true},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "weight", .optional = true, .fill = 1}},
    .outputs = {{.name = "grad_grad_out", .like = 2, .reads = {0, 1, 3, 4}},
                {.name = "grad_x", .like = 3, .reads = {0, 1, 2, 3, 4}},
                {.name = "grad_weight", .like = 4, .reads = {0, 2, 3}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .arrivals = {0, 1},
    .reduces = true,
};

const Pass kBackward = {
    .schema = "rms_norm_backward(Tensor grad_out, Tensor? x, Tensor? weight, Tensor? kept_total0,"
              " *, float eps, bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_out"},
               {.name = "x"},
               {.name = "weight", .optional = true, .fill = 1},
               {.name = "kept_total0", .kind = Kind::kTotal, .extent = Extent::kRow}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2, 3}},
                {.name = "grad_weight", .like = 2, .reads = {0, 1, 3}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
    .reduces = true,
};

const Pass kForward = {
    .schema = "rms_norm(Tensor x, Tensor? weight=None, *, float eps=1e-06) -> Tensor",
    .inputs = {{.name = "x"}, {.name = "weight", .optional = true, .fill = 1}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
    .kept_totals = 1,
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::rms_norm
