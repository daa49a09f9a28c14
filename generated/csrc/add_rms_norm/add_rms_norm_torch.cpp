// Generated from specs/norms/add_rms_norm.yaml by `fusewise generate`. Do not edit.
// The formulas stand in add_rms_norm.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::add_rms_norm {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& residual = reads[1];
  const Value& weight = reads[2];
  const double eps = params[0].as<double>();
  const Value s = x + residual;
  const Value mean0 = aten::mean(s * s);
  const Value rstd = aten::rsqrt(mean0 + eps);
  writes[0] = s * rstd * weight;
  writes[1] = s;
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& grad_added = reads[1];
  const Value& weight = reads[2];
  const Value& added = reads[3];
  const Value length = row_length(reads[4]);
  const double eps = params[0].as<double>();
  const bool has_grad_out = params[1].as<bool>();
  const Value mean0 = aten::mean(added * added);
  const Value rsqrt0 = aten::rsqrt(mean0 + eps);
  const Value sum0 = aten::sum(grad_out * weight * added);
  const Value div0 = sum0 * (-0.5 * rsqrt0 * (rsqrt0 * rsqrt0)) / length;
  const Value stop_grad0 = aten::detach(weight);
  const Value where0 = aten::where(condition(has_grad_out, reads[0]), weight, stop_grad0);
  const Value stop_grad1 = aten::detach(grad_out);
  const Value where1 = aten::where(condition(has_grad_out, reads[0]), grad_out, stop_grad1);
  const Value stop_grad2 = aten::detach(added);
  const Value where2 = aten::where(condition(has_grad_out, reads[0]), added, stop_grad2);
  const Value mul0 = div0 * where2;
  const Value where3 = aten::where(condition(has_grad_out, reads[0]), where1 * where0 * rsqrt0 +
      mul0 + mul0, 0);
  const Value add0 = grad_added + where3;
  writes[0] = add0;
  writes[1] = add0;
  writes[2] = aten::where(condition(has_grad_out, reads[0]), where1 * (where2 * rsqrt0), 0);
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_residual = reads[1];
  const Value& grad_grad_weight = reads[2];
  const Value& grad_out = reads[3];
  const Value& weight = reads[5];
  const Value& added = reads[6];
  const Value length = row_length(reads[7]);
  const double eps = params[0].as<double>();
  const bool has_grad_out = params[1].as<bool>();
  const Value mul0 = grad_out * weight;
  const Value mean0 = aten::mean(added * added);
  const Value rsqrt0 = aten::rsqrt(mean0 + eps);
  const Value sum0 = aten::sum(mul0 * added);
  const Value mul1 = -0.5 * rsqrt0;
  const Value mul2 = rsqrt0 * rsqrt0;
  const Value mul3 = mul1 * mul2;
  const Value add0 = grad_grad_x + grad_grad_residual;
  const Value sum1 = aten::sum((add0 + add0) * added);
  const Value div0 = sum1 / length;
  const Value mul4 = div0 * mul3;
  const Value mul5 = div0 * sum0;
  const Value mul6 = mul5 * mul1 * rsqrt0;
  const Value sum2 = aten::sum(add0 * mul0 + grad_grad_weight * grad_out * added);
  const Value add1 = mul6 + mul6 + mul5 * mul2 * -0.5 + sum2;
  const Value mul7 = (mul4 * added + add0 * rsqrt0) * weight;
  const Value stop_grad0 = aten::detach(weight);
  const Value where0 = aten::where(condition(has_grad_out, reads[0]), weight, stop_grad0);
  const Value stop_grad1 = aten::detach(grad_out);
  const Value where1 = aten::where(condition(has_grad_out, reads[0]), grad_out, stop_grad1);
  const Value stop_grad2 = aten::detach(added);
  const Value where2 = aten::where(condition(has_grad_out, reads[0]), added, stop_grad2);
  const Value stop_grad3 = aten::detach(grad_grad_x);
  const Value where3 = aten::where(condition(has_grad_out, reads[0]), grad_grad_x, stop_grad3);
  const Value stop_grad4 = aten::detach(grad_grad_residual);
  const Value where4 = aten::where(condition(has_grad_out, reads[0]), grad_grad_residual,
      stop_grad4);
  const Value add2 = where3 + where4;
  const Value stop_grad5 = aten::detach(grad_grad_weight);
  const Value where5 = aten::where(condition(has_grad_out, reads[0]), grad_grad_weight, stop_grad5);
  const Value mul8 = (add2 + add2) * (sum0 * mul3 / length);
  const Value add3 = mul8 + mul4 * (where1 * where0);
  const Value mul9 = add1 * mul3 / length * where2;
  const Value add4 = add3 + where5 * where1 * rsqrt0 + mul9 + mul9;
  writes[0] = grad_grad_weight * (added * rsqrt0) + mul7;
  writes[1] = add0;
  writes[2] = aten::where(condition(has_grad_out, reads[0]), (mul4 * where2 + add2 * rsqrt0) *
      where1, 0);
  writes[3] = aten::where(condition(has_grad_out, reads[0]), add4, 0);
}

const Pass kDoubleBackward = {
    .schema = "add_rms_norm_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_residual, "
              "Tensor? grad_grad_weight, Tensor? grad_out, Tensor? grad_added, Tensor? weight, "
              "Tensor? added, *, float eps, bool[4] needs) -> (Tensor, Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_residual", .optional = true},
               {.name = "grad_grad_weight", .optional = true},
               {.name = "grad_out", .optional = true},
               {.name = "grad_added", .optional = true},
               {.name = "weight"},
               {.name = "added"}},
    .outputs = {{.name = "grad_grad_out", .like = 3, .reads = {0, 1, 2, 5, 6}},
                {.name = "grad_grad_added", .like = 4, .reads = {0, 1}},
                {.name = "grad_weight", .like = 5, .reads = {0, 1, 3, 6}},
                {.name = "grad_added", .like = 6, .reads = {0, 1, 2, 3, 5, 6}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .arrivals = {3},
    .reduces = true,
};

const Pass kBackward = {
    .schema = "add_rms_norm_backward(Tensor? grad_out, Tensor? grad_added, Tensor? weight, "
              "Tensor? added, Tensor? x, Tensor? residual, *, float eps, bool[3] needs) -> "
              "(Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_out", .optional = true},
               {.name = "grad_added", .optional = true},
               {.name = "weight"},
               {.name = "added"},
               {.name = "x", .shape_only = true},
               {.name = "residual", .shape_only = true}},
    .outputs = {{.name = "grad_x", .like = 4, .reads = {0, 1, 2, 3}},
                {.name = "grad_residual", .like = 5, .reads = {0, 1, 2, 3}, .equal_output = 0},
                {.name = "grad_weight", .like = 2, .reads = {0, 3}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1, 2, 3},
    .arrivals = {0},
    .reduces = true,
};

const Pass kForward = {
    .schema = "add_rms_norm(Tensor x, Tensor residual, Tensor weight, *, float eps=1e-06) -> "
              "(Tensor, Tensor)",
    .inputs = {{.name = "x"}, {.name = "residual"}, {.name = "weight"}},
    .outputs = {{.name = "out"}, {.name = "added"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {2},
    .saved_outputs = {1},
    .saved_shapes = {0, 1},
    .gradients = {0, 1, 2},
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::add_rms_norm
