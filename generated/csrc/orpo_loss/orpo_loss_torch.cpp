// Generated from specs/losses/orpo_loss.yaml by `fusewise generate`. Do not edit.
// The formulas stand in orpo_loss.math.h.
#include <ATen/ops/detach.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/expm1.h>
#include <ATen/ops/log.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/where.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::orpo_loss {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& chosen = reads[0];
  const Tensor& rejected = reads[1];
  const Tensor& chosen_mask = reads[2];
  const Tensor& rejected_mask = reads[3];
  const double beta = params[0].as<double>();
  const Tensor where0 = at::where(chosen_mask, constant(1, reads[0]), constant(0, reads[0]));
  const Tensor sum0 = at::sum(where0, {-1}, true);
  const Tensor where1 = at::where(rejected_mask, constant(1, reads[0]), constant(0, reads[0]));
  const Tensor sum1 = at::sum(where1, {-1}, true);
  const Tensor is_whole = at::logical_and(sum0 > 0, sum1 > 0);
  const Tensor where2 = at::where(chosen_mask, chosen, 0);
  const Tensor sum2 = at::sum(where2, {-1}, true);
  const Tensor maximum0 = at::maximum(sum0, constant(1, reads[0]));
  const Tensor good = at::where(is_whole, sum2 / maximum0, -1);
  const Tensor where3 = at::where(rejected_mask, rejected, 0);
  const Tensor sum3 = at::sum(where3, {-1}, true);
  const Tensor maximum1 = at::maximum(sum1, constant(1, reads[0]));
  const Tensor bad = at::where(is_whole, sum3 / maximum1, -1);
  const Tensor expm1_0 = at::expm1(good);
  const Tensor log0 = at::log(-expm1_0);
  const Tensor expm1_1 = at::expm1(bad);
  const Tensor log1 = at::log(-expm1_1);
  const Tensor ratio = good - bad - (log0 - log1);
  const Tensor logsigmoid0 = at::log_sigmoid(ratio);
  writes[0] = at::where(is_whole, -good - beta * logsigmoid0, 0);
  writes[1] = ratio;
}

void backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_loss = reads[0];
  const Tensor& grad_log_odds = reads[1];
  const Tensor& chosen = reads[2];
  const Tensor& rejected = reads[3];
  const Tensor& chosen_mask = reads[4];
  const Tensor& rejected_mask = reads[5];
  const double beta = params[0].as<double>();
  const Tensor where0 = at::where(chosen_mask, constant(1, reads[0]), constant(0, reads[0]));
  const Tensor sum0 = at::sum(where0, {-1}, true);
  const Tensor where1 = at::where(rejected_mask, constant(1, reads[0]), constant(0, reads[0]));
  const Tensor sum1 = at::sum(where1, {-1}, true);
  const Tensor is_whole = at::logical_and(sum0 > 0, sum1 > 0);
  const Tensor where2 = at::where(chosen_mask, chosen, 0);
  const Tensor sum2 = at::sum(where2, {-1}, true);
  const Tensor maximum0 = at::maximum(sum0, constant(1, reads[0]));
  const Tensor good = at::where(is_whole, sum2 / maximum0, -1);
  const Tensor where3 = at::where(rejected_mask, rejected, 0);
  const Tensor sum3 = at::sum(where3, {-1}, true);
  const Tensor maximum1 = at::maximum(sum1, constant(1, reads[0]));
  const Tensor bad = at::where(is_whole, sum3 / maximum1, -1);
  const Tensor expm1_0 = at::expm1(good);
  const Tensor neg0 = -expm1_0;
  const Tensor log0 = at::log(neg0);
  const Tensor expm1_1 = at::expm1(bad);
  const Tensor neg1 = -expm1_1;
  const Tensor log1 = at::log(neg1);
  const Tensor ratio = good - bad - (log0 - log1);
  const Tensor sigmoid0 = at::sigmoid(-ratio);
  const Tensor exp0 = at::exp(bad);
  const Tensor exp1 = at::exp(good);
  const Tensor stop_grad0 = at::detach(grad_loss);
  const Tensor stop_grad1 = at::detach(grad_log_odds);
  const Tensor where4 = at::where(chosen_mask, grad_loss, stop_grad0);
  const Tensor where5 = at::where(chosen_mask, grad_log_odds, stop_grad1);
  const Tensor stop_grad2 = at::detach(where4);
  const Tensor where6 = at::where(is_whole, where4, stop_grad2);
  const Tensor stop_grad3 = at::detach(where5);
  const Tensor where7 = at::where(is_whole, where5, stop_grad3);
  const Tensor where8 = at::where(is_whole, -where6, 0);
  const Tensor stop_grad4 = at::detach(where6);
  const Tensor where9 = at::where(is_whole, where6, stop_grad4);
  const Tensor where10 = at::where(is_whole, -(where9 * beta * sigmoid0), 0);
  const Tensor add0 = where7 + where10;
  const Tensor div0 = (where8 + add0 / neg0 * exp1 + add0) / maximum0;
  const Tensor where11 = at::where(is_whole, div0, 0);
  const Tensor where12 = at::where(rejected_mask, grad_loss, stop_grad0);
  const Tensor where13 = at::where(rejected_mask, grad_log_odds, stop_grad1);
  const Tensor stop_grad5 = at::detach(where12);
  const Tensor where14 = at::where(is_whole, where12, stop_grad5);
  const Tensor stop_grad6 = at::detach(where13);
  const Tensor where15 = at::where(is_whole, where13, stop_grad6);
  const Tensor stop_grad7 = at::detach(where14);
  const Tensor where16 = at::where(is_whole, where14, stop_grad7);
  const Tensor where17 = at::where(is_whole, -(where16 * beta * sigmoid0), 0);
  const Tensor add1 = where15 + where17;
  const Tensor div1 = (-(add1 / neg1 * exp0) - add1) / maximum1;
  const Tensor where18 = at::where(is_whole, div1, 0);
  writes[0] = at::where(chosen_mask, where11, 0);
  writes[1] = at::where(rejected_mask, where18, 0);
}

void double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_chosen = reads[0];
  const Tensor& grad_grad_rejected = reads[1];
  const Tensor& grad_loss = reads[2];
  const Tensor& grad_log_odds = reads[3];
  const Tensor& chosen = reads[4];
  const Tensor& rejected = reads[5];
  const Tensor& chosen_mask = reads[6];
  const Tensor& rejected_mask = reads[7];
  const double beta = params[0].as<double>();
  const Tensor where0 = at::where(chosen_mask, constant(1, reads[0]), constant(0, reads[0]));
  const Tensor sum0 = at::sum(where0, {-1}, true);
  const Tensor where1 = at::where(rejected_mask, constant(1, reads[0]), constant(0, reads[0]));
  const Tensor sum1 = at::sum(where1, {-1}, true);
  const Tensor is_whole = at::logical_and(sum0 > 0, sum1 > 0);
  const Tensor where2 = at::where(chosen_mask, chosen, 0);
  const Tensor sum2 = at::sum(where2, {-1}, true);
  const Tensor maximum0 = at::maximum(sum0, constant(1, reads[0]));
  const Tensor good = at::where(is_whole, sum2 / maximum0, -1);
  const Tensor where3 = at::where(rejected_mask, rejected, 0);
  const Tensor sum3 = at::sum(where3, {-1}, true);
  const Tensor maximum1 = at::maximum(sum1, constant(1, reads[0]));
  const Tensor bad = at::where(is_whole, sum3 / maximum1, -1);
  const Tensor expm1_0 = at::expm1(good);
  const Tensor neg0 = -expm1_0;
  const Tensor log0 = at::log(neg0);
  const Tensor expm1_1 = at::expm1(bad);
  const Tensor neg1 = -expm1_1;
  const Tensor log1 = at::log(neg1);
  const Tensor ratio = good - bad - (log0 - log1);
  const Tensor sigmoid0 = at::sigmoid(-ratio);
  const Tensor exp0 = at::exp(bad);
  const Tensor exp1 = at::exp(good);
  const Tensor where4 = at::where(chosen_mask, grad_grad_chosen, 0);
  const Tensor sum4 = at::sum(where4, {-1}, true);
  const Tensor div0 = sum4 / maximum0;
  const Tensor where5 = at::where(rejected_mask, grad_grad_rejected, 0);
  const Tensor sum5 = at::sum(where5, {-1}, true);
  const Tensor div1 = sum5 / maximum1;
  const Tensor mul0 = div0 * exp1;
  const Tensor mul1 = div1 * exp0;
  const Tensor sub0 = div0 - div1 + mul0 / neg0 - mul1 / neg1;
  const Tensor where6 = at::where(is_whole, -(sub0 * sigmoid0 * beta) - div0, 0);
  const Tensor stop_grad0 = at::detach(grad_loss);
  const Tensor stop_grad1 = at::detach(grad_log_odds);
  const Tensor where7 = at::where(chosen_mask, grad_loss, stop_grad0);
  const Tensor where8 = at::where(chosen_mask, grad_log_odds, stop_grad1);
  const Tensor stop_grad2 = at::detach(where7);
  const Tensor where9 = at::where(is_whole, where7, stop_grad2);
  const Tensor stop_grad3 = at::detach(where8);
  const Tensor where10 = at::where(is_whole, where8, stop_grad3);
  const Tensor stop_grad4 = at::detach(where9);
  const Tensor where11 = at::where(is_whole, where9, stop_grad4);
  const Tensor where12 = at::where(rejected_mask, grad_loss, stop_grad0);
  const Tensor where13 = at::where(rejected_mask, grad_log_odds, stop_grad1);
  const Tensor stop_grad5 = at::detach(where12);
  const Tensor where14 = at::where(is_whole, where12, stop_grad5);
  const Tensor stop_grad6 = at::detach(where13);
  const Tensor where15 = at::where(is_whole, where13, stop_grad6);
  const Tensor stop_grad7 = at::detach(where14);
  const Tensor where16 = at::where(is_whole, where14, stop_grad7);
  const Tensor stop_grad8 = at::detach(where10);
  const Tensor where17 = at::where(is_whole, where10, stop_grad8);
  const Tensor stop_grad9 = at::detach(where11);
  const Tensor where18 = at::where(is_whole, where11, stop_grad9);
  const Tensor mul2 = where18 * beta;
  const Tensor where19 = at::where(is_whole, -(mul2 * sigmoid0), 0);
  const Tensor div2 = (where17 + where19) / neg0;
  const Tensor stop_grad10 = at::detach(where15);
  const Tensor where20 = at::where(is_whole, where15, stop_grad10);
  const Tensor stop_grad11 = at::detach(where16);
  const Tensor where21 = at::where(is_whole, where16, stop_grad11);
  const Tensor mul3 = where21 * beta;
  const Tensor where22 = at::where(is_whole, -(mul3 * sigmoid0), 0);
  const Tensor div3 = (where20 + where22) / neg1;
  const Tensor sigmoid1 = at::sigmoid(ratio);
  const Tensor mul4 = sigmoid1 * sigmoid0 * sub0;
  const Tensor mul5 = mul4 * mul2;
  const Tensor where23 = at::where(is_whole, mul5, 0);
  const Tensor where24 = at::where(is_whole, -(mul5 / neg0), 0);
  const Tensor mul6 = (where24 - exp1 * (div2 / neg0) * div0) * exp1;
  const Tensor where25 = at::where(is_whole, (mul0 * div2 - mul6 + where23) / maximum0, 0);
  const Tensor where26 = at::where(is_whole, where25, 0);
  const Tensor mul7 = mul4 * mul3;
  const Tensor where27 = at::where(is_whole, -mul7, 0);
  const Tensor where28 = at::where(is_whole, mul7 / neg1, 0);
  const Tensor mul8 = (exp0 * (div3 / neg1) * div1 + where28) * exp0;
  const Tensor div4 = (-(mul1 * div3) - mul8 + where27) / maximum1;
  const Tensor where29 = at::where(is_whole, div4, 0);
  const Tensor where30 = at::where(is_whole, where29, 0);
  writes[0] = at::where(is_whole, where6, 0);
  writes[1] = at::where(is_whole, sub0, 0);
  writes[2] = at::where(chosen_mask, where26, 0);
  writes[3] = at::where(rejected_mask, where30, 0);
}

const Pass kDoubleBackward = {
    .schema = "orpo_loss_double_backward(Tensor? grad_grad_chosen, Tensor? grad_grad_rejected, "
              "Tensor? grad_loss, Tensor? grad_log_odds, Tensor? chosen, Tensor? rejected, "
              "Tensor? chosen_mask, Tensor? rejected_mask, *, float beta, bool[4] needs) -> "
              "(Tensor, Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_chosen", .optional = true},
               {.name = "grad_grad_rejected", .optional = true},
               {.name = "grad_loss", .optional = true, .extent = Extent::kRow},
               {.name = "grad_log_odds", .optional = true, .extent = Extent::kRow},
               {.name = "chosen"},
               {.name = "rejected"},
               {.name = "chosen_mask", .kind = Kind::kBool},
               {.name = "rejected_mask", .kind = Kind::kBool}},
    .outputs = {{.name = "grad_grad_loss", .like = 2, .reads = {0, 1, 4, 5, 6, 7},
                 .extent = Extent::kRow},
                {.name = "grad_grad_log_odds", .like = 3, .reads = {0, 1, 4, 5, 6, 7},
                 .extent = Extent::kRow},
                {.name = "grad_chosen", .like = 4, .reads = {0, 1, 2, 3, 4, 5, 6, 7}},
                {.name = "grad_rejected", .like = 5, .reads = {0, 1, 2, 3, 4, 5, 6, 7}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .reduces = true,
};

const Pass kBackward = {
    .schema = "orpo_loss_backward(Tensor? grad_loss, Tensor? grad_log_odds, Tensor? chosen, "
              "Tensor? rejected, Tensor? chosen_mask, Tensor? rejected_mask, Tensor? kept_total0,"
              " Tensor? kept_total1, Tensor? kept_total2, Tensor? kept_total3, *, float beta, "
              "bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_loss", .optional = true, .extent = Extent::kRow},
               {.name = "grad_log_odds", .optional = true, .extent = Extent::kRow},
               {.name = "chosen"},
               {.name = "rejected"},
               {.name = "chosen_mask", .kind = Kind::kBool},
               {.name = "rejected_mask", .kind = Kind::kBool},
               {.name = "kept_total0", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total1", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total2", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total3", .kind = Kind::kTotal, .extent = Extent::kRow}},
    .outputs = {{.name = "grad_chosen", .like = 2, .reads = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
                {.name = "grad_rejected", .like = 3, .reads = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3, 4, 5},
    .gradients = {0, 1, 2, 3},
    .reduces = true,
};

const Pass kForward = {
    .schema = "orpo_loss(Tensor chosen, Tensor rejected, Tensor chosen_mask, Tensor "
              "rejected_mask, *, float beta=0.1) -> (Tensor, Tensor)",
    .inputs = {{.name = "chosen"},
               {.name = "rejected"},
               {.name = "chosen_mask", .kind = Kind::kBool},
               {.name = "rejected_mask", .kind = Kind::kBool}},
    .outputs = {{.name = "loss", .extent = Extent::kRow},
                {.name = "log_odds", .extent = Extent::kRow}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1},
    .kept_totals = 4,
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::orpo_loss
