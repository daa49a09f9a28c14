// Generated from specs/gated/sreglu.yaml by `fusewise generate`. Do not edit.
// The formulas stand in sreglu.math.h.
#include <ATen/ops/detach.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/square.h>
#include <ATen/ops/where.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::sreglu {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& gate = reads[0];
  const Tensor& up = reads[1];
  const Tensor relu0 = at::relu(gate);
  const Tensor square0 = at::square(relu0);
  writes[0] = square0 * up;
}

void backward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_out = reads[0];
  const Tensor& gate = reads[1];
  const Tensor& up = reads[2];
  const Tensor relu0 = at::relu(gate);
  const Tensor square0 = at::square(relu0);
  const Tensor le0 = relu0 <= 0;
  const Tensor stop_grad0 = at::detach(gate);
  const Tensor where0 = at::where(le0, stop_grad0, gate);
  const Tensor stop_grad1 = at::detach(up);
  const Tensor where1 = at::where(le0, stop_grad1, up);
  const Tensor relu1 = at::relu(where0);
  const Tensor stop_grad2 = at::detach(grad_out);
  const Tensor where2 = at::where(le0, stop_grad2, grad_out);
  writes[0] = at::where(le0, 0, where2 * where1 * (2 * relu1));
  writes[1] = grad_out * square0;
}

void double_backward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_gate = reads[0];
  const Tensor& grad_grad_up = reads[1];
  const Tensor& grad_out = reads[2];
  const Tensor& gate = reads[3];
  const Tensor& up = reads[4];
  const Tensor relu0 = at::relu(gate);
  const Tensor square0 = at::square(relu0);
  const Tensor le0 = relu0 <= 0;
  const Tensor stop_grad0 = at::detach(gate);
  const Tensor where0 = at::where(le0, stop_grad0, gate);
  const Tensor stop_grad1 = at::detach(up);
  const Tensor where1 = at::where(le0, stop_grad1, up);
  const Tensor relu1 = at::relu(where0);
  const Tensor stop_grad2 = at::detach(grad_out);
  const Tensor where2 = at::where(le0, stop_grad2, grad_out);
  const Tensor mul0 = 2 * relu1;
  const Tensor stop_grad3 = at::detach(grad_grad_gate);
  const Tensor where3 = at::where(le0, stop_grad3, grad_grad_gate);
  const Tensor mul1 = where3 * mul0;
  const Tensor where4 = at::where(le0, 0, mul1 * where1);
  const Tensor stop_grad4 = at::detach(grad_grad_up);
  const Tensor where5 = at::where(le0, stop_grad4, grad_grad_up);
  const Tensor where6 = at::where(relu1 <= 0, 0, where3 * (where2 * where1) * 2);
  writes[0] = grad_grad_up * square0 + where4;
  writes[1] = at::where(le0, 0, where6 + where5 * where2 * mul0);
  writes[2] = at::where(le0, 0, mul1 * where2);
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
