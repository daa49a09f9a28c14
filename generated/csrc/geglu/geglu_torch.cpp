// Generated from specs/gated/geglu.yaml by `fusewise generate`. Do not edit.
// The formulas stand in geglu.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::geglu {

KernelFunction approximate_false_forward_cpu, approximate_false_forward_cuda;
KernelFunction approximate_false_backward_cpu, approximate_false_backward_cuda;
KernelFunction approximate_false_double_backward_cpu, approximate_false_double_backward_cuda;
KernelFunction approximate_true_forward_cpu, approximate_true_forward_cuda;
KernelFunction approximate_true_backward_cpu, approximate_true_backward_cuda;
KernelFunction approximate_true_double_backward_cpu, approximate_true_double_backward_cuda;

namespace {

void approximate_false_forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& y = reads[1];
  const Value erfc0 = aten::erfc(-0.7071067811865476 * x);
  writes[0] = x * (0.5 * erfc0) * y;
}

void approximate_false_backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& y = reads[2];
  const Value erfc0 = aten::erfc(-0.7071067811865476 * x);
  const Value mul0 = 0.5 * erfc0;
  const Value exp0 = aten::exp(-0.5 * x * x);
  writes[0] = grad_out * y * (mul0 + x * (0.3989422804014327 * exp0));
  writes[1] = grad_out * (x * mul0);
}

void approximate_false_double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
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
  const Value stop_grad3 = aten::detach(grad_grad_x);
  const Value where4 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_x, stop_grad3);
  const Value stop_grad4 = aten::detach(grad_out);
  const Value where5 = aten::where(condition(has_grad_grad_y, reads[0]), grad_out, stop_grad4);
  const Value where6 = aten::where(condition(has_grad_grad_x, reads[0]), grad_out, stop_grad4);
  const Value erfc0 = aten::erfc(-0.7071067811865476 * where0);
  const Value mul0 = 0.5 * erfc0;
  const Value where7 = aten::where(condition(has_grad_grad_y, reads[0]), where1 * (where0 * mul0),
      0);
  const Value erfc1 = aten::erfc(-0.7071067811865476 * where2);
  const Value exp0 = aten::exp(-0.5 * where2 * where2);
  const Value mul1 = 0.3989422804014327 * exp0;
  const Value mul2 = where2 * mul1;
  const Value mul3 = where4 * (0.5 * erfc1 + mul2);
  const Value where8 = aten::where(condition(has_grad_grad_x, reads[0]), mul3 * where3, 0);
  const Value exp1 = aten::exp(-0.5 * where0 * where0);
  const Value mul4 = where1 * where5 * (mul0 + where0 * (0.3989422804014327 * exp1));
  const Value where9 = aten::where(condition(has_grad_grad_y, reads[0]), mul4, 0);
  const Value mul5 = where4 * (where6 * where3) * mul1;
  const Value sub0 = mul5 - mul2 * where2 * (where4 * where6 * where3);
  const Value where10 = aten::where(condition(has_grad_grad_x, reads[0]), sub0 + mul5, 0);
  writes[0] = where7 + where8;
  writes[1] = where10 + where9;
  writes[2] = aten::where(condition(has_grad_grad_x, reads[0]), mul3 * where6, 0);
}

void approximate_true_forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& y = reads[1];
  const Value sigmoid0 = aten::sigmoid(x * (1.5957691216057308 + 0.07135481627260025 * x * x));
  writes[0] = x * sigmoid0 * y;
}

void approximate_true_backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& y = reads[2];
  const Value mul0 = x * (1.5957691216057308 + 0.07135481627260025 * x * x);
  const Value sigmoid0 = aten::sigmoid(mul0);
  const Value sigmoid1 = aten::sigmoid(-mul0);
  const Value mul1 = x * (sigmoid0 * sigmoid1);
  const Value mul2 = mul1 * x * x * 0.21406444881780073;
  writes[0] = grad_out * y * (sigmoid0 + mul1 * 1.5957691216057308 + mul2);
  writes[1] = grad_out * (x * sigmoid0);
}

void approximate_true_double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
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
  const Value stop_grad3 = aten::detach(grad_grad_x);
  const Value where4 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_x, stop_grad3);
  const Value stop_grad4 = aten::detach(grad_out);
  const Value where5 = aten::where(condition(has_grad_grad_y, reads[0]), grad_out, stop_grad4);
  const Value where6 = aten::where(condition(has_grad_grad_x, reads[0]), grad_out, stop_grad4);
  const Value mul0 = where2 * (1.5957691216057308 + 0.07135481627260025 * where2 * where2);
  const Value tanh0 = aten::tanh(0.5 * mul0);
  const Value mul1 = where0 * (1.5957691216057308 + 0.07135481627260025 * where0 * where0);
  const Value sigmoid0 = aten::sigmoid(mul1);
  const Value where7 = aten::where(condition(has_grad_grad_y, reads[0]), where1 * (where0 *
      sigmoid0), 0);
  const Value sigmoid1 = aten::sigmoid(mul0);
  const Value sigmoid2 = aten::sigmoid(-mul0);
  const Value mul2 = sigmoid1 * sigmoid2;
  const Value mul3 = where2 * mul2;
  const Value mul4 = mul3 * where2;
  const Value add0 = sigmoid1 + mul3 * 1.5957691216057308 + mul4 * where2 * 0.21406444881780073;
  const Value mul5 = where4 * add0;
  const Value where8 = aten::where(condition(has_grad_grad_x, reads[0]), mul5 * where3, 0);
  const Value sigmoid3 = aten::sigmoid(-mul1);
  const Value mul6 = where0 * (sigmoid0 * sigmoid3);
  const Value mul7 = mul6 * where0 * where0 * 0.21406444881780073;
  const Value mul8 = where1 * where5 * (sigmoid0 + mul6 * 1.5957691216057308 + mul7);
  const Value where9 = aten::where(condition(has_grad_grad_y, reads[0]), mul8, 0);
  const Value mul9 = where2 * (mul2 * 1.5957691216057308 + mul4 * 0.21406444881780073) * tanh0;
  const Value sub0 = 3.1915382432114616 * mul2 + mul4 * 0.8562577952712029 - mul9 *
      1.5957691216057308;
  const Value sub1 = sub0 - mul9 * where2 * where2 * 0.21406444881780073;
  const Value where10 = aten::where(condition(has_grad_grad_x, reads[0]), where4 * (where6 * where3)
      * sub1, 0);
  writes[0] = where7 + where8;
  writes[1] = where10 + where9;
  writes[2] = aten::where(condition(has_grad_grad_x, reads[0]), mul5 * where6, 0);
}

const Pass kApproximateTrueDoubleBackward = {
    .schema = "geglu__approximate_true_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_y, "
              "Tensor? grad_out, Tensor? x, Tensor? y, bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .name = "geglu_double_backward",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_y", .optional = true},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "y"}},
    .outputs = {{.name = "grad_grad_out", .like = 2, .reads = {0, 1, 3, 4}},
                {.name = "grad_x", .like = 3, .reads = {0, 1, 2, 3, 4}},
                {.name = "grad_y", .like = 4, .reads = {0, 2, 3}}},
    .kernels = {approximate_true_double_backward_cpu,
                kWithCuda ? approximate_true_double_backward_cuda : nullptr},
    .decomposition = approximate_true_double_backward_decomposition,
    .arrivals = {0, 1},
};

const Pass kApproximateTrueBackward = {
    .schema = "geglu__approximate_true_backward(Tensor grad_out, Tensor? x, Tensor? y, bool[2] "
              "needs) -> (Tensor, Tensor)",
    .name = "geglu_backward",
    .inputs = {{.name = "grad_out"}, {.name = "x"}, {.name = "y"}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2}},
                {.name = "grad_y", .like = 2, .reads = {0, 1}}},
    .kernels = {approximate_true_backward_cpu,
                kWithCuda ? approximate_true_backward_cuda : nullptr},
    .decomposition = approximate_true_backward_decomposition,
    .derivative = &kApproximateTrueDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
};

const Pass kApproximateTrueForward = {
    .schema = "geglu__approximate_true(Tensor x, Tensor y) -> Tensor",
    .name = "geglu",
    .inputs = {{.name = "x"}, {.name = "y"}},
    .outputs = {{.name = "out"}},
    .kernels = {approximate_true_forward_cpu, kWithCuda ? approximate_true_forward_cuda : nullptr},
    .decomposition = approximate_true_forward_decomposition,
    .derivative = &kApproximateTrueBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Pass kApproximateFalseDoubleBackward = {
    .schema = "geglu__approximate_false_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_y,"
              " Tensor? grad_out, Tensor? x, Tensor? y, bool[3] needs) -> (Tensor, Tensor, "
              "Tensor)",
    .name = "geglu_double_backward",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_y", .optional = true},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "y"}},
    .outputs = {{.name = "grad_grad_out", .like = 2, .reads = {0, 1, 3, 4}},
                {.name = "grad_x", .like = 3, .reads = {0, 1, 2, 3, 4}},
                {.name = "grad_y", .like = 4, .reads = {0, 2, 3}}},
    .kernels = {approximate_false_double_backward_cpu,
                kWithCuda ? approximate_false_double_backward_cuda : nullptr},
    .decomposition = approximate_false_double_backward_decomposition,
    .arrivals = {0, 1},
};

const Pass kApproximateFalseBackward = {
    .schema = "geglu__approximate_false_backward(Tensor grad_out, Tensor? x, Tensor? y, bool[2] "
              "needs) -> (Tensor, Tensor)",
    .name = "geglu_backward",
    .inputs = {{.name = "grad_out"}, {.name = "x"}, {.name = "y"}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2}},
                {.name = "grad_y", .like = 2, .reads = {0, 1}}},
    .kernels = {approximate_false_backward_cpu,
                kWithCuda ? approximate_false_backward_cuda : nullptr},
    .decomposition = approximate_false_backward_decomposition,
    .derivative = &kApproximateFalseDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
};

const Pass kApproximateFalseForward = {
    .schema = "geglu__approximate_false(Tensor x, Tensor y) -> Tensor",
    .name = "geglu",
    .inputs = {{.name = "x"}, {.name = "y"}},
    .outputs = {{.name = "out"}},
    .kernels = {approximate_false_forward_cpu,
                kWithCuda ? approximate_false_forward_cuda : nullptr},
    .decomposition = approximate_false_forward_decomposition,
    .derivative = &kApproximateFalseBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Registration kApproximateFalseForwardRegistration("fusewise", kApproximateFalseForward);
const Registration kApproximateTrueForwardRegistration("fusewise", kApproximateTrueForward);

}  // namespace
}  // namespace fusewise::ops::geglu
