// Generated from specs/bias/modulate.yaml by `fusewise generate`. Do not edit.
// The formulas stand in modulate.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::modulate {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& shift = reads[1];
  const Value& scale = reads[2];
  writes[0] = x * (1 + scale) + shift;
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& scale = reads[2];
  writes[0] = grad_out * (1 + scale);
  writes[1] = grad_out;
  writes[2] = grad_out * x;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_shift = reads[1];
  const Value& grad_grad_scale = reads[2];
  const Value& grad_out = reads[3];
  const Value& x = reads[4];
  const Value& scale = reads[5];
  const bool has_grad_grad_x = params[0].as<bool>();
  const bool has_grad_grad_scale = params[1].as<bool>();
  const Value where0 = aten::where(condition(has_grad_grad_scale, reads[0]), grad_grad_scale * x,
      0);
  const Value where1 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_x * (1 + scale),
      0);
  writes[0] = grad_grad_shift + where0 + where1;
  writes[1] = aten::where(condition(has_grad_grad_scale, reads[0]), grad_grad_scale * grad_out, 0);
  writes[2] = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_x * grad_out, 0);
}

const Pass kDoubleBackward = {
    .schema = "modulate_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_shift, Tensor? "
              "grad_grad_scale, Tensor? grad_out, Tensor? x, Tensor? scale, bool[3] needs) -> "
              "(Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_shift", .optional = true},
               {.name = "grad_grad_scale", .optional = true},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "scale"}},
    .outputs = {{.name = "grad_grad_out", .like = 3, .reads = {0, 1, 2, 4, 5}},
                {.name = "grad_x", .like = 4, .reads = {2, 3}},
                {.name = "grad_scale", .like = 5, .reads = {0, 3}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .arrivals = {0, 2},
};

const Pass kBackward = {
    .schema = "modulate_backward(Tensor grad_out, Tensor? x, Tensor? scale, Tensor? shift, "
              "bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_out"},
               {.name = "x"},
               {.name = "scale"},
               {.name = "shift", .shape_only = true}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 2}},
                {.name = "grad_shift", .like = 3, .reads = {0}, .equal_input = 0},
                {.name = "grad_scale", .like = 2, .reads = {0, 1}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
};

const Pass kForward = {
    .schema = "modulate(Tensor x, Tensor shift, Tensor scale) -> Tensor",
    .inputs = {{.name = "x"}, {.name = "shift"}, {.name = "scale"}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 2},
    .saved_shapes = {1},
    .gradients = {0, 1, 2},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::modulate
