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
  const bool has_grad_grad_x = params[2].as<bool>();
  const bool has_grad_grad_residual = params[3].as<bool>();
  const bool has_grad_grad_weight = params[4].as<bool>();
  const Value mul0 = grad_out * weight;
  const Value mean0 = aten::mean(added * added);
  const Value rsqrt0 = aten::rsqrt(mean0 + eps);
  const Value sum0 = aten::sum(mul0 * added);
  const Value mul1 = -0.5 * rsqrt0;
  const Value mul2 = rsqrt0 * rsqrt0;
  const Value mul3 = mul1 * mul2;
  const Value add0 = grad_grad_x + grad_grad_residual;
  const bool logical_or0 = has_grad_grad_x | has_grad_grad_residual;
  const Value sum1 = aten::sum((add0 + add0) * added);
  const bool logical_and0 = has_grad_out & logical_or0;
  const Value div0 = sum1 / length;
  const Value mul4 = div0 * mul3;
  const Value mul5 = div0 * sum0;
  const Value mul6 = mul5 * mul1 * rsqrt0;
  const Value where0 = aten::where(condition(logical_or0, reads[0]), mul6 + mul6 + mul5 * mul2 *
      -0.5, 0);
  const Value where1 = aten::where(condition(has_grad_out, reads[0]), where0, 0);
  const Value where2 = aten::where(condition(logical_and0, reads[0]), where1, 0);
  const Value where3 = aten::where(condition(logical_or0, reads[0]), add0 * mul0, 0);
  const Value where4 = aten::where(condition(has_grad_grad_weight, reads[0]), grad_grad_weight *
      grad_out * added, 0);
  const Value sum2 = aten::sum(where3 + where4);
  const Value where5 = aten::where(condition(has_grad_out, reads[0]), sum2, 0);
  const bool logical_and1 = has_grad_out & (logical_or0 | has_grad_grad_weight);
  const Value where6 = aten::where(condition(logical_and1, reads[0]), where5, 0);
  const bool logical_or1 = logical_and0 | logical_and1;
  const Value stop_grad0 = aten::detach(weight);
  const Value stop_grad1 = aten::detach(grad_out);
  const Value where7 = aten::where(condition(has_grad_out, reads[0]), grad_out, stop_grad1);
  const Value stop_grad2 = aten::detach(added);
  const Value where8 = aten::where(condition(logical_or0, reads[0]), added, stop_grad2);
  const Value stop_grad3 = aten::detach(grad_grad_x);
  const Value where9 = aten::where(condition(logical_or0, reads[0]), grad_grad_x, stop_grad3);
  const Value stop_grad4 = aten::detach(grad_grad_residual);
  const Value where10 = aten::where(condition(logical_or0, reads[0]), grad_grad_residual,
      stop_grad4);
  const Value where11 = aten::where(condition(has_grad_grad_weight, reads[0]), added, stop_grad2);
  const Value stop_grad5 = aten::detach(grad_grad_weight);
  const Value where12 = aten::where(condition(has_grad_grad_weight, reads[0]), grad_grad_weight,
      stop_grad5);
  const Value where13 = aten::where(condition(has_grad_grad_weight, reads[0]), where12 * (where11 *
      rsqrt0), 0);
  const Value where14 = aten::where(condition(logical_or0, reads[0]), weight, stop_grad0);
  const Value stop_grad6 = aten::detach(where8);
  const Value where15 = aten::where(condition(logical_or0, reads[0]), added, stop_grad6);
  const Value stop_grad7 = aten::detach(where9);
  const Value where16 = aten::where(condition(logical_or0, reads[0]), grad_grad_x, stop_grad7);
  const Value stop_grad8 = aten::detach(where10);
  const Value where17 = aten::where(condition(logical_or0, reads[0]), grad_grad_residual,
      stop_grad8);
  const Value where18 = aten::where(condition(logical_or0, reads[0]), mul4 * where15, 0);
  const Value where19 = aten::where(condition(logical_or0, reads[0]), (where16 + where17) * rsqrt0,
      0);
  const Value where20 = aten::where(condition(logical_or0, reads[0]), (where18 + where19) * where14,
      0);
  const Value where21 = aten::where(condition(has_grad_out, reads[0]), grad_grad_x, stop_grad3);
  const Value where22 = aten::where(condition(has_grad_out, reads[0]), grad_grad_residual,
      stop_grad4);
  const Value stop_grad9 = aten::detach(where21);
  const Value where23 = aten::where(condition(logical_or0, reads[0]), where21, stop_grad9);
  const Value stop_grad10 = aten::detach(where22);
  const Value where24 = aten::where(condition(logical_or0, reads[0]), where22, stop_grad10);
  const Value add1 = where23 + where24;
  const Value where25 = aten::where(condition(logical_and0, reads[0]), added, stop_grad2);
  const Value where26 = aten::where(condition(logical_and0, reads[0]), grad_grad_x, stop_grad3);
  const Value where27 = aten::where(condition(logical_and0, reads[0]), grad_grad_residual,
      stop_grad4);
  const Value stop_grad11 = aten::detach(where25);
  const Value stop_grad12 = aten::detach(where26);
  const Value stop_grad13 = aten::detach(where27);
  const Value where28 = aten::where(condition(has_grad_out, reads[0]), where26, stop_grad12);
  const Value where29 = aten::where(condition(has_grad_out, reads[0]), where27, stop_grad13);
  const Value stop_grad14 = aten::detach(where28);
  const Value where30 = aten::where(condition(logical_or0, reads[0]), where28, stop_grad14);
  const Value stop_grad15 = aten::detach(where29);
  const Value where31 = aten::where(condition(logical_or0, reads[0]), where29, stop_grad15);
  const Value where32 = aten::where(condition(logical_and0, reads[0]), grad_out, stop_grad1);
  const Value where33 = aten::where(condition(logical_and0, reads[0]), added, stop_grad11);
  const Value stop_grad16 = aten::detach(where33);
  const Value where34 = aten::where(condition(has_grad_out, reads[0]), where33, stop_grad16);
  const Value stop_grad17 = aten::detach(where34);
  const Value where35 = aten::where(condition(logical_or0, reads[0]), where34, stop_grad17);
  const Value where36 = aten::where(condition(logical_or0, reads[0]), mul4 * where35, 0);
  const Value where37 = aten::where(condition(has_grad_out, reads[0]), where36, 0);
  const Value where38 = aten::where(condition(logical_and0, reads[0]), where37, 0);
  const Value where39 = aten::where(condition(logical_or0, reads[0]), (where30 + where31) * rsqrt0,
      0);
  const Value where40 = aten::where(condition(has_grad_out, reads[0]), where39, 0);
  const Value stop_grad18 = aten::detach(where7);
  const Value where41 = aten::where(condition(logical_and0, reads[0]), weight, stop_grad0);
  const Value stop_grad19 = aten::detach(where41);
  const Value stop_grad20 = aten::detach(where32);
  const Value where42 = aten::where(condition(has_grad_out, reads[0]), where41, stop_grad19);
  const Value where43 = aten::where(condition(has_grad_out, reads[0]), where32, stop_grad20);
  const Value stop_grad21 = aten::detach(where42);
  const Value where44 = aten::where(condition(logical_or0, reads[0]), where42, stop_grad21);
  const Value stop_grad22 = aten::detach(where43);
  const Value where45 = aten::where(condition(logical_or0, reads[0]), where43, stop_grad22);
  const Value where46 = aten::where(condition(logical_or0, reads[0]), mul4 * (where45 * where44),
      0);
  const Value where47 = aten::where(condition(has_grad_out, reads[0]), where46, 0);
  const Value where48 = aten::where(condition(logical_and0, reads[0]), where47, 0);
  const Value where49 = aten::where(condition(has_grad_out, reads[0]), grad_grad_weight,
      stop_grad5);
  const Value where50 = aten::where(condition(logical_or0, reads[0]), (add1 + add1) * (sum0 * mul3 /
      length), 0);
  const Value where51 = aten::where(condition(has_grad_grad_weight, reads[0]), where7, stop_grad18);
  const Value stop_grad23 = aten::detach(where49);
  const Value where52 = aten::where(condition(has_grad_grad_weight, reads[0]), where49,
      stop_grad23);
  const Value where53 = aten::where(condition(has_grad_grad_weight, reads[0]), where52 * where51 *
      rsqrt0, 0);
  const Value where54 = aten::where(condition(has_grad_out, reads[0]), where50 + where53, 0);
  const Value where55 = aten::where(condition(logical_or1, reads[0]), added, stop_grad2);
  const Value mul7 = (where2 + where6) * mul3 / length * where55;
  const Value where56 = aten::where(condition(logical_or1, reads[0]), mul7 + mul7, 0);
  writes[0] = where13 + where20;
  writes[1] = add0;
  writes[2] = aten::where(condition(logical_and0, reads[0]), (where38 + where40) * where32, 0);
  writes[3] = where54 + where48 + where56;
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
    .arrivals = {3, 0, 1, 2},
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
