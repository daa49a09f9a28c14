// Generated from specs/activations/hard_swish.yaml by `fusewise generate`. Do not edit.
// The formulas stand in hard_swish.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::hard_swish {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value where0 = aten::where(x >= 3, 1, (x + 3) / 6);
  const Value where1 = aten::where(x <= -3, 0, where0);
  writes[0] = x * where1;
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value le0 = x <= -3;
  const Value lt0 = x < 3;
  const Value stop_grad0 = aten::detach(x);
  const Value stop_grad1 = aten::detach(grad_out);
  const Value where0 = aten::where(le0, stop_grad0, x);
  const Value where1 = aten::where(le0, stop_grad1, grad_out);
  const Value stop_grad2 = aten::detach(where0);
  const Value where2 = aten::where(lt0, where0, stop_grad2);
  const Value stop_grad3 = aten::detach(where1);
  const Value where3 = aten::where(lt0, where1, stop_grad3);
  const Value where4 = aten::where(lt0, where3 * (where2 / 3 + 0.5), where1);
  writes[0] = aten::where(le0, 0, where4);
}

void double_backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_out = reads[1];
  const Value& x = reads[2];
  const Value le0 = x <= -3;
  const Value lt0 = x < 3;
  const Value stop_grad0 = aten::detach(x);
  const Value where0 = aten::where(lt0, x, stop_grad0);
  const Value stop_grad1 = aten::detach(grad_out);
  const Value where1 = aten::where(lt0, grad_out, stop_grad1);
  const Value stop_grad2 = aten::detach(grad_grad_x);
  const Value where2 = aten::where(lt0, grad_grad_x, stop_grad2);
  const Value stop_grad3 = aten::detach(where0);
  const Value where3 = aten::where(le0, stop_grad3, where0);
  const Value stop_grad4 = aten::detach(where2);
  const Value where4 = aten::where(le0, stop_grad4, where2);
  const Value where5 = aten::where(le0, 0, where4 * (where3 / 3 + 0.5));
  const Value where6 = aten::where(lt0, stop_grad0, x);
  const Value where7 = aten::where(lt0, stop_grad2, grad_grad_x);
  const Value where8 = aten::where(where6 <= -3, 0, where7);
  const Value where9 = aten::where(where0 <= -3, 0, where2 * where1 * 0.3333333333333333);
  writes[0] = aten::where(lt0, where5, where8);
  writes[1] = aten::where(lt0, where9, 0);
}

const Pass kDoubleBackward = {
    .schema = "hard_swish_double_backward(Tensor grad_grad_x, Tensor? grad_out, Tensor? x, "
              "bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x"}, {.name = "grad_out"}, {.name = "x"}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2}},
                {.name = "grad_x", .like = 2, .reads = {0, 1, 2}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "hard_swish_backward(Tensor grad_out, Tensor? x, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_out"}, {.name = "x"}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Pass kForward = {
    .schema = "hard_swish(Tensor x) -> Tensor",
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
}  // namespace fusewise::ops::hard_swish
