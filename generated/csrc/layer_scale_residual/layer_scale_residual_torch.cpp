// Generated from specs/bias/layer_scale_residual.yaml by `fusewise generate`. Do not edit.
// The formulas stand in layer_scale_residual.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::layer_scale_residual {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& residual = reads[1];
  const Value& gamma = reads[2];
  const Value& keep = reads[3];
  writes[0] = residual + keep * (gamma * x);
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& gamma = reads[2];
  const Value& keep = reads[3];
  const Value mul0 = grad_out * keep;
  writes[0] = mul0 * gamma;
  writes[1] = grad_out;
  writes[2] = mul0 * x;
  writes[3] = grad_out * (gamma * x);
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_residual = reads[1];
  const Value& grad_grad_gamma = reads[2];
  const Value& grad_grad_keep = reads[3];
  const Value& grad_out = reads[4];
  const Value& x = reads[5];
  const Value& gamma = reads[6];
  const Value& keep = reads[7];
  const bool has_grad_grad_x = params[0].as<bool>();
  const bool has_grad_grad_gamma = params[1].as<bool>();
  const bool has_grad_grad_keep = params[2].as<bool>();
  const Value mul0 = grad_out * keep;
  const Value where0 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_x * gamma, 0);
  const Value where1 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_x * mul0, 0);
  const Value where2 = aten::where(condition(has_grad_grad_gamma, reads[0]), grad_grad_gamma * x,
      0);
  const Value add0 = where0 + where2;
  const Value where3 = aten::where(condition(has_grad_grad_gamma, reads[0]), grad_grad_gamma * mul0,
      0);
  const bool logical_or0 = has_grad_grad_x | has_grad_grad_gamma;
  const Value where4 = aten::where(condition(logical_or0, reads[0]), add0 * keep, 0);
  const Value where5 = aten::where(condition(has_grad_grad_keep, reads[0]), grad_grad_keep * (gamma
      * x), 0);
  const Value mul1 = grad_grad_keep * grad_out;
  const Value where6 = aten::where(condition(has_grad_grad_keep, reads[0]), mul1 * x, 0);
  const Value where7 = aten::where(condition(has_grad_grad_keep, reads[0]), mul1 * gamma, 0);
  writes[0] = grad_grad_residual + where4 + where5;
  writes[1] = where3 + where7;
  writes[2] = where1 + where6;
  writes[3] = aten::where(condition(logical_or0, reads[0]), add0 * grad_out, 0);
}

const Pass kDoubleBackward = {
    .schema = "layer_scale_residual_double_backward(Tensor? grad_grad_x, Tensor? "
              "grad_grad_residual, Tensor? grad_grad_gamma, Tensor? grad_grad_keep, Tensor? "
              "grad_out, Tensor? x, Tensor? gamma, Tensor? keep, bool[4] needs) -> (Tensor, "
              "Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_residual", .optional = true},
               {.name = "grad_grad_gamma", .optional = true},
               {.name = "grad_grad_keep", .optional = true},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "gamma"},
               {.name = "keep", .optional = true, .fill = 1}},
    .outputs = {{.name = "grad_grad_out", .like = 4, .reads = {0, 1, 2, 3, 5, 6, 7}},
                {.name = "grad_x", .like = 5, .reads = {2, 3, 4, 6, 7}},
                {.name = "grad_gamma", .like = 6, .reads = {0, 3, 4, 5, 7}},
                {.name = "grad_keep", .like = 7, .reads = {0, 2, 4, 5, 6}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .arrivals = {0, 2, 3},
};

const Pass kBackward = {
    .schema = "layer_scale_residual_backward(Tensor grad_out, Tensor? x, Tensor? gamma, Tensor? "
              "keep, Tensor? residual, bool[4] needs) -> (Tensor, Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_out"},
               {.name = "x"},
               {.name = "gamma"},
               {.name = "keep", .optional = true, .fill = 1},
               {.name = "residual", .shape_only = true}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 2, 3}},
                {.name = "grad_residual", .like = 4, .reads = {0}, .equal_input = 0},
                {.name = "grad_gamma", .like = 2, .reads = {0, 1, 3}},
                {.name = "grad_keep", .like = 3, .reads = {0, 1, 2}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1, 2, 3},
};

const Pass kForward = {
    .schema = "layer_scale_residual(Tensor x, Tensor residual, Tensor gamma, Tensor? keep=None) "
              "-> Tensor",
    .inputs = {{.name = "x"},
               {.name = "residual"},
               {.name = "gamma"},
               {.name = "keep", .optional = true, .fill = 1}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 2, 3},
    .saved_shapes = {1},
    .gradients = {0, 1, 2, 3},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::layer_scale_residual
