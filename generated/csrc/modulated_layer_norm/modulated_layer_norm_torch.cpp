// Generated from specs/norms/modulated_layer_norm.yaml by `fusewise generate`. Do not edit.
// The formulas stand in modulated_layer_norm.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::modulated_layer_norm {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& scale = reads[1];
  const Value& shift = reads[2];
  const double eps = params[0].as<double>();
  const Value var0 = aten::var(x, 0);
  const Value rstd = aten::rsqrt(var0 + eps);
  const Value mean0 = aten::mean(x);
  writes[0] = (x - mean0) * rstd * (1 + scale) + shift;
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& scale = reads[2];
  const Value length = row_length(reads[5]);
  const double eps = params[0].as<double>();
  const Value var0 = aten::var(x, 0);
  const Value rstd = aten::rsqrt(var0 + eps);
  const Value mean0 = aten::mean(x);
  const Value sub0 = x - mean0;
  const Value mul0 = grad_out * (1 + scale);
  const Value sum0 = aten::sum(mul0);
  const Value sub1 = mul0 * rstd - rstd * sum0 / length;
  const Value sum1 = aten::sum(mul0 * sub0);
  const Value mul1 = sum1 * (-0.5 * rstd * (rstd * rstd));
  writes[0] = sub1 + mul1 * (2 / length) * sub0;
  writes[1] = grad_out * (sub0 * rstd);
  writes[2] = grad_out;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_scale = reads[1];
  const Value& grad_grad_shift = reads[2];
  const Value& grad_out = reads[3];
  const Value& x = reads[4];
  const Value& scale = reads[5];
  const Value length = row_length(reads[6]);
  const double eps = params[0].as<double>();
  const bool has_grad_grad_x = params[1].as<bool>();
  const bool has_grad_grad_scale = params[2].as<bool>();
  const Value var0 = aten::var(x, 0);
  const Value rstd = aten::rsqrt(var0 + eps);
  const Value mean0 = aten::mean(x);
  const Value sub0 = x - mean0;
  const Value mul0 = grad_out * (1 + scale);
  const Value sum0 = aten::sum(mul0);
  const Value sum1 = aten::sum(mul0 * sub0);
  const Value mul1 = -0.5 * rstd;
  const Value mul2 = rstd * rstd;
  const Value mul3 = mul1 * mul2;
  const Value div0 = 2 / length;
  const Value sum2 = aten::sum(grad_grad_x * sub0);
  const Value mul4 = sum2 * div0;
  const Value mul5 = mul4 * mul3;
  const Value mul6 = mul4 * sum1;
  const Value mul7 = mul6 * mul1 * rstd;
  const Value add0 = mul7 + mul7 + mul6 * mul2 * -0.5;
  const Value sum3 = aten::sum(grad_grad_x);
  const Value div1 = sum3 / length;
  const Value where0 = aten::where(condition(has_grad_grad_x, reads[0]), add0 - div1 * sum0, 0);
  const Value where1 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_x * mul0, 0);
  const Value mul8 = grad_grad_scale * grad_out;
  const Value where2 = aten::where(condition(has_grad_grad_scale, reads[0]), mul8 * sub0, 0);
  const Value mul9 = -0.5 * sum1 * rstd * rstd * rstd * div0;
  const Value mul10 = -0.5 * sum2 * div0 * rstd * rstd * rstd;
  const Value where3 = aten::where(condition(has_grad_grad_x, reads[0]), mul9 * sum3 + mul10 * sum0,
      0);
  const Value sum4 = aten::sum(mul8);
  const Value where4 = aten::where(condition(has_grad_grad_scale, reads[0]), rstd * sum4, 0);
  const bool logical_or0 = has_grad_grad_x | has_grad_grad_scale;
  const Value sum5 = aten::sum(where1 + where2);
  const Value where5 = aten::where(condition(logical_or0, reads[0]), sum5, 0);
  const Value stop_grad0 = aten::detach(x);
  const Value where6 = aten::where(condition(has_grad_grad_scale, reads[0]), x, stop_grad0);
  const Value stop_grad1 = aten::detach(grad_grad_scale);
  const Value where7 = aten::where(condition(has_grad_grad_scale, reads[0]), grad_grad_scale,
      stop_grad1);
  const Value where8 = aten::where(condition(has_grad_grad_scale, reads[0]), where7 * ((where6 -
      mean0) * rstd), 0);
  const Value where9 = aten::where(condition(has_grad_grad_x, reads[0]), x, stop_grad0);
  const Value stop_grad2 = aten::detach(scale);
  const Value where10 = aten::where(condition(has_grad_grad_x, reads[0]), scale, stop_grad2);
  const Value add1 = 1 + where10;
  const Value stop_grad3 = aten::detach(grad_grad_x);
  const Value where11 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_x, stop_grad3);
  const Value sub1 = mul5 * (where9 - mean0) - div1 * rstd;
  const Value add2 = sub1 + where11 * rstd;
  const Value where12 = aten::where(condition(has_grad_grad_x, reads[0]), add2 * add1, 0);
  const Value stop_grad4 = aten::detach(grad_out);
  const Value where13 = aten::where(condition(has_grad_grad_x, reads[0]), grad_out, stop_grad4);
  const Value mul11 = where11 * (sum1 * mul3 * div0);
  const Value where14 = aten::where(condition(has_grad_grad_x, reads[0]), mul11 + mul5 * (where13 *
      add1), 0);
  const Value where15 = aten::where(condition(has_grad_grad_scale, reads[0]), grad_out, stop_grad4);
  const Value where16 = aten::where(condition(has_grad_grad_scale, reads[0]), where7 * where15 *
      rstd, 0);
  const Value where17 = aten::where(condition(logical_or0, reads[0]), x, stop_grad0);
  const Value mul12 = (where0 + where5) * mul3 * div0 * (where17 - mean0);
  const Value where18 = aten::where(condition(logical_or0, reads[0]), mul12 - (where3 + where4) /
      length, 0);
  writes[0] = grad_grad_shift + where8 + where12;
  writes[1] = where14 + where16 + where18;
  writes[2] = aten::where(condition(has_grad_grad_x, reads[0]), add2 * where13, 0);
}

const Pass kDoubleBackward = {
    .schema = "modulated_layer_norm_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_scale,"
              " Tensor? grad_grad_shift, Tensor? grad_out, Tensor? x, Tensor? scale, *, float "
              "eps, bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_scale", .optional = true},
               {.name = "grad_grad_shift", .optional = true},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "scale"}},
    .outputs = {{.name = "grad_grad_out", .like = 3, .reads = {0, 1, 2, 4, 5}},
                {.name = "grad_x", .like = 4, .reads = {0, 1, 3, 4, 5}},
                {.name = "grad_scale", .like = 5, .reads = {0, 3, 4}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .arrivals = {0, 1},
    .reduces = true,
};

const Pass kBackward = {
    .schema = "modulated_layer_norm_backward(Tensor grad_out, Tensor? x, Tensor? scale, Tensor? "
              "kept_total0, Tensor? kept_total1, Tensor? shift, *, float eps, bool[3] needs) -> "
              "(Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_out"},
               {.name = "x"},
               {.name = "scale"},
               {.name = "kept_total0", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total1", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "shift", .shape_only = true}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2, 3, 4}},
                {.name = "grad_scale", .like = 2, .reads = {0, 1, 3, 4}},
                {.name = "grad_shift", .like = 5, .reads = {0}, .equal_input = 0}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
    .reduces = true,
};

const Pass kForward = {
    .schema = "modulated_layer_norm(Tensor x, Tensor scale, Tensor shift, *, float eps=1e-06) -> "
              "Tensor",
    .inputs = {{.name = "x"}, {.name = "scale"}, {.name = "shift"}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .saved_shapes = {2},
    .gradients = {0, 1, 2},
    .kept_totals = 2,
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::modulated_layer_norm
