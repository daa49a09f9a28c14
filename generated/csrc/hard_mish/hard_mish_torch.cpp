// Generated from specs/activations/hard_mish.yaml by `fusewise generate`. Do not edit.
// The formulas stand in hard_mish.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::hard_mish {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value clamp0 = aten::clamp(x + 2, 0, 2);
  writes[0] = 0.5 * x * clamp0;
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value lt0 = x < -2;
  const Value stop_grad0 = aten::detach(x);
  const Value where0 = aten::where(lt0, stop_grad0, x);
  const Value stop_grad1 = aten::detach(grad_out);
  const Value where1 = aten::where(lt0, stop_grad1, grad_out);
  const Value where2 = aten::where(where0 <= 0, where0 + 1, 1);
  writes[0] = aten::where(lt0, 0, where1 * where2);
}

void double_backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_out = reads[1];
  const Value& x = reads[2];
  const Value le0 = x <= 0;
  const Value stop_grad0 = aten::detach(x);
  const Value stop_grad1 = aten::detach(grad_out);
  const Value where0 = aten::where(le0, x, stop_grad0);
  const Value lt0 = where0 < -2;
  const Value stop_grad2 = aten::detach(grad_grad_x);
  const Value where1 = aten::where(le0, grad_grad_x, stop_grad2);
  const Value where2 = aten::where(lt0, 0, where1 * (where0 + 1));
  const Value where3 = aten::where(le0, stop_grad0, x);
  const Value where4 = aten::where(le0, stop_grad2, grad_grad_x);
  const Value where5 = aten::where(where3 < -2, 0, where4);
  const Value where6 = aten::where(le0, grad_out, stop_grad1);
  const Value where7 = aten::where(lt0, 0, where1 * where6);
  writes[0] = aten::where(le0, where2, where5);
  writes[1] = aten::where(le0, where7, 0);
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
