// Generated from specs/norms/gemma_rms_norm.yaml by `fusewise generate`. Do not edit.
// The formulas stand in gemma_rms_norm.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::gemma_rms_norm {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& weight = reads[1];
  const double eps = params[0].as<double>();
  const Value mean0 = aten::mean(x * x);
  const Value rstd = aten::rsqrt(mean0 + eps);
  writes[0] = x * rstd * (1 + weight);
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& weight = reads[2];
  const Value length = row_length(reads[4]);
  const double eps = params[0].as<double>();
  const Value mean0 = aten::mean(x * x);
  const Value rstd = aten::rsqrt(mean0 + eps);
  const Value mul0 = grad_out * (1 + weight);
  const Value sum0 = aten::sum(mul0 * x);
  const Value div0 = sum0 * (-0.5 * rstd * (rstd * rstd)) / length;
  const Value mul1 = div0 * x;
  writes[0] = mul0 * rstd + mul1 + mul1;
  writes[1] = grad_out * (x * rstd);
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_weight = reads[1];
  const Value& grad_out = reads[2];
  const Value& x = reads[3];
  const Value& weight = reads[4];
  const Value length = row_length(reads[5]);
  const double eps = params[0].as<double>();
  const Value mean0 = aten::mean(x * x);
  const Value rstd = aten::rsqrt(mean0 + eps);
  const Value add0 = 1 + weight;
  const Value mul0 = grad_out * add0;
  const Value sum0 = aten::sum(mul0 * x);
  const Value mul1 = -0.5 * rstd;
  const Value mul2 = rstd * rstd;
  const Value mul3 = mul1 * mul2;
  const Value add1 = grad_grad_x + grad_grad_x;
  const Value sum1 = aten::sum(add1 * x);
  const Value div0 = sum1 / length;
  const Value mul4 = div0 * mul3;
  const Value mul5 = div0 * sum0;
  const Value mul6 = mul5 * mul1 * rstd;
  const Value add2 = add1 * (sum0 * mul3 / length) + mul4 * mul0;
  const Value add3 = mul4 * x + grad_grad_x * rstd;
  const Value mul7 = grad_grad_weight * grad_out;
  const Value sum2 = aten::sum(grad_grad_x * mul0 + mul7 * x);
  const Value add4 = mul6 + mul6 + mul5 * mul2 * -0.5 + sum2;
  const Value mul8 = add4 * mul3 / length * x;
  writes[0] = grad_grad_weight * (x * rstd) + add3 * add0;
  writes[1] = add2 + mul7 * rstd + mul8 + mul8;
  writes[2] = add3 * grad_out;
}

const Pass kDoubleBackward = {
    .schema = "gemma_rms_norm_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_weight, "
              "Tensor? grad_out, Tensor? x, Tensor? weight, *, float eps, bool[3] needs) -> "
              "(Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_weight", .optional = true},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "weight"}},
    .outputs = {{.name = "grad_grad_out", .like = 2, .reads = {0, 1, 3, 4}},
                {.name = "grad_x", .like = 3, .reads = {0, 1, 2, 3, 4}},
                {.name = "grad_weight", .like = 4, .reads = {0, 2, 3}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .reduces = true,
};

const Pass kBackward = {
    .schema = "gemma_rms_norm_backward(Tensor grad_out, Tensor? x, Tensor? weight, Tensor? "
              "kept_total0, *, float eps, bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_out"},
               {.name = "x"},
               {.name = "weight"},
               {.name = "kept_total0", .kind = Kind::kTotal, .extent = Extent::kRow}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2, 3}},
                {.name = "grad_weight", .like = 2, .reads = {0, 1, 3}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
    .reduces = true,
};

const Pass kForward = {
    .schema = "gemma_rms_norm(Tensor x, Tensor weight, *, float eps=1e-06) -> Tensor",
    .inputs = {{.name = "x"}, {.name = "weight"}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
    .kept_totals = 1,
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::gemma_rms_norm
