// Generated from specs/norms/gated_rms_norm.yaml by `fusewise generate`. Do not edit.
// The formulas stand in gated_rms_norm.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::gated_rms_norm {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& gate = reads[1];
  const Value& weight = reads[2];
  const double eps = params[0].as<double>();
  const Value mean0 = aten::mean(x * x);
  const Value rstd = aten::rsqrt(mean0 + eps);
  const Value sigmoid0 = aten::sigmoid(gate);
  writes[0] = x * rstd * weight * (gate * sigmoid0);
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& gate = reads[2];
  const Value& weight = reads[3];
  const Value length = row_length(reads[5]);
  const double eps = params[0].as<double>();
  const Value mean0 = aten::mean(x * x);
  const Value rstd = aten::rsqrt(mean0 + eps);
  const Value mul0 = x * rstd;
  const Value sigmoid0 = aten::sigmoid(gate);
  const Value mul1 = grad_out * (gate * sigmoid0);
  const Value sigmoid1 = aten::sigmoid(-gate);
  const Value add0 = sigmoid0 + gate * (sigmoid0 * sigmoid1);
  const Value mul2 = mul1 * weight;
  const Value sum0 = aten::sum(mul2 * x);
  const Value div0 = sum0 * (-0.5 * rstd * (rstd * rstd)) / length;
  const Value mul3 = div0 * x;
  writes[0] = mul2 * rstd + mul3 + mul3;
  writes[1] = grad_out * (mul0 * weight) * add0;
  writes[2] = mul1 * mul0;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_gate = reads[1];
  const Value& grad_grad_weight = reads[2];
  const Value& grad_out = reads[3];
  const Value& x = reads[4];
  const Value& gate = reads[5];
  const Value& weight = reads[6];
  const Value length = row_length(reads[7]);
  const double eps = params[0].as<double>();
  const Value mean0 = aten::mean(x * x);
  const Value rstd = aten::rsqrt(mean0 + eps);
  const Value mul0 = x * rstd;
  const Value mul1 = mul0 * weight;
  const Value sigmoid0 = aten::sigmoid(gate);
  const Value mul2 = -0.5 * rstd;
  const Value mul3 = rstd * rstd;
  const Value mul4 = mul2 * mul3;
  const Value mul5 = gate * sigmoid0;
  const Value add0 = grad_grad_x + grad_grad_x;
  const Value sum0 = aten::sum(add0 * x);
  const Value div0 = sum0 / length;
  const Value mul6 = div0 * mul4;
  const Value add1 = mul6 * x + grad_grad_x * rstd;
  const Value add2 = grad_grad_weight * mul0 + add1 * weight;
  const Value tanh0 = aten::tanh(0.5 * gate);
  const Value mul7 = tanh0 * grad_grad_gate * grad_out * x * rstd * weight;
  const Value mul8 = grad_out * mul5;
  const Value sigmoid1 = aten::sigmoid(-gate);
  const Value mul9 = sigmoid0 * sigmoid1;
  const Value mul10 = gate * mul9;
  const Value add3 = sigmoid0 + mul10;
  const Value mul11 = mul8 * weight;
  const Value sum1 = aten::sum(mul11 * x);
  const Value mul12 = div0 * sum1;
  const Value mul13 = mul12 * mul2 * rstd;
  const Value add4 = add0 * (sum1 * mul4 / length) + mul6 * mul11;
  const Value mul14 = grad_grad_gate * add3;
  const Value mul15 = grad_grad_gate * (grad_out * mul1) * mul9;
  const Value mul16 = mul14 * grad_out;
  const Value add5 = grad_grad_weight * mul8 + mul16 * weight;
  const Value sum2 = aten::sum(grad_grad_x * mul11 + add5 * x);
  const Value add6 = mul13 + mul13 + mul12 * mul3 * -0.5 + sum2;
  const Value mul17 = add6 * mul4 / length * x;
  const Value add7 = mul15 - mul10 * mul7 + mul15;
  writes[0] = mul14 * mul1 + add2 * mul5;
  writes[1] = add4 + add5 * rstd + mul17 + mul17;
  writes[2] = add7 + add2 * grad_out * add3;
  writes[3] = add1 * mul8 + mul16 * mul0;
}

const Pass kDoubleBackward = {
    .schema = "gated_rms_norm_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_gate, "
              "Tensor? grad_grad_weight, Tensor? grad_out, Tensor? x, Tensor? gate, Tensor? "
              "weight, *, float eps, bool[4] needs) -> (Tensor, Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_gate", .optional = true},
               {.name = "grad_grad_weight", .optional = true},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "gate"},
               {.name = "weight"}},
    .outputs = {{.name = "grad_grad_out", .like = 3, .reads = {0, 1, 2, 4, 5, 6}},
                {.name = "grad_x", .like = 4, .reads = {0, 1, 2, 3, 4, 5, 6}},
                {.name = "grad_gate", .like = 5, .reads = {0, 1, 2, 3, 4, 5, 6}},
                {.name = "grad_weight", .like = 6, .reads = {0, 1, 3, 4, 5}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .reduces = true,
};

const Pass kBackward = {
    .schema = "gated_rms_norm_backward(Tensor grad_out, Tensor? x, Tensor? gate, Tensor? weight, "
              "Tensor? kept_total0, *, float eps, bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_out"},
               {.name = "x"},
               {.name = "gate"},
               {.name = "weight"},
               {.name = "kept_total0", .kind = Kind::kTotal, .extent = Extent::kRow}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2, 3, 4}},
                {.name = "grad_gate", .like = 2, .reads = {0, 1, 2, 3, 4}},
                {.name = "grad_weight", .like = 3, .reads = {0, 1, 2, 4}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1, 2, 3},
    .reduces = true,
};

const Pass kForward = {
    .schema = "gated_rms_norm(Tensor x, Tensor gate, Tensor weight, *, float eps=1e-05) -> Tensor",
    .inputs = {{.name = "x"}, {.name = "gate"}, {.name = "weight"}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
    .kept_totals = 1,
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::gated_rms_norm
