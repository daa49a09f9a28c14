// Generated from specs/activations/dyt.yaml by `fusewise generate`. Do not edit.
// The formulas stand in dyt.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::dyt {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& alpha = reads[1];
  const Value& gamma = reads[2];
  const Value& beta = reads[3];
  const Value t = aten::tanh(alpha * x);
  writes[0] = gamma * t + beta;
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& alpha = reads[2];
  const Value& gamma = reads[3];
  const Value mul0 = alpha * x;
  const Value t = aten::tanh(mul0);
  const Value mul1 = grad_out * gamma;
  const Value mul2 = 2 * mul0;
  const Value sigmoid0 = aten::sigmoid(mul2);
  const Value sigmoid1 = aten::sigmoid(-mul2);
  const Value mul3 = 4 * (sigmoid0 * sigmoid1);
  writes[0] = mul3 * alpha * mul1;
  writes[1] = mul3 * x * mul1;
  writes[2] = grad_out * t;
  writes[3] = grad_out;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_alpha = reads[1];
  const Value& grad_grad_gamma = reads[2];
  const Value& grad_grad_beta = reads[3];
  const Value& grad_out = reads[4];
  const Value& x = reads[5];
  const Value& alpha = reads[6];
  const Value& gamma = reads[7];
  const bool has_grad_grad_x = params[0].as<bool>();
  const bool has_grad_grad_alpha = params[1].as<bool>();
  const bool has_grad_grad_gamma = params[2].as<bool>();
  const bool logical_or0 = has_grad_grad_x | has_grad_grad_alpha;
  const bool logical_or1 = logical_or0 | has_grad_grad_gamma;
  const Value stop_grad0 = aten::detach(x);
  const Value where0 = aten::where(condition(has_grad_grad_x, reads[0]), x, stop_grad0);
  const Value stop_grad1 = aten::detach(alpha);
  const Value where1 = aten::where(condition(has_grad_grad_x, reads[0]), alpha, stop_grad1);
  const Value stop_grad2 = aten::detach(grad_grad_x);
  const Value where2 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_x, stop_grad2);
  const Value where3 = aten::where(condition(has_grad_grad_alpha, reads[0]), x, stop_grad0);
  const Value where4 = aten::where(condition(has_grad_grad_alpha, reads[0]), alpha, stop_grad1);
  const Value stop_grad3 = aten::detach(grad_grad_alpha);
  const Value where5 = aten::where(condition(has_grad_grad_alpha, reads[0]), grad_grad_alpha,
      stop_grad3);
  const Value where6 = aten::where(condition(logical_or0, reads[0]), x, stop_grad0);
  const Value where7 = aten::where(condition(logical_or0, reads[0]), alpha, stop_grad1);
  const Value stop_grad4 = aten::detach(gamma);
  const Value where8 = aten::where(condition(logical_or0, reads[0]), gamma, stop_grad4);
  const Value where9 = aten::where(condition(logical_or0, reads[0]), grad_grad_x, stop_grad2);
  const Value where10 = aten::where(condition(logical_or0, reads[0]), grad_grad_alpha, stop_grad3);
  const Value stop_grad5 = aten::detach(where6);
  const Value where11 = aten::where(condition(has_grad_grad_x, reads[0]), where6, stop_grad5);
  const Value stop_grad6 = aten::detach(where7);
  const Value where12 = aten::where(condition(has_grad_grad_x, reads[0]), where7, stop_grad6);
  const Value stop_grad7 = aten::detach(where9);
  const Value where13 = aten::where(condition(has_grad_grad_x, reads[0]), where9, stop_grad7);
  const Value where14 = aten::where(condition(has_grad_grad_alpha, reads[0]), where6, stop_grad5);
  const Value where15 = aten::where(condition(has_grad_grad_alpha, reads[0]), where7, stop_grad6);
  const Value stop_grad8 = aten::detach(where10);
  const Value where16 = aten::where(condition(has_grad_grad_alpha, reads[0]), where10, stop_grad8);
  const Value where17 = aten::where(condition(has_grad_grad_gamma, reads[0]), x, stop_grad0);
  const Value where18 = aten::where(condition(has_grad_grad_gamma, reads[0]), alpha, stop_grad1);
  const Value tanh0 = aten::tanh(where18 * where17);
  const Value stop_grad9 = aten::detach(grad_grad_gamma);
  const Value where19 = aten::where(condition(has_grad_grad_gamma, reads[0]), grad_grad_gamma,
      stop_grad9);
  const Value where20 = aten::where(condition(has_grad_grad_gamma, reads[0]), where19 * tanh0, 0);
  const Value where21 = aten::where(condition(has_grad_grad_alpha, reads[0]), gamma, stop_grad4);
  const Value stop_grad10 = aten::detach(grad_out);
  const Value where22 = aten::where(condition(has_grad_grad_alpha, reads[0]), grad_out,
      stop_grad10);
  const Value where23 = aten::where(condition(logical_or0, reads[0]), grad_out, stop_grad10);
  const Value where24 = aten::where(condition(logical_or1, reads[0]), x, stop_grad0);
  const Value where25 = aten::where(condition(logical_or1, reads[0]), alpha, stop_grad1);
  const Value where26 = aten::where(condition(logical_or1, reads[0]), gamma, stop_grad4);
  const Value where27 = aten::where(condition(logical_or1, reads[0]), grad_out, stop_grad10);
  const Value where28 = aten::where(condition(logical_or1, reads[0]), grad_grad_x, stop_grad2);
  const Value where29 = aten::where(condition(logical_or1, reads[0]), grad_grad_alpha, stop_grad3);
  const Value where30 = aten::where(condition(logical_or1, reads[0]), grad_grad_gamma, stop_grad9);
  const Value stop_grad11 = aten::detach(where24);
  const Value where31 = aten::where(condition(has_grad_grad_gamma, reads[0]), where24, stop_grad11);
  const Value stop_grad12 = aten::detach(where25);
  const Value where32 = aten::where(condition(has_grad_grad_gamma, reads[0]), where25, stop_grad12);
  const Value stop_grad13 = aten::detach(where27);
  const Value where33 = aten::where(condition(has_grad_grad_gamma, reads[0]), where27, stop_grad13);
  const Value stop_grad14 = aten::detach(where30);
  const Value where34 = aten::where(condition(has_grad_grad_gamma, reads[0]), where30, stop_grad14);
  const Value where35 = aten::where(condition(logical_or0, reads[0]), where24, stop_grad11);
  const Value where36 = aten::where(condition(logical_or0, reads[0]), where25, stop_grad12);
  const Value stop_grad15 = aten::detach(where26);
  const Value where37 = aten::where(condition(logical_or0, reads[0]), where26, stop_grad15);
  const Value mul0 = where36 * where35;
  const Value tanh1 = aten::tanh(mul0);
  const Value where38 = aten::where(condition(logical_or0, reads[0]), where27, stop_grad13);
  const Value mul1 = where38 * where37;
  const Value stop_grad16 = aten::detach(where28);
  const Value where39 = aten::where(condition(logical_or0, reads[0]), where28, stop_grad16);
  const Value stop_grad17 = aten::detach(where29);
  const Value where40 = aten::where(condition(logical_or0, reads[0]), where29, stop_grad17);
  const Value where41 = aten::where(condition(has_grad_grad_x, reads[0]), where39 * mul1 * where36,
      0);
  const Value where42 = aten::where(condition(has_grad_grad_alpha, reads[0]), where40 * mul1 *
      where35, 0);
  const Value where43 = aten::where(condition(has_grad_grad_x, reads[0]), gamma, stop_grad4);
  const Value where44 = aten::where(condition(has_grad_grad_x, reads[0]), grad_out, stop_grad10);
  const Value mul2 = 2 * (where1 * where0);
  const Value sigmoid0 = aten::sigmoid(mul2);
  const Value sigmoid1 = aten::sigmoid(-mul2);
  const Value mul3 = 2 * (where4 * where3);
  const Value sigmoid2 = aten::sigmoid(mul3);
  const Value sigmoid3 = aten::sigmoid(-mul3);
  const Value mul4 = 2 * (where12 * where11);
  const Value sigmoid4 = aten::sigmoid(mul4);
  const Value sigmoid5 = aten::sigmoid(-mul4);
  const Value where45 = aten::where(condition(has_grad_grad_x, reads[0]), where13 * (4 * (sigmoid4 *
      sigmoid5) * where12), 0);
  const Value mul5 = 2 * (where15 * where14);
  const Value sigmoid6 = aten::sigmoid(mul5);
  const Value sigmoid7 = aten::sigmoid(-mul5);
  const Value where46 = aten::where(condition(has_grad_grad_alpha, reads[0]), where16 * (4 *
      (sigmoid6 * sigmoid7) * where14), 0);
  const Value add0 = where45 + where46;
  const Value where47 = aten::where(condition(logical_or0, reads[0]), add0 * where8, 0);
  const Value mul6 = where5 * (where22 * where21) * (4 * (sigmoid2 * sigmoid3));
  const Value where48 = aten::where(condition(has_grad_grad_alpha, reads[0]), mul6, 0);
  const Value mul7 = 2 * (where32 * where31);
  const Value sigmoid8 = aten::sigmoid(mul7);
  const Value sigmoid9 = aten::sigmoid(-mul7);
  const Value where49 = aten::where(condition(has_grad_grad_gamma, reads[0]), where34 * where33 * (4
      * (sigmoid8 * sigmoid9)), 0);
  const Value mul8 = 2 * mul0;
  const Value sigmoid10 = aten::sigmoid(mul8);
  const Value sigmoid11 = aten::sigmoid(-mul8);
  const Value mul9 = 4 * (sigmoid10 * sigmoid11) * (where41 + where42);
  const Value where50 = aten::where(condition(logical_or0, reads[0]), mul9 * (-2 * tanh1), 0);
  const Value add1 = where50 + where49;
  const Value where51 = aten::where(condition(logical_or1, reads[0]), add1 * where25, 0);
  const Value mul10 = where2 * (where44 * where43) * (4 * (sigmoid0 * sigmoid1));
  const Value where52 = aten::where(condition(has_grad_grad_x, reads[0]), mul10, 0);
  const Value where53 = aten::where(condition(logical_or1, reads[0]), add1 * where24, 0);
  writes[0] = grad_grad_beta + where47 + where20;
  writes[1] = where48 + where51;
  writes[2] = where52 + where53;
  writes[3] = aten::where(condition(logical_or0, reads[0]), add0 * where23, 0);
}

const Pass kDoubleBackward = {
    .schema = "dyt_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_alpha, Tensor? "
              "grad_grad_gamma, Tensor? grad_grad_beta, Tensor? grad_out, Tensor? x, Tensor? "
              "alpha, Tensor? gamma, bool[4] needs) -> (Tensor, Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_alpha", .optional = true},
               {.name = "grad_grad_gamma", .optional = true},
               {.name = "grad_grad_beta", .optional = true},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "alpha"},
               {.name = "gamma"}},
    .outputs = {{.name = "grad_grad_out", .like = 4, .reads = {0, 1, 2, 3, 5, 6, 7}},
                {.name = "grad_x", .like = 5, .reads = {0, 1, 2, 4, 5, 6, 7}},
                {.name = "grad_alpha", .like = 6, .reads = {0, 1, 2, 4, 5, 6, 7}},
                {.name = "grad_gamma", .like = 7, .reads = {0, 1, 4, 5, 6}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .arrivals = {0, 1, 2},
};

const Pass kBackward = {
    .schema = "dyt_backward(Tensor grad_out, Tensor? x, Tensor? alpha, Tensor? gamma, Tensor? "
              "beta, bool[4] needs) -> (Tensor, Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_out"},
               {.name = "x"},
               {.name = "alpha"},
               {.name = "gamma"},
               {.name = "beta", .shape_only = true}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2, 3}},
                {.name = "grad_alpha", .like = 2, .reads = {0, 1, 2, 3}},
                {.name = "grad_gamma", .like = 3, .reads = {0, 1, 2}},
                {.name = "grad_beta", .like = 4, .reads = {0}, .equal_input = 0}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1, 2, 3},
};

const Pass kForward = {
    .schema = "dyt(Tensor x, Tensor alpha, Tensor gamma, Tensor? beta=None) -> Tensor",
    .inputs = {{.name = "x"},
               {.name = "alpha"},
               {.name = "gamma"},
               {.name = "beta", .optional = true}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1, 2},
    .saved_shapes = {3},
    .gradients = {0, 1, 2, 3},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::dyt
