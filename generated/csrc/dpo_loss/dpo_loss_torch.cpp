// Generated from specs/losses/dpo_loss.yaml by `fusewise generate`. Do not edit.
// The formulas stand in dpo_loss.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::dpo_loss {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& chosen = reads[0];
  const Value& rejected = reads[1];
  const Value& ref_chosen = reads[2];
  const Value& ref_rejected = reads[3];
  const Value& chosen_mask = reads[4];
  const Value& rejected_mask = reads[5];
  const double beta = params[0].as<double>();
  const double smoothing = params[1].as<double>();
  const Value stop_grad0 = aten::detach(ref_chosen);
  const Value stop_grad1 = aten::detach(ref_rejected);
  const Value stop_grad2 = aten::detach(chosen);
  const Value where0 = aten::where(chosen_mask, chosen, stop_grad2);
  const Value where1 = aten::where(chosen_mask, ref_chosen, stop_grad0);
  const Value stop_grad3 = aten::detach(where1);
  const Value where2 = aten::where(chosen_mask, where0 - stop_grad3, 0);
  const Value sum0 = aten::sum(where2);
  const Value good = beta * sum0;
  const Value stop_grad4 = aten::detach(rejected);
  const Value where3 = aten::where(rejected_mask, rejected, stop_grad4);
  const Value where4 = aten::where(rejected_mask, ref_rejected, stop_grad1);
  const Value stop_grad5 = aten::detach(where4);
  const Value where5 = aten::where(rejected_mask, where3 - stop_grad5, 0);
  const Value sum1 = aten::sum(where5);
  const Value bad = beta * sum1;
  const Value margin = good - bad;
  const Value logsigmoid0 = aten::log_sigmoid(margin);
  const Value logsigmoid1 = aten::log_sigmoid(-margin);
  writes[0] = -((1 - smoothing) * logsigmoid0) - smoothing * logsigmoid1;
  writes[1] = aten::detach(good);
  writes[2] = aten::detach(bad);
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_loss = reads[0];
  const Value& chosen = reads[1];
  const Value& rejected = reads[2];
  const Value& ref_chosen = reads[3];
  const Value& ref_rejected = reads[4];
  const Value& chosen_mask = reads[5];
  const Value& rejected_mask = reads[6];
  const double beta = params[0].as<double>();
  const double smoothing = params[1].as<double>();
  const Value stop_grad0 = aten::detach(ref_chosen);
  const Value stop_grad1 = aten::detach(ref_rejected);
  const double sub0 = 1 - smoothing;
  const Value stop_grad2 = aten::detach(chosen);
  const Value where0 = aten::where(chosen_mask, chosen, stop_grad2);
  const Value where1 = aten::where(chosen_mask, ref_chosen, stop_grad0);
  const Value stop_grad3 = aten::detach(where1);
  const Value where2 = aten::where(chosen_mask, where0 - stop_grad3, 0);
  const Value sum0 = aten::sum(where2);
  const Value good = beta * sum0;
  const Value stop_grad4 = aten::detach(rejected);
  const Value where3 = aten::where(rejected_mask, rejected, stop_grad4);
  const Value where4 = aten::where(rejected_mask, ref_rejected, stop_grad1);
  const Value stop_grad5 = aten::detach(where4);
  const Value where5 = aten::where(rejected_mask, where3 - stop_grad5, 0);
  const Value sum1 = aten::sum(where5);
  const Value bad = beta * sum1;
  const Value margin = good - bad;
  const Value sigmoid0 = aten::sigmoid(margin);
  const Value sigmoid1 = aten::sigmoid(-margin);
  const Value stop_grad6 = aten::detach(grad_loss);
  const Value where6 = aten::where(chosen_mask, grad_loss, stop_grad6);
  const Value sub1 = where6 * smoothing * sigmoid0 - where6 * sub0 * sigmoid1;
  const Value where7 = aten::where(rejected_mask, grad_loss, stop_grad6);
  const Value sub2 = where7 * smoothing * sigmoid0 - where7 * sub0 * sigmoid1;
  writes[0] = aten::where(chosen_mask, sub1 * beta, 0);
  writes[1] = aten::where(rejected_mask, -(sub2 * beta), 0);
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_chosen = reads[0];
  const Value& grad_grad_rejected = reads[1];
  const Value& grad_loss = reads[2];
  const Value& chosen = reads[3];
  const Value& rejected = reads[4];
  const Value& ref_chosen = reads[5];
  const Value& ref_rejected = reads[6];
  const Value& chosen_mask = reads[7];
  const Value& rejected_mask = reads[8];
  const double beta = params[0].as<double>();
  const double smoothing = params[1].as<double>();
  const bool has_grad_grad_chosen = params[2].as<bool>();
  const bool has_grad_grad_rejected = params[3].as<bool>();
  const Value stop_grad0 = aten::detach(ref_chosen);
  const Value stop_grad1 = aten::detach(ref_rejected);
  const double sub0 = 1 - smoothing;
  const Value where0 = aten::where(chosen_mask, grad_grad_chosen, 0);
  const Value where1 = aten::where(rejected_mask, grad_grad_rejected, 0);
  const Value sum0 = aten::sum(where1);
  const Value where2 = aten::where(condition(has_grad_grad_rejected, reads[0]), -sum0, 0);
  const Value sum1 = aten::sum(where0);
  const Value where3 = aten::where(condition(has_grad_grad_chosen, reads[0]), sum1, 0);
  const Value add0 = where2 + where3;
  const Value stop_grad2 = aten::detach(chosen);
  const Value where4 = aten::where(chosen_mask, chosen, stop_grad2);
  const Value where5 = aten::where(chosen_mask, ref_chosen, stop_grad0);
  const Value stop_grad3 = aten::detach(where5);
  const Value where6 = aten::where(chosen_mask, where4 - stop_grad3, 0);
  const Value sum2 = aten::sum(where6);
  const Value good = beta * sum2;
  const Value stop_grad4 = aten::detach(rejected);
  const Value where7 = aten::where(rejected_mask, rejected, stop_grad4);
  const Value where8 = aten::where(rejected_mask, ref_rejected, stop_grad1);
  const Value stop_grad5 = aten::detach(where8);
  const Value where9 = aten::where(rejected_mask, where7 - stop_grad5, 0);
  const Value sum3 = aten::sum(where9);
  const Value bad = beta * sum3;
  const Value margin = good - bad;
  const Value sigmoid0 = aten::sigmoid(margin);
  const Value sigmoid1 = aten::sigmoid(-margin);
  const Value stop_grad6 = aten::detach(grad_loss);
  const Value where10 = aten::where(chosen_mask, grad_loss, stop_grad6);
  const Value where11 = aten::where(rejected_mask, grad_loss, stop_grad6);
  const Value mul0 = sigmoid0 * add0 * (beta * smoothing);
  const Value mul1 = beta * where10;
  const Value mul2 = beta * where11;
  const Value mul3 = sigmoid0 * sigmoid1 * add0;
  const Value add1 = mul3 * (mul1 * smoothing) + mul3 * (mul1 * sub0);
  const Value add2 = mul3 * (mul2 * smoothing) + mul3 * (mul2 * sub0);
  writes[0] = mul0 - sigmoid1 * add0 * (beta * sub0);
  writes[1] = aten::where(chosen_mask, add1 * beta, 0);
  writes[2] = aten::where(rejected_mask, -(add2 * beta), 0);
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
    .arrivals = {0, 1},
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
