// Generated from specs/losses/dpo_loss.yaml by `fusewise generate`. Do not edit.
// The formulas stand in dpo_loss.math.h.
#include <ATen/ops/detach.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/where.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::dpo_loss {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& chosen = reads[0];
  const Tensor& rejected = reads[1];
  const Tensor& ref_chosen = reads[2];
  const Tensor& ref_rejected = reads[3];
  const Tensor& chosen_mask = reads[4];
  const Tensor& rejected_mask = reads[5];
  const double beta = params[0].as<double>();
  const double smoothing = params[1].as<double>();
  const Tensor stop_grad0 = at::detach(ref_chosen);
  const Tensor stop_grad1 = at::detach(ref_rejected);
  const Tensor stop_grad2 = at::detach(chosen);
  const Tensor where0 = at::where(chosen_mask, chosen, stop_grad2);
  const Tensor where1 = at::where(chosen_mask, ref_chosen, stop_grad0);
  const Tensor stop_grad3 = at::detach(where1);
  const Tensor where2 = at::where(chosen_mask, where0 - stop_grad3, 0);
  const Tensor sum0 = at::sum(where2, {-1}, true);
  const Tensor good = beta * sum0;
  const Tensor stop_grad4 = at::detach(rejected);
  const Tensor where3 = at::where(rejected_mask, rejected, stop_grad4);
  const Tensor where4 = at::where(rejected_mask, ref_rejected, stop_grad1);
  const Tensor stop_grad5 = at::detach(where4);
  const Tensor where5 = at::where(rejected_mask, where3 - stop_grad5, 0);
  const Tensor sum1 = at::sum(where5, {-1}, true);
  const Tensor bad = beta * sum1;
  const Tensor margin = good - bad;
  const Tensor logsigmoid0 = at::log_sigmoid(margin);
  const Tensor logsigmoid1 = at::log_sigmoid(-margin);
  writes[0] = -((1 - smoothing) * logsigmoid0) - smoothing * logsigmoid1;
  writes[1] = at::detach(good);
  writes[2] = at::detach(bad);
}

void backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_loss = reads[0];
  const Tensor& chosen = reads[1];
  const Tensor& rejected = reads[2];
  const Tensor& ref_chosen = reads[3];
  const Tensor& ref_rejected = reads[4];
  const Tensor& chosen_mask = reads[5];
  const Tensor& rejected_mask = reads[6];
  const double beta = params[0].as<double>();
  const double smoothing = params[1].as<double>();
  const Tensor stop_grad0 = at::detach(ref_chosen);
  const Tensor stop_grad1 = at::detach(ref_rejected);
  const double sub0 = 1 - smoothing;
  const Tensor stop_grad2 = at::detach(chosen);
  const Tensor where0 = at::where(chosen_mask, chosen, stop_grad2);
  const Tensor where1 = at::where(chosen_mask, ref_chosen, stop_grad0);
  const Tensor stop_grad3 = at::detach(where1);
  const Tensor where2 = at::where(chosen_mask, where0 - stop_grad3, 0);
  const Tensor sum0 = at::sum(where2, {-1}, true);
  const Tensor good = beta * sum0;
  const Tensor stop_grad4 = at::detach(rejected);
  const Tensor where3 = at::where(rejected_mask, rejected, stop_grad4);
  const Tensor where4 = at::where(rejected_mask, ref_rejected, stop_grad1);
  const Tensor stop_grad5 = at::detach(where4);
  const Tensor where5 = at::where(rejected_mask, where3 - stop_grad5, 0);
  const Tensor sum1 = at::sum(where5, {-1}, true);
  const Tensor bad = beta * sum1;
  const Tensor margin = good - bad;
  const Tensor sigmoid0 = at::sigmoid(margin);
  const Tensor sigmoid1 = at::sigmoid(-margin);
  const Tensor stop_grad6 = at::detach(grad_loss);
  const Tensor where6 = at::where(chosen_mask, grad_loss, stop_grad6);
  const Tensor sub1 = where6 * smoothing * sigmoid0 - where6 * sub0 * sigmoid1;
  const Tensor where7 = at::where(rejected_mask, grad_loss, stop_grad6);
  const Tensor sub2 = where7 * smoothing * sigmoid0 - where7 * sub0 * sigmoid1;
  writes[0] = at::where(chosen_mask, sub1 * beta, 0);
  writes[1] = at::where(rejected_mask, -(sub2 * beta), 0);
}

void double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_chosen = reads[0];
  const Tensor& grad_grad_rejected = reads[1];
  const Tensor& grad_loss = reads[2];
  const Tensor& chosen = reads[3];
  const Tensor& rejected = reads[4];
  const Tensor& ref_chosen = reads[5];
  const Tensor& ref_rejected = reads[6];
  const Tensor& chosen_mask = reads[7];
  const Tensor& rejected_mask = reads[8];
  const double beta = params[0].as<double>();
  const double smoothing = params[1].as<double>();
  const Tensor stop_grad0 = at::detach(ref_chosen);
  const Tensor stop_grad1 = at::detach(ref_rejected);
  const double sub0 = 1 - smoothing;
  const Tensor where0 = at::where(chosen_mask, grad_grad_chosen, 0);
  const Tensor where1 = at::where(rejected_mask, grad_grad_rejected, 0);
  const Tensor sum0 = at::sum(where1, {-1}, true);
  const Tensor sum1 = at::sum(where0, {-1}, true);
  const Tensor sub1 = sum1 - sum0;
  const Tensor stop_grad2 = at::detach(chosen);
  const Tensor where2 = at::where(chosen_mask, chosen, stop_grad2);
  const Tensor where3 = at::where(chosen_mask, ref_chosen, stop_grad0);
  const Tensor stop_grad3 = at::detach(where3);
  const Tensor where4 = at::where(chosen_mask, where2 - stop_grad3, 0);
  const Tensor sum2 = at::sum(where4, {-1}, true);
  const Tensor good = beta * sum2;
  const Tensor stop_grad4 = at::detach(rejected);
  const Tensor where5 = at::where(rejected_mask, rejected, stop_grad4);
  const Tensor where6 = at::where(rejected_mask, ref_rejected, stop_grad1);
  const Tensor stop_grad5 = at::detach(where6);
  const Tensor where7 = at::where(rejected_mask, where5 - stop_grad5, 0);
  const Tensor sum3 = at::sum(where7, {-1}, true);
  const Tensor bad = beta * sum3;
  const Tensor margin = good - bad;
  const Tensor sigmoid0 = at::sigmoid(margin);
  const Tensor sigmoid1 = at::sigmoid(-margin);
  const Tensor stop_grad6 = at::detach(grad_loss);
  const Tensor where8 = at::where(chosen_mask, grad_loss, stop_grad6);
  const Tensor where9 = at::where(rejected_mask, grad_loss, stop_grad6);
  const Tensor mul0 = sigmoid0 * sub1 * (beta * smoothing);
  const Tensor mul1 = beta * where8;
  const Tensor mul2 = beta * where9;
  const Tensor mul3 = sigmoid0 * sigmoid1 * sub1;
  const Tensor add0 = mul3 * (mul1 * smoothing) + mul3 * (mul1 * sub0);
  const Tensor add1 = mul3 * (mul2 * smoothing) + mul3 * (mul2 * sub0);
  writes[0] = mul0 - sigmoid1 * sub1 * (beta * sub0);
  writes[1] = at::where(chosen_mask, add0 * beta, 0);
  writes[2] = at::where(rejected_mask, -(add1 * beta), 0);
}

const Pass kDoubleBackward = {
    .schema = "dpo_loss_double_backward(Tensor? grad_grad_chosen, Tensor? grad_grad_rejected, "
              "Tensor? grad_loss, Tensor? chosen, Tensor? rejected, Tensor? ref_chosen, Tensor? "
              "ref_rejected, Tensor? chosen_mask, Tensor? rejected_mask, *, float beta, float "
              "smoothing, bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_chosen", .optional = true},
               {.name = "grad_grad_rejected", .optional = true},
               {.name = "grad_loss", .extent = Extent::kRow},
               {.name = "chosen"},
               {.name = "rejected"},
               {.name = "ref_chosen"},
               {.name = "ref_rejected"},
               {.name = "chosen_mask", .kind = Kind::kBool},
               {.name = "rejected_mask", .kind = Kind::kBool}},
    .outputs = {{.name = "grad_grad_loss", .like = 2, .reads = {0, 1, 3, 4, 5, 6, 7, 8},
                 .extent = Extent::kRow},
                {.name = "grad_chosen", .like = 3, .reads = {0, 1, 2, 3, 4, 5, 6, 7, 8}},
                {.name = "grad_rejected", .like = 4, .reads = {0, 1, 2, 3, 4, 5, 6, 7, 8}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .reduces = true,
};

const Pass kBackward = {
    .schema = "dpo_loss_backward(Tensor grad_loss, Tensor? chosen, Tensor? rejected, Tensor? "
              "ref_chosen, Tensor? ref_rejected, Tensor? chosen_mask, Tensor? rejected_mask, "
              "Tensor? kept_total0, Tensor? kept_total1, *, float beta, float smoothing, bool[2] "
              "needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_loss", .extent = Extent::kRow},
               {.name = "chosen"},
               {.name = "rejected"},
               {.name = "ref_chosen"},
               {.name = "ref_rejected"},
               {.name = "chosen_mask", .kind = Kind::kBool},
               {.name = "rejected_mask", .kind = Kind::kBool},
               {.name = "kept_total0", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total1", .kind = Kind::kTotal, .extent = Extent::kRow}},
    .outputs = {{.name = "grad_chosen", .like = 1, .reads = {0, 1, 2, 3, 4, 5, 6, 7, 8}},
                {.name = "grad_rejected", .like = 2, .reads = {0, 1, 2, 3, 4, 5, 6, 7, 8}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3, 4, 5, 6},
    .gradients = {0, 1, 2},
    .reduces = true,
};

const Pass kForward = {
    .schema = "dpo_loss(Tensor chosen, Tensor rejected, Tensor ref_chosen, Tensor ref_rejected, "
              "Tensor chosen_mask, Tensor rejected_mask, *, float beta=0.1, float smoothing=0) ->"
              " (Tensor, Tensor, Tensor)",
    .inputs = {{.name = "chosen"},
               {.name = "rejected"},
               {.name = "ref_chosen"},
               {.name = "ref_rejected"},
               {.name = "chosen_mask", .kind = Kind::kBool},
               {.name = "rejected_mask", .kind = Kind::kBool}},
    .outputs = {{.name = "loss", .extent = Extent::kRow},
                {.name = "chosen_reward", .detached = true, .extent = Extent::kRow},
                {.name = "rejected_reward", .detached = true, .extent = Extent::kRow}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1, 2, 3, 4, 5},
    .gradients = {0, 1},
    .kept_totals = 2,
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::dpo_loss
