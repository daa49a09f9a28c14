// Generated from specs/activations/bias_act.yaml by `fusewise generate`. Do not edit.
//
// b = x + bias
// activated = b if act == 1 else relu(b) if act == 2 else leaky_relu(b, alpha) if act == 3 else
//     tanh(b) if act == 4 else sigmoid(b) if act == 5 else elu(b) if act == 6 else selu(b) if act
//     == 7 else softplus(b) if act == 8 else silu(b)
// out = clamp(activated * gain, -limit, limit)
//
// With act = 3:
//
// b = x + bias
// activated = leaky_relu(b, alpha)
// mul0 = activated * gain
// logical_and0 = mul0 >= -limit and mul0 <= limit
// mul1 = grad_out * gain
// where0 = mul1 if logical_and0 else 0
// where1 = mul1 * alpha if logical_and0 else 0
// where2 = where0 if b > 0 else where1
// grad_x = where2
// grad_bias = where2
//
// backward keeps x, bias: 8 B of float32 an element, arithmetic 14
// double_backward keeps grad_out, x, bias: 12 B of float32 an element, arithmetic 14
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 4 read and 1 written for each element
//
// With act = 1:
//
// activated = x + bias
// mul0 = activated * gain
// logical_and0 = mul0 >= -limit and mul0 <= limit
// where0 = grad_out * gain if logical_and0 else 0
// grad_x = where0
// grad_bias = where0
//
// backward keeps x, bias: 8 B of float32 an element, arithmetic 8
// double_backward keeps grad_out, x, bias: 12 B of float32 an element, arithmetic 9
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 4 read and 1 written for each element
//
// With act = 2:
//
// b = x + bias
// activated = relu(b)
// mul0 = activated * gain
// logical_and0 = mul0 >= -limit and mul0 <= limit
// where0 = grad_out * gain if logical_and0 else 0
// where1 = 0 if activated <= 0 else where0
// grad_x = where1
// grad_bias = where1
//
// backward keeps x, bias: 8 B of float32 an element, arithmetic 12
// double_backward keeps grad_out, x, bias: 12 B of float32 an element, arithmetic 13
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 4 read and 1 written for each element
//
// With act = 4:
//
// b = x + bias
// activated = tanh(b)
// mul0 = activated * gain
// logical_and0 = mul0 >= -limit and mul0 <= limit
// sech2_0 = sech2(b)
// where0 = grad_out * gain * sech2_0 if logical_and0 else 0
// grad_x = where0
// grad_bias = where0
//
// backward keeps x, bias: 8 B of float32 an element, arithmetic 49
// double_backward keeps grad_out, x, bias: 12 B of float32 an element, arithmetic 56
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
//
// With act = 5:
//
// b = x + bias
// activated = sigmoid(b)
// mul0 = activated * gain
// logical_and0 = mul0 >= -limit and mul0 <= limit
// dsigmoid0 = dsigmoid(b)
// where0 = grad_out * gain * dsigmoid0 if logical_and0 else 0
// grad_x = where0
// grad_bias = where0
//
// backward keeps x, bias: 8 B of float32 an element, arithmetic 34
// double_backward keeps grad_out, x, bias: 12 B of float32 an element, arithmetic 57
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
//
// With act = 6:
//
// b = x + bias
// activated = elu(b, 1)
// mul0 = activated * gain
// logical_and0 = mul0 >= -limit and mul0 <= limit
// mul1 = grad_out * gain
// where0 = mul1 if logical_and0 else 0
// exp0 = exp(b)
// where1 = mul1 * exp0 if logical_and0 else 0
// where2 = where1 if b <= 0 else where0
// grad_x = where2
// grad_bias = where2
//
// backward keeps x, bias: 8 B of float32 an element, arithmetic 37
// double_backward keeps grad_out, x, bias: 12 B of float32 an element, arithmetic 42
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
//
// With act = 7:
//
// b = x + bias
// activated = selu(b)
// mul0 = activated * gain
// logical_and0 = mul0 >= -limit and mul0 <= limit
// exp0 = exp(b)
// where0 = 1.7580993408473768 * exp0 if b <= 0 else 1.0507009873554805
// where1 = grad_out * gain * where0 if logical_and0 else 0
// grad_x = where1
// grad_bias = where1
//
// backward keeps x, bias: 8 B of float32 an element, arithmetic 39
// double_backward keeps grad_out, x, bias: 12 B of float32 an element, arithmetic 46
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
//
// With act = 8:
//
// b = x + bias
// sigmoid0 = sigmoid(b)
// activated = softplus(b)
// mul0 = activated * gain
// logical_and0 = mul0 >= -limit and mul0 <= limit
// where0 = grad_out * gain * sigmoid0 if logical_and0 else 0
// grad_x = where0
// grad_bias = where0
//
// backward keeps x, bias: 8 B of float32 an element, arithmetic 49
// double_backward keeps grad_out, x, bias: 12 B of float32 an element, arithmetic 55
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
//
// With act = 9:
//
// b = x + bias
// sigmoid0 = sigmoid(b)
// activated = silu(b)
// mul0 = activated * gain
// logical_and0 = mul0 >= -limit and mul0 <= limit
// dsigmoid0 = dsigmoid(b)
// where0 = grad_out * gain * (sigmoid0 + b * dsigmoid0) if logical_and0 else 0
// grad_x = where0
// grad_bias = where0
//
// backward keeps x, bias: 8 B of float32 an element, arithmetic 37
// double_backward keeps grad_out, x, bias: 12 B of float32 an element, arithmetic 64
// forward: 2 read and 1 written for each element
// backward: 3 read and 2 written for each element
// double_backward: 5 read and 3 written for each element
#include <fusewise/cuda/reduce.cuh>

#include "bias_act.math.h"

namespace fusewise::ops::bias_act {

Status act_3_forward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda<Act3Forward, Floats>(loop, params, launch);
}

Status act_3_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reducing<Act3Backward, Floats>(loop, params, launch);
}

Status act_3_double_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reducing_small<Act3DoubleBackward, Floats>(loop, params, launch);
}

Status act_1_forward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda<Act1Forward, Floats>(loop, params, launch);
}

Status act_1_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reducing<Act1Backward, Floats>(loop, params, launch);
}

Status act_1_double_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reducing_small<Act1DoubleBackward, Floats>(loop, params, launch);
}

Status act_2_forward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda<Act2Forward, Floats>(loop, params, launch);
}

Status act_2_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reducing<Act2Backward, Floats>(loop, params, launch);
}

Status act_2_double_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reducing_small<Act2DoubleBackward, Floats>(loop, params, launch);
}

Status act_4_forward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda<Act4Forward, Floats>(loop, params, launch);
}

Status act_4_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reducing<Act4Backward, Floats>(loop, params, launch);
}

Status act_4_double_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reducing_small<Act4DoubleBackward, Floats>(loop, params, launch);
}

Status act_5_forward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda<Act5Forward, Floats>(loop, params, launch);
}

Status act_5_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reducing<Act5Backward, Floats>(loop, params, launch);
}

Status act_5_double_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reducing_small<Act5DoubleBackward, Floats>(loop, params, launch);
}

Status act_6_forward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda<Act6Forward, Floats>(loop, params, launch);
}

Status act_6_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reducing<Act6Backward, Floats>(loop, params, launch);
}

Status act_6_double_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reducing_small<Act6DoubleBackward, Floats>(loop, params, launch);
}

Status act_7_forward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda<Act7Forward, Floats>(loop, params, launch);
}

Status act_7_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reducing<Act7Backward, Floats>(loop, params, launch);
}

Status act_7_double_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reducing_small<Act7DoubleBackward, Floats>(loop, params, launch);
}

Status act_8_forward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda<Act8Forward, Floats>(loop, params, launch);
}

Status act_8_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reducing<Act8Backward, Floats>(loop, params, launch);
}

Status act_8_double_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reducing_small<Act8DoubleBackward, Floats>(loop, params, launch);
}

Status act_9_forward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda<Act9Forward, Floats>(loop, params, launch);
}

Status act_9_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reducing<Act9Backward, Floats>(loop, params, launch);
}

Status act_9_double_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reducing_small<Act9DoubleBackward, Floats>(loop, params, launch);
}

}  // namespace fusewise::ops::bias_act
