// Generated from specs/activations/xielu.yaml by `fusewise generate`. Do not edit.
// The formulas stand in xielu.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::xielu {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& alpha_p = reads[1];
  const Value& alpha_n = reads[2];
  const double beta = params[0].as<double>();
  const Value gt0 = x > 0;
  const Value stop_grad0 = aten::detach(x);
  const Value where0 = aten::where(gt0, x, stop_grad0);
  const Value stop_grad1 = aten::detach(alpha_p);
  const Value where1 = aten::where(gt0, alpha_p, stop_grad1);
  const Value square0 = aten::square(where0);
  const Value where2 = aten::where(gt0, stop_grad0, x);
  const Value stop_grad2 = aten::detach(alpha_n);
  const Value where3 = aten::where(gt0, stop_grad2, alpha_n);
  const Value logsigmoid0 = aten::log_sigmoid(-where1);
  const Value logsigmoid1 = aten::log_sigmoid(-where3);
  const Value expm1_0 = aten::expm1(where2);
  const Value add0 = (beta - logsigmoid1) * (expm1_0 - where2) + beta * where2;
  writes[0] = aten::where(gt0, beta * where0 - logsigmoid0 * square0, add0);
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& alpha_p = reads[2];
  const Value& alpha_n = reads[3];
  const double beta = params[0].as<double>();
  const Value gt0 = x > 0;
  const Value stop_grad0 = aten::detach(x);
  const Value where0 = aten::where(gt0, x, stop_grad0);
  const Value stop_grad1 = aten::detach(alpha_p);
  const Value where1 = aten::where(gt0, alpha_p, stop_grad1);
  const Value square0 = aten::square(where0);
  const Value where2 = aten::where(gt0, stop_grad0, x);
  const Value stop_grad2 = aten::detach(alpha_n);
  const Value where3 = aten::where(gt0, stop_grad2, alpha_n);
  const Value logsigmoid0 = aten::log_sigmoid(-where1);
  const Value logsigmoid1 = aten::log_sigmoid(-where3);
  const Value expm1_0 = aten::expm1(where2);
  const Value stop_grad3 = aten::detach(grad_out);
  const Value where4 = aten::where(gt0, grad_out, stop_grad3);
  const Value where5 = aten::where(gt0, stop_grad3, grad_out);
  const Value sigmoid0 = aten::sigmoid(where1);
  const Value sigmoid1 = aten::sigmoid(where3);
  const Value neg0 = -(logsigmoid0 * where4 * (2 * where0));
  const Value where6 = aten::where(gt0, neg0, where5 * (beta - logsigmoid1) * expm1_0);
  writes[0] = where6 + grad_out * beta;
  writes[1] = aten::where(gt0, where4 * square0 * sigmoid0, 0);
  writes[2] = aten::where(gt0, 0, where5 * (expm1_0 - where2) * sigmoid1);
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_alpha_p = reads[1];
  const Value& grad_grad_alpha_n = reads[2];
  const Value& grad_out = reads[3];
  const Value& x = reads[4];
  const Value& alpha_p = reads[5];
  const Value& alpha_n = reads[6];
  const double beta = params[0].as<double>();
  const bool has_grad_grad_x = params[1].as<bool>();
  const bool has_grad_grad_alpha_p = params[2].as<bool>();
  const bool has_grad_grad_alpha_n = params[3].as<bool>();
  const Value gt0 = x > 0;
  const Value where0 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_x * beta, 0);
  const Value stop_grad0 = aten::detach(x);
  const Value where1 = aten::where(gt0, x, stop_grad0);
  const Value stop_grad1 = aten::detach(alpha_p);
  const Value where2 = aten::where(gt0, alpha_p, stop_grad1);
  const Value where3 = aten::where(gt0, stop_grad0, x);
  const Value stop_grad2 = aten::detach(alpha_n);
  const Value where4 = aten::where(gt0, stop_grad2, alpha_n);
  const Value stop_grad3 = aten::detach(grad_out);
  const Value where5 = aten::where(gt0, grad_out, stop_grad3);
  const Value where6 = aten::where(gt0, stop_grad3, grad_out);
  const Value stop_grad4 = aten::detach(grad_grad_x);
  const Value stop_grad5 = aten::detach(grad_grad_alpha_p);
  const Value stop_grad6 = aten::detach(grad_grad_alpha_n);
  const Value where7 = aten::where(gt0, grad_grad_x, stop_grad4);
  const Value where8 = aten::where(gt0, grad_grad_alpha_p, stop_grad5);
  const Value stop_grad7 = aten::detach(where1);
  const Value where9 = aten::where(condition(has_grad_grad_x, reads[0]), where1, stop_grad7);
  const Value stop_grad8 = aten::detach(where2);
  const Value where10 = aten::where(condition(has_grad_grad_x, reads[0]), where2, stop_grad8);
  const Value stop_grad9 = aten::detach(where7);
  const Value where11 = aten::where(condition(has_grad_grad_x, reads[0]), where7, stop_grad9);
  const Value mul0 = where11 * (2 * where9);
  const Value where12 = aten::where(condition(has_grad_grad_alpha_p, reads[0]), where1, stop_grad7);
  const Value where13 = aten::where(condition(has_grad_grad_alpha_p, reads[0]), where2, stop_grad8);
  const Value square0 = aten::square(where12);
  const Value sigmoid0 = aten::sigmoid(where13);
  const Value stop_grad10 = aten::detach(where8);
  const Value where14 = aten::where(condition(has_grad_grad_alpha_p, reads[0]), where8,
      stop_grad10);
  const Value mul1 = where14 * sigmoid0;
  const Value where15 = aten::where(condition(has_grad_grad_alpha_p, reads[0]), mul1 * square0, 0);
  const Value where16 = aten::where(gt0, stop_grad4, grad_grad_x);
  const Value where17 = aten::where(gt0, stop_grad6, grad_grad_alpha_n);
  const Value stop_grad11 = aten::detach(where3);
  const Value where18 = aten::where(condition(has_grad_grad_x, reads[0]), where3, stop_grad11);
  const Value stop_grad12 = aten::detach(where4);
  const Value where19 = aten::where(condition(has_grad_grad_x, reads[0]), where4, stop_grad12);
  const Value expm1_0 = aten::expm1(where18);
  const Value stop_grad13 = aten::detach(where16);
  const Value where20 = aten::where(condition(has_grad_grad_x, reads[0]), where16, stop_grad13);
  const Value mul2 = where20 * expm1_0;
  const Value where21 = aten::where(condition(has_grad_grad_alpha_n, reads[0]), where3,
      stop_grad11);
  const Value where22 = aten::where(condition(has_grad_grad_alpha_n, reads[0]), where4,
      stop_grad12);
  const Value sigmoid1 = aten::sigmoid(where22);
  const Value stop_grad14 = aten::detach(where17);
  const Value where23 = aten::where(condition(has_grad_grad_alpha_n, reads[0]), where17,
      stop_grad14);
  const Value mul3 = where23 * sigmoid1;
  const Value stop_grad15 = aten::detach(where5);
  const Value where24 = aten::where(condition(has_grad_grad_x, reads[0]), where5, stop_grad15);
  const Value where25 = aten::where(condition(has_grad_grad_alpha_p, reads[0]), where5,
      stop_grad15);
  const Value where26 = aten::where(condition(has_grad_grad_alpha_p, reads[0]), mul1 * where25 * (2
      * where12), 0);
  const Value expm1_1 = aten::expm1(where21);
  const Value stop_grad16 = aten::detach(where6);
  const Value where27 = aten::where(condition(has_grad_grad_alpha_n, reads[0]), where6,
      stop_grad16);
  const Value where28 = aten::where(condition(has_grad_grad_alpha_n, reads[0]), mul3 * where27 *
      expm1_1, 0);
  const Value where29 = aten::where(condition(has_grad_grad_x, reads[0]), where6, stop_grad16);
  const Value exp0 = aten::exp(where18);
  const Value sigmoid2 = aten::sigmoid(where10);
  const Value where30 = aten::where(condition(has_grad_grad_x, reads[0]), mul0 * where24 * sigmoid2,
      0);
  const Value sigmoid3 = aten::sigmoid(where19);
  const Value where31 = aten::where(condition(has_grad_grad_x, reads[0]), mul2 * where29 * sigmoid3,
      0);
  const Value logsigmoid0 = aten::log_sigmoid(-where10);
  const Value where32 = aten::where(condition(has_grad_grad_x, reads[0]), -(logsigmoid0 * mul0), 0);
  const Value logsigmoid1 = aten::log_sigmoid(-where19);
  const Value sub0 = beta - logsigmoid1;
  const Value where33 = aten::where(condition(has_grad_grad_x, reads[0]), mul2 * sub0, 0);
  const Value sub1 = expm1_1 - where21;
  const Value where34 = aten::where(condition(has_grad_grad_alpha_n, reads[0]), mul3 * sub1, 0);
  const Value where35 = aten::where(gt0, where32 + where15, where33 + where34);
  const Value where36 = aten::where(condition(has_grad_grad_x, reads[0]), -(logsigmoid0 * where24 *
      where11 * 2), 0);
  const Value where37 = aten::where(condition(has_grad_grad_x, reads[0]), where20 * (where29 * sub0)
      * exp0, 0);
  const Value sigmoid4 = aten::sigmoid(-where13);
  const Value where38 = aten::where(condition(has_grad_grad_alpha_p, reads[0]), where14 * (where25 *
      square0) * (sigmoid0 * sigmoid4), 0);
  const Value sigmoid5 = aten::sigmoid(-where22);
  const Value where39 = aten::where(condition(has_grad_grad_alpha_n, reads[0]), where23 * (where27 *
      sub1) * (sigmoid1 * sigmoid5), 0);
  writes[0] = where35 + where0;
  writes[1] = aten::where(gt0, where36 + where26, where28 + where37);
  writes[2] = aten::where(gt0, where38 + where30, 0);
  writes[3] = aten::where(gt0, 0, where39 + where31);
}

const Pass kDoubleBackward = {
    .schema = "xielu_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_alpha_p, Tensor? "
              "grad_grad_alpha_n, Tensor? grad_out, Tensor? x, Tensor? alpha_p, Tensor? alpha_n, "
              "*, float beta, bool[4] needs) -> (Tensor, Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_alpha_p", .optional = true},
               {.name = "grad_grad_alpha_n", .optional = true},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "alpha_p"},
               {.name = "alpha_n"}},
    .outputs = {{.name = "grad_grad_out", .like = 3, .reads = {0, 1, 2, 4, 5, 6}},
                {.name = "grad_x", .like = 4, .reads = {0, 1, 2, 3, 4, 5, 6}},
                {.name = "grad_alpha_p", .like = 5, .reads = {0, 1, 3, 4, 5}},
                {.name = "grad_alpha_n", .like = 6, .reads = {0, 2, 3, 4, 6}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .arrivals = {0, 1, 2},
};

const Pass kBackward = {
    .schema = "xielu_backward(Tensor grad_out, Tensor? x, Tensor? alpha_p, Tensor? alpha_n, *, "
              "float beta, bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_out"}, {.name = "x"}, {.name = "alpha_p"}, {.name = "alpha_n"}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2, 3}},
                {.name = "grad_alpha_p", .like = 2, .reads = {0, 1, 2}},
                {.name = "grad_alpha_n", .like = 3, .reads = {0, 1, 3}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1, 2, 3},
};

const Pass kForward = {
    .schema = "xielu(Tensor x, Tensor alpha_p, Tensor alpha_n, *, float beta=0.5) -> Tensor",
    .inputs = {{.name = "x"}, {.name = "alpha_p"}, {.name = "alpha_n"}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::xielu
