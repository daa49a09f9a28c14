// Generated from specs/norms/add_layer_norm.yaml by `fusewise generate`. Do not edit.
// The formulas stand in add_layer_norm.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::add_layer_norm {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& residual = reads[1];
  const Value& weight = reads[2];
  const Value& bias = reads[3];
  const double eps = params[0].as<double>();
  const Value s = x + residual;
  const Value var0 = aten::var(s, 0);
  const Value rstd = aten::rsqrt(var0 + eps);
  const Value mean0 = aten::mean(s);
  writes[0] = (s - mean0) * rstd * weight + bias;
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
  const Value mul0 = grad_out * weight;
  const Value sum0 = aten::sum(mul0);
  const Value var0 = aten::var(added, 0);
  const Value rsqrt0 = aten::rsqrt(var0 + eps);
  const Value mean0 = aten::mean(added);
  const Value sum1 = aten::sum(mul0 * (added - mean0));
  const Value mul1 = sum1 * (-0.5 * rsqrt0 * (rsqrt0 * rsqrt0));
  const Value stop_grad0 = aten::detach(weight);
  const Value where0 = aten::where(condition(has_grad_out, reads[0]), weight, stop_grad0);
  const Value stop_grad1 = aten::detach(grad_out);
  const Value where1 = aten::where(condition(has_grad_out, reads[0]), grad_out, stop_grad1);
  const Value stop_grad2 = aten::detach(added);
  const Value where2 = aten::where(condition(has_grad_out, reads[0]), added, stop_grad2);
  const Value sub0 = where2 - mean0;
  const Value sub1 = where1 * where0 * rsqrt0 - rsqrt0 * sum0 / length;
  const Value where3 = aten::where(condition(has_grad_out, reads[0]), sub1 + mul1 * (2 / length) *
      sub0, 0);
  const Value add0 = grad_added + where3;
  writes[0] = add0;
  writes[1] = add0;
  writes[2] = aten::where(condition(has_grad_out, reads[0]), where1 * (sub0 * rsqrt0), 0);
  writes[3] = grad_out;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_residual = reads[1];
  const Value& grad_grad_weight = reads[2];
  const Value& grad_grad_bias = reads[3];
  const Value& grad_out = reads[4];
  const Value& weight = reads[6];
  const Value& added = reads[7];
  const Value length = row_length(reads[8]);
  const double eps = params[0].as<double>();
  const bool has_grad_out = params[1].as<bool>();
  const bool has_grad_grad_x = params[2].as<bool>();
  const bool has_grad_grad_residual = params[3].as<bool>();
  const bool has_grad_grad_weight = params[4].as<bool>();
  const Value mul0 = grad_out * weight;
  const Value sum0 = aten::sum(mul0);
  const Value div0 = 2 / length;
  const Value var0 = aten::var(added, 0);
  const Value rsqrt0 = aten::rsqrt(var0 + eps);
  const Value mean0 = aten::mean(added);
  const Value sub0 = added - mean0;
  const Value sum1 = aten::sum(mul0 * sub0);
  const Value mul1 = -0.5 * rsqrt0;
  const Value mul2 = rsqrt0 * rsqrt0;
  const Value mul3 = mul1 * mul2;
  const Value add0 = grad_grad_x + grad_grad_residual;
  const bool logical_or0 = has_grad_grad_x | has_grad_grad_residual;
  const Value sum2 = aten::sum(add0 * sub0);
  const bool logical_and0 = has_grad_out & logical_or0;
  const Value mul4 = sum2 * div0;
  const Value mul5 = mul4 * mul3;
  const Value mul6 = mul4 * sum1;
  const Value mul7 = mul6 * mul1 * rsqrt0;
  const Value where0 = aten::where(condition(logical_or0, reads[0]), mul7 + mul7 + mul6 * mul2 *
      -0.5, 0);
  const Value sum3 = aten::sum(add0);
  const Value div1 = sum3 / length;
  const Value where1 = aten::where(condition(has_grad_out, reads[0]), where0 - div1 * sum0, 0);
  const Value where2 = aten::where(condition(logical_and0, reads[0]), where1, 0);
  const Value mul8 = div1 * rsqrt0;
  const Value where3 = aten::where(condition(logical_or0, reads[0]), add0 * mul0, 0);
  const Value mul9 = grad_grad_weight * grad_out;
  const Value where4 = aten::where(condition(has_grad_grad_weight, reads[0]), mul9 * sub0, 0);
  const Value mul10 = -0.5 * sum1 * rsqrt0 * rsqrt0 * rsqrt0 * div0;
  const Value where5 = aten::where(condition(logical_or0, reads[0]), mul10 * sum3, 0);
  const Value mul11 = -0.5 * sum2 * div0 * rsqrt0 * rsqrt0 * rsqrt0;
  const Value where6 = aten::where(condition(logical_or0, reads[0]), mul11 * sum0, 0);
  const Value where7 = aten::where(condition(has_grad_out, reads[0]), where6, 0);
  const Value where8 = aten::where(condition(logical_and0, reads[0]), where7, 0);
  const Value sum4 = aten::sum(mul9);
  const Value where9 = aten::where(condition(has_grad_grad_weight, reads[0]), rsqrt0 * sum4, 0);
  const Value where10 = aten::where(condition(has_grad_out, reads[0]), where5 + where9, 0);
  const bool logical_and1 = has_grad_out & (logical_or0 | has_grad_grad_weight);
  const Value where11 = aten::where(condition(logical_and1 | logical_and0, reads[0]), -((where10 +
      where8) / length), 0);
  const Value sum5 = aten::sum(where3 + where4);
  const Value where12 = aten::where(condition(has_grad_out, reads[0]), sum5, 0);
  const Value where13 = aten::where(condition(logical_and1, reads[0]), where12, 0);
  const bool logical_or1 = logical_and0 | logical_and1;
  const Value stop_grad0 = aten::detach(weight);
  const Value stop_grad1 = aten::detach(grad_out);
  const Value where14 = aten::where(condition(has_grad_out, reads[0]), grad_out, stop_grad1);
  const Value stop_grad2 = aten::detach(added);
  const Value where15 = aten::where(condition(logical_or0, reads[0]), added, stop_grad2);
  const Value stop_grad3 = aten::detach(grad_grad_x);
  const Value where16 = aten::where(condition(logical_or0, reads[0]), grad_grad_x, stop_grad3);
  const Value stop_grad4 = aten::detach(grad_grad_residual);
  const Value where17 = aten::where(condition(logical_or0, reads[0]), grad_grad_residual,
      stop_grad4);
  const Value where18 = aten::where(condition(has_grad_grad_weight, reads[0]), added, stop_grad2);
  const Value stop_grad5 = aten::detach(grad_grad_weight);
  const Value where19 = aten::where(condition(has_grad_grad_weight, reads[0]), grad_grad_weight,
      stop_grad5);
  const Value where20 = aten::where(condition(has_grad_grad_weight, reads[0]), where19 * ((where18 -
      mean0) * rsqrt0), 0);
  const Value stop_grad6 = aten::detach(where15);
  const Value where21 = aten::where(condition(logical_or0, reads[0]), added, stop_grad6);
  const Value stop_grad7 = aten::detach(where16);
  const Value where22 = aten::where(condition(logical_or0, reads[0]), grad_grad_x, stop_grad7);
  const Value stop_grad8 = aten::detach(where17);
  const Value where23 = aten::where(condition(logical_or0, reads[0]), grad_grad_residual,
      stop_grad8);
  const Value where24 = aten::where(condition(logical_or0, reads[0]), weight, stop_grad0);
  const Value where25 = aten::where(condition(logical_or0, reads[0]), (where22 + where23) * rsqrt0,
      0);
  const Value stop_grad9 = aten::detach(where21);
  const Value where26 = aten::where(condition(logical_or0, reads[0]), added, stop_grad9);
  const Value where27 = aten::where(condition(logical_or0, reads[0]), mul5 * (where26 - mean0), 0);
  const Value where28 = aten::where(condition(logical_or0, reads[0]), where27 - mul8, 0);
  const Value where29 = aten::where(condition(logical_or0, reads[0]), (where28 + where25) * where24,
      0);
  const Value where30 = aten::where(condition(has_grad_out, reads[0]), grad_grad_x, stop_grad3);
  const Value where31 = aten::where(condition(has_grad_out, reads[0]), grad_grad_residual,
      stop_grad4);
  const Value stop_grad10 = aten::detach(where30);
  const Value where32 = aten::where(condition(logical_or0, reads[0]), where30, stop_grad10);
  const Value stop_grad11 = aten::detach(where31);
  const Value where33 = aten::where(condition(logical_or0, reads[0]), where31, stop_grad11);
  const Value where34 = aten::where(condition(logical_and0, reads[0]), added, stop_grad2);
  const Value where35 = aten::where(condition(logical_and0, reads[0]), grad_grad_x, stop_grad3);
  const Value where36 = aten::where(condition(logical_and0, reads[0]), grad_grad_residual,
      stop_grad4);
  const Value stop_grad12 = aten::detach(where34);
  const Value stop_grad13 = aten::detach(where35);
  const Value stop_grad14 = aten::detach(where36);
  const Value where37 = aten::where(condition(has_grad_out, reads[0]), where35, stop_grad13);
  const Value where38 = aten::where(condition(has_grad_out, reads[0]), where36, stop_grad14);
  const Value stop_grad15 = aten::detach(where37);
  const Value where39 = aten::where(condition(logical_or0, reads[0]), where37, stop_grad15);
  const Value stop_grad16 = aten::detach(where38);
  const Value where40 = aten::where(condition(logical_or0, reads[0]), where38, stop_grad16);
  const Value where41 = aten::where(condition(logical_and0, reads[0]), grad_out, stop_grad1);
  const Value where42 = aten::where(condition(logical_or0, reads[0]), (where39 + where40) * rsqrt0,
      0);
  const Value where43 = aten::where(condition(has_grad_out, reads[0]), where42, 0);
  const Value where44 = aten::where(condition(logical_and0, reads[0]), added, stop_grad12);
  const Value stop_grad17 = aten::detach(where44);
  const Value where45 = aten::where(condition(has_grad_out, reads[0]), where44, stop_grad17);
  const Value stop_grad18 = aten::detach(where45);
  const Value where46 = aten::where(condition(logical_or0, reads[0]), where45, stop_grad18);
  const Value where47 = aten::where(condition(logical_or0, reads[0]), mul5 * (where46 - mean0), 0);
  const Value where48 = aten::where(condition(has_grad_out, reads[0]), where47 - mul8, 0);
  const Value where49 = aten::where(condition(logical_and0, reads[0]), where48, 0);
  const Value stop_grad19 = aten::detach(where14);
  const Value where50 = aten::where(condition(logical_and0, reads[0]), weight, stop_grad0);
  const Value stop_grad20 = aten::detach(where50);
  const Value stop_grad21 = aten::detach(where41);
  const Value where51 = aten::where(condition(has_grad_out, reads[0]), where50, stop_grad20);
  const Value where52 = aten::where(condition(has_grad_out, reads[0]), where41, stop_grad21);
  const Value stop_grad22 = aten::detach(where51);
  const Value where53 = aten::where(condition(logical_or0, reads[0]), where51, stop_grad22);
  const Value stop_grad23 = aten::detach(where52);
  const Value where54 = aten::where(condition(logical_or0, reads[0]), where52, stop_grad23);
  const Value where55 = aten::where(condition(logical_or0, reads[0]), mul5 * (where54 * where53),
      0);
  const Value where56 = aten::where(condition(has_grad_out, reads[0]), where55, 0);
  const Value where57 = aten::where(condition(logical_and0, reads[0]), where56, 0);
  const Value where58 = aten::where(condition(has_grad_out, reads[0]), grad_grad_weight,
      stop_grad5);
  const Value where59 = aten::where(condition(logical_or0, reads[0]), (where32 + where33) * (sum1 *
      mul3 * div0), 0);
  const Value where60 = aten::where(condition(has_grad_grad_weight, reads[0]), where14,
      stop_grad19);
  const Value stop_grad24 = aten::detach(where58);
  const Value where61 = aten::where(condition(has_grad_grad_weight, reads[0]), where58,
      stop_grad24);
  const Value where62 = aten::where(condition(has_grad_grad_weight, reads[0]), where61 * where60 *
      rsqrt0, 0);
  const Value where63 = aten::where(condition(has_grad_out, reads[0]), where59 + where62, 0);
  const Value where64 = aten::where(condition(logical_or1, reads[0]), added, stop_grad2);
  const Value mul12 = (where2 + where13) * mul3 * div0 * (where64 - mean0);
  const Value where65 = aten::where(condition(logical_or1, reads[0]), mul12, 0);
  writes[0] = grad_grad_bias + where20 + where29;
  writes[1] = add0;
  writes[2] = aten::where(condition(logical_and0, reads[0]), (where49 + where43) * where41, 0);
  writes[3] = where63 + where57 + where11 + where65;
}

const Pass kDoubleBackward = {
    .schema = "add_layer_norm_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_residual, "
              "Tensor? grad_grad_weight, Tensor? grad_grad_bias, Tensor? grad_out, Tensor? "
              "grad_added, Tensor? weight, Tensor? added, *, float eps, bool[4] needs) -> "
              "(Tensor, Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_residual", .optional = true},
               {.name = "grad_grad_weight", .optional = true},
               {.name = "grad_grad_bias", .optional = true},
               {.name = "grad_out", .optional = true},
               {.name = "grad_added", .optional = true},
               {.name = "weight", .optional = true, .fill = 1},
               {.name = "added"}},
    .outputs = {{.name = "grad_grad_out", .like = 4, .reads = {0, 1, 2, 3, 6, 7}},
                {.name = "grad_grad_added", .like = 5, .reads = {0, 1}},
                {.name = "grad_weight", .like = 6, .reads = {0, 1, 4, 7}},
                {.name = "grad_added", .like = 7, .reads = {0, 1, 2, 4, 6, 7}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .arrivals = {4, 0, 1, 2},
    .reduces = true,
};

const Pass kBackward = {
    .schema = "add_layer_norm_backward(Tensor? grad_out, Tensor? grad_added, Tensor? weight, "
              "Tensor? added, Tensor? x, Tensor? residual, Tensor? bias, *, float eps, bool[4] "
              "needs) -> (Tensor, Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_out", .optional = true},
               {.name = "grad_added", .optional = true},
               {.name = "weight", .optional = true, .fill = 1},
               {.name = "added"},
               {.name = "x", .shape_only = true},
               {.name = "residual", .shape_only = true},
               {.name = "bias", .shape_only = true}},
    .outputs = {{.name = "grad_x", .like = 4, .reads = {0, 1, 2, 3}},
                {.name = "grad_residual", .like = 5, .reads = {0, 1, 2, 3}, .equal_output = 0},
                {.name = "grad_weight", .like = 2, .reads = {0, 3}},
                {.name = "grad_bias", .like = 6, .reads = {0}, .equal_input = 0}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1, 2, 3},
    .arrivals = {0},
    .reduces = true,
};

const Pass kForward = {
    .schema = "add_layer_norm(Tensor x, Tensor residual, Tensor? weight=None, Tensor? bias=None, "
              "*, float eps=1e-05) -> (Tensor, Tensor)",
    .inputs = {{.name = "x"},
               {.name = "residual"},
               {.name = "weight", .optional = true, .fill = 1},
               {.name = "bias", .optional = true}},
    .outputs = {{.name = "out"}, {.name = "added"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {2},
    .saved_outputs = {1},
    .saved_shapes = {0, 1, 3},
    .gradients = {0, 1, 2, 3},
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::add_layer_norm
