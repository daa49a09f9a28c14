// Generated from specs/gated/sreglu.yaml by `fusewise generate`. Do not edit.
// The formulas stand in sreglu.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::sreglu {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& gate = reads[0];
  const Value& up = reads[1];
  const Value relu0 = aten::relu(gate);
  const Value square0 = aten::square(relu0);
  writes[0] = square0 * up;
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& gate = reads[1];
  const Value& up = reads[2];
  const Value relu0 = aten::relu(gate);
  const Value square0 = aten::square(relu0);
  const Value le0 = relu0 <= 0;
  const Value stop_grad0 = aten::detach(gate);
  const Value where0 = aten::where(le0, stop_grad0, gate);
  const Value stop_grad1 = aten::detach(up);
  const Value where1 = aten::where(le0, stop_grad1, up);
  const Value relu1 = aten::relu(where0);
  const Value stop_grad2 = aten::detach(grad_out);
  const Value where2 = aten::where(le0, stop_grad2, grad_out);
  writes[0] = aten::where(le0, 0, where2 * where1 * (2 * relu1));
  writes[1] = grad_out * square0;
}

void double_backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_grad_gate = reads[0];
  const Value& grad_grad_up = reads[1];
  const Value& grad_out = reads[2];
  const Value& gate = reads[3];
  const Value& up = reads[4];
  const Value relu0 = aten::relu(gate);
  const Value square0 = aten::square(relu0);
  const Value le0 = relu0 <= 0;
  const Value stop_grad0 = aten::detach(gate);
  const Value where0 = aten::where(le0, stop_grad0, gate);
  const Value stop_grad1 = aten::detach(up);
  const Value where1 = aten::where(le0, stop_grad1, up);
  const Value relu1 = aten::relu(where0);
  const Value stop_grad2 = aten::detach(grad_out);
  const Value where2 = aten::where(le0, stop_grad2, grad_out);
  const Value mul0 = 2 * relu1;
  const Value stop_grad3 = aten::detach(grad_grad_gate);
  const Value where3 = aten::where(le0, stop_grad3, grad_grad_gate);
  const Value mul1 = where3 * mul0;
  const Value where4 = aten::where(le0, 0, mul1 * where1);
  const Value stop_grad4 = aten::detach(grad_grad_up);
  const Value where5 = aten::where(le0, stop_grad4, grad_grad_up);
  const Value where6 = aten::where(relu1 <= 0, 0, where3 * (where2 * where1) * 2);
  writes[0] = grad_grad_up * square0 + where4;
  writes[1] = aten::where(le0, 0, where6 + where5 * where2 * mul0);
  writes[2] = aten::where(le0, 0, mul1 * where2);
}

const Pass kDoubleBackward = {
    .schema = "sreglu_double_backward(Tensor grad_grad_x, Tensor? grad_out, Tensor? x, bool[2] "
              "needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .parts = 2},
               {.name = "grad_out"},
               {.name = "x", .parts = 2}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2}},
                {.name = "grad_x", .like = 2, .reads = {0, 1, 2}, .parts = 2}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "sreglu_backward(Tensor grad_out, Tensor? x, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_out"}, {.name = "x", .parts = 2}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1}, .parts = 2}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Pass kForward = {
    .schema = "sreglu(Tensor x) -> Tensor",
    .inputs = {{.name = "x", .parts = 2}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0},
    .gradients = {0},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::sreglu
