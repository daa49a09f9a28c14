// Generated from specs/activations/snake_beta.yaml by `fusewise generate`. Do not edit.
// The formulas stand in snake_beta.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::snake_beta {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& alpha = reads[1];
  const Value& beta = reads[2];
  const Value sin0 = aten::sin(alpha * x);
  const Value square0 = aten::square(sin0);
  writes[0] = x + square0 / beta;
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& alpha = reads[2];
  const Value& beta = reads[3];
  const Value mul0 = alpha * x;
  const Value sin0 = aten::sin(mul0);
  const Value square0 = aten::square(sin0);
  const Value sin1 = aten::sin(2 * mul0);
  const Value mul1 = grad_out / beta * sin1;
  writes[0] = grad_out + mul1 * alpha;
  writes[1] = mul1 * x;
  writes[2] = -(square0 / beta / beta * grad_out);
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_alpha = reads[1];
  const Value& grad_grad_beta = reads[2];
  const Value& grad_out = reads[3];
  const Value& x = reads[4];
  const Value& alpha = reads[5];
  const Value& beta = reads[6];
  const bool has_grad_grad_x = params[0].as<bool>();
  const bool has_grad_grad_alpha = params[1].as<bool>();
  const bool has_grad_grad_beta = params[2].as<bool>();
  const bool logical_or0 = has_grad_grad_x | has_grad_grad_alpha;
  const Value stop_grad0 = aten::detach(x);
  const Value where0 = aten::where(condition(has_grad_grad_beta, reads[0]), x, stop_grad0);
  const Value stop_grad1 = aten::detach(alpha);
  const Value where1 = aten::where(condition(has_grad_grad_beta, reads[0]), alpha, stop_grad1);
  const Value stop_grad2 = aten::detach(beta);
  const Value where2 = aten::where(condition(has_grad_grad_beta, reads[0]), beta, stop_grad2);
  const Value mul0 = where1 * where0;
  const Value stop_grad3 = aten::detach(grad_grad_beta);
  const Value where3 = aten::where(condition(has_grad_grad_beta, reads[0]), grad_grad_beta,
      stop_grad3);
  const Value where4 = aten::where(condition(logical_or0, reads[0]), x, stop_grad0);
  const Value where5 = aten::where(condition(logical_or0, reads[0]), alpha, stop_grad1);
  const Value where6 = aten::where(condition(logical_or0, reads[0]), beta, stop_grad2);
  const Value mul1 = where5 * where4;
  const Value stop_grad4 = aten::detach(grad_grad_x);
  const Value where7 = aten::where(condition(logical_or0, reads[0]), grad_grad_x, stop_grad4);
  const Value stop_grad5 = aten::detach(grad_grad_alpha);
  const Value where8 = aten::where(condition(logical_or0, reads[0]), grad_grad_alpha, stop_grad5);
  const Value where9 = aten::where(condition(has_grad_grad_x, reads[0]), where7 * where5, 0);
  const Value where10 = aten::where(condition(has_grad_grad_alpha, reads[0]), where8 * where4, 0);
  const Value add0 = where9 + where10;
  const Value where11 = aten::where(condition(has_grad_grad_alpha, reads[0]), x, stop_grad0);
  const Value where12 = aten::where(condition(has_grad_grad_alpha, reads[0]), alpha, stop_grad1);
  const Value where13 = aten::where(condition(has_grad_grad_alpha, reads[0]), beta, stop_grad2);
  const Value stop_grad6 = aten::detach(grad_out);
  const Value where14 = aten::where(condition(has_grad_grad_alpha, reads[0]), grad_out, stop_grad6);
  const Value where15 = aten::where(condition(has_grad_grad_alpha, reads[0]), grad_grad_alpha,
      stop_grad5);
  const Value where16 = aten::where(condition(logical_or0, reads[0]), grad_out, stop_grad6);
  const Value div0 = where16 / where6;
  const Value where17 = aten::where(condition(has_grad_grad_beta, reads[0]), grad_out, stop_grad6);
  const Value mul2 = where3 * where17;
  const Value div1 = mul2 / where2;
  const Value where18 = aten::where(condition(has_grad_grad_x, reads[0]), x, stop_grad0);
  const Value where19 = aten::where(condition(has_grad_grad_x, reads[0]), alpha, stop_grad1);
  const Value where20 = aten::where(condition(has_grad_grad_x, reads[0]), beta, stop_grad2);
  const Value where21 = aten::where(condition(has_grad_grad_x, reads[0]), grad_out, stop_grad6);
  const Value where22 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_x, stop_grad4);
  const Value sin0 = aten::sin(mul0);
  const Value square0 = aten::square(sin0);
  const Value div2 = square0 / where2 / where2;
  const Value where23 = aten::where(condition(has_grad_grad_beta, reads[0]), -(where3 * div2), 0);
  const Value sin1 = aten::sin(2 * mul1);
  const Value mul3 = add0 * sin1;
  const Value where24 = aten::where(condition(logical_or0, reads[0]), mul3 / where6, 0);
  const Value sin2 = aten::sin(2 * (where12 * where11));
  const Value where25 = aten::where(condition(has_grad_grad_alpha, reads[0]), where15 * (where14 /
      where13 * sin2), 0);
  const Value sin3 = aten::sin(mul1);
  const Value square1 = aten::square(sin3);
  const Value where26 = aten::where(condition(logical_or0, reads[0]), add0 * div0 * (2 - 4 *
      square1), 0);
  const Value sin4 = aten::sin(2 * mul0);
  const Value where27 = aten::where(condition(has_grad_grad_beta, reads[0]), -(div1 / where2 *
      sin4), 0);
  const Value add1 = where26 + where27;
  const Value sin5 = aten::sin(2 * (where19 * where18));
  const Value where28 = aten::where(condition(has_grad_grad_x, reads[0]), where22 * (where21 /
      where20 * sin5), 0);
  const Value where29 = aten::where(condition(logical_or0, reads[0]), -(div0 / where6 * mul3), 0);
  const Value where30 = aten::where(condition(has_grad_grad_beta, reads[0]), div2 / where2 * mul2 +
      div2 * div1, 0);
  writes[0] = grad_grad_x + where23 + where24;
  writes[1] = where25 + add1 * alpha;
  writes[2] = where28 + add1 * x;
  writes[3] = where30 + where29;
}

const Pass kDoubleBackward = {
    .schema = "snake_beta_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_alpha, Tensor? "
              "grad_grad_beta, Tensor? grad_out, Tensor? x, Tensor? alpha, Tensor? beta, bool[4] "
              "needs) -> (Tensor, Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_alpha", .optional = true},
               {.name = "grad_grad_beta", .optional = true},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "alpha"},
               {.name = "beta"}},
    .outputs = {{.name = "grad_grad_out", .like = 3, .reads = {0, 1, 2, 4, 5, 6}},
                {.name = "grad_x", .like = 4, .reads = {0, 1, 2, 3, 4, 5, 6}},
                {.name = "grad_alpha", .like = 5, .reads = {0, 1, 2, 3, 4, 5, 6}},
                {.name = "grad_beta", .like = 6, .reads = {0, 1, 2, 3, 4, 5, 6}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .arrivals = {0, 1, 2},
};

const Pass kBackward = {
    .schema = "snake_beta_backward(Tensor grad_out, Tensor? x, Tensor? alpha, Tensor? beta, "
              "bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_out"}, {.name = "x"}, {.name = "alpha"}, {.name = "beta"}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2, 3}},
                {.name = "grad_alpha", .like = 2, .reads = {0, 1, 2, 3}},
                {.name = "grad_beta", .like = 3, .reads = {0, 1, 2, 3}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1, 2, 3},
};

const Pass kForward = {
    .schema = "snake_beta(Tensor x, Tensor alpha, Tensor beta) -> Tensor",
    .inputs = {{.name = "x"}, {.name = "alpha"}, {.name = "beta"}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::snake_beta
