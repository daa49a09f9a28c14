// Generated from specs/bias/fused_bias_leakyrelu.yaml by `fusewise generate`. Do not edit.
// The formulas stand in fused_bias_leakyrelu.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::fused_bias_leakyrelu {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& bias = reads[1];
  const double negative_slope = params[0].as<double>();
  const double scale = params[1].as<double>();
  const Value add0 = x + bias;
  const Value where0 = aten::where(add0 > 0, add0, negative_slope * add0);
  writes[0] = where0 * scale;
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& bias = reads[2];
  const double negative_slope = params[0].as<double>();
  const double scale = params[1].as<double>();
  const Value mul0 = grad_out * scale;
  const Value where0 = aten::where(x + bias > 0, mul0, mul0 * negative_slope);
  writes[0] = where0;
  writes[1] = where0;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_bias = reads[1];
  const Value& x = reads[3];
  const Value& bias = reads[4];
  const double negative_slope = params[0].as<double>();
  const double scale = params[1].as<double>();
  const bool has_grad_grad_x = params[2].as<bool>();
  const bool has_grad_grad_bias = params[3].as<bool>();
  const Value gt0 = x + bias > 0;
  const Value logical_or0 = aten::logical_or(aten::logical_and(gt0, condition(has_grad_grad_x |
      has_grad_grad_bias, reads[0])), aten::logical_not(gt0));
  const Value stop_grad0 = aten::detach(x);
  const Value where0 = aten::where(logical_or0, x, stop_grad0);
  const Value stop_grad1 = aten::detach(bias);
  const Value where1 = aten::where(logical_or0, bias, stop_grad1);
  const Value stop_grad2 = aten::detach(grad_grad_x);
  const Value where2 = aten::where(logical_or0, grad_grad_x, stop_grad2);
  const Value stop_grad3 = aten::detach(grad_grad_bias);
  const Value where3 = aten::where(logical_or0, grad_grad_bias, stop_grad3);
  const Value add0 = where2 + where3;
  const Value where4 = aten::where(where0 + where1 > 0, add0, add0 * negative_slope);
  writes[0] = aten::where(logical_or0, where4 * scale, 0);
}

const Pass kDoubleBackward = {
    .schema = "fused_bias_leakyrelu_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_bias, "
              "Tensor? grad_out, Tensor? x, Tensor? bias, *, float negative_slope, float scale, "
              "bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_bias", .optional = true},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "bias", .optional = true}},
    .outputs = {{.name = "grad_grad_out", .like = 2, .reads = {0, 1, 3, 4}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .arrivals = {0, 1},
};

const Pass kBackward = {
    .schema = "fused_bias_leakyrelu_backward(Tensor grad_out, Tensor? x, Tensor? bias, *, float "
              "negative_slope, float scale, bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_out"}, {.name = "x"}, {.name = "bias", .optional = true}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2}},
                {.name = "grad_bias", .like = 2, .reads = {0, 1, 2}, .equal_output = 0}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0},
};

const Pass kForward = {
    .schema = "fused_bias_leakyrelu(Tensor x, Tensor? bias=None, *, float negative_slope=0.2, "
              "float scale=1.4142135623730951) -> Tensor",
    .inputs = {{.name = "x"}, {.name = "bias", .optional = true}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::fused_bias_leakyrelu
