// Generated from specs/gated/swiglu_rounded.yaml by `fusewise generate`. Do not edit.
// The formulas stand in swiglu_rounded.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::swiglu_rounded {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype* types, Value* writes) {
  const Value& x = reads[0];
  const Value& y = reads[1];
  const Value sigmoid0 = aten::sigmoid(x);
  const Value round_to0 = round_to(x * sigmoid0, types[0]);
  writes[0] = round_to0 * y;
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype* types, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& y = reads[2];
  const Value sigmoid0 = aten::sigmoid(x);
  const Value round_to0 = round_to(x * sigmoid0, types[1]);
  const Value sigmoid1 = aten::sigmoid(-x);
  writes[0] = grad_out * y * (sigmoid0 + x * (sigmoid0 * sigmoid1));
  writes[1] = grad_out * round_to0;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype* types, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_y = reads[1];
  const Value& grad_out = reads[2];
  const Value& x = reads[3];
  const Value& y = reads[4];
  const bool has_grad_grad_x = params[0].as<bool>();
  const bool has_grad_grad_y = params[1].as<bool>();
  const Value stop_grad0 = aten::detach(x);
  const Value where0 = aten::where(condition(has_grad_grad_y, reads[0]), x, stop_grad0);
  const Value stop_grad1 = aten::detach(grad_grad_y);
  const Value where1 = aten::where(condition(has_grad_grad_y, reads[0]), grad_grad_y, stop_grad1);
  const Value where2 = aten::where(condition(has_grad_grad_x, reads[0]), x, stop_grad0);
  const Value stop_grad2 = aten::detach(y);
  const Value where3 = aten::where(condition(has_grad_grad_x, reads[0]), y, stop_grad2);
  const Value sigmoid0 = aten::sigmoid(where2);
  const Value stop_grad3 = aten::detach(grad_grad_x);
  const Value where4 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_x, stop_grad3);
  const Value stop_grad4 = aten::detach(grad_out);
  const Value where5 = aten::where(condition(has_grad_grad_y, reads[0]), grad_out, stop_grad4);
  const Value sigmoid1 = aten::sigmoid(where0);
  const Value where6 = aten::where(condition(has_grad_grad_x, reads[0]), grad_out, stop_grad4);
  const Value tanh0 = aten::tanh(0.5 * where2);
  const Value round_to0 = round_to(where0 * sigmoid1, types[3]);
  const Value where7 = aten::where(condition(has_grad_grad_y, reads[0]), where1 * round_to0, 0);
  const Value sigmoid2 = aten::sigmoid(-where2);
  const Value mul0 = sigmoid0 * sigmoid2;
  const Value mul1 = where2 * mul0;
  const Value mul2 = where4 * (sigmoid0 + mul1);
  const Value where8 = aten::where(condition(has_grad_grad_x, reads[0]), mul2 * where3, 0);
  const Value sigmoid3 = aten::sigmoid(-where0);
  const Value mul3 = where1 * where5 * (sigmoid1 + where0 * (sigmoid1 * sigmoid3));
  const Value where9 = aten::where(condition(has_grad_grad_y, reads[0]), mul3, 0);
  const Value mul4 = where4 * (where6 * where3) * mul0;
  const Value sub0 = mul4 - mul1 * (tanh0 * where4 * where6 * where3);
  const Value where10 = aten::where(condition(has_grad_grad_x, reads[0]), sub0 + mul4, 0);
  writes[0] = where7 + where8;
  writes[1] = where10 + where9;
  writes[2] = aten::where(condition(has_grad_grad_x, reads[0]), mul2 * where6, 0);
}

const Pass kDoubleBackward = {
    .schema = "swiglu_rounded_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_y, Tensor? "
              "grad_out, Tensor? x, Tensor? y, bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_y", .optional = true},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "y"}},
    .outputs = {{.name = "grad_grad_out", .like = 2, .reads = {0, 1, 3, 4}},
                {.name = "grad_x", .like = 3, .reads = {0, 1, 2, 3, 4}},
                {.name = "grad_y", .like = 4, .reads = {0, 2, 3}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .arrivals = {0, 1},
};

const Pass kBackward = {
    .schema = "swiglu_rounded_backward(Tensor grad_out, Tensor? x, Tensor? y, bool[2] needs) -> "
              "(Tensor, Tensor)",
    .inputs = {{.name = "grad_out"}, {.name = "x"}, {.name = "y"}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2}},
                {.name = "grad_y", .like = 2, .reads = {0, 1}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
};

const Pass kForward = {
    .schema = "swiglu_rounded(Tensor x, Tensor y) -> Tensor",
    .inputs = {{.name = "x"}, {.name = "y"}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::swiglu_rounded
