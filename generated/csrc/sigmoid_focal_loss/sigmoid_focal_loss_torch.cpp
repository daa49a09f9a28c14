// Generated from specs/losses/sigmoid_focal_loss.yaml by `fusewise generate`. Do not edit.
// The formulas stand in sigmoid_focal_loss.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::sigmoid_focal_loss {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& target = reads[1];
  const double gamma = params[0].as<double>();
  const double alpha = params[1].as<double>();
  const Value z = aten::where(target, x, -x);
  const Value weight = aten::where(target, constant(alpha, reads[0]), constant(1 - alpha,
      reads[0]));
  const Value logsigmoid0 = aten::log_sigmoid(-z);
  const Value modulation = aten::exp(gamma * logsigmoid0);
  const Value logsigmoid1 = aten::log_sigmoid(z);
  writes[0] = -(weight * modulation * logsigmoid1);
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& target = reads[2];
  const double gamma = params[0].as<double>();
  const double alpha = params[1].as<double>();
  const Value weight = aten::where(target, constant(alpha, reads[0]), constant(1 - alpha,
      reads[0]));
  const Value stop_grad0 = aten::detach(x);
  const Value where0 = aten::where(target, x, stop_grad0);
  const Value where1 = aten::where(target, x, -where0);
  const Value neg0 = -where1;
  const Value logsigmoid0 = aten::log_sigmoid(neg0);
  const Value exp0 = aten::exp(gamma * logsigmoid0);
  const Value logsigmoid1 = aten::log_sigmoid(where1);
  const Value stop_grad1 = aten::detach(grad_out);
  const Value where2 = aten::where(target, grad_out, stop_grad1);
  const Value sigmoid0 = aten::sigmoid(neg0);
  const Value sigmoid1 = aten::sigmoid(where1);
  const Value mul0 = exp0 * sigmoid1 * logsigmoid1 * weight * (where2 * gamma);
  const Value where3 = aten::where(target, stop_grad0, x);
  const Value where4 = aten::where(target, stop_grad0, -where3);
  const Value neg1 = -where4;
  const Value logsigmoid2 = aten::log_sigmoid(neg1);
  const Value exp1 = aten::exp(gamma * logsigmoid2);
  const Value logsigmoid3 = aten::log_sigmoid(where4);
  const Value where5 = aten::where(target, stop_grad1, grad_out);
  const Value sigmoid2 = aten::sigmoid(neg1);
  const Value sigmoid3 = aten::sigmoid(where4);
  const Value mul1 = exp1 * sigmoid3 * logsigmoid3 * weight * (where5 * gamma);
  const Value neg2 = -(mul1 - exp1 * sigmoid2 * weight * where5);
  writes[0] = aten::where(target, mul0 - exp0 * sigmoid0 * weight * where2, neg2);
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_out = reads[1];
  const Value& x = reads[2];
  const Value& target = reads[3];
  const double gamma = params[0].as<double>();
  const double alpha = params[1].as<double>();
  const Value z = aten::where(target, x, -x);
  const Value weight = aten::where(target, constant(alpha, reads[0]), constant(1 - alpha,
      reads[0]));
  const Value neg0 = -z;
  const Value logsigmoid0 = aten::log_sigmoid(neg0);
  const Value modulation = aten::exp(gamma * logsigmoid0);
  const Value logsigmoid1 = aten::log_sigmoid(z);
  const Value sigmoid0 = aten::sigmoid(neg0);
  const Value sigmoid1 = aten::sigmoid(z);
  const Value where0 = aten::where(target, grad_grad_x, -grad_grad_x);
  const Value mul0 = modulation * sigmoid1 * where0 * logsigmoid1 * weight * gamma;
  const Value stop_grad0 = aten::detach(x);
  const Value where1 = aten::where(target, x, stop_grad0);
  const Value where2 = aten::where(target, x, -where1);
  const Value neg1 = -where2;
  const Value logsigmoid2 = aten::log_sigmoid(neg1);
  const Value exp0 = aten::exp(gamma * logsigmoid2);
  const Value logsigmoid3 = aten::log_sigmoid(where2);
  const Value stop_grad1 = aten::detach(grad_out);
  const Value where3 = aten::where(target, grad_out, stop_grad1);
  const Value sigmoid2 = aten::sigmoid(neg1);
  const Value sigmoid3 = aten::sigmoid(where2);
  const Value mul1 = where3 * gamma;
  const Value where4 = aten::where(target, stop_grad0, x);
  const Value where5 = aten::where(target, stop_grad0, -where4);
  const Value neg2 = -where5;
  const Value logsigmoid4 = aten::log_sigmoid(neg2);
  const Value exp1 = aten::exp(gamma * logsigmoid4);
  const Value logsigmoid5 = aten::log_sigmoid(where5);
  const Value where6 = aten::where(target, stop_grad1, grad_out);
  const Value sigmoid4 = aten::sigmoid(neg2);
  const Value sigmoid5 = aten::sigmoid(where5);
  const Value mul2 = where6 * gamma;
  const Value stop_grad2 = aten::detach(grad_grad_x);
  const Value where7 = aten::where(target, grad_grad_x, stop_grad2);
  const Value where8 = aten::where(target, grad_grad_x, -where7);
  const Value mul3 = exp0 * sigmoid3 * where8 * weight * logsigmoid3;
  const Value mul4 = exp0 * sigmoid2 * where8 * weight * mul1;
  const Value mul5 = (mul3 * (mul1 * gamma) - mul4) * sigmoid3;
  const Value where9 = aten::where(target, stop_grad2, grad_grad_x);
  const Value where10 = aten::where(target, stop_grad2, -where9);
  const Value mul6 = exp1 * sigmoid5 * where10 * weight * logsigmoid5;
  const Value mul7 = exp1 * sigmoid4 * where10 * weight * mul2;
  const Value mul8 = (mul6 * (mul2 * gamma) - mul7) * sigmoid5;
  const Value mul9 = exp0 * (sigmoid3 * sigmoid2) * where8 * weight;
  const Value add0 = mul9 * logsigmoid3 * mul1 + mul9 * mul1;
  const Value mul10 = exp1 * (sigmoid5 * sigmoid4) * where10 * weight;
  const Value add1 = mul10 * logsigmoid5 * mul2 + mul10 * mul2;
  const Value neg3 = -(add1 - (mul8 - mul10 * where6));
  writes[0] = mul0 - modulation * sigmoid0 * where0 * weight;
  writes[1] = aten::where(target, add0 - (mul5 - mul9 * where3), neg3);
}

const Pass kDoubleBackward = {
    .schema = "sigmoid_focal_loss_double_backward(Tensor grad_grad_x, Tensor? grad_out, Tensor? "
              "x, Tensor? target, *, float gamma, float alpha, bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x"},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "target", .kind = Kind::kBool}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2, 3}},
                {.name = "grad_x", .like = 2, .reads = {0, 1, 2, 3}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "sigmoid_focal_loss_backward(Tensor grad_out, Tensor? x, Tensor? target, *, float "
              "gamma, float alpha, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_out"}, {.name = "x"}, {.name = "target", .kind = Kind::kBool}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1},
};

const Pass kForward = {
    .schema = "sigmoid_focal_loss(Tensor x, Tensor target, *, float gamma=2, float alpha=0.25) ->"
              " Tensor",
    .inputs = {{.name = "x"}, {.name = "target", .kind = Kind::kBool}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::sigmoid_focal_loss
