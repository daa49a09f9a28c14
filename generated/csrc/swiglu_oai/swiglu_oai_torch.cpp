// Generated from specs/gated/swiglu_oai.yaml by `fusewise generate`. Do not edit.
// The formulas stand in swiglu_oai.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::swiglu_oai {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& gate = reads[0];
  const Value& up = reads[1];
  const double alpha = params[0].as<double>();
  const double limit = params[1].as<double>();
  const Value bounded_gate = aten::clamp(gate, -INFINITY, limit);
  const Value bounded_up = aten::clamp(up, -limit, limit);
  const Value sigmoid0 = aten::sigmoid(alpha * bounded_gate);
  writes[0] = (bounded_up + 1) * (bounded_gate * sigmoid0);
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& gate = reads[1];
  const Value& up = reads[2];
  const double alpha = params[0].as<double>();
  const double limit = params[1].as<double>();
  const double neg0 = -limit;
  const Value logical_and0 = aten::logical_and(up >= neg0, up <= limit);
  const Value le0 = gate <= limit;
  const Value stop_grad0 = aten::detach(gate);
  const Value where0 = aten::where(le0, gate, stop_grad0);
  const Value stop_grad1 = aten::detach(up);
  const Value where1 = aten::where(le0, up, stop_grad1);
  const Value clamp0 = aten::clamp(where0, -INFINITY, limit);
  const Value clamp1 = aten::clamp(where1, neg0, limit);
  const Value mul0 = alpha * clamp0;
  const Value sigmoid0 = aten::sigmoid(mul0);
  const Value stop_grad2 = aten::detach(grad_out);
  const Value where2 = aten::where(le0, grad_out, stop_grad2);
  const Value mul1 = where2 * (clamp1 + 1);
  const Value where3 = aten::where(logical_and0, gate, stop_grad0);
  const Value clamp2 = aten::clamp(where3, -INFINITY, limit);
  const Value sigmoid1 = aten::sigmoid(alpha * clamp2);
  const Value where4 = aten::where(logical_and0, grad_out, stop_grad2);
  const Value sigmoid2 = aten::sigmoid(-mul0);
  const Value mul2 = sigmoid0 * sigmoid2 * clamp0 * (mul1 * alpha);
  writes[0] = aten::where(le0, mul1 * sigmoid0 + mul2, 0);
  writes[1] = aten::where(logical_and0, where4 * (clamp2 * sigmoid1), 0);
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_gate = reads[0];
  const Value& grad_grad_up = reads[1];
  const Value& grad_out = reads[2];
  const Value& gate = reads[3];
  const Value& up = reads[4];
  const double alpha = params[0].as<double>();
  const double limit = params[1].as<double>();
  const double neg0 = -limit;
  const Value logical_and0 = aten::logical_and(up >= neg0, up <= limit);
  const Value le0 = gate <= limit;
  const Value logical_or0 = aten::logical_or(le0, logical_and0);
  const Value stop_grad0 = aten::detach(gate);
  const Value where0 = aten::where(le0, gate, stop_grad0);
  const Value stop_grad1 = aten::detach(up);
  const Value where1 = aten::where(le0, up, stop_grad1);
  const Value clamp0 = aten::clamp(where0, -INFINITY, limit);
  const Value clamp1 = aten::clamp(where1, neg0, limit);
  const Value mul0 = alpha * clamp0;
  const Value sigmoid0 = aten::sigmoid(mul0);
  const Value stop_grad2 = aten::detach(grad_out);
  const Value where2 = aten::where(le0, grad_out, stop_grad2);
  const Value where3 = aten::where(logical_and0, gate, stop_grad0);
  const Value clamp2 = aten::clamp(where3, -INFINITY, limit);
  const Value sigmoid1 = aten::sigmoid(alpha * clamp2);
  const Value where4 = aten::where(logical_and0, grad_out, stop_grad2);
  const Value sigmoid2 = aten::sigmoid(-mul0);
  const Value stop_grad3 = aten::detach(grad_grad_up);
  const Value where5 = aten::where(logical_and0, grad_grad_up, stop_grad3);
  const Value where6 = aten::where(logical_and0, where5 * (clamp2 * sigmoid1), 0);
  const Value stop_grad4 = aten::detach(grad_grad_gate);
  const Value where7 = aten::where(le0, grad_grad_gate, stop_grad4);
  const Value where8 = aten::where(le0, grad_grad_up, stop_grad3);
  const Value stop_grad5 = aten::detach(where0);
  const Value where9 = aten::where(le0, gate, stop_grad5);
  const Value stop_grad6 = aten::detach(where1);
  const Value where10 = aten::where(le0, up, stop_grad6);
  const Value clamp3 = aten::clamp(where9, -INFINITY, limit);
  const Value clamp4 = aten::clamp(where10, neg0, limit);
  const Value mul1 = alpha * clamp3;
  const Value stop_grad7 = aten::detach(where2);
  const Value where11 = aten::where(le0, grad_out, stop_grad7);
  const Value stop_grad8 = aten::detach(where7);
  const Value where12 = aten::where(le0, grad_grad_gate, stop_grad8);
  const Value mul2 = where12 * (where11 * (clamp4 + 1) * alpha);
  const Value where13 = aten::where(logical_and0, where0, stop_grad5);
  const Value clamp5 = aten::clamp(where13, -INFINITY, limit);
  const Value sigmoid3 = aten::sigmoid(alpha * clamp5);
  const Value where14 = aten::where(logical_and0, where2, stop_grad7);
  const Value stop_grad9 = aten::detach(where8);
  const Value where15 = aten::where(logical_and0, where8, stop_grad9);
  const Value where16 = aten::where(logical_and0, where15 * where14 * sigmoid3, 0);
  const Value where17 = aten::where(logical_or0, where0, stop_grad5);
  const Value where18 = aten::where(logical_or0, where1, stop_grad6);
  const Value where19 = aten::where(logical_or0, where2, stop_grad7);
  const Value where20 = aten::where(logical_or0, where7, stop_grad8);
  const Value where21 = aten::where(logical_or0, where8, stop_grad9);
  const Value stop_grad10 = aten::detach(where18);
  const Value where22 = aten::where(le0, where18, stop_grad10);
  const Value clamp6 = aten::clamp(where22, neg0, limit);
  const Value stop_grad11 = aten::detach(where19);
  const Value where23 = aten::where(le0, where19, stop_grad11);
  const Value stop_grad12 = aten::detach(where20);
  const Value where24 = aten::where(le0, where20, stop_grad12);
  const Value stop_grad13 = aten::detach(where17);
  const Value stop_grad14 = aten::detach(where21);
  const Value where25 = aten::where(logical_or0, where0, stop_grad13);
  const Value where26 = aten::where(logical_or0, where1, stop_grad10);
  const Value clamp7 = aten::clamp(where25, -INFINITY, limit);
  const Value mul3 = alpha * clamp7;
  const Value where27 = aten::where(logical_or0, where2, stop_grad11);
  const Value where28 = aten::where(logical_or0, where7, stop_grad12);
  const Value where29 = aten::where(logical_or0, where8, stop_grad14);
  const Value stop_grad15 = aten::detach(where26);
  const Value where30 = aten::where(le0, where26, stop_grad15);
  const Value clamp8 = aten::clamp(where30, neg0, limit);
  const Value stop_grad16 = aten::detach(where27);
  const Value where31 = aten::where(le0, where27, stop_grad16);
  const Value stop_grad17 = aten::detach(where28);
  const Value where32 = aten::where(le0, where28, stop_grad17);
  const Value where33 = aten::where(le0, where32 * (where31 * (clamp8 + 1)), 0);
  const Value stop_grad18 = aten::detach(where25);
  const Value where34 = aten::where(logical_and0, where25, stop_grad18);
  const Value clamp9 = aten::clamp(where34, -INFINITY, limit);
  const Value where35 = aten::where(logical_and0, where27, stop_grad16);
  const Value stop_grad19 = aten::detach(where29);
  const Value where36 = aten::where(logical_and0, where29, stop_grad19);
  const Value where37 = aten::where(logical_and0, where36 * where35 * clamp9, 0);
  const Value where38 = aten::where(le0, where17, stop_grad13);
  const Value clamp10 = aten::clamp(where38, -INFINITY, limit);
  const Value mul4 = alpha * clamp10;
  const Value tanh0 = aten::tanh(0.5 * mul4);
  const Value mul5 = tanh0 * where24 * where23 * (clamp6 + 1) * alpha;
  const Value where39 = aten::where(logical_and0, grad_grad_gate, stop_grad4);
  const Value stop_grad20 = aten::detach(where3);
  const Value where40 = aten::where(le0, where3, stop_grad20);
  const Value clamp11 = aten::clamp(where40, -INFINITY, limit);
  const Value mul6 = alpha * clamp11;
  const Value sigmoid4 = aten::sigmoid(mul6);
  const Value stop_grad21 = aten::detach(where4);
  const Value where41 = aten::where(le0, where4, stop_grad21);
  const Value stop_grad22 = aten::detach(where39);
  const Value where42 = aten::where(le0, where39, stop_grad22);
  const Value mul7 = sigmoid0 * sigmoid2 * clamp0 * (where7 * alpha);
  const Value where43 = aten::where(le0, (mul7 + where7 * sigmoid0) * (clamp1 + 1), 0);
  const Value sigmoid5 = aten::sigmoid(mul1);
  const Value sigmoid6 = aten::sigmoid(-mul1);
  const Value where44 = aten::where(le0, mul2 * (sigmoid5 * sigmoid6), 0);
  const Value sigmoid7 = aten::sigmoid(mul3);
  const Value sigmoid8 = aten::sigmoid(-mul3);
  const Value where45 = aten::where(logical_or0, (where33 + where37) * (sigmoid7 * sigmoid8), 0);
  const Value sigmoid9 = aten::sigmoid(mul4);
  const Value sigmoid10 = aten::sigmoid(-mul4);
  const Value where46 = aten::where(le0, -(sigmoid9 * sigmoid10 * clamp10 * mul5), 0);
  const Value where47 = aten::where(logical_or0, (where46 + where45) * alpha, 0);
  const Value sigmoid11 = aten::sigmoid(-mul6);
  const Value mul8 = sigmoid4 * sigmoid11 * clamp11 * (where42 * alpha);
  const Value where48 = aten::where(le0, (mul8 + where42 * sigmoid4) * where41, 0);
  writes[0] = where43 + where6;
  writes[1] = aten::where(le0, where44 + where16 + where47, 0);
  writes[2] = aten::where(logical_and0, where48, 0);
}

const Pass kDoubleBackward = {
    .schema = "swiglu_oai_double_backward(Tensor grad_grad_x, Tensor? grad_out, Tensor? x, *, "
              "float alpha, float limit, bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .parts = 2, .layout = Layout::kInterleaved},
               {.name = "grad_out"},
               {.name = "x", .parts = 2, .layout = Layout::kInterleaved}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2}},
                {.name = "grad_x", .like = 2, .reads = {0, 1, 2}, .parts = 2,
                 .layout = Layout::kInterleaved}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "swiglu_oai_backward(Tensor grad_out, Tensor? x, *, float alpha, float limit, "
              "bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_out"}, {.name = "x", .parts = 2, .layout = Layout::kInterleaved}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1}, .parts = 2,
                 .layout = Layout::kInterleaved}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Pass kForward = {
    .schema = "swiglu_oai(Tensor x, *, float alpha=1.702, float limit=7) -> Tensor",
    .inputs = {{.name = "x", .parts = 2, .layout = Layout::kInterleaved}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0},
    .gradients = {0},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::swiglu_oai
