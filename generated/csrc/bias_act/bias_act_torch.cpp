// Generated from specs/activations/bias_act.yaml by `fusewise generate`. Do not edit.
// The formulas stand in bias_act.math.h.
#include <fusewise/torch/aten.h>
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
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& bias = reads[1];
  const double alpha = params[0].as<double>();
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Value b = x + bias;
  const Value activated = aten::where(b > 0, b, alpha * b);
  writes[0] = aten::clamp(activated * gain, -limit, limit);
}

void act_3_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& bias = reads[2];
  const double alpha = params[0].as<double>();
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Value b = x + bias;
  const double neg0 = -limit;
  const Value gt0 = b > 0;
  const Value stop_grad0 = aten::detach(x);
  const Value where0 = aten::where(gt0, x, stop_grad0);
  const Value stop_grad1 = aten::detach(bias);
  const Value where1 = aten::where(gt0, bias, stop_grad1);
  const Value add0 = where0 + where1;
  const Value stop_grad2 = aten::detach(grad_out);
  const Value where2 = aten::where(gt0, grad_out, stop_grad2);
  const Value where3 = aten::where(gt0, stop_grad0, x);
  const Value where4 = aten::where(gt0, stop_grad1, bias);
  const Value add1 = where3 + where4;
  const Value where5 = aten::where(gt0, stop_grad2, grad_out);
  const Value where6 = aten::where(add0 > 0, add0, alpha * add0);
  const Value mul0 = where6 * gain;
  const Value where7 = aten::where(aten::logical_and(mul0 >= neg0, mul0 <= limit), where2 * gain,
      0);
  const Value where8 = aten::where(add1 > 0, add1, alpha * add1);
  const Value mul1 = where8 * gain;
  const Value logical_and0 = aten::logical_and(mul1 >= neg0, mul1 <= limit);
  const Value where9 = aten::where(logical_and0, where5 * gain * alpha, 0);
  const Value where10 = aten::where(gt0, where7, where9);
  writes[0] = where10;
  writes[1] = where10;
}

void act_3_double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_bias = reads[1];
  const Value& x = reads[3];
  const Value& bias = reads[4];
  const double alpha = params[0].as<double>();
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const bool has_grad_grad_x = params[3].as<bool>();
  const bool has_grad_grad_bias = params[4].as<bool>();
  const Value b = x + bias;
  const Value gt0 = b > 0;
  const Value activated = aten::where(gt0, b, alpha * b);
  const Value mul0 = activated * gain;
  const Value logical_and0 = aten::logical_and(mul0 >= -limit, mul0 <= limit);
  const Value logical_or0 = aten::logical_or(aten::logical_and(gt0, condition(has_grad_grad_x |
      has_grad_grad_bias, reads[0])), aten::logical_not(gt0));
  const Value stop_grad0 = aten::detach(x);
  const Value stop_grad1 = aten::detach(bias);
  const Value stop_grad2 = aten::detach(grad_grad_x);
  const Value stop_grad3 = aten::detach(grad_grad_bias);
  const Value where0 = aten::where(logical_and0, x, stop_grad0);
  const Value where1 = aten::where(logical_and0, bias, stop_grad1);
  const Value where2 = aten::where(logical_and0, grad_grad_x, stop_grad2);
  const Value where3 = aten::where(logical_and0, grad_grad_bias, stop_grad3);
  const Value stop_grad4 = aten::detach(where0);
  const Value where4 = aten::where(logical_or0, where0, stop_grad4);
  const Value stop_grad5 = aten::detach(where1);
  const Value where5 = aten::where(logical_or0, where1, stop_grad5);
  const Value stop_grad6 = aten::detach(where2);
  const Value where6 = aten::where(logical_or0, where2, stop_grad6);
  const Value stop_grad7 = aten::detach(where3);
  const Value where7 = aten::where(logical_or0, where3, stop_grad7);
  const Value add0 = where6 + where7;
  const Value where8 = aten::where(where4 + where5 > 0, add0, add0 * alpha);
  const Value where9 = aten::where(logical_or0, where8 * gain, 0);
  writes[0] = aten::where(logical_and0, where9, 0);
}

void act_1_forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& bias = reads[1];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Value activated = x + bias;
  writes[0] = aten::clamp(activated * gain, -limit, limit);
}

void act_1_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& bias = reads[2];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Value activated = x + bias;
  const Value mul0 = activated * gain;
  const Value logical_and0 = aten::logical_and(mul0 >= -limit, mul0 <= limit);
  const Value where0 = aten::where(logical_and0, grad_out * gain, 0);
  writes[0] = where0;
  writes[1] = where0;
}

void act_1_double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_bias = reads[1];
  const Value& x = reads[3];
  const Value& bias = reads[4];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Value activated = x + bias;
  const Value mul0 = activated * gain;
  const Value logical_and0 = aten::logical_and(mul0 >= -limit, mul0 <= limit);
  writes[0] = aten::where(logical_and0, (grad_grad_x + grad_grad_bias) * gain, 0);
}

void act_2_forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& bias = reads[1];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Value b = x + bias;
  const Value activated = aten::relu(b);
  writes[0] = aten::clamp(activated * gain, -limit, limit);
}

void act_2_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& bias = reads[2];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Value b = x + bias;
  const Value activated = aten::relu(b);
  const Value le0 = activated <= 0;
  const Value stop_grad0 = aten::detach(x);
  const Value where0 = aten::where(le0, stop_grad0, x);
  const Value stop_grad1 = aten::detach(bias);
  const Value where1 = aten::where(le0, stop_grad1, bias);
  const Value relu0 = aten::relu(where0 + where1);
  const Value mul0 = relu0 * gain;
  const Value stop_grad2 = aten::detach(grad_out);
  const Value where2 = aten::where(le0, stop_grad2, grad_out);
  const Value logical_and0 = aten::logical_and(mul0 >= -limit, mul0 <= limit);
  const Value where3 = aten::where(logical_and0, where2 * gain, 0);
  const Value where4 = aten::where(le0, 0, where3);
  writes[0] = where4;
  writes[1] = where4;
}

void act_2_double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_bias = reads[1];
  const Value& x = reads[3];
  const Value& bias = reads[4];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Value b = x + bias;
  const Value activated = aten::relu(b);
  const Value mul0 = activated * gain;
  const Value logical_and0 = aten::logical_and(mul0 >= -limit, mul0 <= limit);
  const Value stop_grad0 = aten::detach(x);
  const Value stop_grad1 = aten::detach(bias);
  const Value where0 = aten::where(logical_and0, x, stop_grad0);
  const Value where1 = aten::where(logical_and0, bias, stop_grad1);
  const Value relu0 = aten::relu(where0 + where1);
  const Value stop_grad2 = aten::detach(grad_grad_x);
  const Value where2 = aten::where(logical_and0, grad_grad_x, stop_grad2);
  const Value stop_grad3 = aten::detach(grad_grad_bias);
  const Value where3 = aten::where(logical_and0, grad_grad_bias, stop_grad3);
  const Value where4 = aten::where(relu0 <= 0, 0, (where2 + where3) * gain);
  writes[0] = aten::where(logical_and0, where4, 0);
}

void act_4_forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& bias = reads[1];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Value b = x + bias;
  const Value activated = aten::tanh(b);
  writes[0] = aten::clamp(activated * gain, -limit, limit);
}

void act_4_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& bias = reads[2];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Value b = x + bias;
  const Value activated = aten::tanh(b);
  const Value mul0 = activated * gain;
  const Value logical_and0 = aten::logical_and(mul0 >= -limit, mul0 <= limit);
  const Value stop_grad0 = aten::detach(x);
  const Value where0 = aten::where(logical_and0, x, stop_grad0);
  const Value stop_grad1 = aten::detach(bias);
  const Value where1 = aten::where(logical_and0, bias, stop_grad1);
  const Value stop_grad2 = aten::detach(grad_out);
  const Value where2 = aten::where(logical_and0, grad_out, stop_grad2);
  const Value mul1 = 2 * (where0 + where1);
  const Value sigmoid0 = aten::sigmoid(mul1);
  const Value sigmoid1 = aten::sigmoid(-mul1);
  const Value where3 = aten::where(logical_and0, where2 * gain * (4 * (sigmoid0 * sigmoid1)), 0);
  writes[0] = where3;
  writes[1] = where3;
}

void act_4_double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_bias = reads[1];
  const Value& grad_out = reads[2];
  const Value& x = reads[3];
  const Value& bias = reads[4];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Value b = x + bias;
  const Value activated = aten::tanh(b);
  const Value mul0 = activated * gain;
  const Value logical_and0 = aten::logical_and(mul0 >= -limit, mul0 <= limit);
  const Value stop_grad0 = aten::detach(x);
  const Value where0 = aten::where(logical_and0, x, stop_grad0);
  const Value stop_grad1 = aten::detach(bias);
  const Value where1 = aten::where(logical_and0, bias, stop_grad1);
  const Value add0 = where0 + where1;
  const Value stop_grad2 = aten::detach(grad_out);
  const Value where2 = aten::where(logical_and0, grad_out, stop_grad2);
  const Value mul1 = 2 * add0;
  const Value sigmoid0 = aten::sigmoid(mul1);
  const Value sigmoid1 = aten::sigmoid(-mul1);
  const Value mul2 = 4 * (sigmoid0 * sigmoid1);
  const Value stop_grad3 = aten::detach(grad_grad_x);
  const Value where3 = aten::where(logical_and0, grad_grad_x, stop_grad3);
  const Value stop_grad4 = aten::detach(grad_grad_bias);
  const Value where4 = aten::where(logical_and0, grad_grad_bias, stop_grad4);
  const Value add1 = where3 + where4;
  const Value tanh0 = aten::tanh(add0);
  const Value mul3 = add1 * (where2 * gain) * (-2 * tanh0 * mul2);
  const Value where5 = aten::where(logical_and0, mul3, 0);
  writes[0] = aten::where(logical_and0, add1 * mul2 * gain, 0);
  writes[1] = where5;
  writes[2] = where5;
}

void act_5_forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& bias = reads[1];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Value b = x + bias;
  const Value activated = aten::sigmoid(b);
  writes[0] = aten::clamp(activated * gain, -limit, limit);
}

void act_5_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& bias = reads[2];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Value b = x + bias;
  const Value activated = aten::sigmoid(b);
  const Value mul0 = activated * gain;
  const Value logical_and0 = aten::logical_and(mul0 >= -limit, mul0 <= limit);
  const Value stop_grad0 = aten::detach(x);
  const Value where0 = aten::where(logical_and0, x, stop_grad0);
  const Value stop_grad1 = aten::detach(bias);
  const Value where1 = aten::where(logical_and0, bias, stop_grad1);
  const Value add0 = where0 + where1;
  const Value stop_grad2 = aten::detach(grad_out);
  const Value where2 = aten::where(logical_and0, grad_out, stop_grad2);
  const Value sigmoid0 = aten::sigmoid(add0);
  const Value sigmoid1 = aten::sigmoid(-add0);
  const Value where3 = aten::where(logical_and0, where2 * gain * (sigmoid0 * sigmoid1), 0);
  writes[0] = where3;
  writes[1] = where3;
}

void act_5_double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_bias = reads[1];
  const Value& grad_out = reads[2];
  const Value& x = reads[3];
  const Value& bias = reads[4];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Value b = x + bias;
  const Value activated = aten::sigmoid(b);
  const Value mul0 = activated * gain;
  const Value logical_and0 = aten::logical_and(mul0 >= -limit, mul0 <= limit);
  const Value stop_grad0 = aten::detach(x);
  const Value where0 = aten::where(logical_and0, x, stop_grad0);
  const Value stop_grad1 = aten::detach(bias);
  const Value where1 = aten::where(logical_and0, bias, stop_grad1);
  const Value add0 = where0 + where1;
  const Value stop_grad2 = aten::detach(grad_out);
  const Value where2 = aten::where(logical_and0, grad_out, stop_grad2);
  const Value sigmoid0 = aten::sigmoid(add0);
  const Value sigmoid1 = aten::sigmoid(-add0);
  const Value mul1 = sigmoid0 * sigmoid1;
  const Value stop_grad3 = aten::detach(grad_grad_x);
  const Value where3 = aten::where(logical_and0, grad_grad_x, stop_grad3);
  const Value stop_grad4 = aten::detach(grad_grad_bias);
  const Value where4 = aten::where(logical_and0, grad_grad_bias, stop_grad4);
  const Value add1 = where3 + where4;
  const Value tanh0 = aten::tanh(0.5 * add0);
  const Value neg0 = -(mul1 * tanh0 * (add1 * (where2 * gain)));
  const Value where5 = aten::where(logical_and0, neg0, 0);
  writes[0] = aten::where(logical_and0, add1 * mul1 * gain, 0);
  writes[1] = where5;
  writes[2] = where5;
}

void act_6_forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& bias = reads[1];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Value b = x + bias;
  const Value clamp0 = aten::clamp(b, -INFINITY, 0);
  const Value expm1_0 = aten::expm1(clamp0);
  const Value activated = aten::where(b <= 0, expm1_0, b);
  writes[0] = aten::clamp(activated * gain, -limit, limit);
}

void act_6_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& bias = reads[2];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Value b = x + bias;
  const double neg0 = -limit;
  const Value le0 = b <= 0;
  const Value clamp0 = aten::clamp(b, -INFINITY, 0);
  const Value expm1_0 = aten::expm1(clamp0);
  const Value activated = aten::where(le0, expm1_0, b);
  const Value mul0 = activated * gain;
  const Value stop_grad0 = aten::detach(x);
  const Value stop_grad1 = aten::detach(bias);
  const Value stop_grad2 = aten::detach(grad_out);
  const Value where0 = aten::where(le0, x, stop_grad0);
  const Value where1 = aten::where(le0, bias, stop_grad1);
  const Value where2 = aten::where(le0, grad_out, stop_grad2);
  const Value stop_grad3 = aten::detach(where0);
  const Value stop_grad4 = aten::detach(where1);
  const Value stop_grad5 = aten::detach(where2);
  const Value where3 = aten::where(le0, stop_grad0, x);
  const Value where4 = aten::where(le0, stop_grad1, bias);
  const Value add0 = where3 + where4;
  const Value where5 = aten::where(le0, stop_grad2, grad_out);
  const Value logical_and0 = aten::logical_and(mul0 >= neg0, mul0 <= limit);
  const Value where6 = aten::where(logical_and0, where0, stop_grad3);
  const Value where7 = aten::where(logical_and0, where1, stop_grad4);
  const Value where8 = aten::where(logical_and0, where2, stop_grad5);
  const Value exp0 = aten::exp(where6 + where7);
  const Value where9 = aten::where(logical_and0, where8 * gain * exp0, 0);
  const Value clamp1 = aten::clamp(add0, -INFINITY, 0);
  const Value expm1_1 = aten::expm1(clamp1);
  const Value where10 = aten::where(add0 <= 0, expm1_1, add0);
  const Value mul1 = where10 * gain;
  const Value where11 = aten::where(aten::logical_and(mul1 >= neg0, mul1 <= limit), where5 * gain,
      0);
  const Value where12 = aten::where(le0, where9, where11);
  writes[0] = where12;
  writes[1] = where12;
}

void act_6_double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_bias = reads[1];
  const Value& grad_out = reads[2];
  const Value& x = reads[3];
  const Value& bias = reads[4];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const bool has_grad_grad_x = params[3].as<bool>();
  const bool has_grad_grad_bias = params[4].as<bool>();
  const Value b = x + bias;
  const Value le0 = b <= 0;
  const Value logical_or0 = aten::logical_or(le0, aten::logical_and(aten::logical_not(le0),
      condition(has_grad_grad_x | has_grad_grad_bias, reads[0])));
  const Value clamp0 = aten::clamp(b, -INFINITY, 0);
  const Value expm1_0 = aten::expm1(clamp0);
  const Value activated = aten::where(le0, expm1_0, b);
  const Value mul0 = activated * gain;
  const Value stop_grad0 = aten::detach(x);
  const Value stop_grad1 = aten::detach(bias);
  const Value stop_grad2 = aten::detach(grad_out);
  const Value logical_and0 = aten::logical_and(mul0 >= -limit, mul0 <= limit);
  const Value stop_grad3 = aten::detach(grad_grad_x);
  const Value stop_grad4 = aten::detach(grad_grad_bias);
  const Value where0 = aten::where(logical_and0, x, stop_grad0);
  const Value where1 = aten::where(logical_and0, bias, stop_grad1);
  const Value where2 = aten::where(logical_and0, grad_out, stop_grad2);
  const Value where3 = aten::where(logical_and0, grad_grad_x, stop_grad3);
  const Value where4 = aten::where(logical_and0, grad_grad_bias, stop_grad4);
  const Value stop_grad5 = aten::detach(where0);
  const Value where5 = aten::where(le0, where0, stop_grad5);
  const Value stop_grad6 = aten::detach(where1);
  const Value where6 = aten::where(le0, where1, stop_grad6);
  const Value exp0 = aten::exp(where5 + where6);
  const Value stop_grad7 = aten::detach(where3);
  const Value where7 = aten::where(le0, where3, stop_grad7);
  const Value stop_grad8 = aten::detach(where4);
  const Value where8 = aten::where(le0, where4, stop_grad8);
  const Value where9 = aten::where(logical_or0, where0, stop_grad5);
  const Value where10 = aten::where(logical_or0, where1, stop_grad6);
  const Value where11 = aten::where(logical_or0, where3, stop_grad7);
  const Value where12 = aten::where(logical_or0, where4, stop_grad8);
  const Value stop_grad9 = aten::detach(where9);
  const Value where13 = aten::where(le0, where9, stop_grad9);
  const Value stop_grad10 = aten::detach(where10);
  const Value where14 = aten::where(le0, where10, stop_grad10);
  const Value exp1 = aten::exp(where13 + where14);
  const Value stop_grad11 = aten::detach(where11);
  const Value where15 = aten::where(le0, where11, stop_grad11);
  const Value stop_grad12 = aten::detach(where12);
  const Value where16 = aten::where(le0, where12, stop_grad12);
  const Value where17 = aten::where(le0, stop_grad11, where11);
  const Value where18 = aten::where(le0, stop_grad12, where12);
  const Value where19 = aten::where(le0, (where15 + where16) * exp1, where17 + where18);
  const Value where20 = aten::where(logical_or0, where19 * gain, 0);
  const Value stop_grad13 = aten::detach(where2);
  const Value where21 = aten::where(le0, where2, stop_grad13);
  const Value where22 = aten::where(le0, (where7 + where8) * (where21 * gain) * exp0, 0);
  const Value where23 = aten::where(logical_and0, where22, 0);
  writes[0] = aten::where(logical_and0, where20, 0);
  writes[1] = where23;
  writes[2] = where23;
}

void act_7_forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& bias = reads[1];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Value b = x + bias;
  const Value activated = aten::selu(b);
  writes[0] = aten::clamp(activated * gain, -limit, limit);
}

void act_7_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& bias = reads[2];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Value b = x + bias;
  const Value activated = aten::selu(b);
  const Value mul0 = activated * gain;
  const Value logical_and0 = aten::logical_and(mul0 >= -limit, mul0 <= limit);
  const Value le0 = b <= 0;
  const Value stop_grad0 = aten::detach(x);
  const Value stop_grad1 = aten::detach(bias);
  const Value where0 = aten::where(logical_and0, x, stop_grad0);
  const Value where1 = aten::where(logical_and0, bias, stop_grad1);
  const Value stop_grad2 = aten::detach(grad_out);
  const Value where2 = aten::where(logical_and0, grad_out, stop_grad2);
  const Value stop_grad3 = aten::detach(where0);
  const Value where3 = aten::where(le0, where0, stop_grad3);
  const Value stop_grad4 = aten::detach(where1);
  const Value where4 = aten::where(le0, where1, stop_grad4);
  const Value exp0 = aten::exp(where3 + where4);
  const Value where5 = aten::where(le0, 1.7580993408473768 * exp0, 1.0507009873554805);
  const Value where6 = aten::where(logical_and0, where2 * gain * where5, 0);
  writes[0] = where6;
  writes[1] = where6;
}

void act_7_double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_bias = reads[1];
  const Value& grad_out = reads[2];
  const Value& x = reads[3];
  const Value& bias = reads[4];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Value b = x + bias;
  const Value activated = aten::selu(b);
  const Value mul0 = activated * gain;
  const Value logical_and0 = aten::logical_and(mul0 >= -limit, mul0 <= limit);
  const Value le0 = b <= 0;
  const Value stop_grad0 = aten::detach(x);
  const Value where0 = aten::where(le0, x, stop_grad0);
  const Value stop_grad1 = aten::detach(bias);
  const Value where1 = aten::where(le0, bias, stop_grad1);
  const Value where2 = aten::where(logical_and0, x, stop_grad0);
  const Value where3 = aten::where(logical_and0, bias, stop_grad1);
  const Value stop_grad2 = aten::detach(grad_out);
  const Value stop_grad3 = aten::detach(where2);
  const Value where4 = aten::where(le0, where2, stop_grad3);
  const Value stop_grad4 = aten::detach(where3);
  const Value where5 = aten::where(le0, where3, stop_grad4);
  const Value exp0 = aten::exp(where4 + where5);
  const Value where6 = aten::where(le0, 1.7580993408473768 * exp0, 1.0507009873554805);
  const Value stop_grad5 = aten::detach(grad_grad_x);
  const Value where7 = aten::where(logical_and0, grad_grad_x, stop_grad5);
  const Value stop_grad6 = aten::detach(grad_grad_bias);
  const Value where8 = aten::where(logical_and0, grad_grad_bias, stop_grad6);
  const Value where9 = aten::where(le0, grad_out, stop_grad2);
  const Value where10 = aten::where(le0, grad_grad_x, stop_grad5);
  const Value where11 = aten::where(le0, grad_grad_bias, stop_grad6);
  const Value stop_grad7 = aten::detach(where0);
  const Value where12 = aten::where(logical_and0, where0, stop_grad7);
  const Value stop_grad8 = aten::detach(where1);
  const Value where13 = aten::where(logical_and0, where1, stop_grad8);
  const Value stop_grad9 = aten::detach(where9);
  const Value where14 = aten::where(logical_and0, where9, stop_grad9);
  const Value exp1 = aten::exp(where12 + where13);
  const Value stop_grad10 = aten::detach(where10);
  const Value where15 = aten::where(logical_and0, where10, stop_grad10);
  const Value stop_grad11 = aten::detach(where11);
  const Value where16 = aten::where(logical_and0, where11, stop_grad11);
  const Value mul1 = (where15 + where16) * (where14 * gain) * 1.7580993408473768 * exp1;
  const Value where17 = aten::where(logical_and0, mul1, 0);
  const Value where18 = aten::where(le0, where17, 0);
  writes[0] = aten::where(logical_and0, (where7 + where8) * where6 * gain, 0);
  writes[1] = where18;
  writes[2] = where18;
}

void act_8_forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& bias = reads[1];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Value b = x + bias;
  const Value logsigmoid0 = aten::log_sigmoid(-b);
  writes[0] = aten::clamp(-(logsigmoid0 * gain), -limit, limit);
}

void act_8_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& bias = reads[2];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Value b = x + bias;
  const Value logsigmoid0 = aten::log_sigmoid(-b);
  const Value neg0 = -(logsigmoid0 * gain);
  const Value stop_grad0 = aten::detach(x);
  const Value stop_grad1 = aten::detach(bias);
  const Value stop_grad2 = aten::detach(grad_out);
  const Value logical_and0 = aten::logical_and(neg0 >= -limit, neg0 <= limit);
  const Value where0 = aten::where(logical_and0, x, stop_grad0);
  const Value where1 = aten::where(logical_and0, bias, stop_grad1);
  const Value sigmoid0 = aten::sigmoid(where0 + where1);
  const Value where2 = aten::where(logical_and0, grad_out, stop_grad2);
  const Value where3 = aten::where(logical_and0, where2 * gain * sigmoid0, 0);
  writes[0] = where3;
  writes[1] = where3;
}

void act_8_double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_bias = reads[1];
  const Value& grad_out = reads[2];
  const Value& x = reads[3];
  const Value& bias = reads[4];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Value b = x + bias;
  const Value logsigmoid0 = aten::log_sigmoid(-b);
  const Value neg0 = -(logsigmoid0 * gain);
  const Value stop_grad0 = aten::detach(x);
  const Value stop_grad1 = aten::detach(bias);
  const Value stop_grad2 = aten::detach(grad_out);
  const Value logical_and0 = aten::logical_and(neg0 >= -limit, neg0 <= limit);
  const Value where0 = aten::where(logical_and0, x, stop_grad0);
  const Value where1 = aten::where(logical_and0, bias, stop_grad1);
  const Value add0 = where0 + where1;
  const Value sigmoid0 = aten::sigmoid(add0);
  const Value where2 = aten::where(logical_and0, grad_out, stop_grad2);
  const Value stop_grad3 = aten::detach(grad_grad_x);
  const Value stop_grad4 = aten::detach(grad_grad_bias);
  const Value where3 = aten::where(logical_and0, grad_grad_x, stop_grad3);
  const Value where4 = aten::where(logical_and0, grad_grad_bias, stop_grad4);
  const Value add1 = where3 + where4;
  const Value sigmoid1 = aten::sigmoid(-add0);
  const Value where5 = aten::where(logical_and0, add1 * (where2 * gain) * (sigmoid0 * sigmoid1), 0);
  writes[0] = aten::where(logical_and0, add1 * sigmoid0 * gain, 0);
  writes[1] = where5;
  writes[2] = where5;
}

void act_9_forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& bias = reads[1];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Value b = x + bias;
  const Value sigmoid0 = aten::sigmoid(b);
  const Value activated = b * sigmoid0;
  writes[0] = aten::clamp(activated * gain, -limit, limit);
}

void act_9_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& bias = reads[2];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Value b = x + bias;
  const Value sigmoid0 = aten::sigmoid(b);
  const Value activated = b * sigmoid0;
  const Value mul0 = activated * gain;
  const Value stop_grad0 = aten::detach(x);
  const Value stop_grad1 = aten::detach(bias);
  const Value stop_grad2 = aten::detach(grad_out);
  const Value logical_and0 = aten::logical_and(mul0 >= -limit, mul0 <= limit);
  const Value where0 = aten::where(logical_and0, x, stop_grad0);
  const Value where1 = aten::where(logical_and0, bias, stop_grad1);
  const Value add0 = where0 + where1;
  const Value sigmoid1 = aten::sigmoid(add0);
  const Value where2 = aten::where(logical_and0, grad_out, stop_grad2);
  const Value sigmoid2 = aten::sigmoid(-add0);
  const Value mul1 = where2 * gain * (sigmoid1 + add0 * (sigmoid1 * sigmoid2));
  const Value where3 = aten::where(logical_and0, mul1, 0);
  writes[0] = where3;
  writes[1] = where3;
}

void act_9_double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_bias = reads[1];
  const Value& grad_out = reads[2];
  const Value& x = reads[3];
  const Value& bias = reads[4];
  const double gain = params[1].as<double>();
  const double limit = params[2].as<double>();
  const Value b = x + bias;
  const Value sigmoid0 = aten::sigmoid(b);
  const Value activated = b * sigmoid0;
  const Value mul0 = activated * gain;
  const Value stop_grad0 = aten::detach(x);
  const Value stop_grad1 = aten::detach(bias);
  const Value stop_grad2 = aten::detach(grad_out);
  const Value logical_and0 = aten::logical_and(mul0 >= -limit, mul0 <= limit);
  const Value where0 = aten::where(logical_and0, x, stop_grad0);
  const Value where1 = aten::where(logical_and0, bias, stop_grad1);
  const Value add0 = where0 + where1;
  const Value sigmoid1 = aten::sigmoid(add0);
  const Value where2 = aten::where(logical_and0, grad_out, stop_grad2);
  const Value sigmoid2 = aten::sigmoid(-add0);
  const Value mul1 = sigmoid1 * sigmoid2;
  const Value mul2 = add0 * mul1;
  const Value stop_grad3 = aten::detach(grad_grad_x);
  const Value stop_grad4 = aten::detach(grad_grad_bias);
  const Value where3 = aten::where(logical_and0, grad_grad_x, stop_grad3);
  const Value where4 = aten::where(logical_and0, grad_grad_bias, stop_grad4);
  const Value add1 = where3 + where4;
  const Value mul3 = add1 * (where2 * gain) * mul1;
  const Value tanh0 = aten::tanh(0.5 * add0);
  const Value sub0 = mul3 - mul2 * (tanh0 * add1 * where2 * gain);
  const Value where5 = aten::where(logical_and0, sub0 + mul3, 0);
  writes[0] = aten::where(logical_and0, add1 * (sigmoid1 + mul2) * gain, 0);
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
    .arrivals = {0, 1},
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
    .arrivals = {0, 1},
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
