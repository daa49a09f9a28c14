// Generated from specs/activations/hard_mish.yaml by `fusewise generate`. Do not edit.
// The formulas stand in hard_mish.math.h.
#include <ATen/ops/clamp.h>
#include <ATen/ops/detach.h>
#include <ATen/ops/where.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::hard_mish {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& x = reads[0];
  const Tensor clamp0 = at::clamp(x + 2, 0, 2);
  writes[0] = 0.5 * x * clamp0;
}

void backward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_out = reads[0];
  const Tensor& x = reads[1];
  const Tensor lt0 = x < -2;
  const Tensor stop_grad0 = at::detach(x);
  const Tensor where0 = at::where(lt0, stop_grad0, x);
  const Tensor stop_grad1 = at::detach(grad_out);
  const Tensor where1 = at::where(lt0, stop_grad1, grad_out);
  const Tensor where2 = at::where(where0 <= 0, where0 + 1, 1);
  writes[0] = at::where(lt0, 0, where1 * where2);
}

void double_backward_decomposition(
    const Tensor* reads, const Number*, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_x = reads[0];
  const Tensor& grad_out = reads[1];
  const Tensor& x = reads[2];
  const Tensor le0 = x <= 0;
  const Tensor stop_grad0 = at::detach(x);
  const Tensor stop_grad1 = at::detach(grad_out);
  const Tensor where0 = at::where(le0, x, stop_grad0);
  const Tensor lt0 = where0 < -2;
  const Tensor stop_grad2 = at::detach(grad_grad_x);
  const Tensor where1 = at::where(le0, grad_grad_x, stop_grad2);
  const Tensor where2 = at::where(lt0, 0, where1 * (where0 + 1));
  const Tensor where3 = at::where(le0, stop_grad0, x);
  const Tensor where4 = at::where(le0, stop_grad2, grad_grad_x);
  const Tensor where5 = at::where(where3 < -2, 0, where4);
  const Tensor where6 = at::where(le0, grad_out, stop_grad1);
  const Tensor where7 = at::where(lt0, 0, where1 * where6);
  writes[0] = at::where(le0, where2, where5);
  writes[1] = at::where(le0, where7, 0);
}

const Pass kDoubleBackward = {
    .schema = "hard_mish_double_backward(Tensor grad_grad_x, Tensor? grad_out, Tensor? x, bool[2]"
              " needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x"}, {.name = "grad_out"}, {.name = "x"}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2}},
                {.name = "grad_x", .like = 2, .reads = {0, 1, 2}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "hard_mish_backward(Tensor grad_out, Tensor? x, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_out"}, {.name = "x"}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Pass kForward = {
    .schema = "hard_mish(Tensor x) -> Tensor",
    .inputs = {{.name = "x"}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0},
    .gradients = {0},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::hard_mish
