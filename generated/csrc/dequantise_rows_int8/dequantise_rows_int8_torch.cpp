// Generated from specs/quantised/dequantise_rows_int8.yaml by `fusewise generate`. Do not edit.
// The formulas stand in dequantise_rows_int8.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::dequantise_rows_int8 {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& scale = reads[1];
  const Value& weight_scale = reads[2];
  const Value& bias = reads[3];
  writes[0] = x * scale * weight_scale + bias;
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& scale = reads[2];
  const Value& weight_scale = reads[3];
  writes[0] = aten::sum(grad_out * weight_scale * x);
  writes[1] = grad_out * (x * scale);
  writes[2] = grad_out;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_scale = reads[0];
  const Value& grad_grad_weight_scale = reads[1];
  const Value& grad_grad_bias = reads[2];
  const Value& grad_out = reads[3];
  const Value& x = reads[4];
  const Value& scale = reads[5];
  const Value& weight_scale = reads[6];
  const bool has_grad_grad_scale = params[0].as<bool>();
  const bool has_grad_grad_weight_scale = params[1].as<bool>();
  const Value mul0 = grad_grad_scale * x;
  const Value where0 = aten::where(condition(has_grad_grad_weight_scale, reads[0]),
      grad_grad_weight_scale * (x * scale), 0);
  const Value where1 = aten::where(condition(has_grad_grad_scale, reads[0]), mul0 * weight_scale,
      0);
  const Value sum0 = aten::sum(grad_grad_weight_scale * grad_out * x);
  writes[0] = grad_grad_bias + where0 + where1;
  writes[1] = aten::where(condition(has_grad_grad_weight_scale, reads[0]), sum0, 0);
  writes[2] = aten::where(condition(has_grad_grad_scale, reads[0]), mul0 * grad_out, 0);
}

const Pass kDoubleBackward = {
    .schema = "dequantise_rows_int8_double_backward(Tensor? grad_grad_scale, Tensor? "
              "grad_grad_weight_scale, Tensor? grad_grad_bias, Tensor? grad_out, Tensor? x, "
              "Tensor? scale, Tensor? weight_scale, bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_scale", .optional = true, .extent = Extent::kRow},
               {.name = "grad_grad_weight_scale", .optional = true},
               {.name = "grad_grad_bias", .optional = true},
               {.name = "grad_out"},
               {.name = "x", .kind = Kind::kInt},
               {.name = "scale", .extent = Extent::kRow},
               {.name = "weight_scale", .optional = true, .fill = 1}},
    .outputs = {{.name = "grad_grad_out", .like = 3, .reads = {0, 1, 2, 4, 5, 6}},
                {.name = "grad_scale", .like = 5, .reads = {1, 3, 4}, .extent = Extent::kRow},
                {.name = "grad_weight_scale", .like = 6, .reads = {0, 3, 4}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .arrivals = {0, 1},
    .reduces = true,
};

const Pass kBackward = {
    .schema = "dequantise_rows_int8_backward(Tensor grad_out, Tensor? x, Tensor? scale, Tensor? "
              "weight_scale, Tensor? bias, bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_out"},
               {.name = "x", .kind = Kind::kInt},
               {.name = "scale", .extent = Extent::kRow},
               {.name = "weight_scale", .optional = true, .fill = 1},
               {.name = "bias", .shape_only = true}},
    .outputs = {{.name = "grad_scale", .like = 2, .reads = {0, 1, 3}, .extent = Extent::kRow},
                {.name = "grad_weight_scale", .like = 3, .reads = {0, 1, 2}},
                {.name = "grad_bias", .like = 4, .reads = {0}, .equal_input = 0}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 2, 3},
    .reduces = true,
};

const Pass kForward = {
    .schema = "dequantise_rows_int8(Tensor x, Tensor scale, Tensor? weight_scale=None, Tensor? "
              "bias=None) -> Tensor",
    .inputs = {{.name = "x", .kind = Kind::kInt},
               {.name = "scale", .extent = Extent::kRow},
               {.name = "weight_scale", .optional = true, .fill = 1},
               {.name = "bias", .optional = true}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1, 2},
    .saved_shapes = {3},
    .gradients = {1, 2, 3},
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::dequantise_rows_int8
