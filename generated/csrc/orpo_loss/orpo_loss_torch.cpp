// Generated from specs/losses/orpo_loss.yaml by `fusewise generate`. Do not edit.
// The formulas stand in orpo_loss.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::orpo_loss {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& chosen = reads[0];
  const Value& rejected = reads[1];
  const Value& chosen_mask = reads[2];
  const Value& rejected_mask = reads[3];
  const double beta = params[0].as<double>();
  const Value where0 = aten::where(chosen_mask, constant(1, reads[0]), constant(0, reads[0]));
  const Value sum0 = aten::sum(where0);
  const Value where1 = aten::where(rejected_mask, constant(1, reads[0]), constant(0, reads[0]));
  const Value sum1 = aten::sum(where1);
  const Value is_whole = aten::logical_and(sum0 > 0, sum1 > 0);
  const Value where2 = aten::where(chosen_mask, chosen, 0);
  const Value sum2 = aten::sum(where2);
  const Value where3 = aten::where(rejected_mask, rejected, 0);
  const Value sum3 = aten::sum(where3);
  const Value stop_grad0 = aten::detach(sum0);
  const Value where4 = aten::where(is_whole, sum0, stop_grad0);
  const Value stop_grad1 = aten::detach(sum2);
  const Value where5 = aten::where(is_whole, sum2, stop_grad1);
  const Value maximum0 = aten::maximum(where4, constant(1, reads[0]));
  const Value good = aten::where(is_whole, where5 / maximum0, -1);
  const Value stop_grad2 = aten::detach(sum1);
  const Value where6 = aten::where(is_whole, sum1, stop_grad2);
  const Value stop_grad3 = aten::detach(sum3);
  const Value where7 = aten::where(is_whole, sum3, stop_grad3);
  const Value maximum1 = aten::maximum(where6, constant(1, reads[0]));
  const Value bad = aten::where(is_whole, where7 / maximum1, -1);
  const Value expm1_0 = aten::expm1(good);
  const Value log0 = aten::log(-expm1_0);
  const Value expm1_1 = aten::expm1(bad);
  const Value log1 = aten::log(-expm1_1);
  const Value ratio = good - bad - (log0 - log1);
  const Value stop_grad4 = aten::detach(where4);
  const Value where8 = aten::where(is_whole, sum0, stop_grad4);
  const Value stop_grad5 = aten::detach(where5);
  const Value where9 = aten::where(is_whole, sum2, stop_grad5);
  const Value maximum2 = aten::maximum(where8, constant(1, reads[0]));
  const Value where10 = aten::where(is_whole, where9 / maximum2, -1);
  const Value stop_grad6 = aten::detach(where6);
  const Value where11 = aten::where(is_whole, sum1, stop_grad6);
  const Value stop_grad7 = aten::detach(where7);
  const Value where12 = aten::where(is_whole, sum3, stop_grad7);
  const Value maximum3 = aten::maximum(where11, constant(1, reads[0]));
  const Value where13 = aten::where(is_whole, where12 / maximum3, -1);
  const Value expm1_2 = aten::expm1(where10);
  const Value log2 = aten::log(-expm1_2);
  const Value expm1_3 = aten::expm1(where13);
  const Value log3 = aten::log(-expm1_3);
  const Value logsigmoid0 = aten::log_sigmoid(where10 - where13 - (log2 - log3));
  writes[0] = aten::where(is_whole, -where10 - beta * logsigmoid0, 0);
  writes[1] = ratio;
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_loss = reads[0];
  const Value& grad_log_odds = reads[1];
  const Value& chosen = reads[2];
  const Value& rejected = reads[3];
  const Value& chosen_mask = reads[4];
  const Value& rejected_mask = reads[5];
  const double beta = params[0].as<double>();
  const bool has_grad_loss = params[1].as<bool>();
  const bool has_grad_log_odds = params[2].as<bool>();
  const Value where0 = aten::where(chosen_mask, constant(1, reads[0]), constant(0, reads[0]));
  const Value sum0 = aten::sum(where0);
  const Value where1 = aten::where(rejected_mask, constant(1, reads[0]), constant(0, reads[0]));
  const Value sum1 = aten::sum(where1);
  const Value is_whole = aten::logical_and(sum0 > 0, sum1 > 0);
  const Value where2 = aten::where(chosen_mask, chosen, 0);
  const Value sum2 = aten::sum(where2);
  const Value maximum0 = aten::maximum(sum0, constant(1, reads[0]));
  const Value good = aten::where(is_whole, sum2 / maximum0, -1);
  const Value where3 = aten::where(rejected_mask, rejected, 0);
  const Value sum3 = aten::sum(where3);
  const Value maximum1 = aten::maximum(sum1, constant(1, reads[0]));
  const Value bad = aten::where(is_whole, sum3 / maximum1, -1);
  const Value expm1_0 = aten::expm1(good);
  const Value neg0 = -expm1_0;
  const Value log0 = aten::log(neg0);
  const Value expm1_1 = aten::expm1(bad);
  const Value neg1 = -expm1_1;
  const Value log1 = aten::log(neg1);
  const Value ratio = good - bad - (log0 - log1);
  const Value sigmoid0 = aten::sigmoid(-ratio);
  const Value logical_or0 = aten::logical_or(condition(has_grad_log_odds, reads[0]),
      aten::logical_and(is_whole, condition(has_grad_loss, reads[0])));
  const Value exp0 = aten::exp(bad);
  const Value exp1 = aten::exp(good);
  const Value stop_grad0 = aten::detach(grad_loss);
  const Value stop_grad1 = aten::detach(grad_log_odds);
  const Value where4 = aten::where(chosen_mask, grad_loss, stop_grad0);
  const Value where5 = aten::where(chosen_mask, grad_log_odds, stop_grad1);
  const Value stop_grad2 = aten::detach(where4);
  const Value where6 = aten::where(is_whole, where4, stop_grad2);
  const Value stop_grad3 = aten::detach(where6);
  const Value stop_grad4 = aten::detach(where5);
  const Value where7 = aten::where(is_whole, where5, stop_grad4);
  const Value where8 = aten::where(logical_or0, where6, stop_grad3);
  const Value stop_grad5 = aten::detach(where7);
  const Value where9 = aten::where(logical_or0, where7, stop_grad5);
  const Value stop_grad6 = aten::detach(where8);
  const Value where10 = aten::where(is_whole, where8, stop_grad6);
  const Value stop_grad7 = aten::detach(where10);
  const Value where11 = aten::where(condition(has_grad_loss, reads[0]), where10, stop_grad7);
  const Value where12 = aten::where(condition(has_grad_loss, reads[0]), -(where11 * beta *
      sigmoid0), 0);
  const Value where13 = aten::where(is_whole, where12, 0);
  const Value where14 = aten::where(is_whole, -where8, 0);
  const Value where15 = aten::where(logical_or0, where6, stop_grad6);
  const Value stop_grad8 = aten::detach(where9);
  const Value where16 = aten::where(logical_or0, where7, stop_grad8);
  const Value stop_grad9 = aten::detach(where15);
  const Value where17 = aten::where(is_whole, where15, stop_grad9);
  const Value stop_grad10 = aten::detach(where17);
  const Value where18 = aten::where(condition(has_grad_loss, reads[0]), where17, stop_grad10);
  const Value where19 = aten::where(condition(has_grad_loss, reads[0]), -(where18 * beta *
      sigmoid0), 0);
  const Value where20 = aten::where(is_whole, where19, 0);
  const Value where21 = aten::where(logical_or0, (where16 + where20) / neg0 * exp1, 0);
  const Value where22 = aten::where(logical_or0, (where14 + where21 + (where9 + where13)) /
      maximum0, 0);
  const Value where23 = aten::where(is_whole, where22, 0);
  const Value where24 = aten::where(rejected_mask, grad_loss, stop_grad0);
  const Value where25 = aten::where(rejected_mask, grad_log_odds, stop_grad1);
  const Value stop_grad11 = aten::detach(where24);
  const Value where26 = aten::where(is_whole, where24, stop_grad11);
  const Value stop_grad12 = aten::detach(where26);
  const Value stop_grad13 = aten::detach(where25);
  const Value where27 = aten::where(is_whole, where25, stop_grad13);
  const Value where28 = aten::where(logical_or0, where26, stop_grad12);
  const Value stop_grad14 = aten::detach(where27);
  const Value where29 = aten::where(logical_or0, where27, stop_grad14);
  const Value stop_grad15 = aten::detach(where28);
  const Value where30 = aten::where(is_whole, where28, stop_grad15);
  const Value stop_grad16 = aten::detach(where30);
  const Value where31 = aten::where(condition(has_grad_loss, reads[0]), where30, stop_grad16);
  const Value where32 = aten::where(condition(has_grad_loss, reads[0]), -(where31 * beta *
      sigmoid0), 0);
  const Value where33 = aten::where(is_whole, where32, 0);
  const Value where34 = aten::where(logical_or0, where26, stop_grad15);
  const Value stop_grad17 = aten::detach(where29);
  const Value where35 = aten::where(logical_or0, where27, stop_grad17);
  const Value stop_grad18 = aten::detach(where34);
  const Value where36 = aten::where(is_whole, where34, stop_grad18);
  const Value stop_grad19 = aten::detach(where36);
  const Value where37 = aten::where(condition(has_grad_loss, reads[0]), where36, stop_grad19);
  const Value where38 = aten::where(condition(has_grad_loss, reads[0]), -(where37 * beta *
      sigmoid0), 0);
  const Value where39 = aten::where(is_whole, where38, 0);
  const Value where40 = aten::where(logical_or0, -((where35 + where39) / neg1 * exp0), 0);
  const Value where41 = aten::where(logical_or0, (where40 - (where29 + where33)) / maximum1, 0);
  const Value where42 = aten::where(is_whole, where41, 0);
  writes[0] = aten::where(chosen_mask, where23, 0);
  writes[1] = aten::where(rejected_mask, where42, 0);
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_chosen = reads[0];
  const Value& grad_grad_rejected = reads[1];
  const Value& grad_loss = reads[2];
  const Value& grad_log_odds = reads[3];
  const Value& chosen = reads[4];
  const Value& rejected = reads[5];
  const Value& chosen_mask = reads[6];
  const Value& rejected_mask = reads[7];
  const double beta = params[0].as<double>();
  const bool has_grad_loss = params[1].as<bool>();
  const bool has_grad_log_odds = params[2].as<bool>();
  const bool has_grad_grad_chosen = params[3].as<bool>();
  const bool has_grad_grad_rejected = params[4].as<bool>();
  const Value where0 = aten::where(chosen_mask, constant(1, reads[0]), constant(0, reads[0]));
  const Value sum0 = aten::sum(where0);
  const Value where1 = aten::where(rejected_mask, constant(1, reads[0]), constant(0, reads[0]));
  const Value sum1 = aten::sum(where1);
  const Value is_whole = aten::logical_and(sum0 > 0, sum1 > 0);
  const Value where2 = aten::where(chosen_mask, chosen, 0);
  const Value sum2 = aten::sum(where2);
  const Value maximum0 = aten::maximum(sum0, constant(1, reads[0]));
  const Value good = aten::where(is_whole, sum2 / maximum0, -1);
  const Value where3 = aten::where(rejected_mask, rejected, 0);
  const Value sum3 = aten::sum(where3);
  const Value maximum1 = aten::maximum(sum1, constant(1, reads[0]));
  const Value bad = aten::where(is_whole, sum3 / maximum1, -1);
  const Value expm1_0 = aten::expm1(good);
  const Value neg0 = -expm1_0;
  const Value log0 = aten::log(neg0);
  const Value expm1_1 = aten::expm1(bad);
  const Value neg1 = -expm1_1;
  const Value log1 = aten::log(neg1);
  const Value ratio = good - bad - (log0 - log1);
  const Value mul0 = grad_loss * beta;
  const Value sigmoid0 = aten::sigmoid(-ratio);
  const Value where4 = aten::where(condition(has_grad_loss, reads[0]), -(mul0 * sigmoid0), 0);
  const Value where5 = aten::where(is_whole, where4, 0);
  const Value add0 = grad_log_odds + where5;
  const Value div0 = add0 / neg1;
  const Value logical_or0 = aten::logical_or(condition(has_grad_log_odds, reads[0]),
      aten::logical_and(is_whole, condition(has_grad_loss, reads[0])));
  const Value exp0 = aten::exp(bad);
  const Value div1 = add0 / neg0;
  const Value exp1 = aten::exp(good);
  const Value where6 = aten::where(chosen_mask, grad_grad_chosen, 0);
  const Value sum4 = aten::sum(where6);
  const Value div2 = sum4 / maximum0;
  const Value where7 = aten::where(condition(has_grad_grad_chosen, reads[0]), div2, 0);
  const Value where8 = aten::where(rejected_mask, grad_grad_rejected, 0);
  const Value sum5 = aten::sum(where8);
  const Value div3 = sum5 / maximum1;
  const Value where9 = aten::where(condition(has_grad_grad_rejected, reads[0]), -div3, 0);
  const Value mul1 = div2 * exp1;
  const Value where10 = aten::where(condition(has_grad_grad_chosen, reads[0]), mul1 / neg0, 0);
  const Value mul2 = div3 * exp0;
  const Value where11 = aten::where(condition(has_grad_grad_rejected, reads[0]), -(mul2 / neg1), 0);
  const Value add1 = where9 + where7 + where10 + where11;
  const Value where12 = aten::where(is_whole, -(add1 * sigmoid0 * beta), 0);
  const Value where13 = aten::where(condition(has_grad_grad_chosen, reads[0]), -div2, 0);
  const Value where14 = aten::where(is_whole, where13, 0);
  const Value logical_and0 = aten::logical_and(condition(has_grad_loss, reads[0]),
      aten::logical_and(logical_or0, is_whole));
  const Value logical_or1 = aten::logical_or(aten::logical_and(logical_or0,
      aten::logical_and(is_whole, condition(has_grad_grad_rejected, reads[0]))), logical_and0);
  const Value logical_or2 = aten::logical_or(aten::logical_and(logical_or0,
      aten::logical_and(is_whole, condition(has_grad_grad_chosen, reads[0]))), logical_and0);
  const Value logical_or3 = aten::logical_or(condition(has_grad_log_odds, reads[0]), is_whole);
  const Value where15 = aten::where(logical_or3, where12, 0);
  const Value where16 = aten::where(is_whole, where15, 0);
  const Value where17 = aten::where(logical_or3, where14, 0);
  const Value where18 = aten::where(is_whole, where17, 0);
  const Value where19 = aten::where(condition(has_grad_grad_chosen, reads[0]), mul1 * div1, 0);
  const Value where20 = aten::where(is_whole, where19, 0);
  const Value where21 = aten::where(logical_or0, where20, 0);
  const Value where22 = aten::where(condition(has_grad_grad_chosen, reads[0]), -(exp1 * (div1 /
      neg0) * div2), 0);
  const Value where23 = aten::where(is_whole, where22, 0);
  const Value where24 = aten::where(logical_or0, where23, 0);
  const Value where25 = aten::where(condition(has_grad_grad_rejected, reads[0]), -(mul2 * div0), 0);
  const Value where26 = aten::where(is_whole, where25, 0);
  const Value where27 = aten::where(logical_or0, where26, 0);
  const Value where28 = aten::where(condition(has_grad_grad_rejected, reads[0]), exp0 * (div0 /
      neg1) * div3, 0);
  const Value where29 = aten::where(is_whole, where28, 0);
  const Value where30 = aten::where(logical_or0, where29, 0);
  const Value sigmoid1 = aten::sigmoid(ratio);
  const Value mul3 = sigmoid1 * sigmoid0 * add1 * mul0;
  const Value where31 = aten::where(is_whole, -mul3, 0);
  const Value where32 = aten::where(logical_or0, where31, 0);
  const Value where33 = aten::where(is_whole, where32, 0);
  const Value where34 = aten::where(condition(has_grad_loss, reads[0]), where33, 0);
  const Value where35 = aten::where(is_whole, mul3, 0);
  const Value where36 = aten::where(logical_or0, where35, 0);
  const Value where37 = aten::where(is_whole, where36, 0);
  const Value where38 = aten::where(condition(has_grad_loss, reads[0]), where37, 0);
  const Value where39 = aten::where(is_whole, mul3 / neg1, 0);
  const Value where40 = aten::where(logical_or0, where39, 0);
  const Value where41 = aten::where(is_whole, where40, 0);
  const Value where42 = aten::where(condition(has_grad_loss, reads[0]), where41, 0);
  const Value where43 = aten::where(logical_or1, -((where30 + where42) * exp0), 0);
  const Value where44 = aten::where(is_whole, -(mul3 / neg0), 0);
  const Value where45 = aten::where(logical_or0, where44, 0);
  const Value where46 = aten::where(is_whole, where45, 0);
  const Value where47 = aten::where(condition(has_grad_loss, reads[0]), where46, 0);
  const Value where48 = aten::where(logical_or2, -((where24 + where47) * exp1), 0);
  const Value where49 = aten::where(logical_or1, (where27 + where43 + where34) / maximum1, 0);
  const Value where50 = aten::where(is_whole, where49, 0);
  const Value where51 = aten::where(logical_or2, (where21 + where48 + where38) / maximum0, 0);
  const Value where52 = aten::where(is_whole, where51, 0);
  writes[0] = where16 + where18;
  writes[1] = aten::where(is_whole, add1, 0);
  writes[2] = aten::where(chosen_mask, where52, 0);
  writes[3] = aten::where(rejected_mask, where50, 0);
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
    .outputs = {{.name = "grad_grad_loss", .like = 2, .reads = {0, 1, 3, 4, 5, 6, 7},
                 .extent = Extent::kRow},
                {.name = "grad_grad_log_odds", .like = 3, .reads = {0, 1, 4, 5, 6, 7},
                 .extent = Extent::kRow},
                {.name = "grad_chosen", .like = 4, .reads = {0, 1, 2, 3, 4, 5, 6, 7}},
                {.name = "grad_rejected", .like = 5, .reads = {0, 1, 2, 3, 4, 5, 6, 7}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .arrivals = {2, 3, 0, 1},
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
    .arrivals = {0, 1},
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
