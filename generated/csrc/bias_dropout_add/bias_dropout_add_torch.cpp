// Generated from specs/bias/bias_dropout_add.yaml by `fusewise generate`. Do not edit.
// The formulas stand in bias_dropout_add.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::bias_dropout_add {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& residual = reads[1];
  const Value& keep = reads[2];
  const Value& bias = reads[3];
  const double p = params[0].as<double>();
  const Value stop_grad0 = aten::detach(x);
  const Value where0 = aten::where(keep, x, stop_grad0);
  const Value stop_grad1 = aten::detach(bias);
  const Value where1 = aten::where(keep, bias, stop_grad1);
  const Value where2 = aten::where(keep, (where0 + where1) / (1 - p), 0);
  writes[0] = residual + where2;
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& keep = reads[1];
  const double p = params[0].as<double>();
  const Value stop_grad0 = aten::detach(grad_out);
  const Value where0 = aten::where(keep, grad_out, stop_grad0);
  const Value where1 = aten::where(keep, where0 / (1 - p), 0);
  writes[0] = where1;
  writes[1] = grad_out;
  writes[2] = where1;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_residual = reads[1];
  const Value& grad_grad_bias = reads[2];
  const Value& keep = reads[4];
  const double p = params[0].as<double>();
  const bool has_grad_grad_x = params[1].as<bool>();
  const bool has_grad_grad_bias = params[2].as<bool>();
  const bool logical_or0 = has_grad_grad_x | has_grad_grad_bias;
  const Value stop_grad0 = aten::detach(grad_grad_x);
  const Value stop_grad1 = aten::detach(grad_grad_bias);
  const Value where0 = aten::where(keep, grad_grad_x, stop_grad0);
  const Value where1 = aten::where(keep, grad_grad_bias, stop_grad1);
  const Value stop_grad2 = aten::detach(where0);
  const Value where2 = aten::where(condition(logical_or0, reads[0]), where0, stop_grad2);
  const Value stop_grad3 = aten::detach(where1);
  const Value where3 = aten::where(condition(logical_or0, reads[0]), where1, stop_grad3);
  const Value where4 = aten::where(condition(logical_or0, reads[0]), (where2 + where3) / (1 - p),
      0);
  const Value where5 = aten::where(keep, where4, 0);
  writes[0] = grad_grad_residual + where5;
}

const Pass kDoubleBackward = {
    .schema = "bias_dropout_add_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_residual, "
              "Tensor? grad_grad_bias, Tensor? grad_out, Tensor? keep, *, float p, bool[1] needs)"
              " -> Tensor",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_residual", .optional = true},
               {.name = "grad_grad_bias", .optional = true},
               {.name = "grad_out"},
               {.name = "keep", .kind = Kind::kBool}},
    .outputs = {{.name = "grad_grad_out", .like = 3, .reads = {0, 1, 2, 4}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .arrivals = {0, 2},
};

const Pass kBackward = {
    .schema = "bias_dropout_add_backward(Tensor grad_out, Tensor? keep, Tensor? x, Tensor? "
              "residual, Tensor? bias, *, float p, bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_out"},
               {.name = "keep", .kind = Kind::kBool},
               {.name = "x", .shape_only = true},
               {.name = "residual", .shape_only = true},
               {.name = "bias", .shape_only = true}},
    .outputs = {{.name = "grad_x", .like = 2, .reads = {0, 1}},
                {.name = "grad_residual", .like = 3, .reads = {0}, .equal_input = 0},
                {.name = "grad_bias", .like = 4, .reads = {0, 1}, .equal_output = 0}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1},
    .gradients = {0},
};

const Pass kForward = {
    .schema = "bias_dropout_add(Tensor x, Tensor residual, Tensor keep, Tensor? bias=None, *, "
              "float p=0.1) -> Tensor",
    .inputs = {{.name = "x"},
               {.name = "residual"},
               {.name = "keep", .kind = Kind::kBool},
               {.name = "bias", .optional = true}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {2},
    .saved_shapes = {0, 1, 3},
    .gradients = {0, 1, 3},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::bias_dropout_add
