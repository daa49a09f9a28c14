// Generated from specs/activations/bias_act.yaml by `fusewise generate`. Do not edit.
// The formulas stand in bias_act.math.h.
#include <ATen/ops/clamp.h>
#include <ATen/ops/detach.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/expm1.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/selu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/where.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::bias_act {

KernelFunction act_3_forward_cpu, act_3_forward_cuda;
KernelFunction act_3_backward_cpu, act_3_backward_cuda;
KernelFunction act_3_double_backward_cpu, act_3_double_backward_cuda;
KernelFunction act_1_forward_cpu, act_1_forward_cuda;
KernelFunction act_1_backward_cpu, act_1_backward_cuda;
KernelFunction act_1_double_backward_cpu, act_1_double_backward_cuda;
KernelFunction act_2_forward_cpu, act_2_forward_cuda;
KernelFunction act_2_backward_cpu, act_2_backward_cuda;
KernelFunction act_2_double_backward_cpu, act_2_double_backward_cuda;
KernelFunction act_4_forward_cpu, act_4_forward_cuda;
KernelFunction act_4_backward_cpu, act_4_backward_cuda;
KernelFunction act_4_double_backward_cpu, act_4_double_backward_cuda;
KernelFunction act_5_forward_cpu, act_5_forward_cuda;
KernelFunction act_5_backward_cpu, act_5_backward_cuda;
KernelFunction act_5_double_backward_cpu, act_5_double_backward_cuda;
KernelFunction act_6_forward_cpu, act_6_forward_cuda;
KernelFunction act_6_backward_cpu, act_6_backward_cuda;
KernelFunction act_6_double_backward_cpu, act_6_double_backward_cuda;
KernelFunction act_7_forward_cpu, act_7_forward_cuda;
KernelFunction act_7_backward_cpu, act_7_backward_cuda;
KernelFunction act_7_double_backward_cpu, act_7_double_backward_cuda;
KernelFunction act_8_forward_cpu, act_8_forward_cuda;
KernelFunction act_8_backward_cpu, act_8_backward_cuda;
KernelFunction act_8_double_backward_cpu, act_8_double_backward_cuda;
KernelFunction act_9_forward_cpu, act_9_forward_cuda;
KernelFunction act_9_backward_cpu, act_9_backward_cuda;
KernelFunction act_9_double_backward_cpu, act_9_double_backward_cuda;

namespace {

void act_3_forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& x = reads[0];
  const Tensor& bias = reads[1];
  const double alpha = params[0].as<double>();
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Tensor b = x + bias;
  const Tensor activated = at::where(b > 0, b, alpha * b);
  writes[0] = at::clamp(activated * gain, -limit, limit);
}

void act_3_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_out = reads[0];
  const Tensor& x = reads[1];
  const Tensor& bias = reads[2];
  const double alpha = params[0].as<double>();
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Tensor b = x + bias;
  const double neg0 = -limit;
  const Tensor gt0 = b > 0;
  const Tensor stop_grad0 = at::detach(x);
  const Tensor where0 = at::where(gt0, x, stop_grad0);
  const Tensor stop_grad1 = at::detach(bias);
  const Tensor where1 = at::where(gt0, bias, stop_grad1);
  const Tensor add0 = where0 + where1;
  const Tensor stop_grad2 = at::detach(grad_out);
  const Tensor where2 = at::where(gt0, grad_out, stop_grad2);
  const Tensor where3 = at::where(gt0, stop_grad0, x);
  const Tensor where4 = at::where(gt0, stop_grad1, bias);
  const Tensor add1 = where3 + where4;
  const Tensor where5 = at::where(gt0, stop_grad2, grad_out);
  const Tensor where6 = at::where(add0 > 0, add0, alpha * add0);
  const Tensor mul0 = where6 * gain;
  const Tensor where7 = at::where(at::logical_and(mul0 >= neg0, mul0 <= limit), where2 * gain, 0);
  const Tensor where8 = at::where(add1 > 0, add1, alpha * add1);
  const Tensor mul1 = where8 * gain;
  const Tensor logical_and0 = at::logical_and(mul1 >= neg0, mul1 <= limit);
  const Tensor where9 = at::where(logical_and0, where5 * gain * alpha, 0);
  const Tensor where10 = at::where(gt0, where7, where9);
  writes[0] = where10;
  writes[1] = where10;
}

void act_3_double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_x = reads[0];
  const Tensor& grad_grad_bias = reads[1];
  const Tensor& x = reads[3];
  const Tensor& bias = reads[4];
  const double alpha = params[0].as<double>();
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Tensor b = x + bias;
  const Tensor activated = at::where(b > 0, b, alpha * b);
  const Tensor mul0 = activated * gain;
  const Tensor logical_and0 = at::logical_and(mul0 >= -limit, mul0 <= limit);
  const Tensor stop_grad0 = at::detach(x);
  const Tensor stop_grad1 = at::detach(bias);
  const Tensor stop_grad2 = at::detach(grad_grad_x);
  const Tensor stop_grad3 = at::detach(grad_grad_bias);
  const Tensor where0 = at::where(logical_and0, x, stop_grad0);
  const Tensor where1 = at::where(logical_and0, bias, stop_grad1);
  const Tensor where2 = at::where(logical_and0, grad_grad_x, stop_grad2);
  const Tensor where3 = at::where(logical_and0, grad_grad_bias, stop_grad3);
  const Tensor add0 = where2 + where3;
  const Tensor where4 = at::where(where0 + where1 > 0, add0, add0 * alpha);
  writes[0] = at::where(logical_and0, where4 * gain, 0);
}

void act_1_forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& x = reads[0];
  const Tensor& bias = reads[1];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Tensor activated = x + bias;
  writes[0] = at::clamp(activated * gain, -limit, limit);
}

void act_1_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_out = reads[0];
  const Tensor& x = reads[1];
  const Tensor& bias = reads[2];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Tensor activated = x + bias;
  const Tensor mul0 = activated * gain;
  const Tensor logical_and0 = at::logical_and(mul0 >= -limit, mul0 <= limit);
  const Tensor where0 = at::where(logical_and0, grad_out * gain, 0);
  writes[0] = where0;
  writes[1] = where0;
}

void act_1_double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_x = reads[0];
  const Tensor& grad_grad_bias = reads[1];
  const Tensor& x = reads[3];
  const Tensor& bias = reads[4];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Tensor activated = x + bias;
  const Tensor mul0 = activated * gain;
  const Tensor logical_and0 = at::logical_and(mul0 >= -limit, mul0 <= limit);
  writes[0] = at::where(logical_and0, (grad_grad_x + grad_grad_bias) * gain, 0);
}

void act_2_forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& x = reads[0];
  const Tensor& bias = reads[1];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Tensor b = x + bias;
  const Tensor activated = at::relu(b);
  writes[0] = at::clamp(activated * gain, -limit, limit);
}

void act_2_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_out = reads[0];
  const Tensor& x = reads[1];
  const Tensor& bias = reads[2];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Tensor b = x + bias;
  const Tensor activated = at::relu(b);
  const Tensor le0 = activated <= 0;
  const Tensor stop_grad0 = at::detach(x);
  const Tensor where0 = at::where(le0, stop_grad0, x);
  const Tensor stop_grad1 = at::detach(bias);
  const Tensor where1 = at::where(le0, stop_grad1, bias);
  const Tensor relu0 = at::relu(where0 + where1);
  const Tensor mul0 = relu0 * gain;
  const Tensor stop_grad2 = at::detach(grad_out);
  const Tensor where2 = at::where(le0, stop_grad2, grad_out);
  const Tensor logical_and0 = at::logical_and(mul0 >= -limit, mul0 <= limit);
  const Tensor where3 = at::where(logical_and0, where2 * gain, 0);
  const Tensor where4 = at::where(le0, 0, where3);
  writes[0] = where4;
  writes[1] = where4;
}

void act_2_double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_x = reads[0];
  const Tensor& grad_grad_bias = reads[1];
  const Tensor& x = reads[3];
  const Tensor& bias = reads[4];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Tensor b = x + bias;
  const Tensor activated = at::relu(b);
  const Tensor mul0 = activated * gain;
  const Tensor logical_and0 = at::logical_and(mul0 >= -limit, mul0 <= limit);
  const Tensor stop_grad0 = at::detach(x);
  const Tensor stop_grad1 = at::detach(bias);
  const Tensor where0 = at::where(logical_and0, x, stop_grad0);
  const Tensor where1 = at::where(logical_and0, bias, stop_grad1);
  const Tensor relu0 = at::relu(where0 + where1);
  const Tensor stop_grad2 = at::detach(grad_grad_x);
  const Tensor where2 = at::where(logical_and0, grad_grad_x, stop_grad2);
  const Tensor stop_grad3 = at::detach(grad_grad_bias);
  const Tensor where3 = at::where(logical_and0, grad_grad_bias, stop_grad3);
  const Tensor where4 = at::where(relu0 <= 0, 0, (where2 + where3) * gain);
  writes[0] = at::where(logical_and0, where4, 0);
}

void act_4_forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& x = reads[0];
  const Tensor& bias = reads[1];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Tensor b = x + bias;
  const Tensor activated = at::tanh(b);
  writes[0] = at::clamp(activated * gain, -limit, limit);
}

void act_4_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_out = reads[0];
  const Tensor& x = reads[1];
  const Tensor& bias = reads[2];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Tensor b = x + bias;
  const Tensor activated = at::tanh(b);
  const Tensor mul0 = activated * gain;
  const Tensor logical_and0 = at::logical_and(mul0 >= -limit, mul0 <= limit);
  const Tensor stop_grad0 = at::detach(x);
  const Tensor where0 = at::where(logical_and0, x, stop_grad0);
  const Tensor stop_grad1 = at::detach(bias);
  const Tensor where1 = at::where(logical_and0, bias, stop_grad1);
  const Tensor stop_grad2 = at::detach(grad_out);
  const Tensor where2 = at::where(logical_and0, grad_out, stop_grad2);
  const Tensor mul1 = 2 * (where0 + where1);
  const Tensor sigmoid0 = at::sigmoid(mul1);
  const Tensor sigmoid1 = at::sigmoid(-mul1);
  const Tensor where3 = at::where(logical_and0, where2 * gain * (4 * (sigmoid0 * sigmoid1)), 0);
  writes[0] = where3;
  writes[1] = where3;
}

void act_4_double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_x = reads[0];
  const Tensor& grad_grad_bias = reads[1];
  const Tensor& grad_out = reads[2];
  const Tensor& x = reads[3];
  const Tensor& bias = reads[4];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Tensor b = x + bias;
  const Tensor activated = at::tanh(b);
  const Tensor mul0 = activated * gain;
  const Tensor logical_and0 = at::logical_and(mul0 >= -limit, mul0 <= limit);
  const Tensor stop_grad0 = at::detach(x);
  const Tensor where0 = at::where(logical_and0, x, stop_grad0);
  const Tensor stop_grad1 = at::detach(bias);
  const Tensor where1 = at::where(logical_and0, bias, stop_grad1);
  const Tensor add0 = where0 + where1;
  const Tensor stop_grad2 = at::detach(grad_out);
  const Tensor where2 = at::where(logical_and0, grad_out, stop_grad2);
  const Tensor mul1 = 2 * add0;
  const Tensor sigmoid0 = at::sigmoid(mul1);
  const Tensor sigmoid1 = at::sigmoid(-mul1);
  const Tensor mul2 = 4 * (sigmoid0 * sigmoid1);
  const Tensor stop_grad3 = at::detach(grad_grad_x);
  const Tensor where3 = at::where(logical_and0, grad_grad_x, stop_grad3);
  const Tensor stop_grad4 = at::detach(grad_grad_bias);
  const Tensor where4 = at::where(logical_and0, grad_grad_bias, stop_grad4);
  const Tensor add1 = where3 + where4;
  const Tensor tanh0 = at::tanh(add0);
  const Tensor mul3 = add1 * (where2 * gain) * (-2 * tanh0 * mul2);
  const Tensor where5 = at::where(logical_and0, mul3, 0);
  writes[0] = at::where(logical_and0, add1 * mul2 * gain, 0);
  writes[1] = where5;
  writes[2] = where5;
}

void act_5_forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& x = reads[0];
  const Tensor& bias = reads[1];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Tensor b = x + bias;
  const Tensor activated = at::sigmoid(b);
  writes[0] = at::clamp(activated * gain, -limit, limit);
}

void act_5_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_out = reads[0];
  const Tensor& x = reads[1];
  const Tensor& bias = reads[2];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Tensor b = x + bias;
  const Tensor activated = at::sigmoid(b);
  const Tensor mul0 = activated * gain;
  const Tensor logical_and0 = at::logical_and(mul0 >= -limit, mul0 <= limit);
  const Tensor stop_grad0 = at::detach(x);
  const Tensor where0 = at::where(logical_and0, x, stop_grad0);
  const Tensor stop_grad1 = at::detach(bias);
  const Tensor where1 = at::where(logical_and0, bias, stop_grad1);
  const Tensor add0 = where0 + where1;
  const Tensor stop_grad2 = at::detach(grad_out);
  const Tensor where2 = at::where(logical_and0, grad_out, stop_grad2);
  const Tensor sigmoid0 = at::sigmoid(add0);
  const Tensor sigmoid1 = at::sigmoid(-add0);
  const Tensor where3 = at::where(logical_and0, where2 * gain * (sigmoid0 * sigmoid1), 0);
  writes[0] = where3;
  writes[1] = where3;
}

void act_5_double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_x = reads[0];
  const Tensor& grad_grad_bias = reads[1];
  const Tensor& grad_out = reads[2];
  const Tensor& x = reads[3];
  const Tensor& bias = reads[4];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Tensor b = x + bias;
  const Tensor activated = at::sigmoid(b);
  const Tensor mul0 = activated * gain;
  const Tensor logical_and0 = at::logical_and(mul0 >= -limit, mul0 <= limit);
  const Tensor stop_grad0 = at::detach(x);
  const Tensor where0 = at::where(logical_and0, x, stop_grad0);
  const Tensor stop_grad1 = at::detach(bias);
  const Tensor where1 = at::where(logical_and0, bias, stop_grad1);
  const Tensor add0 = where0 + where1;
  const Tensor stop_grad2 = at::detach(grad_out);
  const Tensor where2 = at::where(logical_and0, grad_out, stop_grad2);
  const Tensor sigmoid0 = at::sigmoid(add0);
  const Tensor sigmoid1 = at::sigmoid(-add0);
  const Tensor mul1 = sigmoid0 * sigmoid1;
  const Tensor stop_grad3 = at::detach(grad_grad_x);
  const Tensor where3 = at::where(logical_and0, grad_grad_x, stop_grad3);
  const Tensor stop_grad4 = at::detach(grad_grad_bias);
  const Tensor where4 = at::where(logical_and0, grad_grad_bias, stop_grad4);
  const Tensor add1 = where3 + where4;
  const Tensor tanh0 = at::tanh(0.5 * add0);
  const Tensor neg0 = -(mul1 * tanh0 * (add1 * (where2 * gain)));
  const Tensor where5 = at::where(logical_and0, neg0, 0);
  writes[0] = at::where(logical_and0, add1 * mul1 * gain, 0);
  writes[1] = where5;
  writes[2] = where5;
}

void act_6_forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& x = reads[0];
  const Tensor& bias = reads[1];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Tensor b = x + bias;
  const Tensor clamp0 = at::clamp(b, -INFINITY, 0);
  const Tensor expm1_0 = at::expm1(clamp0);
  const Tensor activated = at::where(b <= 0, expm1_0, b);
  writes[0] = at::clamp(activated * gain, -limit, limit);
}

void act_6_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_out = reads[0];
  const Tensor& x = reads[1];
  const Tensor& bias = reads[2];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Tensor b = x + bias;
  const double neg0 = -limit;
  const Tensor le0 = b <= 0;
  const Tensor clamp0 = at::clamp(b, -INFINITY, 0);
  const Tensor expm1_0 = at::expm1(clamp0);
  const Tensor activated = at::where(le0, expm1_0, b);
  const Tensor mul0 = activated * gain;
  const Tensor stop_grad0 = at::detach(x);
  const Tensor stop_grad1 = at::detach(bias);
  const Tensor stop_grad2 = at::detach(grad_out);
  const Tensor where0 = at::where(le0, x, stop_grad0);
  const Tensor where1 = at::where(le0, bias, stop_grad1);
  const Tensor where2 = at::where(le0, grad_out, stop_grad2);
  const Tensor stop_grad3 = at::detach(where0);
  const Tensor stop_grad4 = at::detach(where1);
  const Tensor stop_grad5 = at::detach(where2);
  const Tensor where3 = at::where(le0, stop_grad0, x);
  const Tensor where4 = at::where(le0, stop_grad1, bias);
  const Tensor add0 = where3 + where4;
  const Tensor where5 = at::where(le0, stop_grad2, grad_out);
  const Tensor logical_and0 = at::logical_and(mul0 >= neg0, mul0 <= limit);
  const Tensor where6 = at::where(logical_and0, where0, stop_grad3);
  const Tensor where7 = at::where(logical_and0, where1, stop_grad4);
  const Tensor where8 = at::where(logical_and0, where2, stop_grad5);
  const Tensor exp0 = at::exp(where6 + where7);
  const Tensor where9 = at::where(logical_and0, where8 * gain * exp0, 0);
  const Tensor clamp1 = at::clamp(add0, -INFINITY, 0);
  const Tensor expm1_1 = at::expm1(clamp1);
  const Tensor where10 = at::where(add0 <= 0, expm1_1, add0);
  const Tensor mul1 = where10 * gain;
  const Tensor where11 = at::where(at::logical_and(mul1 >= neg0, mul1 <= limit), where5 * gain, 0);
  const Tensor where12 = at::where(le0, where9, where11);
  writes[0] = where12;
  writes[1] = where12;
}

void act_6_double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_x = reads[0];
  const Tensor& grad_grad_bias = reads[1];
  const Tensor& grad_out = reads[2];
  const Tensor& x = reads[3];
  const Tensor& bias = reads[4];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Tensor b = x + bias;
  const Tensor le0 = b <= 0;
  const Tensor clamp0 = at::clamp(b, -INFINITY, 0);
  const Tensor expm1_0 = at::expm1(clamp0);
  const Tensor activated = at::where(le0, expm1_0, b);
  const Tensor mul0 = activated * gain;
  const Tensor stop_grad0 = at::detach(x);
  const Tensor stop_grad1 = at::detach(bias);
  const Tensor stop_grad2 = at::detach(grad_out);
  const Tensor logical_and0 = at::logical_and(mul0 >= -limit, mul0 <= limit);
  const Tensor stop_grad3 = at::detach(grad_grad_x);
  const Tensor stop_grad4 = at::detach(grad_grad_bias);
  const Tensor where0 = at::where(logical_and0, x, stop_grad0);
  const Tensor where1 = at::where(logical_and0, bias, stop_grad1);
  const Tensor where2 = at::where(logical_and0, grad_out, stop_grad2);
  const Tensor where3 = at::where(logical_and0, grad_grad_x, stop_grad3);
  const Tensor where4 = at::where(logical_and0, grad_grad_bias, stop_grad4);
  const Tensor stop_grad5 = at::detach(where0);
  const Tensor where5 = at::where(le0, where0, stop_grad5);
  const Tensor stop_grad6 = at::detach(where1);
  const Tensor where6 = at::where(le0, where1, stop_grad6);
  const Tensor exp0 = at::exp(where5 + where6);
  const Tensor stop_grad7 = at::detach(where3);
  const Tensor where7 = at::where(le0, where3, stop_grad7);
  const Tensor stop_grad8 = at::detach(where4);
  const Tensor where8 = at::where(le0, where4, stop_grad8);
  const Tensor add0 = where7 + where8;
  const Tensor where9 = at::where(le0, stop_grad7, where3);
  const Tensor where10 = at::where(le0, stop_grad8, where4);
  const Tensor where11 = at::where(le0, add0 * exp0, where9 + where10);
  const Tensor stop_grad9 = at::detach(where2);
  const Tensor where12 = at::where(le0, where2, stop_grad9);
  const Tensor where13 = at::where(le0, add0 * (where12 * gain) * exp0, 0);
  const Tensor where14 = at::where(logical_and0, where13, 0);
  writes[0] = at::where(logical_and0, where11 * gain, 0);
  writes[1] = where14;
  writes[2] = where14;
}

void act_7_forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& x = reads[0];
  const Tensor& bias = reads[1];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Tensor b = x + bias;
  const Tensor activated = at::selu(b);
  writes[0] = at::clamp(activated * gain, -limit, limit);
}

void act_7_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_out = reads[0];
  const Tensor& x = reads[1];
  const Tensor& bias = reads[2];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Tensor b = x + bias;
  const Tensor activated = at::selu(b);
  const Tensor mul0 = activated * gain;
  const Tensor logical_and0 = at::logical_and(mul0 >= -limit, mul0 <= limit);
  const Tensor le0 = b <= 0;
  const Tensor stop_grad0 = at::detach(x);
  const Tensor stop_grad1 = at::detach(bias);
  const Tensor where0 = at::where(logical_and0, x, stop_grad0);
  const Tensor where1 = at::where(logical_and0, bias, stop_grad1);
  const Tensor stop_grad2 = at::detach(grad_out);
  const Tensor where2 = at::where(logical_and0, grad_out, stop_grad2);
  const Tensor stop_grad3 = at::detach(where0);
  const Tensor where3 = at::where(le0, where0, stop_grad3);
  const Tensor stop_grad4 = at::detach(where1);
  const Tensor where4 = at::where(le0, where1, stop_grad4);
  const Tensor exp0 = at::exp(where3 + where4);
  const Tensor where5 = at::where(le0, 1.7580993408473768 * exp0, 1.0507009873554805);
  const Tensor where6 = at::where(logical_and0, where2 * gain * where5, 0);
  writes[0] = where6;
  writes[1] = where6;
}

void act_7_double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_x = reads[0];
  const Tensor& grad_grad_bias = reads[1];
  const Tensor& grad_out = reads[2];
  const Tensor& x = reads[3];
  const Tensor& bias = reads[4];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Tensor b = x + bias;
  const Tensor activated = at::selu(b);
  const Tensor mul0 = activated * gain;
  const Tensor logical_and0 = at::logical_and(mul0 >= -limit, mul0 <= limit);
  const Tensor le0 = b <= 0;
  const Tensor stop_grad0 = at::detach(x);
  const Tensor where0 = at::where(le0, x, stop_grad0);
  const Tensor stop_grad1 = at::detach(bias);
  const Tensor where1 = at::where(le0, bias, stop_grad1);
  const Tensor where2 = at::where(logical_and0, x, stop_grad0);
  const Tensor where3 = at::where(logical_and0, bias, stop_grad1);
  const Tensor stop_grad2 = at::detach(grad_out);
  const Tensor stop_grad3 = at::detach(where2);
  const Tensor where4 = at::where(le0, where2, stop_grad3);
  const Tensor stop_grad4 = at::detach(where3);
  const Tensor where5 = at::where(le0, where3, stop_grad4);
  const Tensor exp0 = at::exp(where4 + where5);
  const Tensor where6 = at::where(le0, 1.7580993408473768 * exp0, 1.0507009873554805);
  const Tensor stop_grad5 = at::detach(grad_grad_x);
  const Tensor where7 = at::where(logical_and0, grad_grad_x, stop_grad5);
  const Tensor stop_grad6 = at::detach(grad_grad_bias);
  const Tensor where8 = at::where(logical_and0, grad_grad_bias, stop_grad6);
  const Tensor where9 = at::where(le0, grad_out, stop_grad2);
  const Tensor where10 = at::where(le0, grad_grad_x, stop_grad5);
  const Tensor where11 = at::where(le0, grad_grad_bias, stop_grad6);
  const Tensor stop_grad7 = at::detach(where0);
  const Tensor where12 = at::where(logical_and0, where0, stop_grad7);
  const Tensor stop_grad8 = at::detach(where1);
  const Tensor where13 = at::where(logical_and0, where1, stop_grad8);
  const Tensor stop_grad9 = at::detach(where9);
  const Tensor where14 = at::where(logical_and0, where9, stop_grad9);
  const Tensor exp1 = at::exp(where12 + where13);
  const Tensor stop_grad10 = at::detach(where10);
  const Tensor where15 = at::where(logical_and0, where10, stop_grad10);
  const Tensor stop_grad11 = at::detach(where11);
  const Tensor where16 = at::where(logical_and0, where11, stop_grad11);
  const Tensor mul1 = (where15 + where16) * (where14 * gain) * 1.7580993408473768 * exp1;
  const Tensor where17 = at::where(logical_and0, mul1, 0);
  const Tensor where18 = at::where(le0, where17, 0);
  writes[0] = at::where(logical_and0, (where7 + where8) * where6 * gain, 0);
  writes[1] = where18;
  writes[2] = where18;
}

void act_8_forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& x = reads[0];
  const Tensor& bias = reads[1];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Tensor b = x + bias;
  const Tensor logsigmoid0 = at::log_sigmoid(-b);
  writes[0] = at::clamp(-(logsigmoid0 * gain), -limit, limit);
}

void act_8_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_out = reads[0];
  const Tensor& x = reads[1];
  const Tensor& bias = reads[2];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Tensor b = x + bias;
  const Tensor logsigmoid0 = at::log_sigmoid(-b);
  const Tensor neg0 = -(logsigmoid0 * gain);
  const Tensor stop_grad0 = at::detach(x);
  const Tensor stop_grad1 = at::detach(bias);
  const Tensor stop_grad2 = at::detach(grad_out);
  const Tensor logical_and0 = at::logical_and(neg0 >= -limit, neg0 <= limit);
  const Tensor where0 = at::where(logical_and0, x, stop_grad0);
  const Tensor where1 = at::where(logical_and0, bias, stop_grad1);
  const Tensor sigmoid0 = at::sigmoid(where0 + where1);
  const Tensor where2 = at::where(logical_and0, grad_out, stop_grad2);
  const Tensor where3 = at::where(logical_and0, where2 * gain * sigmoid0, 0);
  writes[0] = where3;
  writes[1] = where3;
}

void act_8_double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_x = reads[0];
  const Tensor& grad_grad_bias = reads[1];
  const Tensor& grad_out = reads[2];
  const Tensor& x = reads[3];
  const Tensor& bias = reads[4];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Tensor b = x + bias;
  const Tensor logsigmoid0 = at::log_sigmoid(-b);
  const Tensor neg0 = -(logsigmoid0 * gain);
  const Tensor stop_grad0 = at::detach(x);
  const Tensor stop_grad1 = at::detach(bias);
  const Tensor stop_grad2 = at::detach(grad_out);
  const Tensor logical_and0 = at::logical_and(neg0 >= -limit, neg0 <= limit);
  const Tensor where0 = at::where(logical_and0, x, stop_grad0);
  const Tensor where1 = at::where(logical_and0, bias, stop_grad1);
  const Tensor add0 = where0 + where1;
  const Tensor sigmoid0 = at::sigmoid(add0);
  const Tensor where2 = at::where(logical_and0, grad_out, stop_grad2);
  const Tensor stop_grad3 = at::detach(grad_grad_x);
  const Tensor stop_grad4 = at::detach(grad_grad_bias);
  const Tensor where3 = at::where(logical_and0, grad_grad_x, stop_grad3);
  const Tensor where4 = at::where(logical_and0, grad_grad_bias, stop_grad4);
  const Tensor add1 = where3 + where4;
  const Tensor sigmoid1 = at::sigmoid(-add0);
  const Tensor where5 = at::where(logical_and0, add1 * (where2 * gain) * (sigmoid0 * sigmoid1), 0);
  writes[0] = at::where(logical_and0, add1 * sigmoid0 * gain, 0);
  writes[1] = where5;
  writes[2] = where5;
}

void act_9_forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& x = reads[0];
  const Tensor& bias = reads[1];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Tensor b = x + bias;
  const Tensor sigmoid0 = at::sigmoid(b);
  const Tensor activated = b * sigmoid0;
  writes[0] = at::clamp(activated * gain, -limit, limit);
}

void act_9_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_out = reads[0];
  const Tensor& x = reads[1];
  const Tensor& bias = reads[2];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Tensor b = x + bias;
  const Tensor sigmoid0 = at::sigmoid(b);
  const Tensor activated = b * sigmoid0;
  const Tensor mul0 = activated * gain;
  const Tensor stop_grad0 = at::detach(x);
  const Tensor stop_grad1 = at::detach(bias);
  const Tensor stop_grad2 = at::detach(grad_out);
  const Tensor logical_and0 = at::logical_and(mul0 >= -limit, mul0 <= limit);
  const Tensor where0 = at::where(logical_and0, x, stop_grad0);
  const Tensor where1 = at::where(logical_and0, bias, stop_grad1);
  const Tensor add0 = where0 + where1;
  const Tensor sigmoid1 = at::sigmoid(add0);
  const Tensor where2 = at::where(logical_and0, grad_out, stop_grad2);
  const Tensor sigmoid2 = at::sigmoid(-add0);
  const Tensor mul1 = where2 * gain * (sigmoid1 + add0 * (sigmoid1 * sigmoid2));
  const Tensor where3 = at::where(logical_and0, mul1, 0);
  writes[0] = where3;
  writes[1] = where3;
}

void act_9_double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_x = reads[0];
  const Tensor& grad_grad_bias = reads[1];
  const Tensor& grad_out = reads[2];
  const Tensor& x = reads[3];
  const Tensor& bias = reads[4];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Tensor b = x + bias;
  const Tensor sigmoid0 = at::sigmoid(b);
  const Tensor activated = b * sigmoid0;
  const Tensor mul0 = activated * gain;
  const Tensor stop_grad0 = at::detach(x);
  const Tensor stop_grad1 = at::detach(bias);
  const Tensor stop_grad2 = at::detach(grad_out);
  const Tensor logical_and0 = at::logical_and(mul0 >= -limit, mul0 <= limit);
  const Tensor where0 = at::where(logical_and0, x, stop_grad0);
  const Tensor where1 = at::where(logical_and0, bias, stop_grad1);
  const Tensor add0 = where0 + where1;
  const Tensor sigmoid1 = at::sigmoid(add0);
  const Tensor where2 = at::where(logical_and0, grad_out, stop_grad2);
  const Tensor sigmoid2 = at::sigmoid(-add0);
  const Tensor mul1 = sigmoid1 * sigmoid2;
  const Tensor mul2 = add0 * mul1;
  const Tensor stop_grad3 = at::detach(grad_grad_x);
  const Tensor stop_grad4 = at::detach(grad_grad_bias);
  const Tensor where3 = at::where(logical_and0, grad_grad_x, stop_grad3);
  const Tensor where4 = at::where(logical_and0, grad_grad_bias, stop_grad4);
  const Tensor add1 = where3 + where4;
  const Tensor mul3 = add1 * (where2 * gain) * mul1;
  const Tensor tanh0 = at::tanh(0.5 * add0);
  const Tensor sub0 = mul3 - mul2 * (tanh0 * add1 * where2 * gain);
  const Tensor where5 = at::where(logical_and0, sub0 + mul3, 0);
  writes[0] = at::where(logical_and0, add1 * (sigmoid1 + mul2) * gain, 0);
  writes[1] = where5;
  writes[2] = where5;
}

const Pass kAct9DoubleBackward = {
    .schema = "bias_act__act_9_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_bias, "
              "Tensor? grad_out, Tensor? x, Tensor? bias, *, float alpha, float gain, float "
              "limit, bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .name = "bias_act_double_backward",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_bias", .optional = true},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "bias", .optional = true}},
    .outputs = {{.name = "grad_grad_out", .like = 2, .reads = {0, 1, 3, 4}},
                {.name = "grad_x", .like = 3, .reads = {0, 1, 2, 3, 4}},
                {.name = "grad_bias", .like = 4, .reads = {0, 1, 2, 3, 4}, .equal_output = 1}},
    .kernels = {act_9_double_backward_cpu, kWithCuda ? act_9_double_backward_cuda : nullptr},
    .decomposition = act_9_double_backward_decomposition,
};

const Pass kAct9Backward = {
    .schema = "bias_act__act_9_backward(Tensor grad_out, Tensor? x, Tensor? bias, *, float alpha,"
              " float gain, float limit, bool[2] needs) -> (Tensor, Tensor)",
    .name = "bias_act_backward",
    .inputs = {{.name = "grad_out"}, {.name = "x"}, {.name = "bias", .optional = true}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2}},
                {.name = "grad_bias", .like = 2, .reads = {0, 1, 2}, .equal_output = 0}},
    .kernels = {act_9_backward_cpu, kWithCuda ? act_9_backward_cuda : nullptr},
    .decomposition = act_9_backward_decomposition,
    .derivative = &kAct9DoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
};

const Pass kAct9Forward = {
    .schema = "bias_act__act_9(Tensor x, Tensor? bias=None, *, float alpha=0.2, float gain=1, "
              "float limit) -> Tensor",
    .name = "bias_act",
    .inputs = {{.name = "x"}, {.name = "bias", .optional = true}},
    .outputs = {{.name = "out"}},
    .kernels = {act_9_forward_cpu, kWithCuda ? act_9_forward_cuda : nullptr},
    .decomposition = act_9_forward_decomposition,
    .derivative = &kAct9Backward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Pass kAct8DoubleBackward = {
    .schema = "bias_act__act_8_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_bias, "
              "Tensor? grad_out, Tensor? x, Tensor? bias, *, float alpha, float gain, float "
              "limit, bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .name = "bias_act_double_backward",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_bias", .optional = true},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "bias", .optional = true}},
    .outputs = {{.name = "grad_grad_out", .like = 2, .reads = {0, 1, 3, 4}},
                {.name = "grad_x", .like = 3, .reads = {0, 1, 2, 3, 4}},
                {.name = "grad_bias", .like = 4, .reads = {0, 1, 2, 3, 4}, .equal_output = 1}},
    .kernels = {act_8_double_backward_cpu, kWithCuda ? act_8_double_backward_cuda : nullptr},
    .decomposition = act_8_double_backward_decomposition,
};

const Pass kAct8Backward = {
    .schema = "bias_act__act_8_backward(Tensor grad_out, Tensor? x, Tensor? bias, *, float alpha,"
              " float gain, float limit, bool[2] needs) -> (Tensor, Tensor)",
    .name = "bias_act_backward",
    .inputs = {{.name = "grad_out"}, {.name = "x"}, {.name = "bias", .optional = true}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2}},
                {.name = "grad_bias", .like = 2, .reads = {0, 1, 2}, .equal_output = 0}},
    .kernels = {act_8_backward_cpu, kWithCuda ? act_8_backward_cuda : nullptr},
    .decomposition = act_8_backward_decomposition,
    .derivative = &kAct8DoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
};

const Pass kAct8Forward = {
    .schema = "bias_act__act_8(Tensor x, Tensor? bias=None, *, float alpha=0.2, float gain=1, "
              "float limit) -> Tensor",
    .name = "bias_act",
    .inputs = {{.name = "x"}, {.name = "bias", .optional = true}},
    .outputs = {{.name = "out"}},
    .kernels = {act_8_forward_cpu, kWithCuda ? act_8_forward_cuda : nullptr},
    .decomposition = act_8_forward_decomposition,
    .derivative = &kAct8Backward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Pass kAct7DoubleBackward = {
    .schema = "bias_act__act_7_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_bias, "
              "Tensor? grad_out, Tensor? x, Tensor? bias, *, float alpha, float gain, float "
              "limit, bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .name = "bias_act_double_backward",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_bias", .optional = true},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "bias", .optional = true}},
    .outputs = {{.name = "grad_grad_out", .like = 2, .reads = {0, 1, 3, 4}},
                {.name = "grad_x", .like = 3, .reads = {0, 1, 2, 3, 4}},
                {.name = "grad_bias", .like = 4, .reads = {0, 1, 2, 3, 4}, .equal_output = 1}},
    .kernels = {act_7_double_backward_cpu, kWithCuda ? act_7_double_backward_cuda : nullptr},
    .decomposition = act_7_double_backward_decomposition,
};

const Pass kAct7Backward = {
    .schema = "bias_act__act_7_backward(Tensor grad_out, Tensor? x, Tensor? bias, *, float alpha,"
              " float gain, float limit, bool[2] needs) -> (Tensor, Tensor)",
    .name = "bias_act_backward",
    .inputs = {{.name = "grad_out"}, {.name = "x"}, {.name = "bias", .optional = true}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2}},
                {.name = "grad_bias", .like = 2, .reads = {0, 1, 2}, .equal_output = 0}},
    .kernels = {act_7_backward_cpu, kWithCuda ? act_7_backward_cuda : nullptr},
    .decomposition = act_7_backward_decomposition,
    .derivative = &kAct7DoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
};

const Pass kAct7Forward = {
    .schema = "bias_act__act_7(Tensor x, Tensor? bias=None, *, float alpha=0.2, float gain=1, "
              "float limit) -> Tensor",
    .name = "bias_act",
    .inputs = {{.name = "x"}, {.name = "bias", .optional = true}},
    .outputs = {{.name = "out"}},
    .kernels = {act_7_forward_cpu, kWithCuda ? act_7_forward_cuda : nullptr},
    .decomposition = act_7_forward_decomposition,
    .derivative = &kAct7Backward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Pass kAct6DoubleBackward = {
    .schema = "bias_act__act_6_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_bias, "
              "Tensor? grad_out, Tensor? x, Tensor? bias, *, float alpha, float gain, float "
              "limit, bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .name = "bias_act_double_backward",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_bias", .optional = true},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "bias", .optional = true}},
    .outputs = {{.name = "grad_grad_out", .like = 2, .reads = {0, 1, 3, 4}},
                {.name = "grad_x", .like = 3, .reads = {0, 1, 2, 3, 4}},
                {.name = "grad_bias", .like = 4, .reads = {0, 1, 2, 3, 4}, .equal_output = 1}},
    .kernels = {act_6_double_backward_cpu, kWithCuda ? act_6_double_backward_cuda : nullptr},
    .decomposition = act_6_double_backward_decomposition,
};

const Pass kAct6Backward = {
    .schema = "bias_act__act_6_backward(Tensor grad_out, Tensor? x, Tensor? bias, *, float alpha,"
              " float gain, float limit, bool[2] needs) -> (Tensor, Tensor)",
    .name = "bias_act_backward",
    .inputs = {{.name = "grad_out"}, {.name = "x"}, {.name = "bias", .optional = true}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2}},
                {.name = "grad_bias", .like = 2, .reads = {0, 1, 2}, .equal_output = 0}},
    .kernels = {act_6_backward_cpu, kWithCuda ? act_6_backward_cuda : nullptr},
    .decomposition = act_6_backward_decomposition,
    .derivative = &kAct6DoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
};

const Pass kAct6Forward = {
    .schema = "bias_act__act_6(Tensor x, Tensor? bias=None, *, float alpha=0.2, float gain=1, "
              "float limit) -> Tensor",
    .name = "bias_act",
    .inputs = {{.name = "x"}, {.name = "bias", .optional = true}},
    .outputs = {{.name = "out"}},
    .kernels = {act_6_forward_cpu, kWithCuda ? act_6_forward_cuda : nullptr},
    .decomposition = act_6_forward_decomposition,
    .derivative = &kAct6Backward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Pass kAct5DoubleBackward = {
    .schema = "bias_act__act_5_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_bias, "
              "Tensor? grad_out, Tensor? x, Tensor? bias, *, float alpha, float gain, float "
              "limit, bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .name = "bias_act_double_backward",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_bias", .optional = true},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "bias", .optional = true}},
    .outputs = {{.name = "grad_grad_out", .like = 2, .reads = {0, 1, 3, 4}},
                {.name = "grad_x", .like = 3, .reads = {0, 1, 2, 3, 4}},
                {.name = "grad_bias", .like = 4, .reads = {0, 1, 2, 3, 4}, .equal_output = 1}},
    .kernels = {act_5_double_backward_cpu, kWithCuda ? act_5_double_backward_cuda : nullptr},
    .decomposition = act_5_double_backward_decomposition,
};

const Pass kAct5Backward = {
    .schema = "bias_act__act_5_backward(Tensor grad_out, Tensor? x, Tensor? bias, *, float alpha,"
              " float gain, float limit, bool[2] needs) -> (Tensor, Tensor)",
    .name = "bias_act_backward",
    .inputs = {{.name = "grad_out"}, {.name = "x"}, {.name = "bias", .optional = true}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2}},
                {.name = "grad_bias", .like = 2, .reads = {0, 1, 2}, .equal_output = 0}},
    .kernels = {act_5_backward_cpu, kWithCuda ? act_5_backward_cuda : nullptr},
    .decomposition = act_5_backward_decomposition,
    .derivative = &kAct5DoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
};

const Pass kAct5Forward = {
    .schema = "bias_act__act_5(Tensor x, Tensor? bias=None, *, float alpha=0.2, float gain=1, "
              "float limit) -> Tensor",
    .name = "bias_act",
    .inputs = {{.name = "x"}, {.name = "bias", .optional = true}},
    .outputs = {{.name = "out"}},
    .kernels = {act_5_forward_cpu, kWithCuda ? act_5_forward_cuda : nullptr},
    .decomposition = act_5_forward_decomposition,
    .derivative = &kAct5Backward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Pass kAct4DoubleBackward = {
    .schema = "bias_act__act_4_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_bias, "
              "Tensor? grad_out, Tensor? x, Tensor? bias, *, float alpha, float gain, float "
              "limit, bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .name = "bias_act_double_backward",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_bias", .optional = true},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "bias", .optional = true}},
    .outputs = {{.name = "grad_grad_out", .like = 2, .reads = {0, 1, 3, 4}},
                {.name = "grad_x", .like = 3, .reads = {0, 1, 2, 3, 4}},
                {.name = "grad_bias", .like = 4, .reads = {0, 1, 2, 3, 4}, .equal_output = 1}},
    .kernels = {act_4_double_backward_cpu, kWithCuda ? act_4_double_backward_cuda : nullptr},
    .decomposition = act_4_double_backward_decomposition,
};

const Pass kAct4Backward = {
    .schema = "bias_act__act_4_backward(Tensor grad_out, Tensor? x, Tensor? bias, *, float alpha,"
              " float gain, float limit, bool[2] needs) -> (Tensor, Tensor)",
    .name = "bias_act_backward",
    .inputs = {{.name = "grad_out"}, {.name = "x"}, {.name = "bias", .optional = true}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2}},
                {.name = "grad_bias", .like = 2, .reads = {0, 1, 2}, .equal_output = 0}},
    .kernels = {act_4_backward_cpu, kWithCuda ? act_4_backward_cuda : nullptr},
    .decomposition = act_4_backward_decomposition,
    .derivative = &kAct4DoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
};

const Pass kAct4Forward = {
    .schema = "bias_act__act_4(Tensor x, Tensor? bias=None, *, float alpha=0.2, float gain=1, "
              "float limit) -> Tensor",
    .name = "bias_act",
    .inputs = {{.name = "x"}, {.name = "bias", .optional = true}},
    .outputs = {{.name = "out"}},
    .kernels = {act_4_forward_cpu, kWithCuda ? act_4_forward_cuda : nullptr},
    .decomposition = act_4_forward_decomposition,
    .derivative = &kAct4Backward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Pass kAct2DoubleBackward = {
    .schema = "bias_act__act_2_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_bias, "
              "Tensor? grad_out, Tensor? x, Tensor? bias, *, float alpha, float gain, float "
              "limit, bool[1] needs) -> Tensor",
    .name = "bias_act_double_backward",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_bias", .optional = true},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "bias", .optional = true}},
    .outputs = {{.name = "grad_grad_out", .like = 2, .reads = {0, 1, 3, 4}}},
    .kernels = {act_2_double_backward_cpu, kWithCuda ? act_2_double_backward_cuda : nullptr},
    .decomposition = act_2_double_backward_decomposition,
};

const Pass kAct2Backward = {
    .schema = "bias_act__act_2_backward(Tensor grad_out, Tensor? x, Tensor? bias, *, float alpha,"
              " float gain, float limit, bool[2] needs) -> (Tensor, Tensor)",
    .name = "bias_act_backward",
    .inputs = {{.name = "grad_out"}, {.name = "x"}, {.name = "bias", .optional = true}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2}},
                {.name = "grad_bias", .like = 2, .reads = {0, 1, 2}, .equal_output = 0}},
    .kernels = {act_2_backward_cpu, kWithCuda ? act_2_backward_cuda : nullptr},
    .decomposition = act_2_backward_decomposition,
    .derivative = &kAct2DoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0},
};

const Pass kAct2Forward = {
    .schema = "bias_act__act_2(Tensor x, Tensor? bias=None, *, float alpha=0.2, float gain=1, "
              "float limit) -> Tensor",
    .name = "bias_act",
    .inputs = {{.name = "x"}, {.name = "bias", .optional = true}},
    .outputs = {{.name = "out"}},
    .kernels = {act_2_forward_cpu, kWithCuda ? act_2_forward_cuda : nullptr},
    .decomposition = act_2_forward_decomposition,
    .derivative = &kAct2Backward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Pass kAct1DoubleBackward = {
    .schema = "bias_act__act_1_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_bias, "
              "Tensor? grad_out, Tensor? x, Tensor? bias, *, float alpha, float gain, float "
              "limit, bool[1] needs) -> Tensor",
    .name = "bias_act_double_backward",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_bias", .optional = true},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "bias", .optional = true}},
    .outputs = {{.name = "grad_grad_out", .like = 2, .reads = {0, 1, 3, 4}}},
    .kernels = {act_1_double_backward_cpu, kWithCuda ? act_1_double_backward_cuda : nullptr},
    .decomposition = act_1_double_backward_decomposition,
};

const Pass kAct1Backward = {
    .schema = "bias_act__act_1_backward(Tensor grad_out, Tensor? x, Tensor? bias, *, float alpha,"
              " float gain, float limit, bool[2] needs) -> (Tensor, Tensor)",
    .name = "bias_act_backward",
    .inputs = {{.name = "grad_out"}, {.name = "x"}, {.name = "bias", .optional = true}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2}},
                {.name = "grad_bias", .like = 2, .reads = {0, 1, 2}, .equal_output = 0}},
    .kernels = {act_1_backward_cpu, kWithCuda ? act_1_backward_cuda : nullptr},
    .decomposition = act_1_backward_decomposition,
    .derivative = &kAct1DoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0},
};

const Pass kAct1Forward = {
    .schema = "bias_act__act_1(Tensor x, Tensor? bias=None, *, float alpha=0.2, float gain=1, "
              "float limit) -> Tensor",
    .name = "bias_act",
    .inputs = {{.name = "x"}, {.name = "bias", .optional = true}},
    .outputs = {{.name = "out"}},
    .kernels = {act_1_forward_cpu, kWithCuda ? act_1_forward_cuda : nullptr},
    .decomposition = act_1_forward_decomposition,
    .derivative = &kAct1Backward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Pass kAct3DoubleBackward = {
    .schema = "bias_act__act_3_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_bias, "
              "Tensor? grad_out, Tensor? x, Tensor? bias, *, float alpha, float gain, float "
              "limit, bool[1] needs) -> Tensor",
    .name = "bias_act_double_backward",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_bias", .optional = true},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "bias", .optional = true}},
    .outputs = {{.name = "grad_grad_out", .like = 2, .reads = {0, 1, 3, 4}}},
    .kernels = {act_3_double_backward_cpu, kWithCuda ? act_3_double_backward_cuda : nullptr},
    .decomposition = act_3_double_backward_decomposition,
};

const Pass kAct3Backward = {
    .schema = "bias_act__act_3_backward(Tensor grad_out, Tensor? x, Tensor? bias, *, float alpha,"
              " float gain, float limit, bool[2] needs) -> (Tensor, Tensor)",
    .name = "bias_act_backward",
    .inputs = {{.name = "grad_out"}, {.name = "x"}, {.name = "bias", .optional = true}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2}},
                {.name = "grad_bias", .like = 2, .reads = {0, 1, 2}, .equal_output = 0}},
    .kernels = {act_3_backward_cpu, kWithCuda ? act_3_backward_cuda : nullptr},
    .decomposition = act_3_backward_decomposition,
    .derivative = &kAct3DoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0},
};

const Pass kAct3Forward = {
    .schema = "bias_act__act_3(Tensor x, Tensor? bias=None, *, float alpha=0.2, float gain=1, "
              "float limit) -> Tensor",
    .name = "bias_act",
    .inputs = {{.name = "x"}, {.name = "bias", .optional = true}},
    .outputs = {{.name = "out"}},
    .kernels = {act_3_forward_cpu, kWithCuda ? act_3_forward_cuda : nullptr},
    .decomposition = act_3_forward_decomposition,
    .derivative = &kAct3Backward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Registration kAct3ForwardRegistration("fusewise", kAct3Forward);
const Registration kAct1ForwardRegistration("fusewise", kAct1Forward);
const Registration kAct2ForwardRegistration("fusewise", kAct2Forward);
const Registration kAct4ForwardRegistration("fusewise", kAct4Forward);
const Registration kAct5ForwardRegistration("fusewise", kAct5Forward);
const Registration kAct6ForwardRegistration("fusewise", kAct6Forward);
const Registration kAct7ForwardRegistration("fusewise", kAct7Forward);
const Registration kAct8ForwardRegistration("fusewise", kAct8Forward);
const Registration kAct9ForwardRegistration("fusewise", kAct9Forward);

}  // namespace
}  // namespace fusewise::ops::bias_act
