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
// double_backward keeps grad_out, x, bias: 12 B of float32 an element, arithmetic 19
// forward: 2 read and 1 written for each element
// backward: 3 read and 1 written for each element; grad_bias equals grad_x
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
// backward: 3 read and 1 written for each element; grad_bias equals grad_x
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
// backward: 3 read and 1 written for each element; grad_bias equals grad_x
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
// backward: 3 read and 1 written for each element; grad_bias equals grad_x
// double_backward: 5 read and 2 written for each element; grad_bias equals grad_x
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
// backward: 3 read and 1 written for each element; grad_bias equals grad_x
// double_backward: 5 read and 2 written for each element; grad_bias equals grad_x
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
// double_backward keeps grad_out, x, bias: 12 B of float32 an element, arithmetic 47
// forward: 2 read and 1 written for each element
// backward: 3 read and 1 written for each element; grad_bias equals grad_x
// double_backward: 5 read and 2 written for each element; grad_bias equals grad_x
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
// backward: 3 read and 1 written for each element; grad_bias equals grad_x
// double_backward: 5 read and 2 written for each element; grad_bias equals grad_x
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
// backward: 3 read and 1 written for each element; grad_bias equals grad_x
// double_backward: 5 read and 2 written for each element; grad_bias equals grad_x
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
// backward: 3 read and 1 written for each element; grad_bias equals grad_x
// double_backward: 5 read and 2 written for each element; grad_bias equals grad_x
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::bias_act {

struct Act3Forward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 12;
  static constexpr unsigned kRowScalars = 2;
  static constexpr unsigned kRepeated = 2;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T x = reads[0];
    const T bias = reads[1];
    const T alpha = params[0];
    const T gain = params[1];
    const T limit = params[2];
    const T b = x + bias;
    const T activated = rt::where(b > T(0), b, alpha * b);
    const T maximum0 = rt::maximum(activated * gain, -limit);
    writes[0] = rt::minimum(maximum0, limit);
  }
};

struct Act3Backward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 14;
  static constexpr unsigned kFull = 11;
  static constexpr unsigned kRowScalars = 4;
  static constexpr unsigned kRepeated = 4;
  static constexpr unsigned kSummed = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T bias = reads[2];
    const T alpha = params[0];
    const T gain = params[1];
    const T limit = params[2];
    const T b = x + bias;
    const T mul0 = grad_out * gain;
    const rt::Mask<T> gt0 = b > T(0);
    const T activated = rt::where(gt0, b, alpha * b);
    const T mul1 = activated * gain;
    const rt::Mask<T> logical_and0 = (mul1 >= -limit) & (mul1 <= limit);
    const T where0 = rt::where(logical_and0, mul0, T(0));
    const T where1 = rt::where(logical_and0, mul0 * alpha, T(0));
    const T where2 = rt::where(gt0, where0, where1);
    writes[0] = where2;
    writes[1] = where2;
  }
};

struct Act3DoubleBackward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 5;
  static constexpr int kInstructions = 19;
  static constexpr unsigned kRepeated = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_bias = reads[1];
    const T x = reads[3];
    const T bias = reads[4];
    const T alpha = params[0];
    const T gain = params[1];
    const T limit = params[2];
    const rt::Mask<T> has_grad_grad_x = params[3] != T(0);
    const rt::Mask<T> has_grad_grad_bias = params[4] != T(0);
    const T b = x + bias;
    const rt::Mask<T> gt0 = b > T(0);
    const T activated = rt::where(gt0, b, alpha * b);
    const T mul0 = activated * gain;
    const T add0 = grad_grad_x + grad_grad_bias;
    const T where0 = rt::where(gt0, add0, add0 * alpha);
    const rt::Mask<T> logical_or0 = (gt0 & (has_grad_grad_x | has_grad_grad_bias)) | (!gt0);
    const T where1 = rt::where(logical_or0, where0 * gain, T(0));
    writes[0] = rt::where((mul0 >= -limit) & (mul0 <= limit), where1, T(0));
  }
};

struct Act1Forward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 9;
  static constexpr unsigned kRowScalars = 2;
  static constexpr unsigned kRepeated = 2;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T x = reads[0];
    const T bias = reads[1];
    const T gain = params[1];
    const T limit = params[2];
    const T activated = x + bias;
    const T maximum0 = rt::maximum(activated * gain, -limit);
    writes[0] = rt::minimum(maximum0, limit);
  }
};

struct Act1Backward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 8;
  static constexpr unsigned kFull = 11;
  static constexpr unsigned kRowScalars = 4;
  static constexpr unsigned kRepeated = 4;
  static constexpr unsigned kSummed = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T bias = reads[2];
    const T gain = params[1];
    const T limit = params[2];
    const T activated = x + bias;
    const T mul0 = activated * gain;
    const rt::Mask<T> logical_and0 = (mul0 >= -limit) & (mul0 <= limit);
    const T where0 = rt::where(logical_and0, grad_out * gain, T(0));
    writes[0] = where0;
    writes[1] = where0;
  }
};

struct Act1DoubleBackward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 9;
  static constexpr unsigned kRepeated = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_bias = reads[1];
    const T x = reads[3];
    const T bias = reads[4];
    const T gain = params[1];
    const T limit = params[2];
    const T activated = x + bias;
    const T mul0 = activated * gain;
    const rt::Mask<T> logical_and0 = (mul0 >= -limit) & (mul0 <= limit);
    writes[0] = rt::where(logical_and0, (grad_grad_x + grad_grad_bias) * gain, T(0));
  }
};

struct Act2Forward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 11;
  static constexpr unsigned kRowScalars = 2;
  static constexpr unsigned kRepeated = 2;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T x = reads[0];
    const T bias = reads[1];
    const T gain = params[1];
    const T limit = params[2];
    const T b = x + bias;
    const T activated = rt::where(b <= T(0), T(0), b);
    const T maximum0 = rt::maximum(activated * gain, -limit);
    writes[0] = rt::minimum(maximum0, limit);
  }
};

struct Act2Backward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 12;
  static constexpr unsigned kFull = 11;
  static constexpr unsigned kRowScalars = 4;
  static constexpr unsigned kRepeated = 4;
  static constexpr unsigned kSummed = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T bias = reads[2];
    const T gain = params[1];
    const T limit = params[2];
    const T b = x + bias;
    const T activated = rt::where(b <= T(0), T(0), b);
    const T mul0 = activated * gain;
    const rt::Mask<T> logical_and0 = (mul0 >= -limit) & (mul0 <= limit);
    const T where0 = rt::where(logical_and0, grad_out * gain, T(0));
    const T where1 = rt::where(activated <= T(0), T(0), where0);
    writes[0] = where1;
    writes[1] = where1;
  }
};

struct Act2DoubleBackward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 13;
  static constexpr unsigned kRepeated = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_bias = reads[1];
    const T x = reads[3];
    const T bias = reads[4];
    const T gain = params[1];
    const T limit = params[2];
    const T b = x + bias;
    const T activated = rt::where(b <= T(0), T(0), b);
    const T mul0 = activated * gain;
    const T where0 = rt::where(activated <= T(0), T(0), (grad_grad_x + grad_grad_bias) * gain);
    writes[0] = rt::where((mul0 >= -limit) & (mul0 <= limit), where0, T(0));
  }
};

struct Act4Forward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 27;
  static constexpr unsigned kRowScalars = 2;
  static constexpr unsigned kRepeated = 2;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T x = reads[0];
    const T bias = reads[1];
    const T gain = params[1];
    const T limit = params[2];
    const T b = x + bias;
    const T activated = rt::tanh(b);
    const T maximum0 = rt::maximum(activated * gain, -limit);
    writes[0] = rt::minimum(maximum0, limit);
  }
};

struct Act4Backward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 49;
  static constexpr unsigned kFull = 11;
  static constexpr unsigned kRowScalars = 4;
  static constexpr unsigned kRepeated = 4;
  static constexpr unsigned kSummed = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T bias = reads[2];
    const T gain = params[1];
    const T limit = params[2];
    const T b = x + bias;
    const T abs0 = rt::abs(T(2) * b);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T tanh_near_zero0 = rt::tanh_near_zero(b);
    const T mul1 = T(2) * mul0;
    const T where0 = rt::where(b < T(0), mul1 - T(1), T(1) - mul1);
    const T activated = rt::where(abs0 < T(1.2), tanh_near_zero0, where0);
    const T mul2 = activated * gain;
    const rt::Mask<T> logical_and0 = (mul2 >= -limit) & (mul2 <= limit);
    const T where1 = rt::where(logical_and0, grad_out * gain * (T(4) * (mul0 * div_moderate0)),
        T(0));
    writes[0] = where1;
    writes[1] = where1;
  }
};

struct Act4DoubleBackward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 56;
  static constexpr unsigned kRepeated = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_bias = reads[1];
    const T grad_out = reads[2];
    const T x = reads[3];
    const T bias = reads[4];
    const T gain = params[1];
    const T limit = params[2];
    const T b = x + bias;
    const T abs0 = rt::abs(T(2) * b);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T mul1 = T(4) * (mul0 * div_moderate0);
    const T tanh_near_zero0 = rt::tanh_near_zero(b);
    const T mul2 = T(2) * mul0;
    const T where0 = rt::where(b < T(0), mul2 - T(1), T(1) - mul2);
    const T activated = rt::where(abs0 < T(1.2), tanh_near_zero0, where0);
    const T mul3 = activated * gain;
    const rt::Mask<T> logical_and0 = (mul3 >= -limit) & (mul3 <= limit);
    const T add0 = grad_grad_x + grad_grad_bias;
    const T mul4 = add0 * (grad_out * gain) * (T(-2) * activated * mul1);
    const T where1 = rt::where(logical_and0, mul4, T(0));
    writes[0] = rt::where(logical_and0, add0 * mul1 * gain, T(0));
    writes[1] = where1;
    writes[2] = where1;
  }
};

struct Act5Forward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 33;
  static constexpr unsigned kRowScalars = 2;
  static constexpr unsigned kRepeated = 2;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T x = reads[0];
    const T bias = reads[1];
    const T gain = params[1];
    const T limit = params[2];
    const T b = x + bias;
    const T abs0 = rt::abs(b);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T activated = rt::where(b >= T(0), div_moderate0, exp0 * div_moderate0);
    const T maximum0 = rt::maximum(activated * gain, -limit);
    writes[0] = rt::minimum(maximum0, limit);
  }
};

struct Act5Backward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 34;
  static constexpr unsigned kFull = 11;
  static constexpr unsigned kRowScalars = 4;
  static constexpr unsigned kRepeated = 4;
  static constexpr unsigned kSummed = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T bias = reads[2];
    const T gain = params[1];
    const T limit = params[2];
    const T b = x + bias;
    const T abs0 = rt::abs(b);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T activated = rt::where(b >= T(0), div_moderate0, mul0);
    const T mul1 = activated * gain;
    const rt::Mask<T> logical_and0 = (mul1 >= -limit) & (mul1 <= limit);
    const T where0 = rt::where(logical_and0, grad_out * gain * (mul0 * div_moderate0), T(0));
    writes[0] = where0;
    writes[1] = where0;
  }
};

struct Act5DoubleBackward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 57;
  static constexpr unsigned kRepeated = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_bias = reads[1];
    const T grad_out = reads[2];
    const T x = reads[3];
    const T bias = reads[4];
    const T gain = params[1];
    const T limit = params[2];
    const T b = x + bias;
    const T abs0 = rt::abs(b);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T activated = rt::where(b >= T(0), div_moderate0, mul0);
    const T mul1 = activated * gain;
    const rt::Mask<T> logical_and0 = (mul1 >= -limit) & (mul1 <= limit);
    const T mul2 = mul0 * div_moderate0;
    const T add0 = grad_grad_x + grad_grad_bias;
    const T mul3 = T(0.5) * b;
    const T tanh_near_zero0 = rt::tanh_near_zero(mul3);
    const T mul4 = T(2) * mul0;
    const T where0 = rt::where(mul3 < T(0), mul4 - T(1), T(1) - mul4);
    const T where1 = rt::where(abs0 < T(1.2), tanh_near_zero0, where0);
    const T neg0 = -(mul2 * where1 * (add0 * (grad_out * gain)));
    const T where2 = rt::where(logical_and0, neg0, T(0));
    writes[0] = rt::where(logical_and0, add0 * mul2 * gain, T(0));
    writes[1] = where2;
    writes[2] = where2;
  }
};

struct Act6Forward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 25;
  static constexpr unsigned kRowScalars = 2;
  static constexpr unsigned kRepeated = 2;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T x = reads[0];
    const T bias = reads[1];
    const T gain = params[1];
    const T limit = params[2];
    const T b = x + bias;
    const T expm1_0 = rt::expm1(b);
    const T activated = rt::where(b <= T(0), expm1_0, b);
    const T maximum0 = rt::maximum(activated * gain, -limit);
    writes[0] = rt::minimum(maximum0, limit);
  }
};

struct Act6Backward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 37;
  static constexpr unsigned kFull = 11;
  static constexpr unsigned kRowScalars = 4;
  static constexpr unsigned kRepeated = 4;
  static constexpr unsigned kSummed = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T bias = reads[2];
    const T gain = params[1];
    const T limit = params[2];
    const T b = x + bias;
    const T mul0 = grad_out * gain;
    const rt::Mask<T> le0 = b <= T(0);
    const T exp0 = rt::exp(b);
    const T expm1_0 = rt::expm1(b);
    const T activated = rt::where(le0, expm1_0, b);
    const T mul1 = activated * gain;
    const rt::Mask<T> logical_and0 = (mul1 >= -limit) & (mul1 <= limit);
    const T where0 = rt::where(logical_and0, mul0, T(0));
    const T where1 = rt::where(logical_and0, mul0 * exp0, T(0));
    const T where2 = rt::where(le0, where1, where0);
    writes[0] = where2;
    writes[1] = where2;
  }
};

struct Act6DoubleBackward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 5;
  static constexpr int kInstructions = 47;
  static constexpr unsigned kRepeated = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_bias = reads[1];
    const T grad_out = reads[2];
    const T x = reads[3];
    const T bias = reads[4];
    const T gain = params[1];
    const T limit = params[2];
    const rt::Mask<T> has_grad_grad_x = params[3] != T(0);
    const rt::Mask<T> has_grad_grad_bias = params[4] != T(0);
    const T b = x + bias;
    const rt::Mask<T> le0 = b <= T(0);
    const T exp0 = rt::exp(b);
    const T expm1_0 = rt::expm1(b);
    const T activated = rt::where(le0, expm1_0, b);
    const T mul0 = activated * gain;
    const rt::Mask<T> logical_and0 = (mul0 >= -limit) & (mul0 <= limit);
    const T add0 = grad_grad_x + grad_grad_bias;
    const T where0 = rt::where(le0, add0 * (grad_out * gain) * exp0, T(0));
    const T where1 = rt::where(le0, add0 * exp0, add0);
    const rt::Mask<T> logical_or0 = le0 | ((!le0) & (has_grad_grad_x | has_grad_grad_bias));
    const T where2 = rt::where(logical_or0, where1 * gain, T(0));
    const T where3 = rt::where(logical_and0, where0, T(0));
    writes[0] = rt::where(logical_and0, where2, T(0));
    writes[1] = where3;
    writes[2] = where3;
  }
};

struct Act7Forward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 27;
  static constexpr unsigned kRowScalars = 2;
  static constexpr unsigned kRepeated = 2;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T x = reads[0];
    const T bias = reads[1];
    const T gain = params[1];
    const T limit = params[2];
    const T b = x + bias;
    const T expm1_0 = rt::expm1(b);
    const T where0 = rt::where(b <= T(0), T(1.6732632423543772) * expm1_0, b);
    const T activated = T(1.0507009873554805) * where0;
    const T maximum0 = rt::maximum(activated * gain, -limit);
    writes[0] = rt::minimum(maximum0, limit);
  }
};

struct Act7Backward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 39;
  static constexpr unsigned kFull = 11;
  static constexpr unsigned kRowScalars = 4;
  static constexpr unsigned kRepeated = 4;
  static constexpr unsigned kSummed = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T bias = reads[2];
    const T gain = params[1];
    const T limit = params[2];
    const T b = x + bias;
    const rt::Mask<T> le0 = b <= T(0);
    const T exp0 = rt::exp(b);
    const T where0 = rt::where(le0, T(1.7580993408473768) * exp0, T(1.0507009873554805));
    const T expm1_0 = rt::expm1(b);
    const T where1 = rt::where(le0, T(1.6732632423543772) * expm1_0, b);
    const T activated = T(1.0507009873554805) * where1;
    const T mul0 = activated * gain;
    const rt::Mask<T> logical_and0 = (mul0 >= -limit) & (mul0 <= limit);
    const T where2 = rt::where(logical_and0, grad_out * gain * where0, T(0));
    writes[0] = where2;
    writes[1] = where2;
  }
};

struct Act7DoubleBackward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 46;
  static constexpr unsigned kRepeated = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_bias = reads[1];
    const T grad_out = reads[2];
    const T x = reads[3];
    const T bias = reads[4];
    const T gain = params[1];
    const T limit = params[2];
    const T b = x + bias;
    const rt::Mask<T> le0 = b <= T(0);
    const T exp0 = rt::exp(b);
    const T where0 = rt::where(le0, T(1.7580993408473768) * exp0, T(1.0507009873554805));
    const T expm1_0 = rt::expm1(b);
    const T where1 = rt::where(le0, T(1.6732632423543772) * expm1_0, b);
    const T activated = T(1.0507009873554805) * where1;
    const T mul0 = activated * gain;
    const rt::Mask<T> logical_and0 = (mul0 >= -limit) & (mul0 <= limit);
    const T add0 = grad_grad_x + grad_grad_bias;
    const T where2 = rt::where(logical_and0, add0 * (grad_out * gain) * T(1.7580993408473768) *
        exp0, T(0));
    const T where3 = rt::where(le0, where2, T(0));
    writes[0] = rt::where(logical_and0, add0 * where0 * gain, T(0));
    writes[1] = where3;
    writes[2] = where3;
  }
};

struct Act8Forward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 37;
  static constexpr unsigned kRowScalars = 2;
  static constexpr unsigned kRepeated = 2;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T x = reads[0];
    const T bias = reads[1];
    const T gain = params[1];
    const T limit = params[2];
    const T b = x + bias;
    const T abs0 = rt::abs(b);
    const T exp0 = rt::exp(-abs0);
    const T maximum0 = rt::maximum(b, T(0));
    const T log1p_unit0 = rt::log1p_unit(exp0);
    const T activated = maximum0 + log1p_unit0;
    const T maximum1 = rt::maximum(activated * gain, -limit);
    writes[0] = rt::minimum(maximum1, limit);
  }
};

struct Act8Backward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 49;
  static constexpr unsigned kFull = 11;
  static constexpr unsigned kRowScalars = 4;
  static constexpr unsigned kRepeated = 4;
  static constexpr unsigned kSummed = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T bias = reads[2];
    const T gain = params[1];
    const T limit = params[2];
    const T b = x + bias;
    const T abs0 = rt::abs(b);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T where0 = rt::where(b >= T(0), div_moderate0, exp0 * div_moderate0);
    const T maximum0 = rt::maximum(b, T(0));
    const T log1p_unit0 = rt::log1p_unit(exp0);
    const T activated = maximum0 + log1p_unit0;
    const T mul0 = activated * gain;
    const rt::Mask<T> logical_and0 = (mul0 >= -limit) & (mul0 <= limit);
    const T where1 = rt::where(logical_and0, grad_out * gain * where0, T(0));
    writes[0] = where1;
    writes[1] = where1;
  }
};

struct Act8DoubleBackward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 55;
  static constexpr unsigned kRepeated = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_bias = reads[1];
    const T grad_out = reads[2];
    const T x = reads[3];
    const T bias = reads[4];
    const T gain = params[1];
    const T limit = params[2];
    const T b = x + bias;
    const T abs0 = rt::abs(b);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T where0 = rt::where(b >= T(0), div_moderate0, mul0);
    const T maximum0 = rt::maximum(b, T(0));
    const T log1p_unit0 = rt::log1p_unit(exp0);
    const T activated = maximum0 + log1p_unit0;
    const T mul1 = activated * gain;
    const rt::Mask<T> logical_and0 = (mul1 >= -limit) & (mul1 <= limit);
    const T add0 = grad_grad_x + grad_grad_bias;
    const T where1 = rt::where(logical_and0, add0 * (grad_out * gain) * (mul0 * div_moderate0),
        T(0));
    writes[0] = rt::where(logical_and0, add0 * where0 * gain, T(0));
    writes[1] = where1;
    writes[2] = where1;
  }
};

struct Act9Forward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 34;
  static constexpr unsigned kRowScalars = 2;
  static constexpr unsigned kRepeated = 2;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T x = reads[0];
    const T bias = reads[1];
    const T gain = params[1];
    const T limit = params[2];
    const T b = x + bias;
    const T abs0 = rt::abs(b);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T where0 = rt::where(b >= T(0), div_moderate0, exp0 * div_moderate0);
    const T activated = b * where0;
    const T maximum0 = rt::maximum(activated * gain, -limit);
    writes[0] = rt::minimum(maximum0, limit);
  }
};

struct Act9Backward {
  static constexpr int kReads = 3;
  static constexpr int kWrites = 2;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 37;
  static constexpr unsigned kFull = 11;
  static constexpr unsigned kRowScalars = 4;
  static constexpr unsigned kRepeated = 4;
  static constexpr unsigned kSummed = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_out = reads[0];
    const T x = reads[1];
    const T bias = reads[2];
    const T gain = params[1];
    const T limit = params[2];
    const T b = x + bias;
    const T abs0 = rt::abs(b);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T where0 = rt::where(b >= T(0), div_moderate0, mul0);
    const T activated = b * where0;
    const T mul1 = activated * gain;
    const T mul2 = grad_out * gain * (where0 + b * (mul0 * div_moderate0));
    const T where1 = rt::where((mul1 >= -limit) & (mul1 <= limit), mul2, T(0));
    writes[0] = where1;
    writes[1] = where1;
  }
};

struct Act9DoubleBackward {
  static constexpr int kReads = 5;
  static constexpr int kWrites = 3;
  static constexpr int kParams = 3;
  static constexpr int kInstructions = 64;
  static constexpr unsigned kRepeated = 16;

  template <class T>
  RT_FN static void apply(const T* reads, const T* params, T* writes) {
    const T grad_grad_x = reads[0];
    const T grad_grad_bias = reads[1];
    const T grad_out = reads[2];
    const T x = reads[3];
    const T bias = reads[4];
    const T gain = params[1];
    const T limit = params[2];
    const T b = x + bias;
    const T abs0 = rt::abs(b);
    const T exp0 = rt::exp(-abs0);
    const T div_moderate0 = rt::div_moderate(T(1), T(1) + exp0);
    const T mul0 = exp0 * div_moderate0;
    const T where0 = rt::where(b >= T(0), div_moderate0, mul0);
    const T activated = b * where0;
    const T mul1 = activated * gain;
    const rt::Mask<T> logical_and0 = (mul1 >= -limit) & (mul1 <= limit);
    const T mul2 = mul0 * div_moderate0;
    const T mul3 = b * mul2;
    const T add0 = grad_grad_x + grad_grad_bias;
    const T mul4 = T(0.5) * b;
    const T mul5 = add0 * (grad_out * gain) * mul2;
    const T tanh_near_zero0 = rt::tanh_near_zero(mul4);
    const T mul6 = T(2) * mul0;
    const T where1 = rt::where(mul4 < T(0), mul6 - T(1), T(1) - mul6);
    const T where2 = rt::where(abs0 < T(1.2), tanh_near_zero0, where1);
    const T sub0 = mul5 - mul3 * (where2 * add0 * grad_out * gain);
    const T where3 = rt::where(logical_and0, sub0 + mul5, T(0));
    writes[0] = rt::where(logical_and0, add0 * (where0 + mul3) * gain, T(0));
    writes[1] = where3;
    writes[2] = where3;
  }
};

}  // namespace fusewise::ops::bias_act
