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
  const bool has_grad_grad_x = params[1].as<bool>();
  const bool has_grad_grad_gate = params[2].as<bool>();
  const bool has_grad_grad_weight = params[3].as<bool>();
  const Value mean0 = aten::mean(x * x);
  const Value rstd = aten::rsqrt(mean0 + eps);
  const Value sigmoid0 = aten::sigmoid(gate);
  const Value mul0 = -0.5 * rstd;
  const Value mul1 = rstd * rstd;
  const Value mul2 = mul0 * mul1;
  const Value sum0 = aten::sum((grad_grad_x + grad_grad_x) * x);
  const Value div0 = sum0 / length;
  const Value mul3 = div0 * mul2;
  const bool logical_or0 = has_grad_grad_weight | has_grad_grad_x;
  const bool logical_or1 = has_grad_grad_weight | has_grad_grad_gate;
  const Value sum1 = aten::sum(grad_out * (gate * sigmoid0) * weight * x);
  const Value stop_grad0 = aten::detach(x);
  const Value stop_grad1 = aten::detach(grad_grad_weight);
  const Value where0 = aten::where(condition(has_grad_grad_x, reads[0]), x, stop_grad0);
  const Value stop_grad2 = aten::detach(weight);
  const Value where1 = aten::where(condition(has_grad_grad_x, reads[0]), weight, stop_grad2);
  const Value stop_grad3 = aten::detach(grad_grad_x);
  const Value where2 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_x, stop_grad3);
  const Value where3 = aten::where(condition(has_grad_grad_gate, reads[0]), x, stop_grad0);
  const Value stop_grad4 = aten::detach(gate);
  const Value where4 = aten::where(condition(has_grad_grad_gate, reads[0]), gate, stop_grad4);
  const Value where5 = aten::where(condition(has_grad_grad_gate, reads[0]), weight, stop_grad2);
  const Value mul4 = where3 * rstd;
  const Value mul5 = mul4 * where5;
  const Value sigmoid1 = aten::sigmoid(where4);
  const Value stop_grad5 = aten::detach(grad_grad_gate);
  const Value where6 = aten::where(condition(has_grad_grad_gate, reads[0]), grad_grad_gate,
      stop_grad5);
  const Value where7 = aten::where(condition(logical_or0, reads[0]), x, stop_grad0);
  const Value where8 = aten::where(condition(logical_or0, reads[0]), gate, stop_grad4);
  const Value where9 = aten::where(condition(logical_or0, reads[0]), weight, stop_grad2);
  const Value where10 = aten::where(condition(logical_or0, reads[0]), grad_grad_x, stop_grad3);
  const Value where11 = aten::where(condition(logical_or0, reads[0]), grad_grad_weight, stop_grad1);
  const Value stop_grad6 = aten::detach(where7);
  const Value where12 = aten::where(condition(has_grad_grad_weight, reads[0]), where7, stop_grad6);
  const Value stop_grad7 = aten::detach(where11);
  const Value where13 = aten::where(condition(has_grad_grad_weight, reads[0]), where11, stop_grad7);
  const Value where14 = aten::where(condition(has_grad_grad_weight, reads[0]), where13 * (where12 *
      rstd), 0);
  const Value where15 = aten::where(condition(has_grad_grad_x, reads[0]), where7, stop_grad6);
  const Value stop_grad8 = aten::detach(where9);
  const Value where16 = aten::where(condition(has_grad_grad_x, reads[0]), where9, stop_grad8);
  const Value stop_grad9 = aten::detach(where10);
  const Value where17 = aten::where(condition(has_grad_grad_x, reads[0]), where10, stop_grad9);
  const Value where18 = aten::where(condition(has_grad_grad_x, reads[0]), (mul3 * where15 + where17
      * rstd) * where16, 0);
  const Value add0 = where14 + where18;
  const Value where19 = aten::where(condition(has_grad_grad_x, reads[0]), gate, stop_grad4);
  const Value stop_grad10 = aten::detach(grad_out);
  const Value where20 = aten::where(condition(has_grad_grad_x, reads[0]), grad_out, stop_grad10);
  const Value where21 = aten::where(condition(has_grad_grad_gate, reads[0]), grad_out, stop_grad10);
  const Value where22 = aten::where(condition(logical_or1, reads[0]), x, stop_grad0);
  const Value where23 = aten::where(condition(logical_or1, reads[0]), gate, stop_grad4);
  const Value where24 = aten::where(condition(logical_or1, reads[0]), weight, stop_grad2);
  const Value where25 = aten::where(condition(logical_or1, reads[0]), grad_out, stop_grad10);
  const Value where26 = aten::where(condition(logical_or1, reads[0]), grad_grad_gate, stop_grad5);
  const Value where27 = aten::where(condition(logical_or1, reads[0]), grad_grad_weight, stop_grad1);
  const Value stop_grad11 = aten::detach(where23);
  const Value where28 = aten::where(condition(has_grad_grad_weight, reads[0]), where23,
      stop_grad11);
  const Value stop_grad12 = aten::detach(where25);
  const Value where29 = aten::where(condition(has_grad_grad_weight, reads[0]), where25,
      stop_grad12);
  const Value stop_grad13 = aten::detach(where27);
  const Value where30 = aten::where(condition(has_grad_grad_weight, reads[0]), where27,
      stop_grad13);
  const Value where31 = aten::where(condition(has_grad_grad_gate, reads[0]), where23, stop_grad11);
  const Value stop_grad14 = aten::detach(where24);
  const Value where32 = aten::where(condition(has_grad_grad_gate, reads[0]), where24, stop_grad14);
  const Value where33 = aten::where(condition(has_grad_grad_gate, reads[0]), where25, stop_grad12);
  const Value sigmoid2 = aten::sigmoid(where31);
  const Value stop_grad15 = aten::detach(where26);
  const Value where34 = aten::where(condition(has_grad_grad_gate, reads[0]), where26, stop_grad15);
  const Value where35 = aten::where(condition(logical_or0, reads[0]), grad_out, stop_grad10);
  const Value sigmoid3 = aten::sigmoid(where8);
  const Value tanh0 = aten::tanh(0.5 * where4);
  const Value mul6 = tanh0 * where6 * where21 * where3 * rstd * where5;
  const Value mul7 = div0 * sum1;
  const Value mul8 = mul7 * mul0 * rstd;
  const Value where36 = aten::where(condition(has_grad_grad_x, reads[0]), mul8 + mul8 + mul7 * mul1
      * -0.5, 0);
  const Value sigmoid4 = aten::sigmoid(-where4);
  const Value mul9 = sigmoid1 * sigmoid4;
  const Value mul10 = where4 * mul9;
  const Value mul11 = where6 * (sigmoid1 + mul10);
  const Value where37 = aten::where(condition(has_grad_grad_gate, reads[0]), mul11 * mul5, 0);
  const Value where38 = aten::where(condition(logical_or0, reads[0]), add0 * (where8 * sigmoid3),
      0);
  const Value sigmoid5 = aten::sigmoid(where19);
  const Value mul12 = where20 * (where19 * sigmoid5);
  const Value mul13 = mul12 * where1;
  const Value mul14 = (where2 + where2) * (sum1 * mul2 / length);
  const Value where39 = aten::where(condition(has_grad_grad_x, reads[0]), mul14 + mul3 * mul13, 0);
  const Value where40 = aten::where(condition(has_grad_grad_x, reads[0]), where2 * mul13, 0);
  const Value sigmoid6 = aten::sigmoid(where28);
  const Value where41 = aten::where(condition(has_grad_grad_weight, reads[0]), where30 * (where29 *
      (where28 * sigmoid6)), 0);
  const Value sigmoid7 = aten::sigmoid(-where31);
  const Value mul15 = where34 * (sigmoid2 + where31 * (sigmoid2 * sigmoid7)) * where33;
  const Value where42 = aten::where(condition(has_grad_grad_gate, reads[0]), mul15 * where32, 0);
  const Value add1 = where41 + where42;
  const Value where43 = aten::where(condition(logical_or1, reads[0]), add1 * rstd, 0);
  const Value where44 = aten::where(condition(logical_or1, reads[0]), add1 * where22, 0);
  const Value sum2 = aten::sum(where40 + where44);
  const Value mul16 = (where36 + sum2) * mul2 / length * x;
  const Value sigmoid8 = aten::sigmoid(-where8);
  const Value mul17 = add0 * where35 * (sigmoid3 + where8 * (sigmoid3 * sigmoid8));
  const Value where45 = aten::where(condition(logical_or0, reads[0]), mul17, 0);
  const Value mul18 = where6 * (where21 * mul5) * mul9;
  const Value where46 = aten::where(condition(has_grad_grad_gate, reads[0]), mul18 - mul10 * mul6 +
      mul18, 0);
  const Value where47 = aten::where(condition(has_grad_grad_x, reads[0]), (mul3 * where0 + where2 *
      rstd) * mul12, 0);
  const Value where48 = aten::where(condition(has_grad_grad_gate, reads[0]), mul11 * where21 * mul4,
      0);
  writes[0] = where37 + where38;
  writes[1] = where39 + where43 + mul16 + mul16;
  writes[2] = where46 + where45;
  writes[3] = where47 + where48;
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
    .arrivals = {0, 1, 2},
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
