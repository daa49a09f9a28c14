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
  const Value where4 = aten::where(gt0, stop_grad3, grad_out);
  const Value where5 = aten::where(gt0, grad_out, stop_grad3);
  const Value sigmoid0 = aten::sigmoid(where1);
  const Value sigmoid1 = aten::sigmoid(where3);
  const Value where6 = aten::where(gt0, 0, where4 * (beta - logsigmoid1) * expm1_0);
  const Value where7 = aten::where(gt0, -(logsigmoid0 * where5 * (2 * where0)), 0);
  writes[0] = where6 + grad_out * beta + where7;
  writes[1] = aten::where(gt0, where5 * square0 * sigmoid0, 0);
  writes[2] = aten::where(gt0, 0, where4 * (expm1_0 - where2) * sigmoid1);
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
  const Value gt0 = x > 0;
  const Value stop_grad0 = aten::detach(x);
  const Value where0 = aten::where(gt0, x, stop_grad0);
  const Value stop_grad1 = aten::detach(alpha_p);
  const Value where1 = aten::where(gt0, alpha_p, stop_grad1);
  const Value square0 = aten::square(where0);
  const Value where2 = aten::where(gt0, stop_grad0, x);
  const Value stop_grad2 = aten::detach(alpha_n);
  const Value where3 = aten::where(gt0, stop_grad2, alpha_n);
  const Value neg0 = -where1;
  const Value logsigmoid0 = aten::log_sigmoid(neg0);
  const Value neg1 = -where3;
  const Value logsigmoid1 = aten::log_sigmoid(neg1);
  const Value sub0 = beta - logsigmoid1;
  const Value expm1_0 = aten::expm1(where2);
  const Value sub1 = expm1_0 - where2;
  const Value stop_grad3 = aten::detach(grad_out);
  const Value where4 = aten::where(gt0, stop_grad3, grad_out);
  const Value where5 = aten::where(gt0, grad_out, stop_grad3);
  const Value mul0 = 2 * where0;
  const Value sigmoid0 = aten::sigmoid(where1);
  const Value sigmoid1 = aten::sigmoid(where3);
  const Value stop_grad4 = aten::detach(grad_grad_x);
  const Value where6 = aten::where(gt0, grad_grad_x, stop_grad4);
  const Value stop_grad5 = aten::detach(grad_grad_alpha_p);
  const Value where7 = aten::where(gt0, grad_grad_alpha_p, stop_grad5);
  const Value mul1 = where7 * sigmoid0;
  const Value mul2 = where6 * mul0;
  const Value where8 = aten::where(gt0, stop_grad4, grad_grad_x);
  const Value mul3 = where8 * expm1_0;
  const Value stop_grad6 = aten::detach(grad_grad_alpha_n);
  const Value where9 = aten::where(gt0, stop_grad6, grad_grad_alpha_n);
  const Value mul4 = where9 * sigmoid1;
  const Value exp0 = aten::exp(where2);
  const Value where10 = aten::where(gt0, mul1 * square0 - logsigmoid0 * mul2, 0);
  const Value where11 = aten::where(gt0, 0, mul3 * sub0);
  const Value where12 = aten::where(gt0, 0, mul4 * sub1);
  const Value mul5 = logsigmoid0 * where5 * where6 * 2;
  const Value sub2 = mul1 * where5 * mul0 - mul5;
  const Value mul6 = where8 * (where4 * sub0) * exp0;
  const Value sigmoid2 = aten::sigmoid(neg0);
  const Value mul7 = where7 * (where5 * square0) * (sigmoid0 * sigmoid2);
  const Value sigmoid3 = aten::sigmoid(neg1);
  const Value mul8 = where9 * (where4 * sub1) * (sigmoid1 * sigmoid3);
  writes[0] = where10 + grad_grad_x * beta + where11 + where12;
  writes[1] = aten::where(gt0, sub2, mul4 * where4 * expm1_0 + mul6);
  writes[2] = aten::where(gt0, mul7 + mul2 * where5 * sigmoid0, 0);
  writes[3] = aten::where(gt0, 0, mul8 + mul3 * where4 * sigmoid1);
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
