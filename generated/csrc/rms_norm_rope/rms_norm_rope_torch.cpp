// Generated from specs/norms/rms_norm_rope.yaml by `fusewise generate`. Do not edit.
// The formulas stand in rms_norm_rope.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::rms_norm_rope {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x1 = reads[0];
  const Value& x2 = reads[1];
  const Value& w1 = reads[2];
  const Value& w2 = reads[3];
  const Value& cosine = reads[4];
  const Value& sine = reads[5];
  const double eps = params[0].as<double>();
  const Value mean0 = aten::mean(x1 * x1 + x2 * x2);
  const Value rstd = aten::rsqrt(mean0 / 2 + eps);
  const Value a = x1 * rstd * w1;
  const Value b = x2 * rstd * w2;
  writes[0] = a * cosine - b * sine;
  writes[1] = b * cosine + a * sine;
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out_0 = reads[0];
  const Value& grad_out_1 = reads[1];
  const Value& x1 = reads[2];
  const Value& x2 = reads[3];
  const Value& w1 = reads[4];
  const Value& w2 = reads[5];
  const Value& cosine = reads[6];
  const Value& sine = reads[7];
  const Value length = row_length(reads[9]);
  const double eps = params[0].as<double>();
  const Value mean0 = aten::mean(x1 * x1 + x2 * x2);
  const Value rstd = aten::rsqrt(mean0 / 2 + eps);
  const Value mul0 = x1 * rstd;
  const Value a = mul0 * w1;
  const Value mul1 = x2 * rstd;
  const Value b = mul1 * w2;
  const Value sub0 = grad_out_1 * cosine - grad_out_0 * sine;
  const Value add0 = grad_out_1 * sine + grad_out_0 * cosine;
  const Value mul2 = sub0 * w2;
  const Value mul3 = add0 * w1;
  const Value sum0 = aten::sum(mul2 * x2 + mul3 * x1);
  const Value div0 = -0.25 * sum0 * rstd * rstd * rstd / length;
  const Value mul4 = div0 * x2;
  const Value mul5 = div0 * x1;
  writes[0] = mul3 * rstd + mul5 + mul5;
  writes[1] = mul2 * rstd + mul4 + mul4;
  writes[2] = add0 * mul0;
  writes[3] = sub0 * mul1;
  writes[4] = grad_out_1 * b + grad_out_0 * a;
  writes[5] = grad_out_1 * a - grad_out_0 * b;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x1 = reads[0];
  const Value& grad_grad_x2 = reads[1];
  const Value& grad_grad_w1 = reads[2];
  const Value& grad_grad_w2 = reads[3];
  const Value& grad_grad_cosine = reads[4];
  const Value& grad_grad_sine = reads[5];
  const Value& grad_out_0 = reads[6];
  const Value& grad_out_1 = reads[7];
  const Value& x1 = reads[8];
  const Value& x2 = reads[9];
  const Value& w1 = reads[10];
  const Value& w2 = reads[11];
  const Value& cosine = reads[12];
  const Value& sine = reads[13];
  const Value length = row_length(reads[14]);
  const double eps = params[0].as<double>();
  const Value mean0 = aten::mean(x1 * x1 + x2 * x2);
  const Value rstd = aten::rsqrt(mean0 / 2 + eps);
  const Value mul0 = x1 * rstd;
  const Value a = mul0 * w1;
  const Value mul1 = x2 * rstd;
  const Value b = mul1 * w2;
  const Value sub0 = grad_out_1 * cosine - grad_out_0 * sine;
  const Value add0 = grad_out_1 * sine + grad_out_0 * cosine;
  const Value mul2 = sub0 * w2;
  const Value mul3 = add0 * w1;
  const Value sum0 = aten::sum(mul2 * x2 + mul3 * x1);
  const Value mul4 = -0.25 * sum0;
  const Value mul5 = mul4 * rstd;
  const Value mul6 = mul5 * rstd;
  const Value div0 = mul6 * rstd / length;
  const Value add1 = grad_grad_x1 + grad_grad_x1;
  const Value add2 = grad_grad_x2 + grad_grad_x2;
  const Value sum1 = aten::sum(add1 * x1 + add2 * x2);
  const Value div1 = sum1 / length;
  const Value mul7 = div1 * rstd;
  const Value mul8 = mul7 * rstd;
  const Value add3 = div1 * mul6 + mul7 * mul5 + mul8 * mul4;
  const Value mul9 = mul8 * rstd * -0.25;
  const Value add4 = mul9 * x1 + grad_grad_x1 * rstd;
  const Value add5 = grad_grad_w1 * mul0 + add4 * w1;
  const Value add6 = mul9 * x2 + grad_grad_x2 * rstd;
  const Value add7 = grad_grad_w2 * mul1 + add6 * w2;
  const Value sub1 = grad_grad_cosine * a + add5 * cosine - grad_grad_sine * b;
  const Value sub2 = grad_grad_cosine * grad_out_1 - grad_grad_sine * grad_out_0;
  const Value add8 = grad_grad_cosine * b + add7 * cosine + grad_grad_sine * a;
  const Value add9 = grad_grad_cosine * grad_out_0 + grad_grad_sine * grad_out_1;
  const Value add10 = grad_grad_w2 * sub0 + sub2 * w2;
  const Value add11 = add2 * div0 + mul9 * mul2 + add10 * rstd;
  const Value add12 = grad_grad_x1 * mul3 + grad_grad_x2 * mul2 + add10 * x2;
  const Value add13 = grad_grad_w1 * add0 + add9 * w1;
  const Value add14 = add1 * div0 + mul9 * mul3 + add13 * rstd;
  const Value sum2 = aten::sum(add12 + add13 * x1);
  const Value mul10 = -0.25 * (add3 + sum2) * rstd * rstd * rstd;
  const Value div2 = mul10 / length;
  const Value mul11 = div2 * x2;
  const Value mul12 = div2 * x1;
  writes[0] = sub1 - add7 * sine;
  writes[1] = add8 + add5 * sine;
  writes[2] = add14 + mul12 + mul12;
  writes[3] = add11 + mul11 + mul11;
  writes[4] = add4 * add0 + add9 * mul0;
  writes[5] = add6 * sub0 + sub2 * mul1;
  writes[6] = add5 * grad_out_0 + add7 * grad_out_1;
  writes[7] = add5 * grad_out_1 - add7 * grad_out_0;
}

const Pass kDoubleBackward = {
    .schema = "rms_norm_rope_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_weight, "
              "Tensor? grad_grad_cosine, Tensor? grad_grad_sine, Tensor? grad_out, Tensor? x, "
              "Tensor? weight, Tensor? cosine, Tensor? sine, *, float eps, bool[5] needs) -> "
              "(Tensor, Tensor, Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true, .parts = 2},
               {.name = "grad_grad_weight", .optional = true, .parts = 2},
               {.name = "grad_grad_cosine", .optional = true},
               {.name = "grad_grad_sine", .optional = true},
               {.name = "grad_out", .parts = 2},
               {.name = "x", .parts = 2},
               {.name = "weight", .parts = 2},
               {.name = "cosine"},
               {.name = "sine"}},
    .outputs = {{.name = "grad_grad_out", .like = 4, .reads = {0, 1, 2, 3, 5, 6, 7, 8}, .parts = 2},
                {.name = "grad_x", .like = 5, .reads = {0, 1, 2, 3, 4, 5, 6, 7, 8}, .parts = 2},
                {.name = "grad_weight", .like = 6, .reads = {0, 2, 3, 4, 5, 7, 8}, .parts = 2},
                {.name = "grad_cosine", .like = 7, .reads = {0, 1, 4, 5, 6}},
                {.name = "grad_sine", .like = 8, .reads = {0, 1, 4, 5, 6}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .reduces = true,
};

const Pass kBackward = {
    .schema = "rms_norm_rope_backward(Tensor grad_out, Tensor? x, Tensor? weight, Tensor? cosine,"
              " Tensor? sine, Tensor? kept_total0, *, float eps, bool[4] needs) -> (Tensor, "
              "Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_out", .parts = 2},
               {.name = "x", .parts = 2},
               {.name = "weight", .parts = 2},
               {.name = "cosine"},
               {.name = "sine"},
               {.name = "kept_total0", .kind = Kind::kTotal, .extent = Extent::kRow}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2, 3, 4, 5}, .parts = 2},
                {.name = "grad_weight", .like = 2, .reads = {0, 1, 3, 4, 5}, .parts = 2},
                {.name = "grad_cosine", .like = 3, .reads = {0, 1, 2, 5}},
                {.name = "grad_sine", .like = 4, .reads = {0, 1, 2, 5}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3, 4},
    .gradients = {0, 1, 2, 3, 4},
    .reduces = true,
};

const Pass kForward = {
    .schema = "rms_norm_rope(Tensor x, Tensor weight, Tensor cosine, Tensor sine, *, float "
              "eps=1e-06) -> Tensor",
    .inputs = {{.name = "x", .parts = 2},
               {.name = "weight", .parts = 2},
               {.name = "cosine"},
               {.name = "sine"}},
    .outputs = {{.name = "out", .parts = 2}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1, 2, 3},
    .kept_totals = 1,
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::rms_norm_rope
